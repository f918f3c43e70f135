// Every command of the workbench that arranges the editor area: what it does the server takes, and has in the end.
import { expectRest, groupOf, groupsOf, panesOf } from './editor'
import { expect, palette, tab, test } from './stage'

test.use({ files: { 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' } })

const SIDES = ['Left', 'Right', 'Up', 'Down']
const OF_SIDES = SIDES.flatMap((side) => [
  `View: Split Editor ${side}`, `View: Move Editor Group ${side}`, `View: Duplicate Editor Group ${side}`,
])
const GRIDS = ['Two Columns', 'Three Columns', 'Two Rows', 'Three Rows', 'Two Columns Bottom', 'Two Rows Right']
const COMMANDS = [
  'View: Split Editor in Group', 'View: Toggle Layout of Split Editor in Group', 'View: Join Editor in Group',
  'View: Toggle Split Editor in Group', 'View: Toggle Split Editor in Group',
  ...OF_SIDES,
  'View: Move Editor Group Left', 'View: Move Editor Group Up',
  'View: Join Editor Group with Next Group', 'View: Join All Editor Groups',
  ...GRIDS.map((grid) => `View: ${grid} Editor Layout`), 'View: Grid Editor Layout (2x2)',
  'View: Split Editor Orthogonal', 'View: Move Editor into Next Group', 'View: Move Editor into Previous Group',
  'View: Split Editor into Next Group', 'View: New Editor Group to the Left', 'View: Move Editor Group Right',
  'View: New Editor Group Below', 'View: Move Editor Group Up', 'View: Toggle Editor Group Sizes',
  'View: Reset Editor Group Sizes', 'View: Toggle Maximize Editor Group', 'View: Toggle Maximize Editor Group',
  'View: Expand Editor Group', 'View: Toggle Maximized Panel', 'View: Toggle Maximized Panel',
  'View: Close Editors in Other Groups', 'View: Single Column Editor Layout',
]

test('no command that arranges the editor area makes a proposal that is refused', async ({ ide, agent, server }) => {
  test.slow()
  const refused: string[] = []
  ide.on('response', async (response) => {
    if (response.url().endsWith('layout.propose') && !response.ok()) refused.push(await response.text())
  })
  for (const path of ['a.txt', 'b.txt', 'c.txt']) await agent.call('editor_open', { path })
  await agent.call('terminal_create', {})
  await expect(tab(ide, 'c.txt')).toBeVisible()
  for (const command of COMMANDS) {
    await palette(ide, command)
    await expect(async () =>
      expect(sorted(await groupsOf(ide)), command).toEqual(sorted(await panesOf(agent)))).toPass()
    expect(refused, command).toEqual([])
  }
  await expectRest(server, 'layout.propose', 500)
  expect(refused).toEqual([])
  await expect(async () =>
    expect(sorted(await groupsOf(ide))).toEqual(sorted(await panesOf(agent)))).toPass({ timeout: 15_000 })
})

/** Whatever order a tree of splits is read in. */
const sorted = (panes: string[][]) => panes.map((tabs) => tabs.join()).sort()

test('a file that is docked at the bottom stays there when the person arranges the rest', async ({ ide, agent }) => {
  await agent.call('editor_open', { path: 'a.txt' })
  await agent.call('terminal_create', {})
  const told = async () => {
    const { panes } = await agent.call('pane_list', { all: true })
    return panes as { id: string; area: string; tabs: { contentId: string }[] }[]
  }
  const areas = async () => (await told()).map(({ area, tabs }) => `${area} ${tabs.map((one) => one.contentId).join()}`)
  const beneath = (await told()).find(({ area }) => area === 'bottom')?.id
  await agent.call('pane_open', {
    type: 'editor', contentId: 'b.txt', targetPaneId: beneath, newPane: true, splitDirection: 'vertical',
  })
  await expect(tab(ide, 'b.txt')).toBeVisible()
  await tab(ide, 'a.txt').click()
  await palette(ide, 'View: Split Editor Right')
  await expect.poll(areas).toEqual(['main a.txt', 'main a.txt', 'bottom t1', 'bottom b.txt'])
  // What is made beside it there is at the bottom too.
  await tab(ide, 'b.txt').click()
  await palette(ide, 'View: Split Editor Right')
  await expect.poll(areas).toEqual(['main a.txt', 'main a.txt', 'bottom t1', 'bottom b.txt', 'bottom b.txt'])
})

test('a pin is seen at the pinned pane alone, also when another has the same file', async ({ ide, agent }) => {
  await agent.call('editor_open', { path: 'a.txt' })
  await expect(tab(ide, 'a.txt')).toBeVisible()
  await palette(ide, 'View: Split Editor Right')
  await expect.poll(() => panesOf(agent)).toEqual([['a.txt'], ['a.txt']])
  const { panes } = await agent.call('pane_list', { all: true })
  await agent.call('pane_pin', { paneId: panes[1].id })
  const pins = groupOf(ide, 'a.txt').getByRole('button', { name: 'Unpin This Pane' })
  await expect(pins).toHaveCount(1)
  await expect(pins).toBeVisible()
})
