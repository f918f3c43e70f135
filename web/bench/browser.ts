// The browser that is measured with: the one of the tests, with the probe in every page.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test'
import config from '../playwright.config'
import { installProbe, type Sighting } from './probe'
import type { Task } from './task'

const VIEW = { viewport: { width: 1400, height: 860 } }
const TEXT = '.editor-instance .view-line'
const CLOCK_LOOKS = 20
const QUIET_MS = 1_000
const LATE_MS = 30_000

/** A browser with nothing of an earlier one. */
export const launch = (): Promise<Browser> => chromium.launch(config.use?.launchOptions)

/** A browser that keeps its cache in a folder, as a person's does. */
export const launchWithProfile = (folder: string): Promise<BrowserContext> =>
  chromium.launchPersistentContext(folder, { ...config.use?.launchOptions, ...VIEW })

export const newContext = (browser: Browser): Promise<BrowserContext> => browser.newContext(VIEW)

/** A new link, good for one browser. */
export async function link({ url, token, person }: Task): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'x-openspace-person': person }
  const response = await fetch(`${url}/api/link`, { method: 'POST', headers })
  return ((await response.json()) as { open: string }).open
}

/** Goes to the space and waits until an editor shows this word; the page says when that was. */
export async function openSpace(
  context: BrowserContext, task: Task, word: string,
): Promise<{ page: Page; shown: number }> {
  await context.addInitScript(installProbe)
  await context.addInitScript(([selector, text]) => window.probe.expect(selector!, text!, true), [TEXT, word])
  const page = context.pages()[0] ?? (await context.newPage())
  await page.goto(await link(task), { waitUntil: 'commit' })
  // The link gives a cookie and sends on to the space, whose own time is measured.
  await page.waitForURL(`${task.url}/`, { waitUntil: 'commit' })
  const origin = await page.evaluate(() => performance.timeOrigin)
  const { shown } = await seen(page)
  await page.waitForSelector('html[data-openspace="ready"]', { state: 'attached' })
  // Somebody who watches: where the keyboard is, what an agent opens is only offered.
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur())
  return { page, shown: shown - origin }
}

/** Until the page has asked for nothing for a while: grammars and icons come after the text. */
export async function settled(page: Page): Promise<void> {
  let asked = now()
  const note = () => (asked = now())
  page.on('request', note)
  while (now() - asked < QUIET_MS) await setTimeout(QUIET_MS - (now() - asked))
  page.off('request', note)
}

/** Until the page has nothing left to do for a frame. */
export const atRest = (page: Page): Promise<void> =>
  page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => resolve())))

export const expectText = (page: Page, word: string): Promise<void> => expectElement(page, TEXT, word)

export const expectElement = (page: Page, selector: string, text = '', isThere = true): Promise<void> =>
  page.evaluate(
    (expected) => window.probe.expect(...expected), [selector, text, isThere] as const,
  )

/** When what was expected was there; an error when it does not come. */
export async function seen(page: Page, patienceMs = LATE_MS): Promise<Sighting> {
  const patience = new AbortController()
  const late = setTimeout(patienceMs, undefined, { signal: patience.signal }).then(() => {
    throw new Error(`what was expected did not show in ${patienceMs} ms`)
  })
  try {
    return await Promise.race([page.evaluate(() => window.probe.seen), late])
  } finally {
    patience.abort()
  }
}

/** How far the page's clock is ahead of ours: by the quickest of several questions. */
export async function clockAhead(page: Page): Promise<number> {
  let best = { took: Infinity, ahead: 0 }
  for (let look = 0; look < CLOCK_LOOKS; look++) {
    const before = now()
    const theirs = await page.evaluate(() => window.probe.now())
    const after = now()
    if (after - before < best.took) best = { took: after - before, ahead: theirs - (before + after) / 2 }
  }
  return best.ahead
}

export const now = (): number => performance.timeOrigin + performance.now()

export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'openspace-bench-'))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
