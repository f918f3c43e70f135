// What the page tells the server when the person changed the arrangement.
import type { LayoutProposeArgs, LayoutProposeResult, ProposedNode, ProposedPane } from '../../protocol/generated'
import type { Layout, LayoutNode, TabKey } from '../../protocol/state'
import { isSplit, keyOf, panesOf, sameTab, splitOf, tabsIn, type PaneShape, type Shape } from './shape'

export interface Panel {
  ids: string[]
  active: string | undefined
  /** Its share of the height, when the person changed it. */
  fraction: number | undefined
}

const isTerminal = ({ type }: TabKey) => type === 'terminal'

/** A pane that the bottom has with its terminals is another one where it stands with its files. */
function proposed(shape: Shape, inBottom: Set<string>): ProposedNode {
  if (isSplit(shape)) {
    const { direction, fractions, children } = shape
    const split = direction === 'row' ? 'vertical' : 'horizontal'
    return { split: { split, fractions, children: children.map((child) => proposed(child, inBottom)) } }
  }
  const { tabs, active } = shape
  const id = shape.id === null || inBottom.has(shape.id) ? undefined : shape.id
  const index = tabs.findIndex((tab) => sameTab(tab, active))
  return { pane: { id, tabs, activeTab: tabs.length === 0 ? undefined : Math.max(index, 0) } }
}

function asProposed(node: LayoutNode): ProposedNode {
  if ('pane' in node) {
    const { id, tabs, activeTab } = node.pane
    return { pane: { id, tabs: tabs.map(keyOf), activeTab: activeTab ?? undefined } }
  }
  const { split, fractions, children } = node.split
  return { split: { split, fractions, children: children.map(asProposed) } }
}

function panesOfProposed(node: ProposedNode): ProposedPane[] {
  return 'pane' in node ? [node.pane] : node.split.children.flatMap(panesOfProposed)
}

/** Leave out the panes that are told from elsewhere. */
function without(node: ProposedNode, elsewhere: Set<string>): ProposedNode | undefined {
  if ('pane' in node) {
    const { id, tabs } = node.pane
    return id && tabs.length === 0 && elsewhere.has(id) ? undefined : node
  }
  const { split, fractions, children } = node.split
  const left = children.flatMap((child, index) => {
    const kept = without(child, elsewhere)
    return kept ? [{ child: kept, fraction: fractions[index] ?? 0 }] : []
  })
  if (left.length <= 1) return left[0]?.child
  return { split: { split, fractions: left.map(({ fraction }) => fraction), children: left.map(({ child }) => child) } }
}

/** The bottom as it was, with the terminals that the panel has now. */
function bottomWith(layout: Layout, panel: Panel): ProposedNode | undefined {
  const { grid } = layout.bottom
  const old = grid ? asProposed(grid.root) : undefined
  if (!old) {
    if (panel.ids.length === 0) return undefined
    const tabs = panel.ids.map((contentId): TabKey => ({ type: 'terminal', contentId }))
    const active = tabs.findIndex(({ contentId }) => contentId === panel.active)
    return { pane: { tabs, activeTab: Math.max(active, 0) } }
  }
  const panes = panesOfProposed(old)
  const before = panes.flatMap(({ tabs }) => tabs.filter(isTerminal).map(({ contentId }) => contentId))
  for (const pane of panes) {
    const front = pane.activeTab === undefined ? undefined : pane.tabs[pane.activeTab]
    // What is no terminal is drawn in the editor area and told from there.
    pane.tabs = pane.tabs.filter((tab) => isTerminal(tab) && panel.ids.includes(tab.contentId))
    const index = pane.tabs.findIndex((tab) => sameTab(tab, front))
    pane.activeTab = pane.tabs.length === 0 ? undefined : Math.max(index, 0)
  }
  const added = panel.ids.filter((id) => !before.includes(id))
  const home = panes.find(({ id }) => id === grid?.active) ?? panes[0]
  home?.tabs.push(...added.map((contentId): TabKey => ({ type: 'terminal', contentId })))
  for (const pane of panes) {
    const index = pane.tabs.findIndex(({ contentId }) => contentId === panel.active)
    if (index >= 0) pane.activeTab = index
  }
  return panes.every(({ tabs }) => tabs.length === 0) ? undefined : old
}

/** A tab in the pane where the page knew it. */
export type KnownTab = TabKey & { paneId?: string | undefined }

/** What a page has from the server, or has told it: what it does not show any more was closed here. */
export interface Known {
  panes: string[]
  tabs: KnownTab[]
}

export function knownOf(layout: Layout): Known {
  const roots = [layout.main, layout.bottom.grid, layout.right.grid].flatMap((grid) => (grid ? [grid.root] : []))
  const panes = roots.flatMap((root) => panesOfProposed(asProposed(root)))
  const tabs = panes.flatMap((pane) => pane.tabs.map((tab) => ({ ...keyOf(tab), paneId: pane.id ?? undefined })))
  return { panes: panes.flatMap(({ id }) => id ?? []), tabs }
}

/** What the server knows of this page once it has answered a proposal. */
export function knownAfter({ main, bottom, right }: LayoutProposeArgs, { paneIds }: LayoutProposeResult): Known {
  const panes = [main, bottom, right].flatMap((area) => (area ? panesOfProposed(area.root) : []))
  const tabs = panes.flatMap((pane, index) =>
    pane.tabs.map((tab) => ({ ...keyOf(tab), paneId: paneIds[index] ?? pane.id ?? undefined })))
  // One that did not stay is still shown until the answer is: it was known, and somebody closed it.
  return { panes: panes.flatMap(({ id }, index) => paneIds[index] ?? id ?? []), tabs }
}

interface Told {
  viewId: string
  /** The last layout that the server told. */
  layout: Layout
  known: Known
  main: Shape
  panel: Panel
  /** The active pane's place in `main`, when it is another. */
  active: number | undefined
}

/** The whole window as the person has it now. */
export function propose({ viewId, layout, known, main: shown, panel, active }: Told): LayoutProposeArgs {
  const docked = layout.right.grid?.root
  const isChat = docked && tabsIn(docked).every(({ type }) => type === 'chat')
  const ids = docked && !isChat ? panesOfProposed(asProposed(docked)).flatMap(({ id }) => id ?? []) : []
  const { main, aside, share } = withoutAside(shown, new Set(ids))
  const docks = bottomWith(layout, panel)
  const bottom = docks && without(docks, new Set(panesOf(shown).flatMap((pane) => pane.id ?? [])))
  const inBottom = new Set((bottom ? panesOfProposed(bottom) : []).flatMap((pane) => pane.id ?? []))
  const right = isChat ? asProposed(docked) : aside && proposed(aside, inBottom)
  const place = (pane: PaneShape) => {
    const inMain = panesOf(main).indexOf(pane)
    if (inMain >= 0 || !aside) return inMain
    return panesOf(main).length + (bottom ? panesOfProposed(bottom).length : 0) + panesOf(aside).indexOf(pane)
  }
  const pane = active === undefined ? undefined : panesOf(shown)[active]
  const activePane = pane && (pane.id === null || inBottom.has(pane.id) ? place(pane) : pane.id)
  return {
    viewId,
    knownPanes: known.panes,
    knownTabs: known.tabs,
    main: { root: proposed(main, inBottom) },
    bottom: wrap(bottom),
    right: wrap(right),
    ...(panel.fraction === undefined ? {} : { bottomFraction: panel.fraction }),
    ...(share === undefined || isSameShare(share, layout.right.fraction) ? {} : { rightFraction: share }),
    ...(activePane === undefined ? {} : { activePane }),
  }
}

/** The ids that an answer gives to the panes of the editor area, in their order there. */
export function idsShown(
  { main }: LayoutProposeArgs, { paneIds }: LayoutProposeResult, shown: Shape,
): (string | null)[] {
  const inMain = panesOfProposed(main.root).length
  // Those of the right stand last, in the answer as in the editor area.
  const aside = panesOf(shown).length - inMain
  return [...paneIds.slice(0, inMain), ...paneIds.slice(paneIds.length - aside)]
}

/**
 * The editor area without the panes that are docked on the right, while they still stand at that edge. What a
 * person has moved elsewhere is part of the middle.
 */
function withoutAside(shape: Shape, docked: Set<string>): { main: Shape; aside?: Shape; share?: number } {
  const isDocked = ({ id }: PaneShape) => id !== null && docked.has(id)
  if (!isSplit(shape) || shape.direction !== 'row') return { main: shape }
  const { children, fractions } = shape
  const first = children.findIndex((child) => panesOf(child).some(isDocked))
  const isAside = (child: Shape) => panesOf(child).every((pane) => pane.id === null || isDocked(pane))
  if (first <= 0 || !children.slice(first).every(isAside)) return { main: shape }
  const part = (from: number, to?: number) =>
    splitOf('row', children.slice(from, to).map((one, index) => ({ shape: one, share: fractions[from + index] ?? 0 })))
  const main = part(0, first)
  const aside = part(first)
  if (!main || !aside) return { main: shape }
  return { main, aside, share: fractions.slice(first).reduce((sum, fraction) => sum + fraction, 0) }
}

const isSameShare = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6

function wrap(root: ProposedNode | undefined): { root: ProposedNode } | undefined {
  return root && { root }
}
