// Source control: git as the server sees it, in the workbench's own view; an agent's work shows there by itself.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, picture, ready, tab, test as base, type Page } from './stage'
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
  await expect.poll(kept).toContain('openspace-git')
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
