// The first moments of a page: what covers it, what it greets with, and how it is come into again.
import { Agent } from './agent'
import { screen, testWithTerminals, typeInTerminal } from './hands'
import { expect, openPage, palette, ready, tab, test } from './stage'

test('the welcome is there also when an agent came first, once, and the link opens again', async ({
  context, server, complaints,
}) => {
  const agent = await Agent.connect(server.ready, 'early')
  await agent.call('editor_open', { path: 'README.md' })
  const page = await openPage(context, server.ready.open, complaints)
  await expect(tab(page, 'README.md')).toHaveClass(/\bactive\b/)
  await expect(tab(page, 'Welcome')).toBeVisible()
  await tab(page, 'Welcome').hover()
  await tab(page, 'Welcome').locator('.codicon-close').click()
  await expect(tab(page, 'Welcome')).toHaveCount(0)
  // The server has heard of both: that it was shown, and that it was closed.
  await expect.poll(async () => {
    const { scopes } = await server.get<{ scopes: { workspace: Record<string, string> } }>('/api/ui-state')
    const { 'openspace.greeted': greeted, 'openspace.ownTabs': tabs = '' } = scopes.workspace
    return { greeted, isKept: tabs.includes('welcome') }
  }).toEqual({ greeted: 'yes', isKept: false })
  // The link was used. This browser was let in by it, so it leads there again.
  await page.goto(server.ready.open)
  await ready(page)
  await expect(tab(page, 'README.md')).toBeVisible()
  await expect(tab(page, 'Welcome')).toHaveCount(0)
  await agent.close()
})

test('nothing of the workbench is seen before it is whole', async ({ context, server }) => {
  const agent = await Agent.connect(server.ready, 'early')
  await agent.call('editor_open', { path: 'README.md' })
  const page = await context.newPage()
  await page.addInitScript(() => {
    const seen = { uncovered: 0, covered: 0, text: '' }
    Object.assign(window, { seen })
    const look = () => {
      const boot = document.getElementById('boot')
      if (boot?.hidden) {
        seen.text = document.querySelector('.monaco-editor .view-line')?.textContent ?? ''
        return
      }
      const spots = [[20, 300], [200, 100], [800, 20], [800, 400], [1300, 850]] as const
      const isCovered = spots.every(([x, y]) => boot?.contains(document.elementFromPoint(x, y)) ?? true)
      seen[isCovered ? 'covered' : 'uncovered'] += 1
      requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
  await page.goto(server.ready.open)
  await ready(page)
  const seen = () => page.evaluate(() => (window as unknown as { seen: Record<string, unknown> }).seen)
  await expect.poll(async () => (await seen()).text).toBe('# Demo'.replaceAll(' ', '\u00a0'))
  const { covered, uncovered } = await seen()
  expect(covered).toBeGreaterThan(0)
  expect(uncovered).toBe(0)
  await agent.close()
})

testWithTerminals('Ctrl+B folds the side bar from a terminal, and home is shown as ~', async ({ ide }) => {
  await palette(ide, 'Terminal: Create New Terminal')
  await typeInTerminal(ide, 'echo here-$((1+1))\n')
  await expect.poll(() => screen(ide)).toContain('here-2')
  await ide.keyboard.press('Control+b')
  await expect(ide.locator('.part.sidebar')).toBeHidden()
  await ide.keyboard.press('Control+b')
  await expect(ide.locator('.part.sidebar')).toBeVisible()
  await ide.locator('.explorer-folders-view').getByText('README.md').dblclick()
  await expect(async () => {
    await ide.mouse.move(700, 500)
    await tab(ide, 'README.md').hover()
    await expect(ide.getByText('~/project/README.md')).toBeVisible({ timeout: 2_000 })
  }).toPass()
})
