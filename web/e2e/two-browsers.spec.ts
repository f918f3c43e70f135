// Two browsers in one space show the same, whatever their sizes, and do not fight over it.
import { callsOf, expectRest, groupsOf, openFile, openInFolder, panesOf } from './editor'
import { expect, openPage, picture, ready, tab, test, visibleText } from './stage'

test('files, splits, highlights and terminals of one are in the other, and so is their end', async ({
  ide, agent, server, browser, complaints,
}) => {
  const context = await browser.newContext({ viewport: { width: 1100, height: 700 } })
  const other = await openPage(context, await server.link(), complaints)
  await openFile(ide, 'README.md')
  await expect(tab(other, 'README.md')).toBeVisible()
  await openInFolder(other, 'notes', 'todo.txt', 'beside')
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md'], ['todo.txt']])
  await agent.call('editor_highlight', { path: 'README.md', ranges: [{ startLine: 1, endLine: 1 }], note: 'here' })
  for (const page of [ide, other]) await expect(page.locator('.openspace-note')).toContainText('here')
  await agent.call('terminal_create', { title: 'shared shell' })
  for (const page of [ide, other]) await expect(page.locator('.part.panel .xterm-screen')).toBeVisible()
  await picture(ide, 'two-browsers-a')
  await picture(other, 'two-browsers-b')

  const group = other.locator('.editor-group-container').nth(0)
  await tab(ide, 'todo.txt').dragTo(ide.locator('.editor-group-container').nth(0).locator('.tabs-container'))
  await expect.poll(() => groupsOf(other)).toEqual([['README.md', 'todo.txt']])
  await expect(group.locator('.tab.active')).toHaveAttribute('aria-label', /todo\.txt/)
  await tab(ide, 'todo.txt').hover()
  await tab(ide, 'todo.txt').locator('.codicon-close').click()
  await expect(tab(other, 'todo.txt')).toHaveCount(0)
  await expect.poll(() => panesOf(agent)).toEqual([['README.md']])
  await context.close()
})

test('windows of different sizes do not fight, and a reload restores exactly', async ({
  ide, agent, server, browser, complaints,
}) => {
  const context = await browser.newContext({ viewport: { width: 900, height: 600 } })
  const small = await openPage(context, await server.link(), complaints)
  await agent.call('editor_open', { path: 'README.md' })
  await agent.call('pane_open', { type: 'editor', contentId: 'src/main.rs', splitDirection: 'vertical' })
  await agent.call('pane_open', { type: 'editor', contentId: 'src/lib.rs', splitDirection: 'horizontal' })
  const { panes } = await agent.call('pane_list', { all: true })
  // Narrower than the small window can show it.
  await agent.call('pane_resize', { paneId: panes[0].id, width: 25 })
  await agent.call('terminal_create', { title: 'below' })
  const expected = [['README.md'], ['main.rs'], ['lib.rs']]
  for (const page of [ide, small]) {
    await expect.poll(() => groupsOf(page)).toEqual(expected)
    await expect(page.locator('.part.panel .xterm-screen')).toBeVisible()
  }
  await expectRest(server, 'layout.propose', 4_000)
  const told = await callsOf(server, 'layout.propose')
  const intended = await agent.call('pane_list', { all: true })
  expect(Math.round(intended.panes[0].geometry.width)).toBe(25)

  // The side bar's width is the person's, and the last browser's; what is beside it is the layout.
  const boxes = () => ide.locator('.editor-group-container').evaluateAll((groups) => {
    const whole = document.querySelector('.part.editor')!.getBoundingClientRect()
    return groups.map((group) => {
      const { x, y, width, height } = group.getBoundingClientRect()
      const shares = [
        (x - whole.x) / whole.width, (y - whole.y) / whole.height, width / whole.width, height / whole.height,
      ]
      return shares.map((share) => Math.round(share * 100))
    })
  })
  const before = await boxes()
  await ide.reload()
  await ready(ide)
  await expect.poll(() => groupsOf(ide)).toEqual(expected)
  await expect.poll(boxes).toEqual(before)
  await ide.setViewportSize({ width: 1100, height: 700 })
  await expectRest(server, 'layout.propose', 4_000)
  expect(await callsOf(server, 'layout.propose')).toBe(told)
  expect((await agent.call('pane_list', { all: true })).tree).toEqual(intended.tree)
  await context.close()
})

test('an agent goes on when every browser is closed, and the next one shows what it did', async ({
  ide, agent, server, browser, complaints,
}) => {
  await openFile(ide, 'README.md')
  await expect.poll(() => panesOf(agent)).toEqual([['README.md']])
  await ide.context().close()
  await agent.call('editor_open', { path: 'src/main.rs', line: 60, newPane: true })
  await agent.call('editor_highlight', {
    path: 'src/main.rs', ranges: [{ startLine: 60, endLine: 61 }], note: 'while you were away',
  })
  await agent.call('workspace_edit', {
    file_path: 'README.md', old_string: 'A small project.', new_string: 'A project.',
  })
  const context = await browser.newContext()
  const page = await openPage(context, await server.link(), complaints)
  await expect.poll(() => groupsOf(page)).toEqual([['README.md'], ['main.rs']])
  await expect.poll(() => visibleText(page, 'README.md')).toContain('A project.')
  await agent.call('editor_scroll_to', { path: 'src/main.rs', line: 60 })
  await expect(page.locator('.openspace-note')).toContainText('while you were away')
  await context.close()
})

test('a browser that is closed or reloaded closes nothing', async ({ ide, agent, server, browser, complaints }) => {
  await agent.call('editor_open', { path: 'README.md' })
  await agent.call('terminal_create', { title: 'panel' })
  await agent.call('terminal_create', { title: 'tab', area: 'main', splitDirection: 'vertical' })
  const tabs = async () => {
    const { panes } = await agent.call('pane_list', { all: true })
    return (panes as { tabs: { title: string }[] }[]).map((pane) => pane.tabs.map(({ title }) => title))
  }
  const expected = [['README.md'], ['tab'], ['panel']]
  await expect.poll(tabs).toEqual(expected)
  for (let round = 0; round < 2; round++) {
    const context = await browser.newContext({ viewport: { width: 1100, height: 700 } })
    const other = await openPage(context, await server.link(), complaints)
    await expect(other.locator('.xterm-screen')).toHaveCount(2)
    await other.reload()
    await ready(other)
    await expect(other.locator('.xterm-screen')).toHaveCount(2)
    await context.close()
  }
  await expectRest(server, 'layout.propose', 1_000)
  expect(await tabs()).toEqual(expected)
  await expect(ide.locator('.xterm-screen')).toHaveCount(2)
})
