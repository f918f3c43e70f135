// The tabs that are the page's own, after a reload; and how large everything is drawn.
import { expectRest, goToLineEnd, groupOf, openFile, panesOf } from './editor'
import { expect, palette, picture, ready, tab, test, type Page } from './stage'

const groups = (page: Page) =>
  page.locator('.editor-group-container').evaluateAll((all) =>
    all.map((group) => [...group.querySelectorAll('.tab')].map((element) => {
      const name = element.getAttribute('aria-label')?.split(',')[0] ?? ''
      return element.classList.contains('active') ? `[${name}]` : name
    })))

test('settings, keys, a preview and the welcome page come back where they were', async ({ ide, agent, server }) => {
  await openFile(ide, 'README.md')
  await ide.keyboard.press('Control+k')
  await ide.keyboard.press('v')
  await expect(tab(ide, 'Preview README.md')).toBeVisible()
  await expect(ide.locator('.openspace-markdown h1')).toHaveText('Demo')
  await palette(ide, 'Preferences: Open Settings (UI)')
  await expect(tab(ide, 'Settings')).toBeVisible()
  await palette(ide, 'Preferences: Open Keyboard Shortcuts')
  await expect(tab(ide, 'Keyboard Shortcuts')).toBeVisible()
  const before = [['Welcome', 'README.md', 'Settings', '[Keyboard Shortcuts]'], ['[Preview README.md]']]
  await expect.poll(() => groups(ide)).toEqual(before)
  await picture(ide, 'own-tabs-before')
  await expectRest(server, 'layout.propose', 500)
  const panes = await panesOf(agent)
  await ide.reload()
  await ready(ide)
  await expect.poll(() => groups(ide)).toEqual(before)
  await expect(ide.locator('.openspace-markdown h1')).toHaveText('Demo')
  await expect.poll(() => panesOf(agent)).toEqual(panes)
  await picture(ide, 'own-tabs-after')
  await tab(ide, 'README.md').first().click()
  await goToLineEnd(ide, 'README.md', 1)
  await ide.keyboard.type(' live')
  await expect(ide.locator('.openspace-markdown h1')).toHaveText('Demo live')
  const kept = async () => {
    const { scopes } = await server.get<{ scopes: { workspace: Record<string, string> } }>('/api/ui-state')
    return scopes.workspace['openspace.ownTabs']
  }
  for (const name of ['Welcome', 'Settings', 'Keyboard Shortcuts', 'Preview README.md']) {
    await tab(ide, name).hover()
    await tab(ide, name).locator('.codicon-close').click()
    await expect(tab(ide, name)).toHaveCount(0)
  }
  await expect.poll(kept).toBe('[]')
  await ide.reload()
  await ready(ide)
  await expect.poll(() => groups(ide)).toEqual([['[README.md]']])
  await expect(groupOf(ide, 'README.md')).toBeVisible()
})

test('settings take the room that they need from nobody for good', async ({ ide, agent, server }) => {
  await agent.call('editor_open', { path: 'README.md' })
  await agent.call('pane_open', { type: 'editor', contentId: 'src/main.rs', splitDirection: 'vertical' })
  await agent.call('pane_resize', { paneId: 'p1', width: 25 })
  const width = async () => Math.round((await ide.locator('.editor-group-container').first().boundingBox())!.width)
  await expect.poll(width).toBe(263)
  const shares = async () => {
    const { panes } = await agent.call('pane_list', { all: true })
    return panes.map(({ geometry }: { geometry: object }) => geometry)
  }
  const before = await shares()
  await goToLineEnd(ide, 'README.md', 1)
  await palette(ide, 'Preferences: Open Settings (UI)')
  await expect.poll(width).toBe(500)
  await expectRest(server, 'layout.propose', 500)
  expect(await shares()).toEqual(before)
  await tab(ide, 'README.md').click()
  await expect.poll(width).toBe(263)
  await expectRest(server, 'layout.propose', 500)
  expect(await shares()).toEqual(before)
})

test('a file that is split in its tab is so again after a reload', async ({ ide, agent }) => {
  await openFile(ide, 'README.md')
  await palette(ide, 'View: Split Editor in Group')
  const halves = ide.locator('.side-by-side-editor .monaco-editor .view-lines')
  await expect(halves).toHaveCount(2)
  await expect.poll(() => panesOf(agent)).toEqual([['README.md']])
  await ide.reload()
  await ready(ide)
  await expect(halves).toHaveCount(2)
  await expect.poll(() => groups(ide)).toEqual([['Welcome', '[README.md]']])
  await expect.poll(() => panesOf(agent)).toEqual([['README.md']])
})

test('the browser gets its own keys for zooming, and the text has keys of its own', async ({ ide }) => {
  await openFile(ide, 'README.md')
  await ide.evaluate(() => {
    const kept: string[] = []
    Object.assign(window, { kept })
    // Last of all: whoever wanted the key for itself has said so by then.
    window.addEventListener('keydown', (event) => {
      if (event.defaultPrevented) kept.push(event.key)
    })
  })
  for (const where of ['.view-lines', '.explorer-folders-view']) {
    await ide.locator(where).first().click()
    for (const key of ['Control+=', 'Control+Minus', 'Control+0', 'Control+NumpadAdd', 'Control+NumpadSubtract']) {
      await ide.keyboard.press(key)
    }
  }
  expect(await ide.evaluate(() => (window as unknown as { kept: string[] }).kept)).toEqual([])
  const lines = ide.locator('.view-lines').first()
  const size = () => lines.evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize))
  const before = await size()
  await palette(ide, 'Increase Editor Font Size')
  await expect.poll(size).toBeGreaterThan(before)
  await palette(ide, 'Reset Editor Font Size')
  await expect.poll(size).toBe(before)
})
