// Source control: git as the server sees it, in the workbench's own view; an agent's work shows there by itself.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, palette, picture, ready, tab, test as base, type Page } from './stage'
import { expectRest, panesOf } from './editor'
import { answer, dialog, openFile } from './hands'

const run = promisify(execFile)
const git = async (root: string, ...args: string[]) => (await run('git', args, { cwd: root })).stdout.trim()

/** A repository with one commit of all files. */
const test = base.extend({
  server: async ({ server }, use) => {
    await git(server.root, 'init', '-q', '-b', 'main')
    await git(server.root, 'config', 'user.name', 'Tester')
    await git(server.root, 'config', 'user.email', 'tester@example.org')
    await git(server.root, 'add', '.')
    await git(server.root, 'commit', '-q', '-m', 'first')
    await use(server)
  },
})

const view = (page: Page) => page.locator('.scm-view')
/** A file of the view, by the name of its group. */
const change = (page: Page, file: string) => view(page).locator('.monaco-list-row', { has: page.locator('.resource') })
  .filter({ hasText: file })
const group = (page: Page, name: string) =>
  view(page).locator('.monaco-list-row', { has: page.locator('.resource-group') }).filter({ hasText: name })

/** The letter at a file's name and its colour; both are drawn by style alone. */
const letter = (page: Page, file: string) => change(page, file).locator('.monaco-icon-label').first()
  .evaluate((label) => {
    const { content, color } = getComputedStyle(label, '::after')
    return `${content.replaceAll('"', '')} ${color}`
  })

async function openView(page: Page): Promise<void> {
  await page.keyboard.press('Control+Shift+g')
  await expect(page.locator('.part.sidebar .title-label', { hasText: 'Source Control' })).toBeVisible()
}

async function act(page: Page, file: string, action: string): Promise<void> {
  await change(page, file).first().hover()
  await change(page, file).first().getByRole('button', { name: action }).click()
}

base('a folder without a repository offers to make one', async ({ ide, server }) => {
  await openView(ide)
  await ide.getByRole('button', { name: 'Initialize Repository' }).click()
  await expect(change(ide, 'README.md')).toBeVisible()
  expect(existsSync(join(server.root, '.git'))).toBe(true)
})

test('changes are listed with their letters, open as a diff, are staged, unstaged and committed', async ({
  ide, server,
}) => {
  const { root } = server
  await writeFile(join(root, 'README.md'), '# Demo\n\nA changed project.\n')
  await writeFile(join(root, 'new.txt'), 'new\n')
  await openView(ide)
  await expect.poll(() => letter(ide, 'README.md')).toBe('M rgb(137, 85, 3)')
  await expect.poll(() => letter(ide, 'new.txt')).toBe('U rgb(0, 113, 0)')
  await expect(ide.getByRole('button', { name: 'Generate Commit Message' })).toHaveCount(0)
  await change(ide, 'README.md').click()
  const diff = ide.locator('.monaco-diff-editor')
  await expect(diff.locator('.original .view-lines')).toContainText('A small project.')
  await expect(diff.locator('.modified .view-lines')).toContainText('A changed project.')
  await picture(ide, 'scm')
  await change(ide, 'README.md').dblclick()
  const kept = async () => {
    const { scopes } = await server.get<{ scopes: { workspace: Record<string, string> } }>('/api/ui-state')
    return scopes.workspace['openspace.ownTabs'] ?? ''
  }
  await expect.poll(kept).toContain('git')
  await ide.reload()
  await ready(ide)
  await expect(diff.locator('.original .view-lines')).toContainText('A small project.')
  await expect(diff.locator('.modified .view-lines')).toContainText('A changed project.')
  await picture(ide, 'scm-reloaded')
  await act(ide, 'README.md', 'Stage Changes')
  await expect(group(ide, 'Staged Changes')).toBeVisible()
  expect(await git(root, 'diff', '--cached', '--name-only')).toBe('README.md')
  await act(ide, 'README.md', 'Unstage Changes')
  await expect(group(ide, 'Staged Changes')).toHaveCount(0)
  expect(await git(root, 'diff', '--cached', '--name-only')).toBe('')
  await act(ide, 'new.txt', 'Stage Changes')
  await expect(group(ide, 'Staged Changes')).toBeVisible()
  await expect.poll(() => letter(ide, 'new.txt')).toMatch(/^A /)
  await view(ide).locator('.scm-input').click()
  await ide.keyboard.type('Add a file')
  await ide.keyboard.press('Control+Enter')
  await expect(change(ide, 'new.txt')).toHaveCount(0)
  expect(await git(root, 'log', '-1', '--format=%s')).toBe('Add a file')
  expect(await git(root, 'status', '--porcelain')).toBe('M README.md')
  await expect(view(ide).locator('.scm-input .view-lines')).toHaveText('')
})

/** The tabs of the page in their order, with the one in front in brackets. */
const tabs = (page: Page) => page.locator('.editor-group-container .tab').evaluateAll((all) => all.map((element) => {
  const name = element.querySelector('.label-name')?.textContent ?? ''
  const shown = element.querySelector('.monaco-icon-label')?.classList.contains('italic') ? `~${name}` : name
  return element.classList.contains('active') ? `[${shown}]` : shown
}))

test('a click on a changed file shows its diff in front, in place of what was only previewed', async ({
  ide, agent, server,
}) => {
  const { root } = server
  await writeFile(join(root, 'README.md'), '# Demo\n\nA changed project.\n')
  await writeFile(join(root, 'notes/todo.txt'), 'changed\n')
  for (const path of ['src/lib.rs', 'src/main.rs']) await agent.call('editor_open', { path })
  await expect(tab(ide, 'main.rs')).toHaveClass(/active/)
  await ide.locator('.explorer-folders-view .monaco-list-row', { hasText: 'README.md' }).first().click()
  await expect.poll(() => panesOf(agent)).toEqual([['src/lib.rs', 'src/main.rs', 'README.md']])
  await openView(ide)
  for (const file of ['README.md', 'todo.txt']) {
    await change(ide, file).first().click()
    await expect.poll(() => panesOf(agent)).toEqual([['src/lib.rs', 'src/main.rs']])
    await expectRest(server, 'layout.propose', 300)
    expect(await tabs(ide)).toEqual(['Welcome', 'lib.rs', 'main.rs', `[~${file} (Changes)]`])
  }
})

test('a discard asks first, and cancelling keeps the change', async ({ ide, server }) => {
  const { root } = server
  await writeFile(join(root, 'README.md'), 'gone\n')
  await writeFile(join(root, 'new.txt'), 'new\n')
  await openView(ide)
  await act(ide, 'README.md', 'Discard Changes')
  await expect(dialog(ide)).toContainText('README.md')
  await answer(ide, 'Cancel')
  await expect(change(ide, 'README.md')).toBeVisible()
  expect(await readFile(join(root, 'README.md'), 'utf8')).toBe('gone\n')
  await act(ide, 'README.md', 'Discard Changes')
  await answer(ide, 'Discard Changes')
  await expect(change(ide, 'README.md')).toHaveCount(0)
  expect(await readFile(join(root, 'README.md'), 'utf8')).toBe('# Demo\n\nA small project.\n')
  // It is in front, with marks beside its lines: git is asked for what it has of it.
  await act(ide, 'new.txt', 'Open File')
  await expect(tab(ide, 'new.txt')).toBeVisible()
  await act(ide, 'new.txt', 'Discard Changes')
  await expect(dialog(ide)).toContainText('deleted')
  await answer(ide, 'Discard Changes')
  await expect(change(ide, 'new.txt')).toHaveCount(0)
  expect(existsSync(join(root, 'new.txt'))).toBe(false)
})

test('branches are created and switched from the status bar', async ({ ide, server }) => {
  const { root } = server
  const branch = (name: string) => ide.locator('.part.statusbar').getByText(name, { exact: true })
  await branch('main').click()
  await ide.locator('.quick-input-list .monaco-list-row', { hasText: 'Create a new branch' }).click()
  await ide.locator('.quick-input-widget input:visible').last().fill('topic')
  await ide.keyboard.press('Enter')
  await expect(branch('topic')).toBeVisible()
  expect(await git(root, 'branch', '--show-current')).toBe('topic')
  await branch('topic').click()
  await expect(ide.locator('.quick-input-list .monaco-list-row', { hasText: 'topic' })).toContainText(
    'the current branch')
  await ide.locator('.quick-input-list .monaco-list-row', { hasText: 'main' }).click()
  await expect(branch('main')).toBeVisible()
  expect(await git(root, 'branch', '--show-current')).toBe('main')
})

test('what an agent edits shows in the view and beside the lines without being asked for', async ({
  ide, agent, server,
}) => {
  await openFile(ide, 'src', 'lib.rs')
  await openView(ide)
  await expect(change(ide, 'lib.rs')).toHaveCount(0)
  await agent.call('workspace_edit', { path: 'src/lib.rs', oldString: 'a + b', newString: 'b + a' })
  await expect.poll(() => letter(ide, 'lib.rs')).toMatch(/^M /)
  await expect(ide.locator('.openspace-modified').first()).toBeVisible()
  await picture(ide, 'scm-agent')
  await git(server.root, 'commit', '-q', '-a', '-m', 'elsewhere')
  await expect(change(ide, 'lib.rs')).toHaveCount(0)
  await expect(ide.locator('.openspace-modified')).toHaveCount(0)
  await expect(tab(ide, 'lib.rs')).toBeVisible()
})

/** The menu of a row or a group, opened with the mouse or from the keyboard. */
async function menu(page: Page, row: ReturnType<typeof change>, how: 'mouse' | 'keyboard' = 'mouse'): Promise<void> {
  if (how === 'mouse') {
    await row.first().click({ button: 'right' })
  } else {
    await view(page).locator('.monaco-list').first().focus()
    await page.keyboard.press('Shift+F10')
  }
  await expect(entries(page).first()).toBeVisible()
}

const entries = (page: Page) => page.locator('.monaco-menu .action-item:not(.disabled) .action-label[aria-label]')

async function choose(page: Page, entry: string): Promise<void> {
  const item = page.locator('.monaco-menu').getByRole('menuitem', { name: entry, exact: true })
  // A click right after a menu opened is taken for the one that opened it.
  await expect(async () => {
    if (await item.isVisible()) await item.click({ timeout: 1_000 })
    await expect(item).toHaveCount(0, { timeout: 500 })
  }).toPass()
}

test('rows and groups have menus for all that can be done with them', async ({ ide, server }) => {
  const { root } = server
  await writeFile(join(root, 'README.md'), '# Demo\n')
  await writeFile(join(root, 'a [b].txt'), 'new\n')
  await writeFile(join(root, 'other.txt'), 'new\n')
  await openView(ide)
  await menu(ide, change(ide, 'README.md'))
  await expect(entries(ide)).toHaveText([
    'Open Changes', 'Open File', 'Discard Changes', 'Stage Changes', 'Reveal in Explorer', 'Copy Path',
    'Copy Relative Path',
  ])
  await picture(ide, 'scm-menu')
  await choose(ide, 'Stage Changes')
  await expect(group(ide, 'Staged Changes')).toBeVisible()
  await menu(ide, change(ide, 'README.md'))
  await choose(ide, 'Unstage Changes')
  await expect(group(ide, 'Staged Changes')).toHaveCount(0)
  await menu(ide, change(ide, 'a [b].txt'))
  await choose(ide, 'Add to .gitignore')
  await expect(change(ide, 'a [b].txt')).toHaveCount(0)
  expect(await readFile(join(root, '.gitignore'), 'utf8')).toBe('/a \\[b\\].txt\n')
  await menu(ide, change(ide, 'other.txt'))
  await choose(ide, 'Reveal in Explorer')
  await expect(ide.locator('.explorer-folders-view .monaco-list-row.focused')).toContainText('other.txt')
  await openView(ide)
  await menu(ide, group(ide, 'Changes'))
  await expect(entries(ide)).toHaveText(['Discard All Changes', 'Stage All Changes'])
  await choose(ide, 'Stage All Changes')
  await expect.poll(() => git(root, 'diff', '--cached', '--name-only')).toBe('.gitignore\nREADME.md\nother.txt')
  await menu(ide, group(ide, 'Staged Changes'))
  await choose(ide, 'Unstage All Changes')
  await expect(group(ide, 'Staged Changes')).toHaveCount(0)
  await menu(ide, group(ide, 'Changes'))
  await choose(ide, 'Discard All Changes')
  await expect(dialog(ide)).toContainText('one file')
  await expect(dialog(ide)).toContainText('2 untracked files')
  await answer(ide, 'Discard Changes in 3 Files')
  await expect(change(ide, 'other.txt')).toHaveCount(0)
  expect(await readFile(join(root, 'README.md'), 'utf8')).toBe('# Demo\n\nA small project.\n')
})

test('a row is discarded from the keyboard, and an untracked file goes to the trash', async ({
  ide, server, complaints,
}) => {
  const { root } = server
  await writeFile(join(root, 'new.txt'), 'worth something\n')
  await openView(ide)
  await change(ide, 'new.txt').click()
  await menu(ide, change(ide, 'new.txt'), 'keyboard')
  await ide.keyboard.press('ArrowDown')
  await ide.keyboard.press('ArrowDown')
  await ide.keyboard.press('ArrowDown')
  await ide.keyboard.press('Enter')
  await expect(dialog(ide)).toContainText('new.txt will be deleted')
  await answer(ide, 'Discard Changes')
  await expect(change(ide, 'new.txt')).toHaveCount(0)
  expect(existsSync(join(root, 'new.txt'))).toBe(false)
  const kept = (await run('find', ['.openspace/trash', '-name', 'new.txt'], { cwd: root })).stdout.trim()
  expect(await readFile(join(root, kept), 'utf8')).toBe('worth something\n')
  // The browser notes that git has no text of it either, which the page asked once it was not untracked any more.
  const isAsked = (line: string) => line.includes('path=new.txt&revision=index')
  complaints.splice(0, complaints.length, ...complaints.filter((line) => !isAsked(line)))
})

/** The mark beside a line, by its colour. */
const mark = (page: Page, kind: 'added' | 'modified' | 'deleted') => page.locator(`.openspace-${kind}`)
const inlineDiff = (page: Page) => page.locator('.openspace-inline-diff')

test('a mark opens the change between the lines, where it is staged or reverted', async ({ ide, server }) => {
  const { root } = server
  const text = await readFile(join(root, 'src/main.rs'), 'utf8')
  const lines = text.split('\n')
  await writeFile(join(root, 'src/main.rs'),
    ['// new', ...lines.slice(0, 4), 'fn five() {}', ...lines.slice(5, 9), ...lines.slice(10)].join('\n'))
  await openFile(ide, 'src', 'main.rs')
  await expect(mark(ide, 'modified')).toBeVisible()
  await mark(ide, 'modified').click()
  await expect(inlineDiff(ide)).toContainText('2 of 3 changes')
  await expect(inlineDiff(ide)).toContainText('fn line_5() {}')
  await picture(ide, 'scm-inline-diff')
  await inlineDiff(ide).getByRole('button', { name: 'Stage Change' }).click()
  await expect.poll(() => git(root, 'diff', '--cached', '--stat', '--', 'src')).toContain('2 +-')
  expect(await git(root, 'diff', '--cached', '-U0')).toContain('+fn five() {}')
  await expect(mark(ide, 'modified')).toHaveCount(0)
  await expect(inlineDiff(ide)).toContainText('2 of 2 changes')
  await inlineDiff(ide).getByRole('button', { name: 'Revert Change' }).click()
  await expect(mark(ide, 'deleted')).toHaveCount(0)
  await expect(inlineDiff(ide)).toContainText('1 of 1 change')
  await ide.keyboard.press('Escape')
  await expect(inlineDiff(ide)).toHaveCount(0)
  await ide.keyboard.press('Control+s')
  await expect.poll(() => readFile(join(root, 'src/main.rs'), 'utf8')).toContain('fn line_9() {}\nfn line_10')
})

test('changes are gone to, staged and reverted from the keyboard, as they are typed', async ({ ide, server }) => {
  const { root } = server
  await openFile(ide, 'src', 'lib.rs')
  const caret = (line: number) => expect(ide.locator('.part.statusbar').getByText(`Ln ${line}, Col 1`)).toBeVisible()
  await ide.locator('.monaco-editor .view-lines').first().click()
  await ide.keyboard.press('Control+Home')
  await ide.keyboard.type('pub mod typed;\n')
  await ide.keyboard.press('Control+End')
  await ide.keyboard.type('pub mod last;\n')
  await expect(mark(ide, 'added')).toHaveCount(2)
  await ide.keyboard.press('Alt+F5')
  await caret(1)
  await ide.keyboard.press('Alt+F5')
  await caret(8)
  await ide.keyboard.press('Shift+Alt+F5')
  await caret(1)
  await ide.keyboard.press('Control+k')
  await ide.keyboard.press('Control+Alt+s')
  // What is staged is what was typed, and the file is not saved by it.
  await expect.poll(() => git(root, 'show', ':src/lib.rs')).toMatch(/^pub mod typed;\npub mod one;[^]*\}$/)
  expect(await git(root, 'show', ':src/lib.rs')).not.toContain('last')
  expect(await readFile(join(root, 'src/lib.rs'), 'utf8')).not.toContain('typed')
  await expect(mark(ide, 'added')).toHaveCount(1)
  await ide.keyboard.press('Alt+F3')
  await expect(inlineDiff(ide)).toContainText('1 of 1 change')
  await ide.keyboard.press('Escape')
  await expect(inlineDiff(ide)).toHaveCount(0)
  await ide.keyboard.press('Control+k')
  await ide.keyboard.press('Control+r')
  await expect(mark(ide, 'added')).toHaveCount(0)
})

/** A merge that stopped: `main` and `other` changed the same line of the readme. */
async function conflicting(root: string): Promise<void> {
  const commit = async (text: string) => {
    await writeFile(join(root, 'README.md'), text)
    await git(root, 'commit', '-q', '-a', '-m', text.trim())
  }
  await git(root, 'checkout', '-q', '-b', 'other')
  await commit('# Theirs\n\nA small project.\n')
  await git(root, 'checkout', '-q', 'main')
  await commit('# Ours\n\nA small project.\n')
  await git(root, 'merge', '-q', 'other').catch(() => undefined)
}

const lens = (page: Page, title: string) => page.locator('.codelens-decoration').getByText(title)

test('a conflict is compared, resolved above its lines and staged', async ({ ide, server }) => {
  const { root } = server
  await conflicting(root)
  await openView(ide)
  await expect(group(ide, 'Merge Changes')).toBeVisible()
  await change(ide, 'README.md').click()
  await expect(lens(ide, 'Accept Current Change')).toBeVisible()
  await expect(ide.locator('.openspace-conflict-incoming')).toBeVisible()
  await picture(ide, 'scm-conflict')
  // With its markers it is staged only when the person says so.
  await act(ide, 'README.md', 'Stage Changes')
  await expect(dialog(ide)).toContainText('Conflict markers are left in README.md')
  await answer(ide, 'Cancel')
  await expect(group(ide, 'Merge Changes')).toBeVisible()
  await lens(ide, 'Compare Changes').click()
  const diff = ide.locator('.monaco-diff-editor')
  await expect(diff.locator('.original .view-lines')).toContainText('# Ours')
  await expect(diff.locator('.modified .view-lines')).toContainText('# Theirs')
  await change(ide, 'README.md').click()
  await expect(lens(ide, 'Accept Both Changes')).toBeVisible()
  // Lines that are only being laid out are not where they were clicked.
  await expect(async () => {
    if (await lens(ide, 'Accept Both Changes').isVisible()) await lens(ide, 'Accept Both Changes').click()
    await expect(lens(ide, 'Accept Current Change')).toHaveCount(0, { timeout: 2_000 })
  }).toPass()
  await act(ide, 'README.md', 'Stage Changes')
  await expect(group(ide, 'Merge Changes')).toHaveCount(0)
  expect(await git(root, 'show', ':README.md')).toBe('# Ours\n# Theirs\n\nA small project.')
  expect(await readFile(join(root, 'README.md'), 'utf8')).toBe('# Ours\n# Theirs\n\nA small project.\n')
})

/** Type an answer into the box at the top. */
async function say(page: Page, text: string): Promise<void> {
  await page.locator('.quick-input-widget input:visible').last().fill(text)
  await page.keyboard.press('Enter')
}

const choice = (page: Page, text: string) => page.locator('.quick-input-list .monaco-list-row', { hasText: text })

test('the last commit is amended with its message in the box', async ({ ide, server }) => {
  const { root } = server
  await git(root, 'commit', '-q', '--amend', '-m', 'first\n\nwith reasons')
  await openView(ide)
  const input = view(ide).locator('.scm-input')
  await input.click()
  await ide.keyboard.type('a draft')
  await palette(ide, 'Git: Amend Last Commit')
  await expect(input.locator('.view-lines')).toContainText('with reasons')
  await expect(ide.locator('.part.statusbar')).toContainText('Amending')
  await input.click()
  await ide.keyboard.press('Control+Home')
  await ide.keyboard.type('The ')
  await ide.keyboard.press('Control+Enter')
  await expect.poll(() => git(root, 'log', '--format=%B')).toBe('The first\n\nwith reasons')
  await expect(input.locator('.view-lines')).toHaveText('a draft')
  await expect(ide.locator('.part.statusbar')).not.toContainText('Amending')
})

test('changes are stashed and taken back, and tags are made, checked out and deleted', async ({ ide, server }) => {
  const { root } = server
  await writeFile(join(root, 'README.md'), 'changed\n')
  await openView(ide)
  await expect(change(ide, 'README.md')).toBeVisible()
  await palette(ide, 'Git: Stash Changes…')
  await say(ide, 'for later')
  await expect(change(ide, 'README.md')).toHaveCount(0)
  expect(await git(root, 'stash', 'list', '--format=%gs')).toBe('On main: for later')
  await palette(ide, 'Git: Apply Stash…')
  await choice(ide, 'for later').click()
  await expect(change(ide, 'README.md')).toBeVisible()
  await palette(ide, 'Git: Drop Stash…')
  await choice(ide, 'for later').click()
  await answer(ide, 'Drop Stash…')
  await expect.poll(() => git(root, 'stash', 'list')).toBe('')
  await palette(ide, 'Git: Create Tag…')
  await say(ide, 'v1')
  await say(ide, 'The first')
  await expect.poll(() => git(root, 'tag', '-n')).toMatch(/^v1 +The first$/)
  await palette(ide, 'Git: Switch branch or create one')
  await choice(ide, 'v1').click()
  await expect.poll(() => git(root, 'branch', '--show-current')).toBe('')
  await palette(ide, 'Git: Delete Tag…')
  await choice(ide, 'v1').click()
  await answer(ide, 'Delete Tag…')
  await expect.poll(() => git(root, 'tag')).toBe('')
})

test('the graph lists commits with their branches, and a commit shows what it changed', async ({ ide, server }) => {
  const { root } = server
  await git(root, 'checkout', '-q', '-b', 'topic')
  await writeFile(join(root, 'notes/todo.txt'), 'first\nsecond\nthird\nfourth\n')
  await git(root, 'commit', '-q', '-a', '-m', 'A fourth thing')
  await openView(ide)
  const graph = ide.locator('.scm-history-view')
  if (!(await graph.isVisible())) await ide.getByRole('button', { name: 'Graph Section' }).click()
  const commit = (text: string) => graph.locator('.monaco-list-row', { hasText: text })
  await expect(commit('A fourth thing')).toContainText('topic')
  // The lines have colours of the theme.
  const colour = () => commit('A fourth thing').locator('.graph circle').first()
    .evaluate((circle) => getComputedStyle(circle).fill)
  await expect.poll(colour).not.toBe('rgb(0, 0, 0)')
  await expect(commit('first').first()).toBeVisible()
  await commit('A fourth thing').click()
  await commit('todo.txt').click()
  const diff = ide.locator('.monaco-diff-editor')
  await expect(diff.locator('.modified .view-lines').first()).toContainText('fourth')
  await picture(ide, 'scm-graph')
  await git(root, 'commit', '-q', '--allow-empty', '-m', 'One more')
  await expect(commit('One more')).toBeVisible()
})

test('the history of a file is listed, the status bar tells who wrote a line, and neither is on record', async ({
  ide, server, agent,
}) => {
  const { root } = server
  await writeFile(join(root, 'README.md'), '# Demo\n\nA grown project.\n')
  await git(root, 'commit', '-q', '-a', '-m', 'It grew')
  await openFile(ide, 'README.md')
  await palette(ide, 'Git: Show History of File…')
  await choice(ide, 'It grew').click()
  const diff = ide.locator('.monaco-diff-editor')
  await expect(diff.locator('.original .view-lines')).toContainText('A small project.')
  await expect(diff.locator('.modified .view-lines')).toContainText('A grown project.')
  await openFile(ide, 'README.md')
  const bar = ide.locator('.part.statusbar')
  await expect(bar).toContainText('Tester')
  await ide.keyboard.press('Control+End')
  await expect(bar).not.toContainText('Tester')
  await ide.keyboard.press('Control+Home')
  await expect(bar).toContainText('Tester')
  const { records } = await agent.call('audit_list', { command: 'workspace.git' })
  expect(records).toEqual([])
  await palette(ide, 'Git: Toggle Blame in the Status Bar')
  await expect(bar).not.toContainText('Tester')
})

test('the timeline has the commits of the file in front, older ones as one scrolls, and what each changed', async ({
  ide, server, agent,
}) => {
  const { root } = server
  for (let edit = 1; edit <= 60; edit++) {
    await writeFile(join(root, 'README.md'), `# Demo\n\nEdit ${edit}.\n`)
    await git(root, 'commit', '-q', '-a', '-m', `edit number ${edit}`)
  }
  await openFile(ide, 'README.md')
  await ide.getByRole('button', { name: 'Timeline Section' }).click()
  const timeline = ide.locator('.timeline-tree-view')
  const commit = (text: string) => timeline.locator('.monaco-list-row', { hasText: text })
  await expect(commit('edit number 60')).toContainText('Tester')
  await commit('edit number 59').click()
  const diff = ide.locator('.monaco-diff-editor')
  await expect(diff.locator('.original .view-lines')).toContainText('Edit 58.')
  await expect(diff.locator('.modified .view-lines')).toContainText('Edit 59.')
  await picture(ide, 'scm-timeline')
  await git(root, 'commit', '-q', '--allow-empty', '-m', 'elsewhere')
  await writeFile(join(root, 'README.md'), '# Demo\n\nThe last.\n')
  await git(root, 'commit', '-q', '-a', '-m', 'the last edit')
  await expect(commit('the last edit')).toBeVisible()
  await expect(commit('elsewhere')).toHaveCount(0)
  await commit('the last edit').click()
  // It reads on where one scrolls to.
  await expect(async () => {
    await timeline.locator('.monaco-list').press('End')
    await expect(commit('first')).toBeVisible({ timeout: 1_000 })
  }).toPass()
  const { records } = await agent.call('audit_list', { command: 'workspace.git' })
  expect(records).toEqual([])
})
