// The tree of panes that the entries of a layout make, and entries that make none.
import { expect, test } from '@playwright/test'
import type { LayoutEntry, LayoutPart } from '../src/protocol/generated'
import { layoutOf } from '../src/protocol/layout'
import { applyPatches } from '../src/protocol/patches'
import type { Parts } from '../src/protocol/state'

const tab = (pane: string, after: string | null, contentId: string): LayoutEntry =>
  ({ is: 'tab', pane, after, type: 'editor', contentId, title: contentId, dirty: false, missing: false })

const ENTRIES: LayoutPart = {
  'editor:a': tab('p1', 'editor:b', 'a'),
  'editor:b': tab('p1', null, 'b'),
  p1: { is: 'pane', activeTab: 'editor:a', pinned: true },
  p2: { is: 'pane', activeTab: null, pinned: false },
  s2: { is: 'split', split: 'vertical', fractions: [0.25, 0.75], children: ['p1', 'p2'] },
  window: {
    is: 'window', main: { root: 's2', active: 'p1' }, bottom: null, right: null, bottomFraction: 0.3,
    rightFraction: 0.2, activeArea: 'main', nextPane: 3,
  },
}

test('tabs_stand_where_they_say_and_the_same_entries_are_the_same_tree', () => {
  const kept = { type: 'editor', dirty: false, missing: false } as const
  const tabs = [{ ...kept, contentId: 'b', title: 'b' }, { ...kept, contentId: 'a', title: 'a' }]
  const children = [
    { pane: { id: 'p1', tabs, activeTab: 1, pinned: true } },
    { pane: { id: 'p2', tabs: [], activeTab: null, pinned: false } },
  ]
  expect(layoutOf(ENTRIES)).toEqual({
    main: { root: { split: { split: 'vertical', fractions: [0.25, 0.75], children } }, active: 'p1' },
    bottom: { fraction: 0.3, grid: null },
    right: { fraction: 0.2, grid: null },
    activeArea: 'main',
    nextPane: 3,
  })
  expect(layoutOf(ENTRIES)).toBe(layoutOf(ENTRIES))
  const parts = { layout: ENTRIES, editors: {} } as unknown as Parts
  expect(layoutOf(applyPatches(parts, { editors: {} }).layout)).toBe(layoutOf(ENTRIES))
})

const circle: LayoutEntry = { is: 'split', split: 'vertical', fractions: [0.5, 0.5], children: ['p1', 's2'] }
const WRONG: [string, LayoutEntry | undefined, string][] = [
  ['window', undefined, 'the layout has no window'],
  ['p2', undefined, 'the layout has no p2, or has it twice'],
  ['s2', circle, 'the layout has no s2, or has it twice'],
  ['p9', { is: 'pane', activeTab: null, pinned: false }, 'p9 has no place in the layout'],
  ['editor:a', undefined, 'the pane p1 has no tab editor:a'],
  ['editor:c', tab('p1', null, 'c'), 'the tab editor:c stands where another one does'],
  ['editor:c', tab('p1', 'editor:d', 'c'), 'editor:c has no place in the layout'],
]

for (const [key, entry, problem] of WRONG) {
  test(`entries_that_make_no_layout_are_refused: ${problem}`, () => {
    const { [key]: _, ...rest } = ENTRIES
    // The order in which entries come says nothing.
    expect(() => layoutOf(entry ? { ...rest, [key]: entry } : rest)).toThrow(problem)
  })
}
