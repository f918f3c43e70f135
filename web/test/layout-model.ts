// A layout that changes at random, and how the server tells it: what a page must make of the entries.
import type {
  AreaEntry, Grid, Layout, LayoutEntry, LayoutPart, Pane, SpaceNode, Split, Tab,
} from '../src/protocol/generated'
import type { Random } from './random'

export class LayoutModel {
  layout: Layout = {
    main: { root: { pane: { id: 'p1', tabs: [], activeTab: null, pinned: false } }, active: 'p1' },
    bottom: { fraction: 0.3, grid: null },
    right: { fraction: 0.25, grid: null },
    activeArea: 'main',
    nextPane: 2,
  }
  private nextFile = 1

  constructor(private readonly random: Random) {}

  /** One change, as a command makes it. The layout of before stays as it was. */
  change(): void {
    this.layout = structuredClone(this.layout)
    const changes = [
      () => this.open(), () => this.open(), () => this.open(), () => this.close(), () => this.move(),
      () => this.split(), () => this.split(), () => this.remove(), () => this.dock(), () => this.divide(),
      () => this.pin(), () => this.bringToFront(), () => this.retitle(), () => this.activate(),
      () => this.startOver(),
    ]
    this.random.pick(changes)()
  }

  private get grids(): Grid[] {
    const { main, bottom, right } = this.layout
    return [main, bottom.grid, right.grid].flatMap((grid) => grid ?? [])
  }

  private somePane(): Pane {
    return this.random.pick(this.grids.flatMap(({ root }) => panesOf(root)))
  }

  private someTab(): { pane: Pane; index: number } | undefined {
    const panes = this.grids.flatMap(({ root }) => panesOf(root)).filter(({ tabs }) => tabs.length > 0)
    if (panes.length === 0) return undefined
    const pane = this.random.pick(panes)
    return { pane, index: this.random.below(pane.tabs.length) }
  }

  private newPane(): SpaceNode {
    const id = `p${this.layout.nextPane}`
    this.layout.nextPane += 1
    return { pane: { id, tabs: [], activeTab: null, pinned: false } }
  }

  private open(): void {
    const type = this.random.pick(['editor', 'terminal'] as const)
    const contentId = type === 'editor' ? `src/ä b:${this.nextFile}.rs` : `t${this.nextFile}`
    this.nextFile += 1
    this.put(this.somePane(), { type, contentId, title: contentId, dirty: false, missing: false })
  }

  private put(pane: Pane, tab: Tab): void {
    const index = this.random.below(pane.tabs.length + 1)
    pane.tabs.splice(index, 0, tab)
    pane.activeTab = index
  }

  private take({ pane, index }: { pane: Pane; index: number }): Tab[] {
    const taken = pane.tabs.splice(index, 1)
    pane.activeTab = pane.tabs.length === 0 ? null : this.random.below(pane.tabs.length)
    return taken
  }

  private close(): void {
    const tab = this.someTab()
    if (tab) this.take(tab)
  }

  private move(): void {
    const from = this.someTab()
    const to = this.somePane()
    if (from) for (const tab of this.take(from)) this.put(to, tab)
  }

  private split(): void {
    const { id } = this.somePane()
    const direction = this.random.pick<Split>(['horizontal', 'vertical'])
    const added = this.newPane()
    const isFirst = this.random.chance(0.5)
    this.replace(id, (pane) => this.joined(direction, isFirst ? [added, pane] : [pane, added]))
  }

  private remove(): void {
    const { id } = this.somePane()
    if (panesOf(this.layout.main.root).some((pane, _, { length }) => pane.id === id && length === 1)) return
    this.replace(id, () => undefined)
  }

  private dock(): void {
    const dock = this.random.pick([this.layout.bottom, this.layout.right])
    dock.fraction = this.fraction()
    dock.grid ??= { root: this.newPane(), active: '' }
    this.mend()
  }

  private divide(): void {
    const { id } = this.somePane()
    this.replace(id, (pane) => ({ ...pane }))
  }

  private pin(): void {
    const pane = this.somePane()
    pane.pinned = !pane.pinned
  }

  private bringToFront(): void {
    const tab = this.someTab()
    if (tab) tab.pane.activeTab = tab.index
  }

  private retitle(): void {
    const { pane, index } = this.someTab() ?? {}
    const tab = pane?.tabs[index ?? 0]
    if (tab) Object.assign(tab, { title: this.random.text(3), dirty: this.random.chance(0.5) })
  }

  private activate(): void {
    const grid = this.random.pick(this.grids)
    grid.active = this.random.pick(panesOf(grid.root)).id
  }

  /** Another layout altogether, with tabs that were open before. */
  private startOver(): void {
    const tabs = this.grids.flatMap(({ root }) => panesOf(root)).flatMap((pane) => pane.tabs)
    const { bottom, right } = this.layout
    for (const dock of [bottom, right]) dock.grid = null
    this.layout.main = { root: this.newPane(), active: '' }
    for (let count = this.random.below(4); count > 0; count -= 1) this.split()
    for (const tab of tabs) if (this.random.chance(0.7)) this.put(this.somePane(), tab)
    this.mend()
  }

  private fraction(): number {
    return (1 + this.random.below(999)) / 1_000
  }

  /** Several nodes beside each other; never one alone, or a split in a split of the same direction. */
  private joined(split: Split, nodes: SpaceNode[]): SpaceNode | undefined {
    const children = nodes.flatMap((node) =>
      'split' in node && node.split.split === split ? node.split.children : [node])
    if (children.length <= 1) return children[0]
    return { split: { split, fractions: children.map(() => this.fraction()), children } }
  }

  /** Puts something in the place of a pane; the splits around it get new sizes. */
  private replace(id: string, by: (pane: SpaceNode) => SpaceNode | undefined): void {
    const visit = (node: SpaceNode): SpaceNode | undefined => {
      if ('pane' in node) return node.pane.id === id ? by(node) : node
      const children = node.split.children.map(visit)
      if (children.every((child, index) => child === node.split.children[index])) return node
      return this.joined(node.split.split, children.flatMap((child) => child ?? []))
    }
    const { main, bottom, right } = this.layout
    main.root = visit(main.root) ?? main.root
    for (const dock of [bottom, right]) {
      const root = dock.grid && visit(dock.grid.root)
      dock.grid = dock.grid && root ? { ...dock.grid, root } : null
    }
    this.mend()
  }

  /** The active pane of each area is one that it has. */
  private mend(): void {
    for (const grid of this.grids) {
      const ids = panesOf(grid.root).map(({ id }) => id)
      if (!ids.includes(grid.active)) grid.active = this.random.pick(ids)
    }
    const { main, bottom, right } = this.layout
    const areas = { main, bottom: bottom.grid, right: right.grid }
    this.layout.activeArea = this.random.pick((['main', 'bottom', 'right'] as const).filter((area) => areas[area]))
  }
}

function panesOf(node: SpaceNode): Pane[] {
  return 'pane' in node ? [node.pane] : node.split.children.flatMap(panesOf)
}

/** A split goes by the pane that its second child begins with. */
function nodeKey(node: SpaceNode): string {
  if ('pane' in node) return node.pane.id
  const [first] = panesOf(node.split.children[1] as SpaceNode)
  return `s${first?.id.slice(1)}`
}

const tabKey = ({ type, contentId }: Tab): string => `${type}:${contentId}`

/** The layout as the server tells it. */
export function entriesOf({ main, bottom, right, activeArea, nextPane }: Layout): LayoutPart {
  const entries: [string, LayoutEntry][] = []
  const add = (node: SpaceNode): void => {
    if ('split' in node) {
      const { split, fractions, children } = node.split
      entries.push([nodeKey(node), { is: 'split', split, fractions, children: children.map(nodeKey) }])
      children.forEach(add)
      return
    }
    const { id, tabs, activeTab, pinned } = node.pane
    const keys = tabs.map(tabKey)
    entries.push([id, { is: 'pane', activeTab: keys[activeTab ?? -1] ?? null, pinned }])
    tabs.forEach((tab, index) => {
      entries.push([tabKey(tab), { is: 'tab', pane: id, after: keys[index - 1] ?? null, ...tab }])
    })
  }
  const area = ({ root, active }: Grid): AreaEntry => {
    add(root)
    return { root: nodeKey(root), active }
  }
  entries.push(['window', {
    is: 'window',
    main: area(main),
    bottom: bottom.grid && area(bottom.grid),
    right: right.grid && area(right.grid),
    bottomFraction: bottom.fraction,
    rightFraction: right.fraction,
    activeArea,
    nextPane,
  }])
  return Object.fromEntries(entries)
}
