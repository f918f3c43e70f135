// The arrangement of panes, made by an agent and by a person, is one and the same.
import {
  dirtyTab, editorOf, expectLines, expectRest, goToLineEnd, groupOf, groupsOf, openFile, panesOf,
} from './editor'
import { forgiveOutage } from './outage'
import { expect, palette, picture, ready, tab, test, visibleText, type Agent, type Page } from './stage'

const GROUP = '.editor-group-container'

/** Each pane's share of the window in percent, as agents are told. */
async function sharesOf(agent: Agent): Promise<{ width: number; height: number }[]> {
  const { panes } = await agent.call('pane_list', { all: true })
  return panes.map(({ geometry }: { geometry: { width: number; height: number } }) => geometry)
}

const paneWith = async (agent: Agent, contentId: string): Promise<string> => {
  const { panes } = await agent.call('pane_list', { all: true })
  return panes.find(({ tabs }: { tabs: { contentId: string }[] }) => tabs.some((one) => one.contentId === contentId)).id
}

/** Drag a tab by hand to a place in a group, given in shares of its size. */
async function dragTab(page: Page, name: string, target: { group: number; x: number; y: number }): Promise<void> {
  // Waits until it is at rest.
  await tab(page, name).hover()
  const from = (await tab(page, name).boundingBox())!
  const to = (await page.locator(GROUP).nth(target.group).boundingBox())!
  await page.mouse.move(from.x + 20, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(from.x + 60, from.y + 60, { steps: 4 })
  await page.mouse.move(to.x + to.width * target.x, to.y + to.height * target.y, { steps: 6 })
  await expect(page.locator('#monaco-workbench-editor-drop-overlay')).toBeVisible()
  await page.mouse.move(to.x + to.width * target.x + 1, to.y + to.height * target.y + 1, { steps: 2 })
  await page.mouse.up()
}

test('an agent splits, moves, resizes, pins and closes panes', async ({ ide, agent }) => {
  await agent.call('editor_open', { path: 'README.md' })
  const first = await paneWith(agent, 'README.md')
  await agent.call('pane_split', { paneId: first, side: 'below' })
  await expect(ide.locator(GROUP)).toHaveCount(2)
  const { panes } = await agent.call('pane_list', { all: true })
  const second = panes.find(({ id }: { id: string }) => id !== first).id
  await agent.call('pane_open', { type: 'editor', contentId: 'src/lib.rs', targetPaneId: second })
  await agent.call('pane_open', { type: 'editor', contentId: 'src/main.rs', targetPaneId: second })
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md'], ['lib.rs', 'main.rs']])
  await expect(groupOf(ide, 'main.rs')).toBeVisible()
  const top = async (name: string) => (await groupOf(ide, name).boundingBox())?.y ?? 0
  await expect.poll(async () => (await top('main.rs')) - (await top('README.md'))).toBeGreaterThan(0)
  await agent.call('pane_move', { contentId: 'src/main.rs', targetPaneId: first })
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md', 'main.rs'], ['lib.rs']])
  await agent.call('pane_move_beside', { paneId: second, besidePaneId: first, side: 'left' })
  await expect.poll(() => groupsOf(ide)).toEqual([['lib.rs'], ['README.md', 'main.rs']])
  await agent.call('pane_resize', { paneId: second, width: 35 })
  await expect.poll(async () => {
    const boxes = await Promise.all([0, 1].map((index) => ide.locator(GROUP).nth(index).boundingBox()))
    const widths = boxes.map((box) => box?.width ?? 0)
    return Math.round(Math.min(...widths) / (widths[0]! + widths[1]!) * 100)
  }).toBe(35)
  await agent.call('pane_pin', { paneId: second })
  await agent.call('pane_close', { contentId: 'src/lib.rs' })
  await expect.poll(() => groupsOf(ide)).toEqual([[], ['README.md', 'main.rs']])
  await agent.call('pane_close', { paneId: second })
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md', 'main.rs']])
  expect(await panesOf(agent)).toEqual([['README.md', 'src/main.rs']])
})

test('a tab that the person drags, a border that they drag and a split that they close are the agent’s too', async ({
  ide, agent, server,
}) => {
  await agent.call('editor_open', { path: 'README.md' })
  await agent.call('editor_open', { path: 'src/main.rs' })
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md', 'main.rs']])
  await dragTab(ide, 'main.rs', { group: 0, x: 0.9, y: 0.5 })
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md'], ['main.rs']])
  await expect.poll(() => panesOf(agent)).toEqual([['README.md'], ['src/main.rs']])
  const told = async () => {
    const listed = await server.call('audit.list', { command: 'layout.propose' })
    return (listed as { records: unknown[] }).records.length
  }
  await expectRest(server, 'layout.propose', 1_000)
  const before = await told()
  const left = (await groupOf(ide, 'README.md').boundingBox())!
  const right = (await groupOf(ide, 'main.rs').boundingBox())!
  await ide.mouse.move(right.x, right.y + 300)
  await ide.mouse.down()
  await ide.mouse.move(right.x - 100, right.y + 300, { steps: 10 })
  await ide.mouse.move(right.x - 150, right.y + 300, { steps: 10 })
  await ide.mouse.up()
  const share = async () => {
    const box = (await groupOf(ide, 'README.md').boundingBox())!
    return box.width / (left.width + right.width) * 100
  }
  const shareBefore = (left.width / (left.width + right.width)) * 100
  await expect.poll(async () => Math.round((await share()) - shareBefore)).toBeLessThan(-8)
  await expect.poll(async () => {
    const [first] = await sharesOf(agent)
    return Math.abs(first!.width - (await share()))
  }).toBeLessThan(2)
  await expectRest(server, 'layout.propose', 1_000)
  // One drag is one action, however many frames it took.
  expect((await told()) - before).toBeLessThanOrEqual(2)
  await tab(ide, 'main.rs').hover()
  await tab(ide, 'main.rs').locator('.codicon-close').click()
  await expect.poll(() => panesOf(agent)).toEqual([['README.md']])
  await expect(ide.locator(GROUP)).toHaveCount(1)
})

test('a person pins a pane in its title, and a pane that an agent pinned shows it', async ({ ide, agent }) => {
  await agent.call('editor_open', { path: 'README.md' })
  await agent.call('pane_open', { type: 'editor', contentId: 'src/main.rs', splitDirection: 'vertical' })
  const pinned = async () => {
    const { panes } = await agent.call('pane_list', { all: true })
    return (panes as { pinned: boolean }[]).map((pane) => pane.pinned)
  }
  await expect(tab(ide, 'main.rs')).toBeVisible()
  const pin = (name: string) => groupOf(ide, name).getByRole('button', { name: 'Unpin This Pane' })
  await tab(ide, 'main.rs').click()
  await palette(ide, 'OpenSpace: Pin This Pane')
  await expect.poll(pinned).toEqual([false, true])
  await expect(pin('main.rs')).toBeVisible()
  await expect(pin('README.md')).toBeHidden()
  await pin('main.rs').click()
  await expect.poll(pinned).toEqual([false, false])
  await expect(pin('main.rs')).toBeHidden()
  const { panes } = await agent.call('pane_list', { all: true })
  await agent.call('pane_pin', { paneId: panes[0].id })
  await expect(pin('README.md')).toBeVisible()
})

test('settings are the page’s own, a second view is everybody’s, and both stay when an agent arranges panes', async ({
  ide, agent,
}) => {
  await openFile(ide, 'README.md')
  await ide.keyboard.press('Control+,')
  await expect(tab(ide, 'Settings')).toBeVisible()
  await expect.poll(() => panesOf(agent)).toEqual([['README.md']])
  await agent.call('pane_open', { type: 'editor', contentId: 'src/lib.rs', newPane: true })
  await expect(tab(ide, 'lib.rs')).toBeVisible()
  await expect(tab(ide, 'Settings')).toHaveClass(/active/)
  await agent.call('pane_close', { contentId: 'README.md' })
  await expect(tab(ide, 'README.md')).toHaveCount(0)
  await expect(tab(ide, 'Settings')).toBeVisible()
  await expect.poll(() => panesOf(agent)).toEqual([['src/lib.rs']])
  await tab(ide, 'lib.rs').click()
  await expect(editorOf(ide, 'lib.rs')).toHaveClass(/\bfocused\b/)
  await ide.keyboard.press('Control+\\')
  await expect(tab(ide, 'lib.rs')).toHaveCount(2)
  await expect.poll(() => panesOf(agent)).toEqual([['src/lib.rs'], ['src/lib.rs']])
  await agent.call('pane_open', { type: 'editor', contentId: 'src/main.rs', newPane: true })
  await expect(tab(ide, 'main.rs')).toBeVisible()
  await expect(tab(ide, 'lib.rs')).toHaveCount(2)
  await expect(tab(ide, 'Settings')).toBeVisible()
  await picture(ide, 'own-tabs')
  await expect.poll(() => panesOf(agent)).toEqual([['src/lib.rs'], ['src/lib.rs'], ['src/main.rs']])
})

test('a named layout comes back, and everything comes back after a restart', async ({
  ide, agent, server, complaints,
}) => {
  await agent.call('editor_open', { path: 'README.md' })
  await agent.call('pane_open', { type: 'editor', contentId: 'src/main.rs', splitDirection: 'vertical' })
  await agent.call('layout_save', { name: 'two' })
  await agent.call('pane_close', { contentId: 'src/main.rs' })
  await agent.call('editor_open', { path: 'src/lib.rs' })
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md', 'lib.rs']])
  await agent.call('layout_apply', { name: 'two' })
  await expect.poll(async () => (await groupsOf(ide)).length).toBe(2)
  await expect(tab(ide, 'main.rs')).toBeVisible()
  const shown = (await panesOf(agent)).map((pane) => pane.map((path) => path.split('/').at(-1)))
  expect(shown.length).toBe(2)
  await expect.poll(() => groupsOf(ide)).toEqual(shown)
  await expectRest(server, 'layout.propose', 1_000)
  await server.restart()
  await expect(ide.locator('.openspace-banner')).toBeHidden()
  await ide.reload()
  await ready(ide)
  await expect.poll(() => groupsOf(ide)).toEqual(shown)
  forgiveOutage(complaints)
})

test('files that an agent opens and closes at once stay closed', async ({ ide, agent, server }) => {
  await agent.call('editor_open', { path: 'README.md' })
  await expect(tab(ide, 'README.md')).toBeVisible()
  for (let round = 0; round < 10; round++) {
    for (const path of ['src/main.rs', 'src/lib.rs']) {
      await agent.call('editor_open', { path })
      await agent.call('editor_close', { path })
    }
  }
  await expectRest(server, 'layout.propose', 1_000)
  expect(await panesOf(agent)).toEqual([['README.md']])
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md']])
})

test('an agent’s file does not come before the text in which the person types, and the chip shows it', async ({
  ide, agent,
}) => {
  await openFile(ide, 'README.md')
  await goToLineEnd(ide, 'README.md', 3)
  await ide.keyboard.type(' One')
  await agent.call('editor_open', { path: 'src/main.rs', line: 80 })
  await ide.keyboard.type(' two.')
  await expect(tab(ide, 'main.rs')).toBeVisible()
  const chip = ide.locator('.openspace-chip-take')
  await expect(chip).toHaveText('tester wants to show you src/main.rs:80')
  await expect(tab(ide, 'README.md')).toHaveClass(/active/)
  await expectLines(ide, 'README.md', ['# Demo', '', 'A small project. One two.', ''])
  await picture(ide, 'chip')
  await chip.click()
  await expect.poll(() => visibleText(ide, 'main.rs')).toContain('fn line_80()')
  await expect(chip).toBeHidden()
  await ide.keyboard.press('Control+Alt+j')
  await expect(tab(ide, 'README.md')).toHaveClass(/active/)
  // The tab is in front before its text is.
  await expectLines(ide, 'README.md', ['# Demo', '', 'A small project. One two.', ''])
  await expect(editorOf(ide, 'README.md')).toHaveClass(/\bfocused\b/)
  await ide.keyboard.type(' Three.')
  await expectLines(ide, 'README.md', ['# Demo', '', 'A small project. One two. Three.', ''])
})

test('suggest-only offers and nothing moves until the person takes it', async ({ ide, agent }) => {
  await agent.call('editor_open', { path: 'README.md' })
  await expect(tab(ide, 'README.md')).toBeVisible()
  await agent.call('editor_open', { path: 'src/main.rs', line: 70, mode: 'suggest-only', newPane: true })
  const chip = ide.locator('.openspace-chip-take')
  await expect(chip).toHaveText('tester wants to show you src/main.rs:70')
  expect(await visibleText(ide, 'main.rs')).not.toContain('fn line_70()')
  await chip.click()
  await expect.poll(() => visibleText(ide, 'main.rs')).toContain('fn line_70()')
})

test('a person who follows is taken along, and jumps back to where they were', async ({ ide, agent }) => {
  await openFile(ide, 'README.md')
  await editorOf(ide, 'README.md').locator('.view-lines').click()
  await ide.keyboard.press('Control+Alt+f')
  await expect(ide.locator('.statusbar-item', { hasText: 'Following' })).toBeVisible()
  await agent.call('editor_open', { path: 'src/main.rs', line: 90, newPane: true })
  await expect.poll(() => visibleText(ide, 'main.rs')).toContain('fn line_90()')
  await expect(groupOf(ide, 'main.rs')).toHaveClass(/\bactive\b/)
  await agent.call('editor_open', { path: 'src/lib.rs', line: 4 })
  await expect.poll(() => visibleText(ide, 'lib.rs')).toContain('pub fn add')
  await ide.keyboard.press('Control+Alt+f')
  await expect(ide.locator('.statusbar-item', { hasText: 'Following' })).toHaveCount(0)
  await ide.keyboard.press('Control+Alt+j')
  await expect(tab(ide, 'main.rs')).toHaveClass(/active/)
  await expect.poll(() => visibleText(ide, 'main.rs')).toContain('fn line_90()')
  await ide.keyboard.press('Control+Alt+j')
  await expect(groupOf(ide, 'README.md')).toHaveClass(/\bactive\b/)
  await expect(editorOf(ide, 'README.md')).toHaveClass(/\bfocused\b/)
  await ide.keyboard.type('x')
  await expect(dirtyTab(ide, 'README.md')).toHaveCount(1)
})

test.describe('many panes', () => {
  const WAVES = 20
  const WAVE = 25
  const names = Array.from({ length: WAVE }, (_, index) => `file-${index}.txt`)
  test.use({ files: { 'README.md': '# Demo\n', ...Object.fromEntries(names.map((name) => [name, `${name}\n`])) } })

  test('five hundred panes that an agent opens and closes leave the page alive and right', async ({
    ide, agent, server,
  }) => {
    test.setTimeout(240_000)
    await openFile(ide, 'README.md')
    await expect.poll(() => panesOf(agent)).toEqual([['README.md']])
    let made = 0
    for (let wave = 0; wave < WAVES; wave++) {
      for (const [index, name] of names.entries()) {
        const splitDirection = index % 8 === 7 ? 'horizontal' : 'vertical'
        const { createdPane } = await agent.call('pane_open', { type: 'editor', contentId: name, splitDirection })
        if (createdPane) made += 1
      }
      for (const name of names) await agent.call('pane_close', { contentId: name })
    }
    expect(made).toBe(WAVES * WAVE)
    await expect.poll(() => groupsOf(ide), { timeout: 60_000 }).toEqual([['README.md']])
    expect(await panesOf(agent)).toEqual([['README.md']])
    await expectRest(server, 'layout.propose', 2_000)
    for (const name of names) await agent.call('pane_open', { type: 'editor', contentId: name, newPane: true })
    await expect(ide.locator(GROUP)).toHaveCount(WAVE + 1, { timeout: 60_000 })
    await picture(ide, 'many-panes')
    for (const name of names) await agent.call('pane_close', { contentId: name })
    await expect.poll(() => groupsOf(ide), { timeout: 60_000 }).toEqual([['README.md']])
    await goToLineEnd(ide, 'README.md', 1)
    await ide.keyboard.type(' alive')
    await expectLines(ide, 'README.md', ['# Demo alive', ''])
    await palette(ide, 'View: Toggle Primary Side Bar Visibility')
    await expect(ide.locator('.explorer-folders-view')).toBeHidden()
  })
})
