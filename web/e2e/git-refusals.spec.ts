// What a person is told when git refuses: what to click, in no words that are for callers of commands.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { button, change, choice, git, openView, test, view } from './scm'
import { expect, palette, type Page } from './stage'

const notice = (page: Page, text: string) => page.locator('.notification-toast', { hasText: text })
const press = (page: Page, text: string, label: string) =>
  notice(page, text).getByRole('button', { name: label }).click()

/** The browser notes what git refused, and the workbench what it told of it. */
function expectRefused(complaints: string[], times: number): void {
  const noted = complaints.splice(0).filter((line) => !line.startsWith('console: git '))
  expect(noted).toEqual(Array(times).fill(expect.stringContaining('409 (Conflict)')))
}

async function commit(root: string, file: string, text: string): Promise<void> {
  await writeFile(join(root, file), text)
  await git(root, 'add', '.')
  await git(root, 'commit', '-q', '-m', text.trim())
}

test('branches that parted are joined, and conflicts of that are shown, with a click', async ({
  ide, server, complaints,
}) => {
  const { root } = server
  await git(root, 'checkout', '-q', '-b', 'theirs')
  await commit(root, 'README.md', 'their words\n')
  await git(root, 'clone', '-q', '--bare', '.', '../remote')
  await git(root, 'remote', 'add', 'origin', '../remote')
  await git(root, 'checkout', '-q', 'main')
  await commit(root, 'README.md', 'our words\n')
  await git(root, 'fetch', '-q')
  await git(root, 'branch', '-q', '-u', 'origin/theirs')
  await openView(ide)
  await button(ide, 'Sync Changes').click()
  const parted = 'git pull failed: both sides have commits of their own'
  await expect(notice(ide, parted)).not.toContainText('strategy')
  await expect(notice(ide, parted).getByRole('button', { name: 'Pull (Rebase)' })).toBeVisible()
  await press(ide, parted, 'Pull (Merge)')
  await expect(notice(ide, 'Conflicts in 1 file').locator('.codicon-info')).toBeVisible()
  await ide.keyboard.press('Control+Shift+e')
  await expect(view(ide)).toBeHidden()
  await press(ide, 'Conflicts in 1 file', 'Show Conflicts')
  await expect(change(ide, 'README.md')).toBeVisible()
  expectRefused(complaints, 2)
})

test('changes that are in the way are put aside, and a commit without a name says how to give one', async ({
  ide, server, complaints,
}) => {
  const { root } = server
  await git(root, 'checkout', '-q', '-b', 'other')
  await commit(root, 'README.md', 'other words\n')
  await git(root, 'checkout', '-q', 'main')
  await writeFile(join(root, 'README.md'), 'unfinished words\n')
  await openView(ide)
  await ide.locator('.part.statusbar [id="openspace.git.branch"]').click()
  await choice(ide, 'other words').click()
  await press(ide, 'uncommitted changes would be lost in: README.md', 'Stash & Checkout')
  await expect.poll(() => git(root, 'branch', '--show-current')).toBe('other')
  expect(await git(root, 'stash', 'show', '-p')).toContain('+unfinished words')

  await git(root, 'config', 'user.useConfigOnly', 'true')
  await git(root, 'config', '--unset', 'user.name')
  await git(root, 'config', '--unset', 'user.email')
  await writeFile(join(root, 'new.txt'), 'new\n')
  await expect(change(ide, 'new.txt')).toBeVisible()
  await view(ide).locator('.scm-input').click()
  await ide.keyboard.type('Nobody’s')
  await palette(ide, 'Git: Commit All')
  const nameless = notice(ide, 'git does not know in whose name to commit')
  await expect(nameless.locator('.notification-list-item.expanded')).toContainText('git config --global user.name')
  await expect(nameless.getByRole('button', { name: 'Open Terminal' })).toBeVisible()
  expectRefused(complaints, 2)
})
