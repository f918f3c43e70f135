// Browsers send a cookie to every port of a host, and agents start servers there: what such a server can do with it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { forgiveRefusal } from './outage'
import { expect, ready, test } from './stage'

test.use({ files: { 'README.md': '# Demo\n', '.env': 'API_KEY=kept-to-myself\n' } })

test('a server on another port is sent the cookie, and is nobody with it', async ({ ide, context, server }) => {
  await expect(ide.locator('.monaco-workbench')).toBeVisible()
  let cookie = ''
  const stranger = createServer((request, response) => {
    cookie = request.headers.cookie ?? ''
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>stranger</title>')
  })
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  try {
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${(stranger.address() as AddressInfo).port}/`)
    expect(cookie).toContain('openspace_')
    expect(await page.evaluate(() => localStorage.length)).toBe(0)
    // It is no browser, so it says of itself what it likes.
    const { url } = server.ready
    const ask = async (method: string, path: string, body?: string) =>
      (await fetch(url + path, { method, headers: { cookie, origin: url }, body: body ?? null })).status
    expect(await ask('GET', '/api/state')).toBe(401)
    expect(await ask('POST', '/api/commands/openspace.terminal.create', '{}')).toBe(401)
    expect(await ask('GET', '/api/files/content?path=.env')).toBe(403)
    expect((await server.call('terminal.list', {})).terminals).toEqual([])
  } finally {
    stranger.close()
  }
})

test('a page that has the cookie and lost the rest says so, and a new link mends it', async ({
  ide, server, complaints,
}) => {
  await ide.evaluate(() => localStorage.clear())
  await ide.reload()
  await expect(ide.getByText('This browser has no key to the space.')).toBeVisible()
  await ide.goto(await server.link())
  await ready(ide)
  await expect(ide.locator('.monaco-workbench')).toBeVisible()
  forgiveRefusal(complaints)
})
