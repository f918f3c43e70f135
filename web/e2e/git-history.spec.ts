// The past in the page: the graph of commits, the history of a file, its timeline.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator } from '@playwright/test'
import { hasKeyboard } from './editor'
import { choose, openFile } from './hands'
import { button, choice, entries, git, openView, say, test } from './scm'
import { expect, palette, picture, type Page } from './stage'

/** The graph of commits, which is folded or not, and comes once the repository is known. */
async function openGraph(page: Page): Promise<Locator> {
  await openView(page)
  const graph = page.locator('.scm-history-view')
  const folded = page.getByRole('button', { name: 'Graph Section', expanded: false })
  await expect(async () => {
    if (await folded.isVisible()) await folded.click({ timeout: 2_000 })
    await expect(graph).toBeVisible({ timeout: 2_000 })
  }).toPass()
  return graph
}

test('the graph lists commits with their branches, and a commit shows what it changed', async ({ ide, server }) => {
  const { root } = server
  await git(root, 'checkout', '-q', '-b', 'topic')
  await writeFile(join(root, 'notes/todo.txt'), 'first\nsecond\nthird\nfourth\n')
  await git(root, 'commit', '-q', '-a', '-m', 'A fourth thing')
  const graph = await openGraph(ide)
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
  await git(root, 'commit', '-q', '--allow-empty', '-m', 'One more', '-m', 'with its reasons')
  await expect(commit('One more')).toBeVisible()
  const hover = ide.locator('.history-item-hover')
  // A list that is drawn anew closes it.
  await expect(async () => {
    await ide.mouse.move(700, 500)
    await commit('One more').hover({ timeout: 2_000 })
    await expect(hover).toContainText('with its reasons', { timeout: 5_000 })
  }).toPass()
  await expect(hover).toContainText('Tester')
  await expect(hover).toContainText('just now')
  await expect(hover).toContainText(await git(root, 'rev-parse', 'HEAD'))
  await picture(ide, 'scm-graph-hover')
  await commit('A fourth thing').click({ button: 'right' })
  await expect(entries(ide)).toHaveText([
    'Open Changes', 'Checkout Commit', 'Create Branch Here…', 'Create Tag Here…', 'Cherry-Pick Commit',
    'Revert Commit', 'Copy Commit ID', 'Copy Commit Message',
  ])
  await choose(ide, 'Create Tag Here…')
  await say(ide, 'v1')
  // The next question, not the one that was answered.
  await expect(ide.locator('.quick-input-widget input:visible').last()).toHaveValue('')
  await say(ide, '')
  await expect.poll(() => git(root, 'tag', '--points-at', 'HEAD~')).toBe('v1')
  await expect(commit('A fourth thing')).toContainText('v1')
})

/** A bare repository beside the workspace, which has the branch and is followed. */
async function followed(root: string): Promise<void> {
  await git(root, 'clone', '-q', '--bare', '.', '../remote')
  await git(root, 'remote', 'add', 'origin', '../remote')
  await git(root, 'fetch', '-q')
  await git(root, 'branch', '-q', '-u', 'origin/main')
}

test('what is incoming and outgoing is told, also after a merge, and a click exchanges it', async ({ ide, server }) => {
  const { root } = server
  await followed(root)
  const graph = await openGraph(ide)
  const commit = (text: string) => graph.locator('.monaco-list-row', { hasText: text })
  await expect(commit('first')).toHaveCount(1)
  await expect(commit('Incoming Changes')).toHaveCount(0)
  const sync = ide.locator('.part.statusbar [id="openspace.git.sync"]')
  await expect(sync).toHaveText('')
  await git(root, 'checkout', '-q', '-b', 'topic')
  await git(root, 'commit', '-q', '--allow-empty', '-m', 'On the topic')
  await git(root, 'checkout', '-q', 'main')
  await git(root, 'commit', '-q', '--allow-empty', '-m', 'Meanwhile')
  await palette(ide, 'Git: Merge Branch…')
  await choice(ide, 'topic').click()
  await expect(commit("Merge branch 'topic'")).toBeVisible()
  await expect(commit('Outgoing Changes')).toHaveCount(1)
  await expect(commit('Incoming Changes')).toHaveCount(0)
  await expect(sync).toHaveText(' 3↑')
  await picture(ide, 'scm-outgoing')
  await button(ide, 'Sync Changes 3↑').click()
  await expect.poll(() => git(root, 'rev-parse', 'origin/main')).toBe(await git(root, 'rev-parse', 'main'))
  await expect(commit('Outgoing Changes')).toHaveCount(0)
  await expect(sync).toHaveText('')
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
  await expect(diff).toBeHidden()
  await hasKeyboard(ide)
  const bar = ide.locator('.part.statusbar')
  // It is a minute old on a machine that is slow to open the page.
  await expect(bar).toContainText(/Tester, (just now|1 minute ago) • first/)
  await ide.keyboard.press('Control+End')
  await expect(bar).not.toContainText('Tester')
  await ide.keyboard.press('Control+Home')
  await expect(bar).toContainText('• first')
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
  const diff = ide.locator('.monaco-diff-editor')
  // The list may be drawn anew in the middle of a click, as long as the page learns of all the commits.
  await expect(async () => {
    await commit('edit number 59').click({ timeout: 2_000 })
    await expect(diff.locator('.original .view-lines')).toContainText('Edit 58.', { timeout: 5_000 })
  }).toPass()
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
