// What the page may load, from whom, how it is kept by the browser, and who else may reach it.
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expectLoaded } from './editor'
import { expect, openPage, palette, picture, ready, tab, test, type Page } from './stage'

const POLICY = [
  "default-src 'self'", "script-src 'self' 'wasm-unsafe-eval'", "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'", "img-src 'self' data: blob:", "font-src 'self' data:", "worker-src 'self' blob:",
  "frame-src 'self'", "object-src 'none'", "base-uri 'self'", "form-action 'none'", "frame-ancestors 'none'",
].join('; ')

const FOR_EVER = 'public, max-age=31536000, immutable'
/** All that a browser loads before the space is shown, packed. */
const MOST_BYTES = 3_400_000
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** One file for each of these languages. */
const LANGUAGES: Record<string, string> = {
  'a.rs': 'fn main() { println!("{}", 1); }\n',
  'a.ts': 'export const one: number = 1\n',
  'a.py': 'def one():\n    return 1\n',
  'a.go': 'package main\n\nfunc main() {}\n',
  'a.html': '<!doctype html><style>p { color: red }</style><script>alert(1)</script><p>text</p>\n',
  'a.css': 'p { color: #ff0000; }\n',
  'a.json': '{"one": [1, true, null]}\n',
  'a.yaml': 'one: [1, two]\n',
  'a.sh': 'for x in 1 2; do echo "$x"; done\n',
  'a.sql': 'select one from two where three = 3;\n',
  'a.md': '# One\n\n![dot](dot.png)\n\n<script>alert(1)</script>\n\n[two](a.rs)\n',
}

test.use({ files: LANGUAGES })

test('a tour through the workbench breaks no rule and asks no other host', async ({ context, server, complaints }) => {
  await writeFile(join(server.root, 'dot.png'), Buffer.from(DOT, 'base64'))
  const page = await openPage(context, server.ready.open, complaints)
  const hosts = new Set<string>()
  page.on('request', (request) => hosts.add(new URL(request.url()).host))
  page.on('websocket', (socket) => hosts.add(new URL(socket.url()).host))
  for (const [name, text] of Object.entries(LANGUAGES)) {
    await palette(page, 'OpenSpace: Editor: Open')
    await page.locator('.quick-input-widget input').first().fill(name)
    await page.keyboard.press('Enter')
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Run Editor: Open' }).click()
    await expect(tab(page, name)).toHaveClass(/\bactive\b/)
    // The grammar is at work: some words have another colour than others.
    const colours = () => page.locator('.editor-instance .view-line span[class*="mtk"]').evaluateAll((spans) =>
      new Set(spans.map((span) => span.className)).size)
    await expect.poll(colours, { message: `colours of ${text}` }).toBeGreaterThan(1)
  }
  await page.locator('.editor-instance .view-lines').first().click()
  await page.keyboard.press('Control+Shift+V')
  const preview = page.locator('.openspace-markdown')
  await expect(preview.locator('h1')).toHaveText('One')
  await expect.poll(() => preview.locator('img').evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1)
  await expect(preview.locator('script')).toHaveCount(0)

  await palette(page, 'Terminal: Create New Terminal')
  await expect(page.locator('.terminal-wrapper.active .xterm-screen')).toBeVisible()
  await page.keyboard.press('Control+Shift+F')
  await page.locator('.search-view .search-widget textarea').first().fill('color')
  await page.keyboard.press('Enter')
  await expect(page.locator('.search-view .monaco-list-row', { hasText: 'a.css' })).toBeVisible()
  await palette(page, 'Preferences: Open Settings (UI)')
  await expect(page.locator('.settings-editor .setting-item').first()).toBeVisible()
  await palette(page, 'Preferences: Open Keyboard Shortcuts')
  await expect(page.locator('.keybindings-editor .monaco-list-row').first()).toBeVisible()

  await tab(page, 'a.rs').click()
  await page.locator('.editor-instance .view-line', { hasText: 'println' }).click()
  await page.keyboard.type('// typed')
  await palette(page, 'File: Compare Active File with Saved')
  await expect(page.locator('.monaco-diff-editor .view-lines').first()).toBeVisible()
  for (const theme of ['Light Modern', 'Default High Contrast', 'Dark Modern']) {
    const background = () =>
      page.locator('.monaco-workbench').evaluate((element) => getComputedStyle(element).backgroundColor)
    const before = await background()
    const settings = { 'window.autoDetectColorScheme': false, 'workbench.colorTheme': theme }
    await server.keep('settings.json', JSON.stringify(settings))
    if (theme !== 'Light Modern') await expect.poll(background).not.toBe(before)
  }
  await picture(page, 'tour')
  expect([...hosts].filter((host) => host !== '')).toEqual([new URL(server.ready.url).host])
})

test('a first load is small and packed, and the second loads none of it again', async ({ context, server }) => {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  const paths = new Map<string, string>()
  const loaded: { path: string; size: number }[] = []
  session.on('Network.responseReceived', ({ requestId, response }) =>
    paths.set(requestId, new URL(response.url).pathname))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    loaded.push({ path: paths.get(requestId) ?? '', size: encodedDataLength }))
  const assets: { path: string; headers: Record<string, string> }[] = []
  context.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (pathname.startsWith('/assets/')) assets.push({ path: pathname, headers: response.headers() })
  })
  await page.goto(server.ready.open)
  await ready(page)
  const total = loaded.reduce((sum, { size }) => sum + size, 0)
  const largest = [...loaded].sort((a, b) => b.size - a.size).slice(0, 10).map(({ path, size }) => `${size} ${path}`)
  const description = `${total} bytes in ${loaded.length} answers`
  test.info().annotations.push({ type: 'first load', description })
  expect(total, largest.join('\n')).toBeLessThanOrEqual(MOST_BYTES)
  expect(total).toBeGreaterThan(1_000_000)

  expect(assets.length).toBeGreaterThan(10)
  for (const { path, headers } of assets) {
    expect(headers['cache-control'], path).toBe(FOR_EVER)
    expect(headers.etag, path).toMatch(/^"[0-9a-f]+"$/)
    expect(headers['content-security-policy'], path).toBe(POLICY)
    if (/\.(js|css|wasm|ttf)$/.test(path)) expect(headers['content-encoding'], path).toBe('br')
  }
  // What is loaded after the space is shown is there the second time, too.
  await expectLoaded(page)
  loaded.length = 0
  await page.goto(server.ready.url)
  await ready(page)
  expect(loaded.length).toBeGreaterThan(0)
  expect(loaded.filter(({ path, size }) => path.startsWith('/assets/') && size > 0)).toEqual([])
})

test('the page and its files come with the policy, and are not sent twice', async ({ server }) => {
  const { url, token } = server.ready
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(url + path, { headers: { authorization: `Bearer ${token}`, ...headers } })
  const page = await get('/')
  expect(page.headers.get('content-security-policy')).toBe(POLICY)
  expect(page.headers.get('cache-control')).toBe('no-cache')
  expect(page.headers.get('x-content-type-options')).toBe('nosniff')
  const asset = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1] as string
  const first = await get(asset, { 'accept-encoding': 'br' })
  expect(first.headers.get('cache-control')).toBe(FOR_EVER)
  const again = await get(asset, { 'accept-encoding': 'br', 'if-none-match': first.headers.get('etag') as string })
  expect(again.status).toBe(304)
  expect((await get('/', { 'if-none-match': page.headers.get('etag') as string })).status).toBe(304)
})

test('a page of another origin can neither listen, nor ask, nor frame the space', async ({ ide, context, server }) => {
  await expect(ide.locator('.monaco-workbench')).toBeVisible()
  const app = server.ready.url
  // Another port is another origin, but the same site: the browser sends the cookie along.
  const stranger = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><title>stranger</title><iframe src="${app}/"></iframe>`)
  })
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  try {
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${(stranger.address() as AddressInfo).port}/`)
    const listen = (path: string) => page.evaluate((address) => new Promise<string>((resolve) => {
      const socket = new WebSocket(address)
      socket.onopen = () => resolve('open')
      socket.onerror = () => resolve('refused')
    }), app.replace('http', 'ws') + path)
    for (const path of ['/api/socket', '/api/buffers']) expect(await listen(path), path).toBe('refused')
    const ask = (path: string, method: string) => page.evaluate(async ([address, verb]) => {
      try {
        const init = { method: verb, credentials: 'include' as const, body: verb === 'POST' ? '{}' : undefined }
        return (await fetch(address as string, init)).status
      } catch {
        return 'refused'
      }
    }, [app + path, method])
    expect(await ask('/api/state', 'GET')).toBe('refused')
    expect(await ask('/api/commands/openspace.command.end_turn', 'POST')).toBe('refused')
    const { records } = (await server.call('audit.list', { command: 'command.end_turn' })) as { records: unknown[] }
    expect(records).toEqual([])
    await expect.poll(() => shown(page, app)).toBe('blocked')
  } finally {
    stranger.close()
  }
})

/** What a frame on the page shows of the space. */
async function shown(page: Page, app: string): Promise<string> {
  const frame = page.frames().find((one) => one !== page.mainFrame())
  if (!frame) return 'no frame'
  if (frame.url().startsWith('chrome-error:')) return 'blocked'
  return frame.url().startsWith(app) ? 'the space' : frame.url()
}
