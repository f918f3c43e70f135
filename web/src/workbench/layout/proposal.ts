// What the page tells the server when the person changed the arrangement.
import type { LayoutProposeArgs, LayoutProposeResult, ProposedNode, ProposedPane } from '../../protocol/generated'
import type { Layout, LayoutNode, TabKey } from '../../protocol/state'
import { isSplit, keyOf, panesOf, sameTab, tabsIn, type Shape } from './shape'

export interface Panel {
  ids: string[]
  active: string | undefined
  /** Its share of the height, when the person changed it. */
  fraction: number | undefined
}

const isTerminal = ({ type }: TabKey) => type === 'terminal'

function proposed(shape: Shape): ProposedNode {
  if (isSplit(shape)) {
    const { direction, fractions, children } = shape
    const split = direction === 'row' ? 'vertical' : 'horizontal'
    return { split: { split, fractions, children: children.map(proposed) } }
  }
  const { id, tabs, active } = shape
  const index = tabs.findIndex((tab) => sameTab(tab, active))
  return { pane: { id: id ?? undefined, tabs, activeTab: tabs.length === 0 ? undefined : Math.max(index, 0) } }
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

/** What a page has from the server, or has told it: what it does not show any more was closed here. */
export interface Known {
  panes: string[]
  tabs: TabKey[]
}

export function knownOf(layout: Layout): Known {
  const roots = [layout.main, layout.bottom.grid, layout.right.grid].flatMap((grid) => (grid ? [grid.root] : []))
  const panes = roots.flatMap((root) => panesOfProposed(asProposed(root)))
  return { panes: panes.flatMap(({ id }) => id ?? []), tabs: roots.flatMap(tabsIn).map(keyOf) }
}

/** What the server knows of this page once it has answered a proposal. */
export function knownAfter({ main, bottom, right }: LayoutProposeArgs, { paneIds }: LayoutProposeResult): Known {
  const panes = [main, bottom, right].flatMap((area) => (area ? panesOfProposed(area.root) : []))
  return { panes: paneIds.flatMap((id) => id ?? []), tabs: panes.flatMap(({ tabs }) => tabs.map(keyOf)) }
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
export function propose({ viewId, layout, known, main, panel, active }: Told): LayoutProposeArgs {
  const activePane = active === undefined ? undefined : (panesOf(main)[active]?.id ?? active)
  const right = layout.right.grid?.root
  const isChat = right && tabsIn(right).every(({ type }) => type === 'chat')
  return {
    viewId,
    knownPanes: known.panes,
    knownTabs: known.tabs,
    main: { root: proposed(main) },
    bottom: wrap(bottomWith(layout, panel)),
    right: wrap(isChat ? asProposed(right) : undefined),
    ...(panel.fraction === undefined ? {} : { bottomFraction: panel.fraction }),
    ...(activePane === undefined ? {} : { activePane }),
  }
}

function wrap(root: ProposedNode | undefined): { root: ProposedNode } | undefined {
  return root && { root }
}
