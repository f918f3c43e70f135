// Conflicts that git made, resolved in the editor with three panes.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { answer, choose, dialog } from './hands'
import { expect, palette, picture, ready, tab, test, type Page } from './stage'

const FILE = 'list.txt'
const lines = (first: string, last: string) =>
  [first, ...Array.from({ length: 5 }, (_, index) => `line ${index + 2}`), last, ''].join('\n')

test.use({ files: { [FILE]: lines('first', 'last'), 'README.md': '# Demo\n' } })

/** A look at the repository takes no lock from what the page has git do at the same time. */
const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0' }

async function git(root: string, ...args: string[]): Promise<string> {
  const person = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org']
  return (await promisify(execFile)('git', [...person, ...args], { cwd: root, env })).stdout.trimEnd()
}

/** Both branches changed the first and the last line. */
async function conflicting(root: string): Promise<void> {
  const commit = async (text: string, message: string) => {
    await writeFile(join(root, FILE), text)
    await git(root, 'add', '.')
    await git(root, 'commit', '-q', '-m', message)
  }
  await git(root, 'init', '-q', '-b', 'main')
  await commit(lines('first', 'last'), 'both')
  await git(root, 'checkout', '-q', '-b', 'other')
  await commit(lines('their first', 'their last'), 'theirs')
  await git(root, 'checkout', '-q', 'main')
  await commit(lines('our first', 'our last'), 'ours')
  await git(root, 'merge', '-q', 'other').catch(() => undefined)
}

const row = (page: Page) => page.locator('.scm-view .resource', { hasText: FILE })
const input = (page: Page, index: 0 | 1) => page.locator('.merge-editor .code-view.input').nth(index)
const result = (page: Page) => page.locator('.merge-editor .code-view.result .view-lines')
/** What stands above a conflict in the pane of the current side. */
const action = (page: Page, title: string) =>
  input(page, 0).locator('.merge-editor-conflict-actions').getByText(title, { exact: true })

/** The row is drawn anew, and elsewhere, as long as the page learns what git did. */
async function openMergeEditor(page: Page): Promise<void> {
  await page.keyboard.press('Control+Shift+g')
  await expect(async () => {
    await row(page).hover({ timeout: 3_000 })
    await row(page).getByRole('button', { name: 'Resolve in Merge Editor' }).click({ timeout: 3_000 })
  }).toPass()
}

test('one side is taken for one conflict and both for another, and the merge is completed', async ({
  ide, server, agent,
}) => {
  await conflicting(server.root)
  await openMergeEditor(ide)
  await expect(tab(ide, `Merging: ${FILE}`)).toBeVisible()
  await expect(input(ide, 0).locator('.view-lines')).toContainText('our first')
  await expect(input(ide, 1).locator('.view-lines')).toContainText('their first')
  await picture(ide, 'merge-editor')
  await action(ide, 'Accept Current').first().click()
  await expect(result(ide)).toContainText('our first')
  await action(ide, 'Accept Combination (Current First)').last().click()
  await expect(result(ide)).toContainText('our their last')
  // The workbench combines what both put before the word. What is not saved yet is there for agents.
  const wanted = lines('our first', 'our their last')
  await expect.poll(async () => (await agent.call('file_read', { path: FILE })).content).toBe(wanted)
  expect(await readFile(join(server.root, FILE), 'utf8')).not.toBe(wanted)
  await expect(ide.getByRole('button', { name: 'Complete Merge' }).first()).toBeVisible()
  // The keyboard is in the editor after a choice with the mouse.
  await ide.keyboard.press('Control+Enter')
  await expect(tab(ide, `Merging: ${FILE}`)).toHaveCount(0)
  await expect.poll(() => git(server.root, 'status', '--porcelain')).toBe(`M  ${FILE}`)
  expect(await readFile(join(server.root, FILE), 'utf8')).toBe(wanted)
  expect(`${await git(server.root, 'show', `:${FILE}`)}\n`).toBe(wanted)
})

test('the merge editor is offered over the text and in the palette, and asks about conflicts that are left', async ({
  ide, server,
}) => {
  await conflicting(server.root)
  await ide.locator('.explorer-folders-view .monaco-list-row', { hasText: FILE }).first().dblclick()
  await ide.getByRole('button', { name: 'Resolve in Merge Editor' }).first().click()
  await expect(tab(ide, `Merging: ${FILE}`)).toBeVisible()
  await expect(input(ide, 0).locator('.view-lines')).toContainText('our first')
  await palette(ide, 'Merge Editor: Complete Merge')
  await expect(ide.locator('.monaco-dialog-box')).toContainText('unhandled conflicts')
  await ide.locator('.monaco-dialog-box .monaco-button', { hasText: 'Cancel' }).click()
  expect(await git(server.root, 'status', '--porcelain')).toBe(`UU ${FILE}`)
  await tab(ide, FILE).first().click()
  await palette(ide, 'Git: Resolve in Merge Editor')
  await expect(tab(ide, `Merging: ${FILE}`)).toHaveClass(/active/)
})

test('a merge is gone on with after a reload, which saves nothing, and can be started over', async ({
  ide, server, agent,
}) => {
  await conflicting(server.root)
  // Git takes a file away before it writes it anew.
  const onDisk = () => readFile(join(server.root, FILE), 'utf8').catch(() => '')
  const before = await onDisk()
  const text = async () => (await agent.call('file_read', { path: FILE })).content
  await openMergeEditor(ide)
  await action(ide, 'Accept Current').first().click()
  await expect.poll(text).toBe(lines('our first', 'last'))
  await ide.reload()
  await ready(ide)
  await expect(tab(ide, `Merging: ${FILE}`)).toHaveClass(/active/)
  await expect(result(ide)).toContainText('our first')
  // The conflict that is left is known, and so is the one that is not.
  await expect(action(ide, 'Accept Current')).toHaveCount(1)
  await picture(ide, 'merge-editor-reloaded')
  expect(await onDisk()).toBe(before)
  expect(await text()).toBe(lines('our first', 'last'))
  await palette(ide, 'Git: Start Merge of File Over')
  await expect.poll(text).toBe(lines('first', 'last'))
  await expect(action(ide, 'Accept Current')).toHaveCount(2)
  await action(ide, 'Accept Current').first().click()
  await expect.poll(text).toBe(lines('our first', 'last'))
  await tab(ide, `Merging: ${FILE}`).locator('.codicon-close').click()
  await answer(ide, 'Save with Conflicts')
  await expect.poll(onDisk).toBe(lines('our first', 'last'))
  await row(ide).click({ button: 'right' })
  await choose(ide, 'Start Merge of File Over')
  await expect(dialog(ide)).toContainText(FILE)
  await answer(ide, 'Start Merge of File Over')
  await expect.poll(onDisk).toContain('<<<<<<< ours\nour first\n=======\ntheir first\n>>>>>>> theirs\n')
})
