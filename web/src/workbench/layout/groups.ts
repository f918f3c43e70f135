// The workbench's editor groups as panes: reads their arrangement, and brings them into another.
//
// A group keeps its pane for as long as both live. Tabs that are the page's own (settings, diffs, a
// second view of the same file) are in no pane and are never closed from outside.
import {
  GroupDirection, GroupsOrder, type EditorInput, type IEditorGroup, type IEditorGroupsService, type IEditorService,
} from '@codingame/monaco-vscode-api'
import {
  GroupOrientation, type EditorGroupLayout,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/services/editor/common/editorGroupsService'
import type { TabKey } from '../../protocol/state'
import { pathOf, uriOf } from '../place'
import { isSplit, panesOf, sameSizes, sameTab, sameTree, type PaneShape, type Shape } from './shape'

/** What shows a kind of content that is no file. */
export interface TabShower {
  /** The content of a tab, if it is of this kind. */
  keyOf(editor: EditorInput): TabKey | undefined
  open(key: TabKey, group: IEditorGroup, options: { index: number; active: boolean }): Promise<void>
  /** Take the tab away, not what it shows. */
  close(key: TabKey): Promise<void>
}

interface GroupNode {
  size?: number
  groups?: GroupNode[]
}

const wordOf = ({ type, contentId }: TabKey): string => `${type}:${contentId}`

export class PaneGroups {
  private readonly panes = new Map<number, string>()
  /** Tabs of panes that the page could not show; they keep their place in what is told. */
  private readonly ghosts = new Map<string, TabKey[]>()
  /** The pane that the server has each tab in. */
  private readonly homes = new Map<string, string>()
  private readonly observed = new WeakMap<PaneShape, IEditorGroup>()

  constructor(
    readonly groups: IEditorGroupsService,
    private readonly editors: IEditorService,
    private readonly showers: Partial<Record<TabKey['type'], TabShower>>,
  ) {}

  paneOf(group: IEditorGroup): string | undefined {
    return this.panes.get(group.id)
  }

  groupOf(pane: string): IEditorGroup | undefined {
    return this.groupsInOrder().find(({ id }) => this.panes.get(id) === pane)
  }

  groupsInOrder(): IEditorGroup[] {
    return [...this.groups.mainPart.getGroups(GroupsOrder.GRID_APPEARANCE)]
  }

  /** The shared content of a tab; `undefined` for what is the page's own. */
  keyOf(editor: EditorInput): TabKey | undefined {
    for (const shower of Object.values(this.showers)) {
      const key = shower?.keyOf(editor)
      if (key) return key
    }
    // A diff or a preview of a file is not the file.
    const isFile = editor.typeId.startsWith('workbench.editors.files.') || editor.typeId.includes('binaryEditor')
    const path = isFile ? pathOf(editor.resource) : undefined
    return path === undefined || path === '' ? undefined : { type: 'editor', contentId: path }
  }

  /** What is shown now. */
  observe(): Shape {
    const layout = this.groups.mainPart.getLayout()
    const leaves = this.groupsInOrder()
    const claimed = new Set<string>()
    const owned = leaves.map((group) => this.sharedTabs(group, claimed))
    let next = 0
    const read = (nodes: GroupNode[], orientation: GroupOrientation): Shape => {
      if (nodes.length === 1 && !nodes[0]?.groups?.length) return this.paneShape(leaves[next], owned[next++] ?? [])
      const total = nodes.reduce((sum, { size }) => sum + (size ?? 1), 0)
      const across = orientation === GroupOrientation.HORIZONTAL ? GroupOrientation.VERTICAL : GroupOrientation.HORIZONTAL
      return {
        direction: orientation === GroupOrientation.HORIZONTAL ? 'row' : 'column',
        fractions: nodes.map(({ size }) => (size ?? 1) / total),
        children: nodes.map((node) =>
          node.groups?.length ? read(node.groups, across) : this.paneShape(leaves[next], owned[next++] ?? []),
        ),
      }
    }
    return read(layout.groups as GroupNode[], layout.orientation)
  }

  /** The reading-order index of the group that has the keyboard or had it last. */
  activeIndex(): number {
    return this.groupsInOrder().indexOf(this.groups.mainPart.activeGroup)
  }

  /**
   * Bring the groups into this arrangement. `mayShow` says whether a group may put another tab in
   * front: one that a person is typing in may not.
   */
  async arrange(wanted: Shape, mayShow: (group: IEditorGroup) => boolean): Promise<void> {
    const panes = panesOf(wanted)
    this.homes.clear()
    for (const { id, tabs } of panes) for (const tab of tabs) if (id !== null) this.homes.set(wordOf(tab), id)
    this.makeGroups(panes)
    if (!sameTree(this.observe(), wanted)) this.applySizes(wanted)
    this.ghosts.clear()
    for (const pane of panes) await this.fill(pane, mayShow)
    this.removeOthers(panes)
    // Last, because a group that was just shown may have taken more room.
    if (!sameTree(this.observe(), wanted) || !sameSizes(this.observe(), wanted)) this.applySizes(wanted)
  }

  /** The server gave ids to panes that had none. */
  learn(shape: Shape, ids: string[]): void {
    for (const [index, pane] of panesOf(shape).entries()) {
      const group = this.observed.get(pane)
      const id = ids[index]
      if (!group || !id) continue
      pane.id = id
      this.panes.set(group.id, id)
      for (const tab of pane.tabs) this.homes.set(wordOf(tab), id)
    }
  }

  /** A file that is open twice is shared where the server knows it; the other view is the page's own. */
  private sharedTabs(group: IEditorGroup, claimed: Set<string>): TabKey[] {
    const tabs: TabKey[] = []
    for (const editor of group.editors) {
      const key = this.keyOf(editor)
      if (!key || claimed.has(wordOf(key))) continue
      const home = this.homes.get(wordOf(key))
      const homeGroup = home === undefined || home === this.panes.get(group.id) ? undefined : this.groupOf(home)
      if (homeGroup && this.editorIn(homeGroup, key)) continue
      claimed.add(wordOf(key))
      tabs.push(key)
    }
    return tabs
  }

  private paneShape(group: IEditorGroup | undefined, tabs: TabKey[]): PaneShape {
    const id = (group && this.panes.get(group.id)) ?? null
    const ghosts = (id && this.ghosts.get(id)) || []
    const all = [...tabs, ...ghosts.filter((ghost) => !tabs.some((tab) => sameTab(tab, ghost)))]
    const front = group?.activeEditor ? this.keyOf(group.activeEditor) : undefined
    const active = all.find((tab) => sameTab(tab, front)) ?? all[0]
    const shape = { id, tabs: all, active }
    if (group) this.observed.set(shape, group)
    return shape
  }

  /** A group for every pane, in reading order. */
  private makeGroups(panes: PaneShape[]): void {
    const wanted = new Set(panes.map(({ id }) => id))
    const free = this.groupsInOrder().filter((group) => {
      const pane = this.panes.get(group.id)
      return pane === undefined || (!wanted.has(pane) && group.editors.every((editor) => this.keyOf(editor)))
    })
    let before: IEditorGroup | undefined
    for (const { id } of panes) {
      if (id === null) continue
      let group = this.groupOf(id)
      if (!group) {
        group = free.shift() ?? this.groups.mainPart.addGroup(before ?? (this.groupsInOrder()[0] as IEditorGroup), GroupDirection.RIGHT)
        this.panes.set(group.id, id)
      }
      if (before) this.putAfter(group, before)
      before = group
    }
  }

  private putAfter(group: IEditorGroup, before: IEditorGroup): void {
    const order = this.groupsInOrder()
    if (order.indexOf(group) === order.indexOf(before) + 1) return
    const pane = this.panes.get(group.id)
    const moved = this.groups.mainPart.moveGroup(group, before, GroupDirection.RIGHT)
    if (pane !== undefined && moved.id !== group.id) {
      this.panes.delete(group.id)
      this.panes.set(moved.id, pane)
    }
  }

  private applySizes(wanted: Shape): void {
    const strip = (shape: Shape): GroupNode[] =>
      isSplit(shape)
        ? shape.children.map((child, index) => ({
            size: shape.fractions[index] ?? 0,
            ...(isSplit(child) ? { groups: strip(child) } : {}),
          }))
        : [{ size: 1 }]
    const orientation =
      isSplit(wanted) && wanted.direction === 'column' ? GroupOrientation.VERTICAL : GroupOrientation.HORIZONTAL
    // Groups that only hold the page's own tabs come after the shared ones and would be merged away.
    const extra = this.groupsInOrder().length - panesOf(wanted).length
    const nodes = strip(wanted)
    for (let index = 0; index < extra; index++) nodes.push({ size: 0.3 })
    this.groups.mainPart.applyLayout({ orientation, groups: nodes } as EditorGroupLayout)
  }

  private async fill({ id, tabs, active }: PaneShape, mayShow: (group: IEditorGroup) => boolean): Promise<void> {
    const group = id === null ? undefined : this.groupOf(id)
    if (!group || id === null) return
    for (const [index, tab] of tabs.entries()) {
      try {
        await this.place(tab, group, index)
      } catch (error) {
        console.warn(`${tab.type} ${tab.contentId} cannot be shown`, error)
      }
      if (!this.editorIn(group, tab)) this.ghosts.set(id, [...(this.ghosts.get(id) ?? []), tab])
    }
    for (const editor of [...group.editors]) {
      const key = this.keyOf(editor)
      if (!key || tabs.some((tab) => sameTab(tab, key))) continue
      const shower = this.showers[key.type]
      if (shower) await shower.close(key)
      // Unsaved text stays in sight: its tab is the person's to close.
      else if (!editor.isDirty()) await group.closeEditor(editor, { preserveFocus: true })
    }
    const front = active && this.editorIn(group, active)
    if (front && group.activeEditor !== front && (mayShow(group) || !group.activeEditor)) {
      await group.openEditor(front, { preserveFocus: true })
    }
  }

  private editorIn(group: IEditorGroup, tab: TabKey): EditorInput | undefined {
    return group.editors.find((editor) => sameTab(this.keyOf(editor), tab))
  }

  /** A tab in its group and place, moved from elsewhere rather than opened again. */
  private async place(tab: TabKey, group: IEditorGroup, index: number): Promise<void> {
    const here = this.editorIn(group, tab)
    if (here) {
      if (this.sharedIndex(group, here) !== index) group.moveEditor(here, group, { index })
      return
    }
    const from = this.groupsInOrder().find((other) => other !== group && this.editorIn(other, tab))
    const moving = from && this.editorIn(from, tab)
    if (from && moving) {
      from.moveEditor(moving, group, { index, preserveFocus: true, inactive: true })
      return
    }
    const isFirst = group.editors.length === 0
    if (tab.type === 'editor') {
      const options = { pinned: true, preserveFocus: true, inactive: !isFirst, index }
      await this.editors.openEditor({ resource: uriOf(tab.contentId), options }, group)
      return
    }
    await this.showers[tab.type]?.open(tab, group, { index, active: isFirst })
  }

  private sharedIndex(group: IEditorGroup, editor: EditorInput): number {
    return group.editors.filter((other) => this.keyOf(other)).indexOf(editor)
  }

  /** Groups of panes that are gone go too, unless the page still has something of its own there. */
  private removeOthers(panes: PaneShape[]): void {
    const wanted = new Set(panes.map(({ id }) => id))
    for (const group of this.groupsInOrder()) {
      const pane = this.panes.get(group.id)
      if (pane !== undefined && wanted.has(pane)) continue
      this.panes.delete(group.id)
      if (group.editors.length === 0 && this.groupsInOrder().length > 1) this.groups.mainPart.removeGroup(group)
    }
    const live = new Set(this.groupsInOrder().map(({ id }) => id))
    for (const id of [...this.panes.keys()]) if (!live.has(id)) this.panes.delete(id)
  }
}
