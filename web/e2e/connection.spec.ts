// What a person sees when the server goes away, comes back, or does not know their browser.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dirtyTab, expectLines, expectLoaded, goToLineEnd, openFile, openInFolder } from './editor'
import { forgiveOutage, forgiveRefusal } from './outage'
import { expect, picture, ready, tab, test } from './stage'

// A terminal that is drawn as a picture has no text to look for.
test.beforeEach(async ({ server }) => server.settings({ 'terminal.integrated.gpuAcceleration': 'off' }))

test('while the server is away the person types on, and it has everything when it is back', async ({
  ide, agent, server, complaints,
}) => {
  // The pauses become long only after a while.
  test.setTimeout(180_000)
  await agent.call('terminal_create', { title: 'work' })
  await expect(ide.locator('.xterm-rows').first()).toBeAttached()
  await openFile(ide, 'README.md')
  await goToLineEnd(ide, 'README.md', 1)
  await ide.keyboard.type(' before')
  const read = async () => (await server.call('editor.read_file', { path: 'README.md' })).content
  await expect.poll(read).toContain('# Demo before')

  await expectLoaded(ide)
  await server.end('SIGTERM')
  const banner = ide.locator('.openspace-banner')
  await expect(banner).toContainText(/The server cannot be reached\. What you type is kept\.\s*Trying again in \d+ s\./)
  await expect(banner.getByRole('button', { name: 'Try now' })).toBeVisible()
  await ide.keyboard.type(', while it was away')
  await expectLines(ide, 'README.md', ['# Demo before, while it was away', '', 'A small project.', ''])
  await picture(ide, 'server-away')
  // A longer pause, so that only the button can be what ends it.
  await expect(banner).toContainText(/in (9|1\d) s/, { timeout: 60_000 })
  await server.begin()
  await banner.getByRole('button', { name: 'Try now' }).click()
  await expect(banner).toBeHidden({ timeout: 4_000 })
  await ide.keyboard.type(' and after')
  const text = '# Demo before, while it was away and after'
  await expect.poll(read).toContain(text)
  await expect(ide.locator('.notification-list-item', { hasText: 'The server was restarted' })).toBeVisible()
  await expect(ide.locator('.xterm-rows').first()).toContainText(/The.shell.ended.when.the.server.was.restarted/)
  await picture(ide, 'server-back')
  await ide.keyboard.press('Control+s')
  await expect(dirtyTab(ide, 'README.md')).toHaveCount(0)
  const saved = () => readFile(join(server.root, 'README.md'), 'utf8')
  await expect.poll(saved).toBe(`${text}\n\nA small project.\n`)
  forgiveOutage(complaints)
})

test('a tab that is closed while the server is away stays closed', async ({ ide, server, complaints }) => {
  await openFile(ide, 'README.md')
  await openInFolder(ide, 'notes', 'todo.txt')
  await expect(tab(ide, 'todo.txt')).toBeVisible()
  const open = async () => {
    const { panes } = (await server.call('pane.list', {})) as { panes: { tabs: { contentId: string }[] }[] }
    return panes.flatMap(({ tabs }) => tabs.map(({ contentId }) => contentId))
  }
  await expect.poll(open).toEqual(['README.md', 'notes/todo.txt'])
  await expectLoaded(ide)
  await server.end('SIGTERM')
  await expect(ide.locator('.openspace-banner')).toBeVisible()
  await tab(ide, 'todo.txt').hover()
  await tab(ide, 'todo.txt').locator('.codicon-close').click()
  await expect(tab(ide, 'todo.txt')).toHaveCount(0)
  await server.begin()
  await expect(ide.locator('.openspace-banner')).toBeHidden({ timeout: 30_000 })
  await expect.poll(open).toEqual(['README.md'])
  await expect(tab(ide, 'todo.txt')).toHaveCount(0)
  forgiveOutage(complaints)
})

test('a link opens the space once, and a browser without a key is told how to get one', async ({ browser, server }) => {
  const first = await browser.newContext()
  const page = await first.newPage()
  await page.goto(server.ready.open)
  await ready(page)
  const second = await browser.newContext()
  const other = await second.newPage()
  await other.goto(server.ready.open)
  await expect(other.getByRole('heading')).toHaveText('This link is not valid')
  await expect(other.getByText('openspace link')).toBeVisible()
  await other.goto(`${server.ready.url}/open?code=nonsense`)
  await expect(other.getByRole('heading')).toHaveText('This link is not valid')
  await other.goto(server.ready.url)
  await expect(other.getByRole('heading')).toHaveText('This space needs a key')
  await other.goto(await server.link())
  await ready(other)
  await Promise.all([first.close(), second.close()])
})

test('a browser whose key is no longer good is told so, and what it shows stays', async ({
  ide, context, server, complaints,
}) => {
  await openFile(ide, 'README.md')
  await expectLoaded(ide)
  await context.clearCookies()
  await server.restart()
  const banner = ide.locator('.openspace-banner')
  await expect(banner).toContainText('This browser’s key is no longer good')
  await expectLines(ide, 'README.md', ['# Demo', '', 'A small project.', ''])
  await picture(ide, 'key-revoked')
  await banner.getByRole('button', { name: 'Reload' }).click()
  await expect(ide.getByRole('heading')).toHaveText('This space needs a key')
  forgiveRefusal(complaints)
})
