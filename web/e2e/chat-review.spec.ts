// A person reviews what an agent changed: by keyboard, in two browsers, after a reload, and on a narrow screen.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chat, PATIENCE, prompt, test } from './chat-page'
import { hasKeyboard } from './editor'
import type { Opencode } from './opencode'
import { expect, openPage, picture, ready, tab, type Page } from './stage'

const dock = (page: Page) => chat(page).locator('.review')
const bars = (page: Page) => page.locator('.openspace-hunk')
const LINES = 'a\nb\nc\nd\ne\nf\ng\nh\ni\n'

test.setTimeout(240_000)
test.use({ files: { 'notes.txt': LINES, 'other.txt': 'one\ntwo\n' } })

/** The agent changes two places of one file and writes another one, with its own tools. */
async function changed(page: Page, opencode: Opencode, root: string): Promise<void> {
  const file = join(root, 'notes.txt')
  const edit = (oldString: string, newString: string) =>
    ({ tools: [{ name: 'edit', arguments: { filePath: file, oldString, newString } }] })
  opencode.say(
    { tools: [{ name: 'read', arguments: { filePath: file } }] }, edit('b\n', 'B\n'), edit('g\n', 'G\n'),
    { tools: [{ name: 'write', arguments: { filePath: join(root, 'fresh.txt'), content: 'fresh\n' } }] },
    { text: 'Changed.' },
  )
  await page.keyboard.press('Control+Alt+i')
  await prompt(page).fill('Change it.')
  await prompt(page).press('Enter')
  await expect(chat(page).locator('.message.assistant').last()).toContainText('Changed.', PATIENCE)
  await expect(dock(page).locator('summary')).toHaveText('2 files changed, 3 to review', PATIENCE)
}

const read = (root: string, path: string) => readFile(join(root, path), 'utf8')

test('changes are reviewed by keyboard, and what was reviewed stays so in all browsers and after a reload', async ({
  ide, server, opencode, browser, complaints,
}) => {
  await changed(ide, opencode, server.root)
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } })
  const other = await openPage(context, await server.link(), complaints)
  // From the panel: the line, the first button behind it.
  await dock(ide).locator('summary').focus()
  await ide.keyboard.press('Enter')
  await expect(dock(ide).getByRole('button', { name: 'Review', exact: true })).toBeVisible()
  await ide.keyboard.press('Control+Alt+r')
  await expect(tab(ide, 'fresh.txt (changes of the chat)')).toBeVisible()
  await expect(bars(ide)).toHaveCount(1)
  await hasKeyboard(ide)
  await ide.keyboard.press('Control+Alt+Period')
  await expect(tab(ide, 'notes.txt (changes of the chat)')).toBeVisible()
  await expect(bars(ide)).toHaveCount(2)
  await hasKeyboard(ide)
  await picture(ide, 'chat-review')
  // The keyboard is at the first change: it is accepted, and the next one is at hand and is undone.
  await ide.keyboard.press('Control+Alt+y')
  await expect(dock(ide).locator('summary')).toHaveText('2 files changed, 2 to review')
  await expect(bars(ide).first()).toHaveClass(/reviewed/)
  await ide.keyboard.press('Control+Alt+u')
  await expect(dock(ide).locator('summary')).toHaveText('2 files changed, 1 to review')
  await expect.poll(() => read(server.root, 'notes.txt')).toBe('a\nB\nc\nd\ne\nf\ng\nh\ni\n')
  // The next is in the other file.
  await expect(tab(ide, 'fresh.txt (changes of the chat)')).toHaveClass(/active/)

  // The other browser, which had not seen the chat, shows the same.
  await other.keyboard.press('Control+Alt+i')
  await chat(other).locator('.toggle').click()
  await chat(other).locator('.sessions .session .open').first().click()
  await expect(dock(other).locator('summary')).toHaveText('2 files changed, 1 to review', PATIENCE)
  await dock(other).locator('summary').click()
  await dock(other).getByRole('button', { name: 'Accept All', exact: true }).click()
  await expect(dock(ide).locator('summary')).toHaveText('2 files changed, all reviewed')

  await ide.reload()
  await ready(ide)
  await expect(dock(ide).locator('summary')).toHaveText('2 files changed, all reviewed', PATIENCE)
  await expect(tab(ide, 'notes.txt (changes of the chat)')).toBeVisible()
  // Another change by the agent is the only one that is not.
  const filePath = join(server.root, 'fresh.txt')
  opencode.say(
    { tools: [{ name: 'edit', arguments: { filePath, oldString: 'fresh', newString: 'fresher' } }] },
    { text: 'Once more.' },
  )
  await prompt(ide).fill('Once more.')
  await prompt(ide).press('Enter')
  await expect(dock(ide).locator('summary')).toHaveText('2 files changed, 1 to review', PATIENCE)
  await context.close()
})

test('lines that somebody typed are not lost by undoing, and it is said why', async ({
  ide, server, opencode, complaints,
}) => {
  await changed(ide, opencode, server.root)
  await dock(ide).locator('summary').click()
  await dock(ide).getByRole('button', { name: 'notes.txt', exact: true }).click()
  await expect(bars(ide)).toHaveCount(2)
  await hasKeyboard(ide)
  // The caret is at the first change; it is typed into and not saved.
  await ide.keyboard.press('End')
  await ide.keyboard.type(' mine')
  await expect(bars(ide).first().getByRole('button', { name: 'Undo' })).toBeDisabled()
  await ide.keyboard.press('Control+Alt+u')
  await expect(ide.locator('.notification-toast')).toContainText('somebody else changed the same lines')
  // What the page was refused it says to the console as well.
  expect(complaints.splice(0)).toHaveLength(2)
  expect(await read(server.root, 'notes.txt')).toBe('a\nB\nc\nd\ne\nf\nG\nh\ni\n')
  // The other change can be undone all the same, and what was typed stays.
  await bars(ide).nth(1).getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => read(server.root, 'notes.txt')).toBe('a\nB\nc\nd\ne\nf\ng\nh\ni\n')
  await tab(ide, 'notes.txt (changes of the chat)').click()
  await expect(ide.locator('.editor.modified .lines-content > .view-lines')).toContainText('B mine')
  // A file that is new goes to the trash, once the person is sure.
  await dock(ide).getByRole('button', { name: 'Undo the changes of fresh.txt' }).click()
  await ide.locator('.monaco-dialog-box').getByRole('button', { name: 'Undo' }).click()
  await expect(dock(ide).locator('.files li')).toHaveCount(1)
})

test.describe('on a narrow screen', () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test('the changes are there, with their buttons', async ({ ide, server, opencode }) => {
    await changed(ide, opencode, server.root)
    await dock(ide).locator('summary').click()
    await picture(ide, 'chat-review-narrow-list')
    const box = await dock(ide).boundingBox()
    expect(box!.x + box!.width).toBeLessThanOrEqual(390)
    await dock(ide).getByRole('button', { name: 'notes.txt', exact: true }).click()
    await expect(bars(ide).first()).toBeAttached()
    await picture(ide, 'chat-review-narrow')
  })
})
