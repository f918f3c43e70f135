// What every browser test stands on: a server, an agent, a page that may not complain.
import { test as base, expect, type BrowserContext, type Page } from '@playwright/test'
import { Agent } from './agent'
import { Server, type Surroundings } from './server'

export { expect }
export type { Agent, Page }

/** The files of the project that most stories happen in. */
export const PROJECT: Record<string, string> = {
  'README.md': '# Demo\n\nA small project.\n',
  'src/main.rs': Array.from({ length: 120 }, (_, line) => `fn line_${line + 1}() {}\n`).join(''),
  'src/lib.rs': 'pub mod one;\npub mod two;\n\npub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n',
  'notes/todo.txt': 'first\nsecond\nthird\n',
}

interface Stage {
  files: Record<string, string>
  surroundings: Surroundings
  server: Server
  agent: Agent
  ide: Page
}

/** A page of its own browser, in the space. Anything that it complains about fails the test. */
export async function openPage(context: BrowserContext, link: string, complaints: string[]): Promise<Page> {
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(`exception: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (protocol.startsWith('http') && origin !== new URL(link).origin) complaints.push(`request to ${request.url()}`)
  })
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`))
  })
  await page.goto(link)
  await ready(page)
  return page
}

/** Wait until the page shows the space. */
export async function ready(page: Page): Promise<void> {
  await page.waitForSelector('html[data-openspace="ready"]', { state: 'attached', timeout: 60_000 })
  // Search, source control and settings come after the first text.
  await page.waitForSelector('html[data-openspace-rest="ready"]', { state: 'attached', timeout: 60_000 })
}

export const test = base.extend<Stage & { complaints: string[] }>({
  files: [PROJECT, { option: true }],
  complaints: async ({}, use) => {
    const complaints: string[] = []
    await use(complaints)
    expect(complaints).toEqual([])
  },
  surroundings: async ({}, use) => use({}),
  server: async ({ files, surroundings }, use, info) => {
    const server = await Server.start(files, 'project', surroundings)
    await use(server)
    if (info.status !== info.expectedStatus) await info.attach('server log', { body: server.said })
    await server.stop()
  },
  agent: async ({ server }, use) => {
    const agent = await Agent.connect(server.ready)
    await use(agent)
    await agent.close()
  },
  ide: async ({ context, server, complaints }, use) => {
    const page = await openPage(context, server.ready.open, complaints)
    await use(page)
  },
})

/** A tab of the editor area. */
export const tab = (page: Page, name: string) => page.locator(`.editor-group-container .tab[aria-label^="${name}"]`)

/** Run something from the palette, as a person does. */
export async function palette(page: Page, title: string): Promise<void> {
  // An editor that was just clicked takes the keyboard a moment later, and the palette closes.
  await expect(async () => {
    await page.keyboard.press('F1')
    await page.locator('.quick-input-widget input').first().fill(`>${title}`, { timeout: 3_000 })
    const row = page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first()
    await expect(row).toBeVisible({ timeout: 3_000 })
    // A click that a busy page is slow to answer has been made, and must not be made again.
    await row.click({ timeout: 10_000 })
  }).toPass()
}

/** The lines that an editor shows. */
export async function visibleText(page: Page, file: string): Promise<string> {
  const group = page.locator('.editor-group-container', { has: page.locator(`.tab.active[aria-label^="${file}"]`) })
  return (await group.locator('.view-lines').first().innerText()).replaceAll('\u00a0', ' ')
}

/** A picture that is kept with the results. */
export async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `../target/e2e/pictures/${name}.png` })
}
