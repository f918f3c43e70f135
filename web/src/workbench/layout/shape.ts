// The arrangement of panes as plain data: what the server wants, what the page shows, and how the
// two differ. Knows nothing of the workbench.
import type { Layout, LayoutNode, Tab, TabKey } from '../../protocol/state'

export interface PaneShape {
  /** `null` for a group that the server has no pane for yet. */
  id: string | null
  tabs: TabKey[]
  active: TabKey | undefined
}

export interface SplitShape {
  /** Side by side, or one above the other. */
  direction: 'row' | 'column'
  fractions: number[]
  children: Shape[]
}

export type Shape = PaneShape | SplitShape

export const isSplit = (shape: Shape): shape is SplitShape => 'children' in shape

export const sameTab = (a: TabKey | undefined, b: TabKey | undefined): boolean =>
  a?.type === b?.type && a?.contentId === b?.contentId

export const keyOf = ({ type, contentId }: TabKey): TabKey => ({ type, contentId })

export function panesOf(shape: Shape): PaneShape[] {
  return isSplit(shape) ? shape.children.flatMap(panesOf) : [shape]
}

function shapeOf(node: LayoutNode): Shape {
  if ('pane' in node) {
    const { id, tabs, activeTab } = node.pane
    const active = activeTab === null ? undefined : tabs[activeTab]
    return { id, tabs: tabs.map(keyOf), active: active && keyOf(active) }
  }
  const { split, fractions, children } = node.split
  return { direction: split === 'vertical' ? 'row' : 'column', fractions, children: children.map(shapeOf) }
}

/** Every tab of a part of the layout. */
export function tabsIn(node: LayoutNode | undefined): Tab[] {
  if (!node) return []
  return 'pane' in node ? node.pane.tabs : node.split.children.flatMap(tabsIn)
}

/** The panes that stay when others are cleaned up. */
export function pinnedIn({ main, bottom, right }: Layout): Set<string> {
  const visit = (node: LayoutNode): string[] =>
    'pane' in node ? (node.pane.pinned ? [node.pane.id] : []) : node.split.children.flatMap(visit)
  return new Set([main, bottom.grid, right.grid].flatMap((grid) => (grid ? visit(grid.root) : [])))
}

/** Several shapes in a row or a column, without a split inside a split of the same direction. */
export function splitOf(
  direction: SplitShape['direction'], parts: { shape: Shape; share: number }[],
): Shape | undefined {
  if (parts.length <= 1) return parts[0]?.shape
  const total = parts.reduce((sum, { share }) => sum + share, 0)
  const flat = parts.flatMap(({ shape, share }) => {
    const part = share / total
    if (!isSplit(shape) || shape.direction !== direction) return [{ child: shape, fraction: part }]
    return shape.children.map((child, index) => ({ child, fraction: (shape.fractions[index] ?? 0) * part }))
  })
  return { direction, children: flat.map(({ child }) => child), fractions: flat.map(({ fraction }) => fraction) }
}

/** Two shapes beside each other. */
export function beside(direction: SplitShape['direction'], first: Shape, second: Shape, share: number): Shape {
  return splitOf(direction, [{ shape: first, share: 1 - share }, { shape: second, share }]) ?? first
}

/** Leave out tabs that are shown elsewhere, and panes that are left with none. */
function keeping(shape: Shape, keep: (tab: TabKey) => boolean): Shape | undefined {
  if (!isSplit(shape)) {
    const tabs = shape.tabs.filter(keep)
    if (tabs.length === 0) return undefined
    const active = shape.active && keep(shape.active) ? shape.active : tabs[0]
    return { ...shape, tabs, active }
  }
  const kept = shape.children.flatMap((child, index) => {
    const left = keeping(child, keep)
    return left ? [{ shape: left, share: shape.fractions[index] ?? 0 }] : []
  })
  return splitOf(shape.direction, kept)
}

/** What of the bottom stands in the editor area: terminals are in the workbench's panel. */
export function withoutTerminals(bottom: LayoutNode): Shape | undefined {
  return keeping(shapeOf(bottom), ({ type }) => type !== 'terminal')
}

/**
 * The editor area that a layout asks for. Terminals of the bottom are in the workbench's panel; what
 * else is docked at the bottom or on the right has its place at that edge of the editor area.
 */
export function editorArea(layout: Layout): Shape {
  let shape = shapeOf(layout.main.root)
  const { bottom, right } = layout
  const below = bottom.grid && withoutTerminals(bottom.grid.root)
  if (below) shape = beside('column', shape, below, bottom.fraction)
  const aside = right.grid && keeping(shapeOf(right.grid.root), ({ type }) => type !== 'chat')
  if (aside) shape = beside('row', shape, aside, right.fraction)
  return shape
}

/** The files that a layout has a tab for. */
export function filesIn(layout: Layout): Set<string> {
  const open = panesOf(editorArea(layout)).flatMap(({ tabs }) => tabs)
  return new Set(open.filter(({ type }) => type === 'editor').map(({ contentId }) => contentId))
}

/** The terminals that a layout wants in the panel, and the one in front. */
export function panelOf(layout: Layout): { ids: string[]; active: string | undefined } {
  const { grid } = layout.bottom
  if (!grid) return { ids: [], active: undefined }
  const panes = panesOf(shapeOf(grid.root))
  const terminals = panes.flatMap(({ tabs }) => tabs).filter(({ type }) => type === 'terminal')
  const front = panes.find(({ id }) => id === grid.active)?.active ?? panes[0]?.active
  const active = front?.type === 'terminal' ? front.contentId : terminals[0]?.contentId
  return { ids: terminals.map(({ contentId }) => contentId), active }
}

/** The same panes with the same tabs in the same arrangement, whatever the sizes. */
export function sameArrangement(a: Shape, b: Shape): boolean {
  if (isSplit(a) && isSplit(b)) {
    return (
      a.direction === b.direction &&
      a.children.length === b.children.length &&
      a.children.every((child, index) => sameArrangement(child, b.children[index] as Shape))
    )
  }
  if (isSplit(a) || isSplit(b)) return false
  return (
    a.id === b.id &&
    a.tabs.length === b.tabs.length &&
    a.tabs.every((tab, index) => sameTab(tab, b.tabs[index])) &&
    sameTab(a.active, b.active)
  )
}

/** The same tree of panes, whatever is in them. */
export function sameTree(a: Shape, b: Shape): boolean {
  if (isSplit(a) && isSplit(b)) {
    return (
      a.direction === b.direction &&
      a.children.length === b.children.length &&
      a.children.every((child, index) => sameTree(child, b.children[index] as Shape))
    )
  }
  return !isSplit(a) && !isSplit(b) && a.id === b.id
}

/** What the workbench gives an editor group at least, in pixels. */
export const LEAST = { row: 220, column: 70 } as const

function leastOf(shape: Shape, direction: SplitShape['direction']): number {
  if (!isSplit(shape)) return LEAST[direction]
  const parts = shape.children.map((child) => leastOf(child, direction))
  return shape.direction === direction ? parts.reduce((sum, part) => sum + part, 0) : Math.max(...parts)
}

/** How a split divides its room in pixels: by shares, but nobody gets less than the least while there is enough. */
export function divide({ direction, fractions, children }: SplitShape, room: number): number[] {
  const least = children.map((child) => leastOf(child, direction))
  const isEnough = least.reduce((sum, part) => sum + part, 0) <= room
  const fixed = new Set<number>()
  let sizes: number[]
  for (;;) {
    const taken = [...fixed].reduce((sum, index) => sum + (least[index] ?? 0), 0)
    const shares = fractions.reduce((sum, fraction, index) => (fixed.has(index) ? sum : sum + fraction), 0)
    sizes = fractions.map((fraction, index) =>
      fixed.has(index) ? (least[index] ?? 0) : (room - taken) * (fraction / shares))
    const short = sizes.findIndex((size, index) => !fixed.has(index) && size < (least[index] ?? 0))
    if (!isEnough || short < 0) break
    fixed.add(short)
  }
  const borders = sizes.map((_, index) => Math.round(sizes.slice(0, index).reduce((sum, size) => sum + size, 0)))
  return borders.map((border, index) => (borders[index + 1] ?? room) - border)
}

/** Sizes that differ by less are the same to a person. */
export const SIZE_TOLERANCE = 0.006

export function sameSizes(a: Shape, b: Shape): boolean {
  if (!isSplit(a) || !isSplit(b)) return true
  return (
    a.fractions.length === b.fractions.length &&
    a.fractions.every((fraction, index) => Math.abs(fraction - (b.fractions[index] ?? 0)) < SIZE_TOLERANCE) &&
    a.children.every((child, index) => sameSizes(child, b.children[index] as Shape))
  )
}

/** Where each pane of a shape is, in parts of the whole. */
function boxesOf(shape: Shape, row = { from: 0, to: 1 }, column = { from: 0, to: 1 }): Map<string, Box> {
  if (!isSplit(shape)) return new Map(shape.id === null ? [] : [[shape.id, { row, column }]])
  const span = shape.direction === 'row' ? row : column
  const boxes = new Map<string, Box>()
  let { from } = span
  for (const [index, child] of shape.children.entries()) {
    const to = from + (shape.fractions[index] ?? 0) * (span.to - span.from)
    const part = { from, to }
    const inside = shape.direction === 'row' ? boxesOf(child, part, column) : boxesOf(child, row, part)
    for (const [id, box] of inside) boxes.set(id, box)
    from = to
  }
  return boxes
}

interface Box {
  row: { from: number; to: number }
  column: { from: number; to: number }
}

/**
 * A shape with the sizes that its panes are meant to have, for a window that shows none of them. A pane that has
 * no intended size yet gets as much as those beside it on average.
 */
export function sizedLike(observed: Shape, intended: Shape): Shape {
  const boxes = boxesOf(intended)
  const sized = (shape: Shape): Shape => {
    if (!isSplit(shape)) return shape
    const { direction, children } = shape
    const shares = children.map((child) => {
      const spans = panesOf(child).flatMap(({ id }) => (id && boxes.get(id)?.[direction]) || [])
      if (spans.length === 0) return undefined
      return Math.max(...spans.map(({ to }) => to)) - Math.min(...spans.map(({ from }) => from))
    })
    const known = shares.filter((share) => share !== undefined)
    const total = known.reduce((sum, share) => sum + share, 0)
    const mean = known.length === 0 ? 1 : total / known.length
    const whole = total + mean * (shares.length - known.length)
    return { ...shape, children: children.map(sized), fractions: shares.map((share) => (share ?? mean) / whole) }
  }
  return sized(observed)
}

/**
 * The observed shape with intended sizes wherever the person did not change them: what minimum sizes
 * made of an intent is not a new intent.
 */
export function withIntent(observed: Shape, agreed: Shape, intended: Shape): Shape {
  if (!isSplit(observed)) return observed
  const comparable =
    isSplit(agreed) && isSplit(intended) && sameTree(observed, agreed) && sameTree(observed, intended)
  if (!comparable) return observed
  const untouched = observed.fractions.every(
    (fraction, index) => Math.abs(fraction - (agreed.fractions[index] ?? 0)) < SIZE_TOLERANCE,
  )
  return {
    ...observed,
    fractions: untouched ? intended.fractions : observed.fractions,
    children: observed.children.map((child, index) =>
      withIntent(child, agreed.children[index] as Shape, intended.children[index] as Shape),
    ),
  }
}
