// What the page tells the server when the person changed the arrangement.
import type { Layout, LayoutNode, TabKey } from '../../protocol/state'
import { isSplit, keyOf, panesOf, sameTab, tabsIn, type Shape } from './shape'

interface ProposedPane {
  pane: { id: string | null; tabs: TabKey[]; activeTab: number | null }
}

interface ProposedSplit {
  split: { split: 'horizontal' | 'vertical'; fractions: number[]; children: ProposedNode[] }
}

export type ProposedNode = ProposedPane | ProposedSplit

export interface Proposal {
  viewId: string
  knownPanes: string[]
  knownTabs: TabKey[]
  main: { root: ProposedNode }
  bottom: { root: ProposedNode } | null
  right: { root: ProposedNode } | null
  bottomFraction?: number
  activePane?: string | number
}

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
    return { split: { split: direction === 'row' ? 'vertical' : 'horizontal', fractions, children: children.map(proposed) } }
  }
  const { id, tabs, active } = shape
  const index = tabs.findIndex((tab) => sameTab(tab, active))
  return { pane: { id, tabs, activeTab: tabs.length === 0 ? null : Math.max(index, 0) } }
}

function asProposed(node: LayoutNode): ProposedNode {
  if ('pane' in node) {
    const { id, tabs, activeTab } = node.pane
    return { pane: { id, tabs: tabs.map(keyOf), activeTab } }
  }
  const { split, fractions, children } = node.split
  return { split: { split, fractions, children: children.map(asProposed) } }
}

function panesOfProposed(node: ProposedNode): ProposedPane[] {
  return 'pane' in node ? [node] : node.split.children.flatMap(panesOfProposed)
}

/** The bottom as it was, with the terminals that the panel has now. */
function bottomWith(layout: Layout, panel: Panel): ProposedNode | null {
  const { grid } = layout.bottom
  const old = grid ? asProposed(grid.root) : null
  if (!old) {
    if (panel.ids.length === 0) return null
    const tabs = panel.ids.map((contentId): TabKey => ({ type: 'terminal', contentId }))
    const active = tabs.findIndex(({ contentId }) => contentId === panel.active)
    return { pane: { id: null, tabs, activeTab: Math.max(active, 0) } }
  }
  const panes = panesOfProposed(old)
  const before = panes.flatMap(({ pane }) => pane.tabs.filter(isTerminal).map(({ contentId }) => contentId))
  for (const { pane } of panes) {
    const front = pane.activeTab === null ? undefined : pane.tabs[pane.activeTab]
    // What is no terminal is drawn in the editor area and told from there.
    pane.tabs = pane.tabs.filter((tab) => isTerminal(tab) && panel.ids.includes(tab.contentId))
    const index = pane.tabs.findIndex((tab) => sameTab(tab, front))
    pane.activeTab = pane.tabs.length === 0 ? null : Math.max(index, 0)
  }
  const added = panel.ids.filter((id) => !before.includes(id))
  const home = panes.find(({ pane }) => pane.id === grid?.active) ?? panes[0]
  home?.pane.tabs.push(...added.map((contentId): TabKey => ({ type: 'terminal', contentId })))
  for (const { pane } of panes) {
    const index = pane.tabs.findIndex(({ contentId }) => contentId === panel.active)
    if (index >= 0) pane.activeTab = index
  }
  return panes.every(({ pane }) => pane.tabs.length === 0) ? null : old
}

/** The whole window as the person has it now. */
export function propose(viewId: string, known: Layout, main: Shape, panel: Panel, active: number | undefined): Proposal {
  const grids = [known.main, known.bottom.grid, known.right.grid].flatMap((grid) => (grid ? [grid.root] : []))
  const tabs = grids.flatMap(tabsIn).map(keyOf)
  const panes = grids.flatMap((root) => panesOfProposed(asProposed(root))).flatMap(({ pane }) => pane.id ?? [])
  const activeId = active === undefined ? undefined : (panesOf(main)[active]?.id ?? active)
  const right = known.right.grid && tabsIn(known.right.grid.root).every(({ type }) => type === 'chat')
  return {
    viewId,
    knownPanes: panes,
    knownTabs: tabs,
    main: { root: proposed(main) },
    bottom: wrap(bottomWith(known, panel)),
    right: right && known.right.grid ? { root: asProposed(known.right.grid.root) } : null,
    ...(panel.fraction === undefined ? {} : { bottomFraction: panel.fraction }),
    ...(activeId === undefined ? {} : { activePane: activeId }),
  }
}

function wrap(root: ProposedNode | null): { root: ProposedNode } | null {
  return root && { root }
}
