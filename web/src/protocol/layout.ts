// The layout as a tree, made from the entries that the server tells: the window, splits, panes and tabs, each
// under a key of its own. Entries that make no layout are an error; nothing is guessed or left out.
import type { AreaEntry, Grid, Layout, LayoutPart, Pane, PaneEntry, SpaceNode, Tab, TabEntry } from './generated'

const made = new WeakMap<LayoutPart, Layout>()

/** The layout that these entries tell. The same entries give the same object, so it must not be changed. */
export function layoutOf(entries: LayoutPart): Layout {
  const known = made.get(entries)
  if (known) return known
  const layout = new Entries(entries).layout()
  made.set(entries, layout)
  return layout
}

/** Whether a file is in front of a pane: of this one, or of any. */
export function isInFront(entries: LayoutPart, path: string, pane: string | null): boolean {
  return Object.entries(entries).some(([key, entry]) => {
    if (entry.is !== 'pane' || entry.activeTab === null || (pane !== null && key !== pane)) return false
    const tab = entries[entry.activeTab]
    return tab?.is === 'tab' && tab.type === 'editor' && tab.contentId === path
  })
}

/** Whether a file has a tab. */
export function isOpen(entries: LayoutPart, path: string): boolean {
  return tabOf(entries, path) !== undefined
}

/** The tab of a file, if there is one. */
export function tabOf(entries: LayoutPart, path: string): TabEntry | undefined {
  const entry = entries[`editor:${path}`]
  return entry?.is === 'tab' ? entry : undefined
}

interface KeyedTab {
  key: string
  entry: TabEntry
}

/** Entries, each of which has one place in the tree. */
class Entries {
  private readonly left: Map<string, LayoutPart[string]>
  private readonly tabs = new Map<string, KeyedTab>()

  constructor(entries: LayoutPart) {
    this.left = new Map(Object.entries(entries))
    for (const [key, entry] of this.left) {
      if (entry.is !== 'tab') continue
      const place = placeOf(entry.pane, entry.after)
      if (this.tabs.has(place)) throw new Error(`the tab ${key} stands where another one does`)
      this.tabs.set(place, { key, entry })
    }
  }

  layout(): Layout {
    const window = this.take('window')
    if (window?.is !== 'window') throw new Error('the layout has no window')
    const { main, bottom, right, bottomFraction, rightFraction, activeArea, nextPane } = window
    const layout: Layout = {
      main: this.grid(main),
      bottom: { fraction: bottomFraction, grid: bottom && this.grid(bottom) },
      right: { fraction: rightFraction, grid: right && this.grid(right) },
      activeArea,
      nextPane,
    }
    const [lost] = this.left.keys()
    if (lost !== undefined) throw new Error(`${lost} has no place in the layout`)
    return layout
  }

  /** What is taken is not there a second time, so that no circle goes on for ever. */
  private take(key: string): LayoutPart[string] | undefined {
    const entry = this.left.get(key)
    this.left.delete(key)
    return entry
  }

  private grid({ root, active }: AreaEntry): Grid {
    return { root: this.node(root), active }
  }

  private node(key: string): SpaceNode {
    const entry = this.take(key)
    if (entry?.is === 'pane') return { pane: this.pane(key, entry) }
    if (entry?.is !== 'split') throw new Error(`the layout has no ${key}, or has it twice`)
    const { split, fractions, children } = entry
    return { split: { split, fractions, children: children.map((child) => this.node(child)) } }
  }

  private pane(id: string, { activeTab, pinned }: PaneEntry): Pane {
    const keys: string[] = []
    const tabs: Tab[] = []
    for (let tab = this.tabAfter(id, null); tab; tab = this.tabAfter(id, tab.key)) {
      const { type, contentId, title, dirty, missing, nth } = tab.entry
      this.take(tab.key)
      keys.push(tab.key)
      tabs.push({ type, contentId, title, dirty, missing, ...(nth === undefined ? {} : { nth }) })
    }
    const active = activeTab === null ? null : keys.indexOf(activeTab)
    if (active === -1) throw new Error(`the pane ${id} has no tab ${activeTab}`)
    return { id, tabs, activeTab: active, pinned }
  }

  private tabAfter(pane: string, key: string | null): KeyedTab | undefined {
    return this.tabs.get(placeOf(pane, key))
  }
}

/** No id of a pane has a blank, and no key of a tab is empty. */
function placeOf(pane: string, after: string | null): string {
  return `${pane} ${after ?? ''}`
}
