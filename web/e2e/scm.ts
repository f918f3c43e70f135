// What a person does with the Source Control view, and a repository for it.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test as base, type Page } from './stage'

export const run = promisify(execFile)
/** A look at the repository takes no lock from what the page has git do at the same time. */
const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0' }
export const git = async (root: string, ...args: string[]) => (await run('git', args, { cwd: root, env })).stdout.trim()

/** Make a folder a repository with one commit of all files. */
export async function repository(root: string): Promise<void> {
  await git(root, 'init', '-q', '-b', 'main')
  await git(root, 'config', 'user.name', 'Tester')
  await git(root, 'config', 'user.email', 'tester@example.org')
  await git(root, 'add', '.')
  await git(root, 'commit', '-q', '-m', 'first')
}

export const test = base.extend({
  server: async ({ server }, use) => {
    await repository(server.root)
    await use(server)
  },
})

export const view = (page: Page) => page.locator('.scm-view')
/** A file of the view, by the name of its group. */
export const change = (page: Page, file: string) =>
  view(page).locator('.monaco-list-row', { has: page.locator('.resource') }).filter({ hasText: file })
export const group = (page: Page, name: string) =>
  view(page).locator('.monaco-list-row', { has: page.locator('.resource-group') }).filter({ hasText: name })

export async function openView(page: Page): Promise<void> {
  await page.keyboard.press('Control+Shift+g')
  await expect(page.locator('.part.sidebar .title-label', { hasText: 'Source Control' })).toBeVisible()
}

/** The button beneath the box. */
export const button = (page: Page, title: string) => view(page).locator('.button-container')
  .getByRole('button', { name: title }).first()

export const entries = (page: Page) =>
  page.locator('.monaco-menu .action-item:not(.disabled) .action-label[aria-label]')

/** Type an answer into the box at the top. */
export async function say(page: Page, text: string): Promise<void> {
  await page.locator('.quick-input-widget input:visible').last().fill(text)
  await page.keyboard.press('Enter')
}

export const choice = (page: Page, text: string) =>
  page.locator('.quick-input-list .monaco-list-row', { hasText: text })
