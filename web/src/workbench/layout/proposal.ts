// What the page tells the server when the person changed the arrangement.
import type { LayoutProposeArgs, LayoutProposeResult, ProposedNode, ProposedPane } from '../../protocol/generated'
import type { Layout, LayoutNode, TabKey } from '../../protocol/state'
import {
  isSplit, keyOf, panesOf, sameTab, sameTree, splitOf, tabsIn, withoutTerminals, type PaneShape, type Shape,
} from './shape'

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

interface Proposed {
  args: LayoutProposeArgs
  /** For each pane of the editor area, in its order there, which of the proposal's panes it is. */
  places: number[]
}

/** The whole window as the person has it now. */
export function propose({ viewId, layout, known, main: shown, panel, active }: Told): Proposed {
  const docked = layout.right.grid?.root
  const isChat = docked && tabsIn(docked).every(({ type }) => type === 'chat')
  const { rest, edge: aside, share } = withoutEdge(shown, 'row', idsIn(isChat ? undefined : docked))
  const { rest: main, edge: below, share: shareBelow } = withoutEdge(rest, 'column', idsIn(layout.bottom.grid?.root))
  const inSight = new Set(panesOf(shown).flatMap(({ id }) => id ?? []))
  const { bottom, placesBelow } = bottomOf(layout, panel, below, inSight)
  const inBottom = new Set((bottom ? panesOfProposed(bottom) : []).flatMap((pane) => pane.id ?? []))
  const right = isChat ? asProposed(docked) : aside && proposed(aside, inBottom)
  const inMain = panesOf(main).length
  const beforeRight = inMain + (bottom ? panesOfProposed(bottom).length : 0)
  const places = [
    ...panesOf(main).map((_, index) => index),
    ...placesBelow.map((place) => inMain + place),
    ...(aside ? panesOf(aside) : []).map((_, index) => beforeRight + index),
  ]
  const activePane = active === undefined ? undefined : places[active]
  const fraction = panel.fraction ?? changedShare(shareBelow, layout.bottom.fraction)
  const rightFraction = changedShare(share, layout.right.fraction)
  const args = {
    viewId,
    knownPanes: known.panes,
    knownTabs: known.tabs,
    main: { root: proposed(main, inBottom) },
    bottom: wrap(bottom),
    right: wrap(right),
    ...(fraction === undefined ? {} : { bottomFraction: fraction }),
    ...(rightFraction === undefined ? {} : { rightFraction }),
    ...(activePane === undefined ? {} : { activePane }),
  }
  return { args, places }
}

/** The ids that an answer gives to the panes of the editor area, in their order there. */
export function idsShown({ places }: Proposed, { paneIds }: LayoutProposeResult): (string | null)[] {
  return places.map((place) => paneIds[place] ?? null)
}

/**
 * The bottom: the terminals of the panel, and the files that are docked there, which stand at the lower edge of the
 * editor area. While their panes stand as they did, all of them keep their places; else the files come after the
 * terminals. `placesBelow` are those of the files' panes among the panes of the bottom.
 */
function bottomOf(
  layout: Layout, panel: Panel, below: Shape | undefined, inSight: Set<string>,
): { bottom: ProposedNode | undefined; placesBelow: number[] } {
  const docks = bottomWith(layout, panel)
  if (!below) return { bottom: docks && without(docks, inSight), placesBelow: [] }
  const docked = layout.bottom.grid && withoutTerminals(layout.bottom.grid.root)
  const old = layout.bottom.grid ? asProposed(layout.bottom.grid.root) : undefined
  if (docked && old && sameTree(below, docked)) {
    const terminals = docks ? panesOfProposed(docks) : []
    for (const pane of panesOfProposed(old)) fill(pane, terminals, panesOf(below))
    const bottom = without(old, new Set())
    const ids = (bottom ? panesOfProposed(bottom) : []).map(({ id }) => id)
    return { bottom, placesBelow: panesOf(below).map(({ id }) => ids.indexOf(id ?? undefined)) }
  }
  const terminals = docks && without(docks, inSight)
  const taken = new Set((terminals ? panesOfProposed(terminals) : []).flatMap(({ id }) => id ?? []))
  const files = proposed(below, taken)
  const before = terminals ? panesOfProposed(terminals).length : 0
  const placesBelow = panesOf(below).map((_, index) => before + index)
  if (!terminals) return { bottom: files, placesBelow }
  return { bottom: { split: { split: 'vertical', fractions: [1, 1], children: [terminals, files] } }, placesBelow }
}

/** Give a pane of the bottom the terminals that the panel has of it, and the files that the editor area has. */
function fill(pane: ProposedPane, terminals: ProposedPane[], files: PaneShape[]): void {
  const panel = terminals.find(({ id }) => id === pane.id)
  const shown = files.find(({ id }) => id === pane.id)
  const front = pane.activeTab === undefined || pane.activeTab === null ? undefined : pane.tabs[pane.activeTab]
  const inPanel = panel?.activeTab === undefined || panel.activeTab === null ? undefined : panel.tabs[panel.activeTab]
  const isFileInFront = shown !== undefined && (!inPanel || (front !== undefined && !isTerminal(front)))
  pane.tabs = [...(panel?.tabs ?? []), ...(shown?.tabs ?? [])]
  const index = pane.tabs.findIndex((tab) => sameTab(tab, isFileInFront ? shown.active : inPanel))
  pane.activeTab = pane.tabs.length === 0 ? undefined : Math.max(index, 0)
}

function idsIn(node: LayoutNode | undefined): Set<string> {
  return new Set(node ? panesOfProposed(asProposed(node)).flatMap(({ id }) => id ?? []) : [])
}

/**
 * The editor area without the panes that are docked on the right or at the bottom, while they still stand at that
 * edge. What a person has moved elsewhere is part of the middle.
 */
function withoutEdge(
  shape: Shape, direction: 'row' | 'column', docked: Set<string>,
): { rest: Shape; edge?: Shape; share?: number } {
  const isDocked = ({ id }: PaneShape) => id !== null && docked.has(id)
  if (!isSplit(shape) || shape.direction !== direction) return { rest: shape }
  const { children, fractions } = shape
  const first = children.findIndex((child) => panesOf(child).some(isDocked))
  const isAtEdge = (child: Shape) => panesOf(child).every((pane) => pane.id === null || isDocked(pane))
  if (first <= 0 || !children.slice(first).every(isAtEdge)) return { rest: shape }
  const part = (from: number, to?: number) => splitOf(
    direction, children.slice(from, to).map((one, index) => ({ shape: one, share: fractions[from + index] ?? 0 })))
  const rest = part(0, first)
  const edge = part(first)
  if (!rest || !edge) return { rest: shape }
  return { rest, edge, share: fractions.slice(first).reduce((sum, fraction) => sum + fraction, 0) }
}

/** A share that is another than before, and one at all: what fills everything or nothing is nobody's wish. */
function changedShare(share: number | undefined, before: number): number | undefined {
  return share === undefined || isSameShare(share, before) || share <= 0 || share >= 1 ? undefined : share
}

const isSameShare = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6

function wrap(root: ProposedNode | undefined): { root: ProposedNode } | undefined {
  return root && { root }
}
