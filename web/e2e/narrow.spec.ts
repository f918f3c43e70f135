// A window as narrow as a phone's: one pane at a time, and nothing of it is anybody else's.
import { expectRest, groupsOf, panesOf } from './editor'
import { testWithTerminals as test } from './hands'
import { expect, openPage, palette, picture, ready, tab, type Agent, type Page } from './stage'

const PHONE = { width: 390, height: 844 }
const WIDE = { width: 1400, height: 860 }
const GROUP = '.editor-group-container'
const SIDE_BAR = '.part.sidebar'

const openExplorer = (page: Page) =>
  page.locator('.activitybar .action-item', { has: page.locator('.codicon-explorer-view-icon') }).click()

const fileRow = (page: Page, name: string) =>
  page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).first()

/** Where everything is that has a size, in pixels. */
async function sizesOf(page: Page): Promise<object[]> {
  return page.locator(`${GROUP}, ${SIDE_BAR}, .part.auxiliarybar, .part.panel`).evaluateAll((parts) =>
    parts.map((part) => {
      const { x, y, width, height } = part.getBoundingClientRect()
      return { part: part.id || part.className.split(' ')[0], x, y, width, height }
    }))
}

/** The whole arrangement as agents are told. */
async function layoutOf(agent: Agent): Promise<object[]> {
  const { panes } = await agent.call('pane_list', { all: true })
  return panes.map(({ id, area, tabs, geometry }: Record<string, unknown>) => ({ id, area, tabs, geometry }))
}

/** What sticks out of the window, or cannot be reached because something is cut off. */
async function cutOff(page: Page, ...selectors: string[]): Promise<string[]> {
  return page.evaluate((all) => {
    const over = document.documentElement.scrollWidth > window.innerWidth ? ['the page scrolls sideways'] : []
    const shown = [...document.querySelectorAll<HTMLElement>(all.join())].filter((part) => part.checkVisibility())
    const parts = shown.map((part) => ({ part, box: part.getBoundingClientRect() })).filter(({ box }) => box.width > 0)
    const out = parts.filter(({ box }) => box.left < -1 || box.right > window.innerWidth + 1)
    const none = parts.length === 0 ? [`nothing is ${all.join()}`] : []
    return [...over, ...none, ...out.map(({ part }) => part.className + part.getAttribute('aria-label'))]
  }, selectors)
}

/** Entries of the status bar that are seen, but not whole. */
async function cutInStatusBar(page: Page): Promise<string[]> {
  return page.locator('.part.statusbar').evaluate((bar) => {
    const { bottom } = bar.getBoundingClientRect()
    const parts = [...bar.querySelectorAll('.items-container')].map((part) => part.getBoundingClientRect())
    const isWhole = ({ left, right }: DOMRect) =>
      parts.some((part) => left >= part.left - 1 && right <= part.right + 1) && right <= window.innerWidth + 1
    return [...bar.querySelectorAll('.statusbar-item')]
      .map((item) => ({ id: item.id, box: item.getBoundingClientRect() }))
      .filter(({ box }) => box.top < bottom - 1 && !isWhole(box))
      .map(({ id }) => id)
  })
}

async function twoPanes(agent: Agent): Promise<void> {
  await agent.call('editor_open', { path: 'README.md' })
  await agent.call('pane_open', { type: 'editor', contentId: 'src/main.rs', splitDirection: 'vertical' })
  const { panes } = await agent.call('pane_list', { all: true })
  await agent.call('pane_resize', { paneId: panes[0].id, width: 35 })
}

async function dragBorder(page: Page, from: { x: number; y: number }, by: { x: number; y: number }): Promise<void> {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + by.x, from.y + by.y, { steps: 4 })
  await page.mouse.up()
}

test('narrow and wide again leaves every size as it was, and the layout of the space all the time', async ({
  ide, agent, server,
}) => {
  await twoPanes(agent)
  await palette(ide, 'View: Toggle Secondary Side Bar Visibility')
  await palette(ide, 'Terminal: Create New Terminal')
  await expect(ide.locator('.part.panel')).toBeVisible()
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md'], ['main.rs']])
  // A border that the person moved.
  const bar = (await ide.locator(SIDE_BAR).boundingBox())!
  await dragBorder(ide, { x: bar.x + bar.width, y: bar.y + 300 }, { x: 37, y: 0 })
  await expect.poll(async () => (await ide.locator(SIDE_BAR).boundingBox())?.width).toBe(bar.width + 37)
  await expectRest(server, 'layout.propose', 1_000)
  const before = await sizesOf(ide)
  const layout = await layoutOf(agent)

  await ide.setViewportSize(PHONE)
  await expect(ide.locator(SIDE_BAR)).toBeHidden()
  await expect(ide.locator('.part.auxiliarybar')).toBeHidden()
  await expect(ide.locator(`${GROUP}:visible`)).toHaveCount(1)
  const shown = async () => (await ide.locator(`${GROUP}:visible`).boundingBox())?.width ?? 0
  await expect.poll(shown).toBeGreaterThan(330)
  await openExplorer(ide)
  // Until it is there it has no box.
  await expect.poll(async () => (await ide.locator(SIDE_BAR).boundingBox())?.width).toBe(342)
  // The workbench takes two clicks shortly after each other for one.
  await expect(async () => {
    if (await ide.locator(SIDE_BAR).isVisible()) await openExplorer(ide)
    await expect(ide.locator(SIDE_BAR)).toBeHidden({ timeout: 1_000 })
  }).toPass()
  await expectRest(server, 'layout.propose', 1_000)
  expect(await layoutOf(agent)).toEqual(layout)

  await ide.setViewportSize(WIDE)
  await expect.poll(() => sizesOf(ide)).toEqual(before)
  await expectRest(server, 'layout.propose', 1_000)
  expect(await layoutOf(agent)).toEqual(layout)

  // Also over a reload on the phone, however soon after a border was moved.
  const panel = (await ide.locator('.part.panel').boundingBox())!
  await dragBorder(ide, { x: panel.x + 200, y: panel.y }, { x: 0, y: -41 })
  await dragBorder(ide, { x: bar.x + bar.width + 37, y: bar.y + 300 }, { x: 25, y: 0 })
  const moved = { sideBar: bar.width + 62, panel: Math.floor(panel.height + 41) }
  const bars = async () => ({
    sideBar: (await ide.locator(SIDE_BAR).boundingBox())?.width,
    // Whole pixels: the border may lie between two.
    panel: Math.floor((await ide.locator('.part.panel').boundingBox())?.height ?? 0),
  })
  await expect.poll(bars).toEqual(moved)
  await ide.setViewportSize(PHONE)
  await expect(ide.locator(SIDE_BAR)).toBeHidden()
  await ide.reload()
  await ready(ide)
  await ide.setViewportSize(WIDE)
  await expect.poll(bars).toEqual(moved)
  await ide.reload()
  await ready(ide)
  await expect.poll(bars).toEqual(moved)
})

test('a border that was moved stays, though the page goes before the server has heard of it', async ({ ide }) => {
  const bar = (await ide.locator(SIDE_BAR).boundingBox())!
  const width = async () => (await ide.locator(SIDE_BAR).boundingBox())?.width
  // A server so busy that nothing arrives but what outlives the page.
  await ide.evaluate(() => {
    const real = window.fetch
    window.fetch = async (address, init) =>
      address === '/api/ui-state' && init?.keepalive === false ? new Promise(() => {}) : real(address, init)
  })
  await dragBorder(ide, { x: bar.x + bar.width, y: bar.y + 300 }, { x: 37, y: 0 })
  await ide.setViewportSize(PHONE)
  await expect(ide.locator(SIDE_BAR)).toBeHidden()
  await ide.setViewportSize(WIDE)
  await expect.poll(width).toBe(bar.width + 37)
  await dragBorder(ide, { x: bar.x + bar.width + 37, y: bar.y + 300 }, { x: 25, y: 0 })
  await ide.setViewportSize(PHONE)
  await expect(ide.locator(SIDE_BAR)).toBeHidden()
  await ide.reload()
  await ready(ide)
  await ide.setViewportSize(WIDE)
  await expect.poll(width).toBe(bar.width + 62)
  // Also when the page goes, or gets wide, while it opens on the phone.
  await ide.setViewportSize(PHONE)
  for (const part of [SIDE_BAR, GROUP]) {
    await ide.reload({ waitUntil: 'commit' })
    await ide.locator(part).first().waitFor({ state: 'attached' })
  }
  await ide.setViewportSize(WIDE)
  await ready(ide)
  await expect.poll(width).toBe(bar.width + 62)
})

test('a page that is opened on a phone shows one file, and the side bar until a file is opened', async ({
  context, server, agent, complaints,
}) => {
  await twoPanes(agent)
  const page = await openPage(context, server.ready.open, complaints)
  await expect(page.locator(SIDE_BAR)).toBeVisible()
  await page.keyboard.press('Control+Shift+f')
  await expect(page.locator(`${SIDE_BAR} .search-view`)).toBeVisible()
  await expectRest(server, 'layout.propose', 500)
  const layout = await layoutOf(agent)
  const kept = await server.get<unknown>('/api/user-data')
  const sizes = await sizesOf(page)
  await page.setViewportSize(PHONE)
  await page.reload()
  await ready(page)
  await expect(page.locator(SIDE_BAR)).toBeHidden()
  await expect(page.locator(`${GROUP}:visible`)).toHaveCount(1)
  await picture(page, 'narrow')
  await expect.poll(() => cutInStatusBar(page)).toEqual([])
  await expect(page.locator('[id="status.notifications"]')).toBeVisible()
  await expect(page.locator(`${GROUP}:visible .minimap`)).toBeHidden()
  // The buttons of the tab bar are in its menu.
  const buttons = page.locator(`${GROUP}:visible .editor-actions .action-item`)
  await expect(buttons).toHaveCount(1)
  await buttons.click()
  await expect(page.locator('.monaco-menu .action-item', { hasText: 'Split Editor Right' }).first()).toBeVisible()
  await page.keyboard.press('Escape')
  const place = page.locator('.statusbar-item', { hasText: '/2' })
  await expect(place).toHaveAttribute('aria-label', 'Pane 2 of 2. Show the next one.')
  await expect(tab(page, 'main.rs')).toBeVisible()
  await place.click()
  await expect(tab(page, 'README.md')).toBeVisible()
  await expect(page.locator(`${GROUP}:visible`)).toHaveCount(1)

  await openExplorer(page)
  await expect(page.locator(`${SIDE_BAR} .explorer-folders-view`)).toBeVisible()
  await fileRow(page, 'notes').click()
  await expect(page.locator(SIDE_BAR)).toBeVisible()
  await picture(page, 'narrow-explorer')
  await fileRow(page, 'todo.txt').click()
  await expect(page.locator(SIDE_BAR)).toBeHidden()
  await expect(page.locator(`${GROUP}:visible .view-line`).first()).toHaveText('first')
  await expect.poll(() => panesOf(agent)).toEqual([['README.md', 'notes/todo.txt'], ['src/main.rs']])
  // The file that is in front already, too.
  await expect(async () => {
    if (!(await page.locator(SIDE_BAR).isVisible())) await openExplorer(page)
    await expect(fileRow(page, 'todo.txt')).toBeVisible({ timeout: 1_000 })
  }).toPass()
  await fileRow(page, 'todo.txt').click()
  await expect(page.locator(SIDE_BAR)).toBeHidden()
  await palette(page, 'View: Close Editor')
  await expect.poll(() => panesOf(agent)).toEqual([['README.md'], ['src/main.rs']])
  await expectRest(server, 'layout.propose', 1_000)
  const shares = (panes: object[]) => panes.map((pane) => ({ ...pane, tabs: undefined }))
  expect(shares(await layoutOf(agent))).toEqual(shares(layout))
  await page.setViewportSize(WIDE)
  await expect(page.locator(`${SIDE_BAR} .search-view`)).toBeVisible()
  await expect.poll(async () => (await page.locator(SIDE_BAR).boundingBox())?.width).toBe(300)
  await expect(page.locator(`${GROUP}.active .minimap`)).toBeVisible()
  await expect(page.locator(`${GROUP}.active .editor-actions .codicon-split-horizontal`)).toBeVisible()
  expect(await server.get<unknown>('/api/user-data')).toEqual(kept)
  await expect(page.locator(`${GROUP}:visible`)).toHaveCount(2)
  await expect.poll(() => sizesOf(page)).toEqual(sizes)
  await expectRest(server, 'layout.propose', 500)
  expect(shares(await layoutOf(agent))).toEqual(shares(layout))
})

test('what an agent shows in a pane that is out of sight is offered', async ({ ide, agent }) => {
  await twoPanes(agent)
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md'], ['main.rs']])
  await tab(ide, 'README.md').click()
  await ide.setViewportSize(PHONE)
  await expect(tab(ide, 'README.md')).toBeVisible()
  await expect(tab(ide, 'main.rs')).toBeHidden()
  await agent.call('editor_open', { path: 'src/main.rs', line: 80 })
  const chip = ide.locator('.openspace-chip-take')
  await expect(chip).toHaveText('tester wants to show you src/main.rs:80')
  await expect(tab(ide, 'README.md')).toBeVisible()
  await expect.poll(() => cutOff(ide, '.openspace-chip button')).toEqual([])
  await chip.click()
  await expect(ide.locator(`${GROUP}:visible .view-line`, { hasText: 'line_80()' })).toBeVisible()
})

test('all that one needs fits into the width of a phone', async ({ context, server, agent, complaints }) => {
  await agent.call('editor_open', { path: 'README.md' })
  const page = await openPage(context, server.ready.open, complaints)
  await page.setViewportSize(PHONE)
  const parts = ['.part', '.statusbar-item', '.tabs-and-actions-container', '.titlebar-right .action-item']
  await expect.poll(() => cutOff(page, ...parts)).toEqual([])
  await palette(page, 'OpenSpace: Welcome and Connect')
  await expect(page.locator('.openspace-welcome')).toBeVisible()
  await expect.poll(() => cutOff(page, '.openspace-welcome *:not(pre *)')).toEqual([])
  await picture(page, 'narrow-welcome')
  // What was just opened takes the keyboard a moment later, and the palette closes.
  await expect(async () => {
    await page.keyboard.press('F1')
    await expect(page.locator('.quick-input-list .monaco-list-row').first()).toBeVisible({ timeout: 3_000 })
    expect(await cutOff(page, '.quick-input-widget', '.quick-input-widget .monaco-list-row')).toEqual([])
    expect((await page.locator('.quick-input-widget').boundingBox())?.width).toBeGreaterThan(360)
  }).toPass({ timeout: 30_000 })
  await picture(page, 'narrow-palette')
  await page.keyboard.press('Escape')
  await page.locator('.menubar-menu-button').first().click()
  await page.locator('.menubar-menu-items-holder .action-item', { hasText: 'File' }).first().click()
  await expect(page.locator('.monaco-submenu .action-item', { hasText: 'New Text File' })).toBeVisible()
  await picture(page, 'narrow-menu')
  await expect.poll(() => cutOff(page, '.menubar-menu-items-holder', '.monaco-submenu')).toEqual([])
  await expect(async () => {
    await page.keyboard.press('Escape')
    await expect(page.locator('.menubar-menu-items-holder')).toBeHidden({ timeout: 1_000 })
  }).toPass()
  await page.keyboard.press('Control+`')
  await expect(page.locator('.part.panel .xterm')).toBeVisible()
  await picture(page, 'narrow-panel')
  const panel = ['.part.panel', '.part.panel .xterm', '.part.panel .global-actions .action-item']
  await expect.poll(() => cutOff(page, ...panel)).toEqual([])
  await agent.ask('editor_open', { path: 'missing.txt' })
  await palette(page, 'Git: Commit')
  await expect(page.locator('.notification-toast')).toBeVisible()
  await expect.poll(() => cutOff(page, '.notification-toast', '.notification-toast .action-item')).toEqual([])
  await picture(page, 'narrow-notice')
  await page.locator('.part.panel .global-actions .codicon-panel-close, .part.panel .codicon-close').first().click()
  await expect(page.locator('.part.panel')).toBeHidden()
})
