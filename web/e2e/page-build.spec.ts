// A page that is no longer the one that the server has: the person is told; who works on the page sees it.
import { cp, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { dirtyTab, expectLoaded, goToLineEnd, openFile } from './editor'
import { notice } from './hands'
import { forgiveOutage } from './outage'
import { Server } from './server'
import { expect, openPage, picture, PROJECT, ready, test as base, visibleText, type Page } from './stage'

/** A server whose page is in a folder of its own. */
const test = base.extend<{ web: string }>({
  web: async ({}, use) => {
    const web = await mkdtemp(join(tmpdir(), 'openspace-web-'))
    await cp(process.env.OPENSPACE_WEB ?? resolve(import.meta.dirname, '../dist'), web, { recursive: true })
    await rm(join(web, 'index.html.br'), { force: true })
    await rm(join(web, 'index.html.gz'), { force: true })
    for (const name of ['extra-aaaaaaaa.js', 'extra-bbbbbbbb.js']) await writeFile(join(web, 'assets', name), '')
    const page = await readFile(join(web, 'index.html'), 'utf8')
    const script = `<script type="module" src="${EXTRA}"></script>`
    await writeFile(join(web, 'index.html'), page.replace('</head>', `${script}</head>`))
    await use(web)
    await rm(web, { recursive: true, force: true })
  },
  server: async ({ web }, use) => {
    const server = await Server.start(PROJECT, 'project', { variables: { OPENSPACE_WEB: web } })
    await use(server)
    await server.stop()
  },
})

const EXTRA = '/assets/extra-aaaaaaaa.js'

/** As a new build would: the page consists of other files. */
async function buildAnew(web: string): Promise<void> {
  const file = join(web, 'index.html')
  await writeFile(file, (await readFile(file, 'utf8')).replace(EXTRA, EXTRA.replace('aaaaaaaa', 'bbbbbbbb')))
}

/** Have the server say what kind of build it is: to the page a release differs in this word alone. */
async function sayDebug(page: Page, debug: boolean): Promise<void> {
  await page.routeWebSocket(/\/api\/socket/, (socket) => {
    const server = socket.connectToServer()
    server.onMessage((message) => {
      const told = JSON.parse(String(message)) as { type: string }
      socket.send(JSON.stringify(told.type === 'welcome' ? { ...told, debug } : told))
    })
  })
}

test('after an update of the server the person is told and reloads when they want to', async ({
  context, server, web, complaints,
}) => {
  const page = await openPage(context, server.ready.open, complaints)
  await sayDebug(page, false)
  await page.reload()
  await ready(page)
  await expectLoaded(page)
  await server.restart()
  await expect(notice(page, 'The server was restarted')).toBeVisible({ timeout: 30_000 })
  await expect(notice(page, 'The server was updated.')).toHaveCount(0)
  await expectLoaded(page)
  await server.end('SIGTERM')
  await buildAnew(web)
  await server.begin()
  const updated = notice(page, 'The server was updated. Reload the page to use its new version.')
  await expect(updated).toBeVisible({ timeout: 30_000 })
  await picture(page, 'server-updated')
  await page.evaluate(() => (document.title = 'not reloaded'))
  await page.getByRole('button', { name: 'Reload', exact: true }).click()
  await expect(page).toHaveTitle(/project - OpenSpace$/, { timeout: 60_000 })
  await ready(page)
  await expect(page.locator('script[src="/assets/extra-bbbbbbbb.js"]')).toBeAttached()
  forgiveOutage(complaints)
})

test('a debug server’s page reloads itself when it was built anew, and unsaved text is still there', async ({
  context, server, web, complaints,
}) => {
  const page = await openPage(context, server.ready.open, complaints)
  await sayDebug(page, true)
  const listening = page.waitForRequest('**/api/dev/reload')
  await page.reload()
  await ready(page)
  await listening
  await openFile(page, 'README.md')
  await goToLineEnd(page, 'README.md', 1)
  await page.keyboard.type(' unsaved')
  const read = async () => (await server.call('editor.read_file', { path: 'README.md' })).content
  await expect.poll(read).toContain('unsaved')
  await page.evaluate(() => (document.title = 'not reloaded'))
  const soon = new Date(Date.now() + 5_000)
  await utimes(join(web, 'index.html'), soon, soon)
  await expect(page).toHaveTitle(/project - OpenSpace$/, { timeout: 60_000 })
  await ready(page)
  await expect(dirtyTab(page, 'README.md')).toBeVisible()
  await expect.poll(() => visibleText(page, 'README.md')).toContain('# Demo unsaved')
})

test('a release is never asked for new builds', async ({ context, server, complaints }) => {
  const page = await openPage(context, server.ready.open, complaints)
  await sayDebug(page, false)
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/dev/')) asked.push(request.url())
  })
  await page.reload()
  await ready(page)
  await expectLoaded(page)
  expect(asked).toEqual([])
})

// A page reads all of its code before it shows anything: 12.3 MB of it were a second.
const MOST_CODE = 8_300_000

base('at most 8.3 MB of code are read before the first text', async ({ server, agent, context, complaints }) => {
  await agent.call('editor_open', { path: 'README.md' })
  await context.addInitScript(() => {
    // At once: a frame may come late, and the rest of the code before it.
    const watch = new MutationObserver(() => {
      if (!document.querySelector('.monaco-editor .view-line')) return
      watch.disconnect()
      performance.mark('first-text')
    })
    watch.observe(document, { childList: true, subtree: true })
  })
  const page = await openPage(context, server.ready.open, complaints)
  await page.waitForFunction(() => performance.getEntriesByName('first-text').length > 0)
  const read = await page.evaluate(() => {
    const until = performance.getEntriesByName('first-text')[0]?.startTime ?? 0
    const asked = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    // Workers read their own beside it.
    const isScript = (name: string) => name.endsWith('.js') && !name.includes('.worker-')
    const scripts = asked.filter(({ name, startTime }) => isScript(name) && startTime < until)
    return scripts.reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)
  })
  expect(read).toBeGreaterThan(1_000_000)
  expect(read).toBeLessThan(MOST_CODE)
})
