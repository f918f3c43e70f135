// The state of the UI is kept: every change of it, which view is in front, previews, terminals side by side.
import { expect, palette, ready, tab, test } from './stage'
import { openFile, screen, testWithTerminals } from './hands'

/** What browsers send at most on behalf of pages that are gone. */
const KEPT_ALIVE = 64 * 1024

test('a hundred changes of the state of the UI are all kept', async ({ ide, server }) => {
  test.slow()
  const answered: number[] = []
  const failed: string[] = []
  const sizes: number[] = []
  const sent = () => sizes.reduce((sum, size) => sum + size, 0)
  ide.on('response', (response) => {
    const request = response.request()
    if (!request.url().endsWith('/api/ui-state') || request.method() !== 'POST') return
    sizes.push(request.postData()?.length ?? 0)
    answered.push(response.status())
  })
  ide.on('requestfailed', (request) => failed.push(request.url()))
  ide.on('console', (message) => {
    if (message.text().includes('was not saved')) failed.push(message.text())
  })
  const tabs = ['Settings', 'Keyboard Shortcuts'] as const
  const types = { 'Settings': 'workbench.input.settings2', 'Keyboard Shortcuts': 'workbench.input.keybindings' }
  await palette(ide, 'Preferences: Open Settings (UI)')
  await palette(ide, 'Preferences: Open Keyboard Shortcuts')
  for (const name of tabs) await expect(tab(ide, name)).toBeVisible()
  const front = async () => {
    const { scopes } = await server.get<{ scopes: Record<string, Record<string, string>> }>('/api/ui-state')
    const kept = JSON.parse(scopes.workspace?.['openspace.ownTabs'] ?? '[]') as { type: string; isInFront: boolean }[]
    return kept.find(({ isInFront }) => isInFront)?.type
  }
  for (let change = 0; change < 100 || sent() < KEPT_ALIVE; change += 1) {
    const name = tabs[change % 2 === 0 ? 0 : 1]
    await tab(ide, name).click()
    // Not only something that was still under way: this very change.
    await expect.poll(front, { intervals: [20, 50, 100] }).toBe(types[name])
  }
  await expect.poll(() => answered.length).toBeGreaterThanOrEqual(100)
  expect(new Set(answered)).toEqual(new Set([200]))
  expect(failed).toEqual([])
})

test('the view that was in front and a preview of Markdown are there again after a reload', async ({ ide, server }) => {
  await openFile(ide, 'README.md')
  await palette(ide, 'Open Markdown Preview Beside')
  const preview = ide.locator('.openspace-markdown')
  await expect(preview.getByRole('heading', { name: 'Demo' })).toBeVisible()
  await ide.keyboard.press('Control+Shift+f')
  await expect(ide.locator('.search-view')).toBeVisible()
  const state = async () => JSON.stringify(await server.get('/api/ui-state'))
  await expect.poll(state).toContain('"workbench.sidebar.activeviewletid":"workbench.view.search"')
  await ide.reload()
  await ready(ide)
  await expect(ide.locator('.part.sidebar .search-view')).toBeVisible()
  await expect(preview.getByRole('heading', { name: 'Demo' })).toBeVisible()
})

test('what is kept of the UI names no address of the server', async ({ ide, server }) => {
  const kept = async () => {
    const { scopes } = await server.get<{ scopes: Record<string, Record<string, string>> }>('/api/ui-state')
    return Object.values(scopes).flatMap((scope) => Object.entries(scope))
  }
  // What the workbench makes of its views and themes comes once all of them are there.
  const names = async () => (await kept()).map(([name]) => name)
  await expect.poll(names).toEqual(expect.arrayContaining(
    ['workbench.panel.placeholderPanels', 'workbench.auxiliarybar.placeholderPanels', 'iconThemeData']))
  await ide.reload()
  await ready(ide)
  const icon = ide.locator('.explorer-folders-view .file-icon', { hasText: 'README.md' })
  const font = () => icon.evaluate((file) => getComputedStyle(file, '::before').fontFamily)
  await expect.poll(font).toContain('seti')
  const { host } = new URL(server.ready.url)
  // Sheets of styles write it with backslashes.
  const addressed = (await kept()).filter(([, value]) => value.replaceAll('\\', '').includes(host))
  expect(addressed.map(([name]) => name)).toEqual([])
})

testWithTerminals('terminals side by side are so again after a reload', async ({ ide, server }) => {
  await ide.keyboard.press('Control+`')
  await expect.poll(() => screen(ide)).not.toBe('')
  await palette(ide, 'Terminal: Split Terminal')
  const views = ide.locator('.part.panel .terminal-wrapper.active')
  await expect(views).toHaveCount(2)
  const state = async () => JSON.stringify(await server.get('/api/ui-state'))
  await expect.poll(state).toContain('openspace.terminalSplits')
  await ide.reload()
  await ready(ide)
  await expect(views).toHaveCount(2)
  await expect(ide.locator('.part.panel .split-view-view .terminal-wrapper')).toHaveCount(2)
})

test('what a page remembers can be forgotten when it keeps the page from opening', async ({ server, context }) => {
  const headers = { authorization: `Bearer ${server.ready.token}` }
  const set = { 'workbench.activity.pinnedViewlets2': '{{{', 'workbench.panel.pinnedPanels': '{{{' }
  for (const scope of ['application', 'workspace']) {
    const body = JSON.stringify({ scope, set })
    const told = await fetch(`${server.ready.url}/api/ui-state`, { method: 'POST', headers, body })
    expect(told.status).toBe(200)
  }
  const page = await context.newPage()
  await page.goto(server.ready.open)
  await page.getByRole('button', { name: 'Forget what this page remembers' }).click()
  await ready(page)
  const { scopes } = await server.get<{ scopes: Record<string, Record<string, string>> }>('/api/ui-state')
  expect(JSON.stringify(scopes)).not.toContain('{{{')
})
