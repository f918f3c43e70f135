// Source control: git as the server sees it, in the workbench's own view; an agent's work shows there by itself.
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, palette, picture, ready, tab, test as base, type Page } from './stage'
import { expectRest, panesOf } from './editor'
import { answer, choose, dialog, openFile } from './hands'
import { button, change, choice, entries, git, group, openView, run, say, test, view } from './scm'

/** The letter at a file's name and its colour; both are drawn by style alone. */
const letter = (page: Page, file: string) => change(page, file).locator('.monaco-icon-label').first()
  .evaluate((label) => {
    const { content, color } = getComputedStyle(label, '::after')
    return `${content.replaceAll('"', '')} ${color}`
  })

/** Git takes a file away before it writes it anew. */
const onDisk = (file: string) => readFile(file, 'utf8').catch(() => '')

async function act(page: Page, file: string, action: string): Promise<void> {
  const row = change(page, file).first()
  // A row that is drawn anew has its buttons when the mouse comes again.
  await expect(async () => {
    await row.hover({ timeout: 5_000 })
    await row.getByRole('button', { name: action }).click({ timeout: 5_000 })
  }).toPass()
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
  await expect.poll(() => git(root, 'log', '-1', '--format=%s')).toBe('Add a file')
  await expect.poll(() => git(root, 'status', '--porcelain')).toBe('M README.md')
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
    const expected = ['Welcome', 'lib.rs', 'main.rs', `[~${file} (Changes)]`]
    await expect.poll(() => tabs(ide)).toEqual(expected)
    await expectRest(server, 'layout.propose', 300)
    expect(await tabs(ide)).toEqual(expected)
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
  // A name that is typed over the list is not asked for again.
  await branch('main').click()
  await ide.locator('.quick-input-widget input:visible').last().fill('typed')
  await ide.locator('.quick-input-list .monaco-list-row', { hasText: 'Create a new branch' }).click()
  await expect(branch('typed')).toBeVisible()
  expect(await git(root, 'branch', '--show-current')).toBe('typed')
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

test('rows and groups have menus for all that can be done with them', async ({ ide, server }) => {
  const { root } = server
  await writeFile(join(root, 'README.md'), '# Demo\n')
  await writeFile(join(root, 'a [b].txt'), 'new\n')
  await writeFile(join(root, 'other.txt'), 'new\n')
  await openView(ide)
  await menu(ide, change(ide, 'README.md'))
  await expect(entries(ide)).toHaveText([
    'Open Changes', 'Open File', 'Discard Changes', 'Stage Changes', 'Reveal in Explorer', 'Copy Path',
    'Copy Relative Path', 'Send Change to Chat',
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
  await expect.poll(() => onDisk(join(root, 'README.md'))).toBe('# Demo\n\nA small project.\n')
})

test('a row is discarded from the keyboard, and an untracked file goes to the trash', async ({
  ide, server, complaints,
}) => {
  const { root } = server
  await writeFile(join(root, 'new.txt'), 'worth something\n')
  await openView(ide)
  await change(ide, 'new.txt').click()
  await menu(ide, change(ide, 'new.txt'), 'keyboard')
  // A menu hears keys a moment after it is seen.
  await expect(async () => {
    await ide.keyboard.press('ArrowDown')
    const chosen = ide.locator('.monaco-menu .action-item.focused')
    await expect(chosen).toContainText('Discard Changes', { timeout: 500 })
  }).toPass()
  await ide.keyboard.press('Enter')
  await expect(dialog(ide)).toContainText('new.txt will be deleted')
  await answer(ide, 'Discard Changes')
  await expect(change(ide, 'new.txt')).toHaveCount(0)
  expect(existsSync(join(root, 'new.txt'))).toBe(false)
  const kept = (await run('find', ['.openspace/trash', '-name', 'new.txt'], { cwd: root })).stdout.trim()
  expect(await readFile(join(root, kept), 'utf8')).toBe('worth something\n')
  // The browser notes that git has no text of it either, which the page asked once it was not untracked any more.
  const isAsked = (line: string) => line.includes('path=new.txt&revision=index')
  // It may ask as late as now.
  await ide.close()
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
  await expect(ide.locator('.openspace-staged-modified').first()).toBeVisible()
  await picture(ide, 'scm-staged-mark')
  await expect(inlineDiff(ide)).toContainText('2 of 2 changes')
  await inlineDiff(ide).getByRole('button', { name: 'Revert Change' }).click()
  await expect(mark(ide, 'deleted')).toHaveCount(0)
  await expect(inlineDiff(ide)).toContainText('1 of 1 change')
  await ide.keyboard.press('Escape')
  await expect(inlineDiff(ide)).toHaveCount(0)
  await ide.keyboard.press('Control+s')
  await expect.poll(() => onDisk(join(root, 'src/main.rs'))).toContain('fn line_9() {}\nfn line_10')
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
  await expect(view(ide).locator('.scm-input .view-lines')).toHaveText("Merge branch 'other'")
  await change(ide, 'README.md').click()
  await expect(lens(ide, 'Accept Current Change')).toBeVisible()
  await expect(ide.locator('.openspace-conflict-incoming')).toBeVisible()
  await picture(ide, 'scm-conflict')
  // With its markers it is staged only when the person says so.
  await act(ide, 'README.md', 'Stage Changes')
  await expect(dialog(ide)).toContainText('Conflict markers are left in README.md')
  await answer(ide, 'Cancel')
  await expect(group(ide, 'Merge Changes')).toBeVisible()
  const diff = ide.locator('.monaco-diff-editor')
  // Lines that are only being laid out are not where they were clicked.
  await expect(async () => {
    if (!(await diff.isVisible())) await lens(ide, 'Compare Changes').click({ timeout: 3_000 })
    await expect(diff).toBeVisible({ timeout: 2_000 })
  }).toPass()
  await expect(diff.locator('.original .view-lines')).toContainText('# Ours')
  await expect(diff.locator('.modified .view-lines')).toContainText('# Theirs')
  await change(ide, 'README.md').click()
  await expect(lens(ide, 'Accept Both Changes')).toBeVisible()
  // The same here.
  await expect(async () => {
    if (await lens(ide, 'Accept Both Changes').isVisible()) await lens(ide, 'Accept Both Changes').click()
    await expect(lens(ide, 'Accept Current Change')).toHaveCount(0, { timeout: 2_000 })
  }).toPass()
  await act(ide, 'README.md', 'Stage Changes')
  await expect(group(ide, 'Merge Changes')).toHaveCount(0)
  expect(await git(root, 'show', ':README.md')).toBe('# Ours\n# Theirs\n\nA small project.')
  expect(await readFile(join(root, 'README.md'), 'utf8')).toBe('# Ours\n# Theirs\n\nA small project.\n')
  await button(ide, 'Commit').click()
  await expect.poll(() => git(root, 'log', '-1', '--format=%s %p')).toMatch(/^Merge branch 'other' \w+ \w+$/)
  await expect(view(ide).locator('.scm-input .view-lines')).toHaveText('')
})

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
  await palette(ide, 'Git: View Stash…')
  await choice(ide, 'for later').click()
  await expect(tab(ide, 'Stash #0: On main: for later')).toBeVisible()
  await expect(ide.locator('.monaco-diff-editor .modified .view-lines').first()).toContainText('changed')
  await palette(ide, 'Git: Apply Stash…')
  await choice(ide, 'for later').click()
  await expect(change(ide, 'README.md')).toBeVisible()
  await palette(ide, 'Git: Drop Stash…')
  await choice(ide, 'for later').click()
  await answer(ide, 'Drop Stash…')
  // Git itself cannot list them in the moment in which the last one goes.
  await expect.poll(() => git(root, 'stash', 'list').catch(String)).toBe('')
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

test('branches are renamed and deleted, and the last commit is taken back', async ({ ide, server, complaints }) => {
  const { root } = server
  await git(root, 'checkout', '-q', '-b', 'topic')
  await git(root, 'commit', '-q', '--allow-empty', '-m', 'Only there')
  await git(root, 'checkout', '-q', 'main')
  await writeFile(join(root, 'new.txt'), 'new\n')
  await openView(ide)
  await view(ide).locator('.scm-input').click()
  await ide.keyboard.type('Add a file')
  await palette(ide, 'Git: Commit All')
  await expect.poll(() => git(root, 'log', '-1', '--format=%s')).toBe('Add a file')
  await palette(ide, 'Git: Undo Last Commit')
  await expect(group(ide, 'Staged Changes')).toBeVisible()
  expect(await git(root, 'status', '--porcelain')).toBe('A  new.txt')
  await expect(view(ide).locator('.scm-input .view-lines')).toHaveText('Add a file')
  await palette(ide, 'Git: Rename Branch…')
  await say(ide, 'trunk')
  await expect.poll(() => git(root, 'branch', '--show-current')).toBe('trunk')
  await palette(ide, 'Git: Delete Branch…')
  await choice(ide, 'topic').click()
  await expect(dialog(ide)).toContainText('commits that are in no other branch')
  await answer(ide, 'Delete Branch…')
  await expect.poll(() => git(root, 'branch', '--format=%(refname:short)')).toBe('trunk')
  // Where there is no remote, publishing asks for one.
  await git(root, 'init', '-q', '--bare', '../remote')
  await palette(ide, 'Git: Publish Branch')
  await say(ide, '../remote')
  await expect(ide.locator('.quick-input-widget')).toContainText('Name of the remote')
  await ide.keyboard.press('Enter')
  await expect.poll(() => git(root, 'status', '-sb')).toContain('## trunk...origin/trunk')
  // The browser notes that git refused at first.
  expect(complaints.splice(0)).toEqual([expect.stringContaining('409 (Conflict)')])
})
