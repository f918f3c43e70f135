// What a person is told when git refuses: what to click, in no words that are for callers of commands.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { button, change, choice, git, openView, say, test, view } from './scm'
import { expect, palette, type Page } from './stage'

const notice = (page: Page, text: string) => page.locator('.notification-toast', { hasText: text })
const press = (page: Page, text: string, label: string) =>
  notice(page, text).getByRole('button', { name: label }).click()

/** What the workbench notes of refusals that it told. */
const TOLD = /^console: (git |A merge is under way|origin\/main has|\S+ is the current branch)/

/** The browser notes what git refused. */
function expectRefused(complaints: string[], ...statuses: (403 | 404 | 409)[]): void {
  const noted = complaints.splice(0).filter((line) => !TOLD.test(line))
  expect(noted).toEqual(statuses.map((status) => expect.stringContaining(`status of ${status}`)))
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
  expectRefused(complaints, 409, 409)
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
  await expect(view(ide).locator('.scm-input .view-lines')).toHaveText('Nobody’s')
  await palette(ide, 'Git: Commit All')
  const nameless = notice(ide, 'git does not know in whose name to commit')
  await expect(nameless.locator('.notification-list-item.expanded')).toContainText('git config --global user.name')
  await expect(nameless.getByRole('button', { name: 'Open Terminal' })).toBeVisible()
  // It is staged for a commit, and there is none.
  await expect.poll(() => git(root, 'status', '--porcelain')).toBe('?? new.txt')

  await nameless.getByRole('button', { name: 'Clear Notification' }).click()
  await git(root, 'stash', '-q', '--include-untracked')
  await git(root, 'checkout', '-q', '-b', 'third', 'main')
  await git(root, '-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-q', '--allow-empty', '-m', 'third')
  await expect(ide.locator('.part.statusbar [id="openspace.git.branch"]')).toContainText('third')
  await palette(ide, 'Git: Merge Branch…')
  await choice(ide, 'other words').click()
  await expect(nameless).toContainText('git merge failed')
  await expect(nameless.locator('.notification-list-item.expanded')).toContainText('git config --global user.name')
  await expect(nameless.getByRole('button', { name: 'Open Terminal' })).toBeVisible()
  expectRefused(complaints, 409, 409, 409)
})

/** A remote `../remote`, and a clone of it in which somebody else works. */
async function shareWithOthers(root: string): Promise<string> {
  await git(root, 'clone', '-q', '--bare', '.', '../remote')
  await git(root, 'clone', '-q', '../remote', '../theirs')
  const theirs = join(root, '../theirs')
  await git(theirs, 'config', 'user.name', 'Other')
  await git(theirs, 'config', 'user.email', 'other@example.org')
  return theirs
}

async function theyPush(theirs: string, file: string, text: string): Promise<void> {
  await commit(theirs, file, text)
  await git(theirs, 'push', '-q')
}

test('a push that lacks commits of the remote takes them first, and a sync goes on once they are joined', async ({
  ide, server, complaints,
}) => {
  const { root } = server
  const theirs = await shareWithOthers(root)
  const pushed = () => git(join(root, '../remote'), 'log', '-1', '--format=%s', 'main')
  await git(root, 'remote', 'add', 'origin', '../remote')
  await git(root, 'fetch', '-q')
  await git(root, 'branch', '-q', '-u', 'origin/main')
  await theyPush(theirs, 'theirs.txt', 'theirs\n')
  await commit(root, 'ours.txt', 'ours\n')
  await openView(ide)
  await expect(button(ide, 'Sync Changes')).toBeVisible()
  await palette(ide, 'Git: Push')
  const lacking = 'origin/main has 1 commit that is not here. Pull first.'
  await expect(notice(ide, lacking).getByRole('button', { name: 'Pull (Merge)' })).toBeVisible()
  await press(ide, lacking, 'Pull (Rebase)')
  await expect.poll(pushed).toBe('ours')

  await git(theirs, 'pull', '-q')
  await theyPush(theirs, 'theirs.txt', 'more of theirs\n')
  await commit(root, 'ours.txt', 'more of ours\n')
  await writeFile(join(root, 'README.md'), 'unfinished words\n')
  await expect(change(ide, 'README.md')).toBeVisible()
  await palette(ide, 'Git: Sync Changes')
  await press(ide, 'both sides have commits of their own', 'Pull (Rebase)')
  await press(ide, 'git pull failed: there are uncommitted changes', 'Stash & Pull')
  await expect.poll(pushed).toBe('more of ours')
  await expect(notice(ide, 'Your changes are stashed.')).toBeVisible()
  expectRefused(complaints, 409, 409, 409)
})

test('a pull without a remote asks for one, and changes in its way or in that of a stash are seen to', async ({
  ide, server, complaints,
}) => {
  const { root } = server
  const theirs = await shareWithOthers(root)
  const here = () => git(root, 'log', '-1', '--format=%s')
  await theyPush(theirs, 'README.md', 'their words\n')
  await openView(ide)
  await palette(ide, 'Git: Pull')
  await expect(notice(ide, 'there is no remote')).not.toContainText('operation')
  await press(ide, 'there is no remote', 'Add Remote…')
  await say(ide, '../remote')
  await expect(ide.locator('.quick-input-widget input:visible')).toHaveValue('origin')
  await ide.keyboard.press('Enter')
  await expect.poll(here).toBe('their words')

  await git(root, 'branch', '-q', '-u', 'origin/main')
  await theyPush(theirs, 'README.md', 'more of their words\n')
  await writeFile(join(root, 'README.md'), 'our words\n')
  await expect(change(ide, 'README.md')).toBeVisible()
  await palette(ide, 'Git: Pull')
  const inTheWay = 'uncommitted changes would be lost in: README.md'
  await expect(notice(ide, inTheWay)).not.toContainText('restore')
  await press(ide, inTheWay, 'Stash & Pull')
  await expect.poll(here).toBe('more of their words')

  await writeFile(join(root, 'README.md'), 'unfinished words\n')
  await expect(change(ide, 'README.md')).toBeVisible()
  await press(ide, 'Your changes are stashed.', 'Pop Stash…')
  await choice(ide, '#0').click()
  const overwritten = notice(ide, `git stash pop failed: ${inTheWay}`)
  await expect(overwritten).not.toContainText('restore')
  await expect(overwritten.getByRole('button', { name: 'Show Changes' })).toBeVisible()
  expectRefused(complaints, 404, 409, 409)
})

test('what is under way is shown and given up where it stops something else, and no refusal is cut off', async ({
  ide, server, complaints,
}) => {
  const { root } = server
  const long = `branch-with-a-name-that-is-${'very-'.repeat(20)}long`
  await git(root, 'checkout', '-q', '-b', 'other')
  await commit(root, 'README.md', 'other words\n')
  await git(root, 'checkout', '-q', '-b', long, 'main')
  await commit(root, 'README.md', 'our words\n')
  await expect(git(root, 'merge', '-q', 'other')).rejects.toThrow()
  await openView(ide)
  await expect(change(ide, 'README.md')).toBeVisible()

  await palette(ide, 'Git: Stage All Changes')
  await press(ide, 'All that changed is in conflict.', 'Stage All Merge Changes')
  await expect(ide.locator('.monaco-dialog-box')).toContainText('Conflict markers are left in README.md')
  await ide.keyboard.press('Escape')

  await ide.locator('.part.statusbar [id="openspace.git.branch"]').click()
  await choice(ide, 'other words').click()
  const underWay = notice(ide, 'A merge is under way.')
  await expect(underWay.getByRole('button', { name: 'Show Conflicts' })).toBeVisible()
  await press(ide, 'A merge is under way.', 'Abort')
  await ide.locator('.monaco-dialog-box').getByRole('button', { name: 'Abort' }).click()
  await expect.poll(() => git(root, 'status', '--porcelain')).toBe('')

  await palette(ide, 'Git: Create Branch…')
  await say(ide, long)
  const exists = notice(ide, 'exists already').locator('.notification-list-item-message', { hasText: long })
  await expect.poll(() => exists.evaluate((message) => message.scrollWidth <= message.clientWidth)).toBe(true)

  await palette(ide, 'Git: Delete Branch…')
  await choice(ide, long).click()
  await press(ide, 'is the current branch. Switch to another one to delete it.', 'Switch Branch…')
  await expect(choice(ide, 'Create a new branch')).toBeVisible()
  expectRefused(complaints, 409, 409)
})

test('a secret that is in no commit yet is staged only by who means it', async ({ ide, server, complaints }) => {
  const { root } = server
  await writeFile(join(root, '.env'), 'API_KEY=mine\n')
  await writeFile(join(root, 'new.txt'), 'new\n')
  await openView(ide)
  await expect(change(ide, '.env')).toBeVisible()
  await palette(ide, 'Git: Stage All Changes')
  const refused = 'secret, and not committed as they are: .env'
  await expect(notice(ide, refused)).not.toContainText('force')
  expect(await git(root, 'diff', '--cached', '--name-only')).toBe('')
  await press(ide, refused, 'Take Along Anyway')
  await expect.poll(() => git(root, 'diff', '--cached', '--name-only')).toBe('.env\nnew.txt')
  expectRefused(complaints, 403)
})
