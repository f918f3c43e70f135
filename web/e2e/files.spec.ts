// Files: what the person does in explorer and editor is on the disk, and what changes there is seen at once.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, palette, picture, tab, test, visibleText } from './stage'
import { hasKeyboard } from './editor'
import { answer, dialog, notice, openFile, row } from './hands'

/** One red pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==', 'base64')

test('the tree shows the project, and what is typed and saved is on the disk', async ({ ide, server }) => {
  for (const name of ['notes', 'src', 'README.md']) await expect(row(ide, name)).toBeVisible()
  await openFile(ide, 'notes', 'todo.txt')
  await ide.locator('.view-lines').first().click()
  await ide.keyboard.press('Control+End')
  await ide.keyboard.type('fourth')
  expect(await readFile(join(server.root, 'notes/todo.txt'), 'utf8')).toBe('first\nsecond\nthird\n')
  await ide.keyboard.press('Control+s')
  await expect.poll(() => readFile(join(server.root, 'notes/todo.txt'), 'utf8')).toBe('first\nsecond\nthird\nfourth')
  await expect(ide.locator('.tab.dirty')).toHaveCount(0)
})

test('files and folders are created, renamed, moved and deleted in the explorer', async ({ ide, server }) => {
  const at = (path: string) => join(server.root, path)
  const named = async (name: string) => {
    const input = ide.locator('.explorer-folders-view .explorer-item-edited input')
    await input.fill(name)
    await input.press('Enter')
  }
  // The tree moves beneath the mouse while it is drawn anew.
  const choose = (name: string) =>
    expect(async () => {
      await row(ide, name).click({ timeout: 2_000 })
      await expect(row(ide, name)).toHaveClass(/focused/, { timeout: 1_000 })
      const hasKeys = () => ide.evaluate(() => !!document.activeElement?.closest('.explorer-folders-view'))
      expect(await hasKeys()).toBe(true)
    }).toPass()
  await choose('README.md')
  await palette(ide, 'File: New Folder...')
  await named('fresh')
  await expect.poll(() => existsSync(at('fresh'))).toBe(true)
  await choose('fresh')
  await ide.locator('.explorer-folders-view').hover()
  await ide.getByRole('button', { name: 'New File...' }).first().click()
  await named('one.txt')
  await expect(tab(ide, 'one.txt')).toBeVisible()
  await expect.poll(() => existsSync(at('fresh/one.txt'))).toBe(true)

  // A new file takes the keyboard a moment after it is seen.
  await hasKeyboard(ide)
  await choose('one.txt')
  await ide.keyboard.press('F2')
  await named('two.txt')
  await expect(tab(ide, 'two.txt')).toBeVisible()
  await expect(tab(ide, 'one.txt')).toHaveCount(0)
  await expect.poll(() => readdir(at('fresh'))).toEqual(['two.txt'])

  await expect(row(ide, 'one.txt')).toHaveCount(0)
  await expect(async () => {
    if (!(await dialog(ide).isVisible())) await row(ide, 'two.txt').dragTo(row(ide, 'notes'), { timeout: 5_000 })
    await expect(dialog(ide)).toBeVisible({ timeout: 3_000 })
  }).toPass()
  await answer(ide, 'Move')
  await expect.poll(() => existsSync(at('notes/two.txt'))).toBe(true)
  await expect.poll(() => readdir(at('fresh'))).toEqual([])
  // For a moment the old place and the new one may both have a tab.
  await expect(tab(ide, 'two.txt')).toHaveCount(1)

  await choose('two.txt')
  await ide.keyboard.press('Delete')
  await expect(dialog(ide)).toContainText('two.txt')
  await answer(ide, 'Cancel')
  expect(existsSync(at('notes/two.txt'))).toBe(true)
  await choose('two.txt')
  await ide.keyboard.press('Delete')
  await answer(ide, 'Move to')
  await expect.poll(() => existsSync(at('notes/two.txt'))).toBe(false)
  await expect(row(ide, 'two.txt')).toHaveCount(0)
  const id = (await readdir(at('.openspace/trash'))).find((name) => !name.endsWith('.json'))
  expect(await readdir(at(`.openspace/trash/${id}`))).toContain('two.txt')
})

test('what another program writes is in the open editor and in the tree at once', async ({ ide, server }) => {
  await openFile(ide, 'notes', 'todo.txt')
  await writeFile(join(server.root, 'notes/todo.txt'), 'written elsewhere\n')
  await expect.poll(() => visibleText(ide, 'todo.txt')).toMatch(/^written elsewhere\s*$/)
  await expect(ide.locator('.tab.dirty')).toHaveCount(0)
  await writeFile(join(server.root, 'notes/other.txt'), 'new\n')
  await expect(row(ide, 'other.txt')).toBeVisible()
  await rm(join(server.root, 'notes/other.txt'))
  await expect(row(ide, 'other.txt')).toHaveCount(0)
  await writeFile(join(server.root, 'dot.png'), PNG)
  await row(ide, 'dot.png').dblclick()
  await expect(tab(ide, 'dot.png')).toBeVisible()
  await picture(ide, 'file-png')
  await openFile(ide, 'README.md')
  expect(await readFile(join(server.root, 'dot.png'))).toEqual(PNG)
})

test('lines that both the person and another program changed are compared, and nothing is lost', async ({
  ide, server, complaints,
}) => {
  const file = join(server.root, 'notes/todo.txt')
  await openFile(ide, 'notes', 'todo.txt')
  await ide.locator('.view-line', { hasText: 'second' }).click()
  await ide.keyboard.press('End')
  await ide.keyboard.type(' by the person')
  const state = () => server.get<{ parts: { buffers: object } }>('/api/state')
  await expect.poll(async () => Object.keys((await state()).parts.buffers))
    .toEqual(['notes/todo.txt'])
  const read = async () => (await server.call('editor.read_file', { path: 'notes/todo.txt' })).content
  await expect.poll(read).toContain('second by the person')
  await writeFile(file, 'first\nsecond by a program\nthird\n')
  await expect(notice(ide, /was changed on disk/).first()).toBeVisible()
  await picture(ide, 'file-conflict')
  await ide.getByRole('button', { name: 'Compare with Disk' }).first().click()
  const diff = ide.locator('.monaco-diff-editor')
  await expect(diff).toBeVisible()
  await expect(diff.locator('.original .view-lines')).toContainText('second by a program')
  await expect(diff.locator('.modified .view-lines')).toContainText('second by the person')
  await picture(ide, 'file-conflict-compared')
  expect(await readFile(file, 'utf8')).toBe('first\nsecond by a program\nthird\n')
  await tab(ide, 'todo.txt').first().click()
  await expect.poll(() => visibleText(ide, 'todo.txt')).toContain('second by the person')
  await ide.keyboard.press('Control+s')
  await expect(notice(ide, /content of the file is newer/).first()).toBeVisible()
  expect(await readFile(file, 'utf8')).toBe('first\nsecond by a program\nthird\n')
  await picture(ide, 'file-conflict-on-save')
  await ide.getByRole('button', { name: 'Overwrite' }).first().click()
  await expect.poll(() => readFile(file, 'utf8')).toBe('first\nsecond by the person\nthird\n')
  await expect(ide.locator('.tab.dirty')).toHaveCount(0)
  // The workbench writes what it refused into the console too.
  expect(complaints.splice(0)).toEqual([expect.stringContaining('The content of the file is newer')])
})

test('a file of secrets opens for the person, not for the agent, and leaves the rest of the space in step', async ({
  ide, agent, server,
}) => {
  await writeFile(join(server.root, '.env'), 'KEY=value\n')
  await row(ide, '.env').dblclick()
  await expect.poll(() => visibleText(ide, '.env')).toMatch(/^KEY=value\s*$/)
  expect(await agent.ask('workspace_read', { path: '.env' })).toMatchObject({ success: false, kind: 'denied' })
  await openFile(ide, 'README.md')
  await expect(tab(ide, '.env')).toBeVisible()
  await picture(ide, 'file-secret')
  const tabs = async () => {
    const { panes } = await agent.call('pane_list', { all: true })
    return panes.flatMap((pane: { tabs: { contentId: string }[] }) => pane.tabs.map(({ contentId }) => contentId))
  }
  await expect.poll(tabs).toContain('README.md')
  await agent.call('editor_open', { path: 'src/lib.rs' })
  await expect(tab(ide, 'lib.rs')).toBeVisible()
  await expect(tab(ide, '.env')).toBeVisible()
  await expect(ide.locator('.notification-toast')).toHaveCount(0)
})

test('of a folder with fifty thousand files many are listed, the person is told, and all are found', async ({
  ide, server,
}) => {
  test.setTimeout(180_000)
  const script = 'mkdir many && cd many && seq -f "file-%05g.txt" 0 49999 | xargs touch'
  await promisify(execFile)('bash', ['-c', script], { cwd: server.root })
  await row(ide, 'many').click()
  await expect(notice(ide, /20000 are shown/).first()).toBeVisible({ timeout: 60_000 })
  const rows = ide.locator('.explorer-folders-view .monaco-list-row', { hasText: /^file-\d{5}\.txt/ })
  await expect(rows.first()).toBeVisible({ timeout: 60_000 })
  await ide.keyboard.press('Control+p')
  await ide.keyboard.type('file48777')
  await ide.locator('.quick-input-list .monaco-list-row', { hasText: 'file-48777.txt' }).click()
  await expect(tab(ide, 'file-48777.txt')).toBeVisible()
  await picture(ide, 'file-many')
})
