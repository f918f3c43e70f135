// Measures the chat in a real browser, with a real opencode whose model says what a script says.
// `cargo xtask bench chat` starts it and judges the one line that it prints.
import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { Opencode } from '../e2e/opencode'
import { Server } from '../e2e/server'
import { atRest, clockAhead, expectElement, launch, newContext, now, seen } from './browser'
import { LAST, longSession } from './long-session'
import { installProbe, type Work } from './probe'
import { listen } from './told'

const WORDS = 60
const WARM = 5
const GAP_MS = 200
const MESSAGES = 2_000
const OPENED = 10
const SCROLLS = 60
const SCROLL_MS = 50
const IDLE = 200
const ANSWER = '.openspace-chat .message.assistant'

/** Each word of an answer: from when opencode tells it until it is on the screen. */
async function deltas(page: Page, opencode: Opencode): Promise<number[]> {
  const words = Array.from({ length: WORDS }, (_, number) => `word-${number}-of-many`)
  const told = await listen(opencode)
  opencode.say({ text: `${words.join(' ')} `, gapMs: GAP_MS })
  const prompt = page.locator('.openspace-chat').getByRole('combobox', { name: 'Message to the agent' })
  await prompt.fill('Say much.')
  await prompt.press('Enter')
  const ahead = await clockAhead(page)
  const times: number[] = []
  for (const word of words) {
    await expectElement(page, ANSWER, word)
    const { shown } = await seen(page)
    times.push(shown - ahead - told.when(word))
  }
  told.end()
  return times.slice(WARM)
}

/** A session of many messages: from the click on it until its last words are on the screen, and scrolling it up. */
async function history(page: Page): Promise<{ messages: number; openMs: number[] } & Work> {
  const chat = page.locator('.openspace-chat')
  const ahead = await clockAhead(page)
  const openMs: number[] = []
  for (let visit = 0; visit < OPENED; visit++) {
    await chat.getByRole('button', { name: 'New session', exact: true }).first().click()
    await expectElement(page, ANSWER, LAST, false)
    await seen(page)
    await chat.locator('button.toggle').click()
    const session = chat.locator('.session-list button.open', { hasText: 'A long session' })
    await session.waitFor()
    await atRest(page)
    await expectElement(page, ANSWER, LAST)
    const begin = now()
    await session.click()
    openMs.push((await seen(page)).shown - begin - ahead)
  }
  await atRest(page)
  await chat.locator('.scroller').hover()
  await page.evaluate(() => window.probe.watchWork())
  for (let scroll = 0; scroll < SCROLLS; scroll++) {
    await page.mouse.wheel(0, -600)
    await setTimeout(SCROLL_MS)
  }
  return { messages: MESSAGES, openMs, ...(await page.evaluate(() => window.probe.work())) }
}

/** What the server holds for sessions in which nothing happens. */
async function idle(server: Server): Promise<{ sessions: number; startBytes: number; endBytes: number }> {
  const create = async (title: string) => {
    const { success, error } = await server.call('chat.create', { title })
    if (success !== true) throw new Error(`no session was made: ${String(error)}`)
  }
  await create('The first one')
  const startBytes = await resident(server)
  for (let session = 0; session < IDLE; session++) await create(`Session ${session}`)
  return { sessions: IDLE, startBytes, endBytes: await resident(server) }
}

async function resident(server: Server): Promise<number> {
  const status = await readFile(`/proc/${server.process}/status`, 'utf8')
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  if (kilobytes === undefined) throw new Error('the server has no VmRSS')
  return Number(kilobytes) * 1024
}

const opencode = await Opencode.start()
const server = await Server.start({ 'src/lib.rs': 'fn one() {}\n' }, 'project', {
  args: ['--opencode', opencode.url],
  variables: { OPENSPACE_OPENCODE_PASSWORD: opencode.password },
})
const browser = await launch()
try {
  await opencode.import(server.root, longSession(server.root, MESSAGES))
  const context = await newContext(browser)
  await context.addInitScript(installProbe)
  const page = await context.newPage()
  await page.goto(server.ready.open)
  await page.waitForSelector('html[data-openspace="ready"]', { state: 'attached' })
  await expectElement(page, '.openspace-chat .prompt')
  await page.keyboard.press('Control+Alt+i')
  await seen(page)
  process.stderr.write('    chat: an answer word by word\n')
  const deltaMs = await deltas(page, opencode)
  process.stderr.write('    chat: a long session\n')
  const opened = await history(page)
  await context.close()
  process.stderr.write('    chat: idle sessions\n')
  process.stdout.write(`${JSON.stringify({ deltaMs, history: opened, idle: await idle(server) })}\n`)
} finally {
  await browser.close()
  await server.stop()
  await opencode.stop()
}
