// A server that is killed while people type costs them no key and doubles none.
import { dirtyTab, expectLines, goToLineEnd, openFile } from './editor'
import { forgiveKill } from './outage'
import { expect, openPage, tab, test, type Page } from './stage'

const FILE = 'typed.txt'
const ROWS = ['one', 'two', 'three', 'four']
const KILLS = 5

test.use({ files: { [FILE]: ROWS.map((row) => `${row}\n`).join('') } })

/** Type words until somebody says that it is enough; what was typed. */
function typeOn(page: Page, word: string): { stop: () => Promise<string> } {
  const until = { isEnough: false }
  const typing = (async () => {
    let typed = ''
    for (let count = 0; !until.isEnough; count += 1) {
      const next = ` ${word}${count}`
      await page.keyboard.type(next, { delay: 20 })
      typed += next
    }
    return typed
  })()
  return {
    stop: async () => {
      until.isEnough = true
      return typing
    },
  }
}

test('a server that is killed again and again while two people type loses and doubles no key', async ({
  ide, server, browser, complaints,
}) => {
  test.setTimeout(180_000)
  await openFile(ide, FILE)
  const context = await browser.newContext()
  const other = await openPage(context, await server.link(), complaints)
  await expect(tab(other, FILE)).toBeVisible()
  await goToLineEnd(ide, FILE, 1)
  await goToLineEnd(other, FILE, 4)
  const first = typeOn(ide, 'a')
  const second = typeOn(other, 'z')
  const kept = async () => JSON.stringify(await server.call('editor.read_file', { path: FILE }))
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = await kept()
    // In the middle of the typing, once the pages are back in it.
    await expect.poll(kept, { timeout: 30_000 }).not.toBe(before)
    await server.end('SIGKILL')
    await server.begin()
  }
  const rows = [...ROWS, '']
  rows[0] += await first.stop()
  rows[3] += await second.stop()
  // A page that was killed off so often tries again after a pause.
  const content = async () => (await server.call('editor.read_file', { path: FILE })).content
  await expect.poll(content, { timeout: 60_000 }).toBe(rows.join('\n'))
  await expectLines(ide, FILE, rows)
  await expectLines(other, FILE, rows)
  await expect(dirtyTab(ide, FILE)).toHaveCount(1)
  forgiveKill(complaints)
  await context.close()
})
