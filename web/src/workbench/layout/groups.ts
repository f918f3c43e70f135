// The workbench's editor groups as panes: reads their arrangement, and brings them into another.
//
// A group keeps its pane for as long as both live. Tabs that are the page's own (settings, diffs) are in
// no pane and are never closed from outside; a group that has only such tabs is in no shape. A file may
// have a tab in several groups. Nothing here moves the keyboard focus.
import {
  GroupDirection, GroupOrientation, GroupsOrder, type EditorGroupLayout, type EditorInput, type IEditorGroup,
  type IEditorGroupsService, type IEditorService,
} from '@codingame/monaco-vscode-api'
import type { TabKey } from '../../protocol/state'
import { IN_BACKGROUND, type TabShower } from '../core/panes'
import { isTypedIn } from '../core/typing'
import { BINARY_TYPE, FILE_TYPES, numbering, SIDE_BY_SIDE_TYPE, UNTITLED_TYPE } from '../core/upstream'
import { contentOf, uriOfContent } from '../core/uris'
import { giveBack, keepingFocus } from './focus'
import { sameNesting, scaled, type GroupNode } from './nesting'
import {
  beside, divide, isSplit, LEAST, panesOf, sameSizes, sameTab, sameTree, splitOf, type PaneShape, type Shape,
} from './shape'

export interface Arranging {
  /** Whether a group may put another tab in front: one that a person is typing in may not. */
  mayShow: (group: IEditorGroup, tab: TabKey) => boolean
  /** Another tab comes to the front of a group in which one was there before. */
  replacing: (group: IEditorGroup, tab: TabKey) => void
}

/**
 * `done`; or `kept` when tabs with unsaved text stayed that should have gone; or `disturbed` when the person
 * opened, closed or moved a tab meanwhile: then it was left where it was.
 */
export type Arranged = 'done' | 'kept' | 'disturbed'

/** What shows each kind of content that is no file. */
export type TabShowers = Partial<Record<TabKey['type'], TabShower>>

/** The part of the width that groups of the page's own get when the others are arranged anew. */
const OWN_SHARE = 0.25

const wordOf = ({ type, contentId }: TabKey): string => `${type}:${contentId}`

class Disturbed extends Error {}

export class PaneGroups {
  private readonly panes = new Map<number, string>()
  /** Tabs of panes that the page could not show; they keep their place in what is told. */
  private readonly ghosts = new Map<string, { tab: TabKey; index: number }[]>()
  /** The panes that the server has each tab in: several for a file alone. */
  private readonly homes = new Map<string, Set<string>>()
  /** The shared tab that each group had in front last: a tab of the page's own may be before it. */
  private readonly fronts = new Map<number, TabKey>()
  /** The tab that the server last wanted in front of each group, or was told to be. */
  private readonly wishes = new Map<number, TabKey>()
  /** The sizes that were wanted last, and what came of them. */
  private sized: { wish: Shape; result: Shape; least: number[] } | undefined
  private readonly observed = new WeakMap<PaneShape, IEditorGroup>()

  constructor(
    readonly groups: IEditorGroupsService,
    private readonly editors: IEditorService,
    private readonly showers: TabShowers,
    private readonly narrow: { readonly isNarrow: boolean },
    /** The numbers that the groups of panes had before a reload. */
    private readonly numbersBefore: Map<string, number>,
  ) {}

  paneOf(group: IEditorGroup): string | undefined {
    return this.panes.get(group.id)
  }

  groupOf(pane: string): IEditorGroup | undefined {
    return this.groupsInOrder().find(({ id }) => this.panes.get(id) === pane)
  }

  /** The number of each pane's group. */
  numbers(): Record<string, number> {
    return Object.fromEntries([...this.panes].map(([number, pane]) => [pane, number]))
  }

  /** How narrow each group can be. Settings need more room than a text, and take it from the others. */
  leastWidths(): number[] {
    return this.groupsInOrder().map((group) => Math.max(group.activeEditorPane?.minimumWidth ?? 0, LEAST.row))
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
    const { typeId } = editor
    // A tab that is split in itself shows one file twice; one that shows two files has no address.
    const isText = [SIDE_BY_SIDE_TYPE, UNTITLED_TYPE].includes(typeId) ||
      typeId.startsWith(FILE_TYPES) || typeId.includes(BINARY_TYPE)
    const path = isText ? contentOf(editor.resource) : undefined
    return path === undefined || path === '' ? undefined : { type: 'editor', contentId: path }
  }

  /** What is shown now. */
  observe({ untold } = { untold: true }): Shape {
    const layout = this.groups.mainPart.getLayout()
    const leaves = this.groupsInOrder()
    const shapes = leaves.map((group) => {
      const shared = this.sharedTabs(group)
      return this.paneShape(group, untold ? shared : shared.filter((tab) => !this.isUntold(tab)))
    })
    let next = 0
    const read = (nodes: GroupNode[], orientation: GroupOrientation): Shape | undefined => {
      const { HORIZONTAL, VERTICAL } = GroupOrientation
      const across = orientation === HORIZONTAL ? VERTICAL : HORIZONTAL
      const parts = nodes.flatMap(({ size, groups }) => {
        const shape = groups?.length ? read(groups, across) : shapes[next++]
        return shape ? [{ shape, share: size ?? 1 }] : []
      })
      return splitOf(orientation === GroupOrientation.HORIZONTAL ? 'row' : 'column', parts)
    }
    return read(layout.groups as GroupNode[], layout.orientation) ?? this.emptyShape(leaves[0])
  }

  /** The number of the group that has the keyboard or had it last, and its place among the shape's panes. */
  active(shape: Shape): { group: number; index: number } | undefined {
    const { activeGroup } = this.groups.mainPart
    const index = panesOf(shape).findIndex((pane) => this.observed.get(pane) === activeGroup)
    return index < 0 ? undefined : { group: activeGroup.id, index }
  }

  /** Bring the groups into this arrangement. */
  async arrange(wanted: Shape, arranging: Arranging): Promise<Arranged> {
    const panes = panesOf(wanted)
    this.homes.clear()
    for (const { id, tabs } of panes) for (const tab of tabs) if (id !== null) this.addHome(tab, id)
    keepingFocus(() => this.shapeGroups(wanted))
    this.ghosts.clear()
    let isKept = false
    try {
      for (const pane of panes) await this.fill(pane, arranging)
      // After all of them, because a tab that another pane has now is moved there.
      for (const group of this.groupsInOrder()) isKept = (await this.closeUnwanted(group)) || isKept
    } catch (error) {
      if (error instanceof Disturbed) return 'disturbed'
      throw error
    }
    keepingFocus(() => {
      this.removeOthers(panes)
      this.shapeGroups(wanted)
      // Last, because a group that was just shown may have taken more room.
      this.size(wanted)
    })
    return isKept ? 'kept' : 'done'
  }

  /** The sizes as they are now, to be given back when the page had no room for them. */
  keepSizes(wanted: Shape): (wanted: Shape) => void {
    const { mainPart } = this.groups
    const before = mainPart.getLayout()
    const room = mainPart.contentDimension
    const isSameWish = (now: Shape) => sameTree(wanted, now) && sameSizes(wanted, now)
    return (now) => keepingFocus(() => {
      const isSame = isSameWish(now) && sameNesting(before, mainPart.getLayout())
      const { width, height } = mainPart.contentDimension
      const [across, down] = [width / room.width, height / room.height]
      const isRow = before.orientation === GroupOrientation.HORIZONTAL
      const groups = scaled(before.groups as GroupNode[], isRow ? [across, down] : [down, across])
      if (isSame) mainPart.applyLayout({ ...before, groups } as EditorGroupLayout)
      else this.applySizes(now)
      this.noteSizes(now)
    })
  }

  /** The sizes that are wanted, in a page that never had room for them. */
  giveSizes(wanted: Shape): void {
    keepingFocus(() => this.applySizes(wanted))
    this.noteSizes(wanted)
  }

  /**
   * The server took what it was told, and gave ids to panes that had none. The tab that stood for a group there, whose
   * own one may be in front, is nobody's wish to see it.
   */
  learn(shape: Shape, ids: (string | null)[]): void {
    for (const [index, pane] of panesOf(shape).entries()) {
      const group = this.observed.get(pane)
      const id = ids[index]
      if (!group || !id) continue
      pane.id = id
      this.panes.set(group.id, id)
      for (const tab of pane.tabs) this.addHome(tab, id)
      if (pane.active) this.wishes.set(group.id, pane.active)
    }
  }

  private addHome(tab: TabKey, pane: string): void {
    const word = wordOf(tab)
    this.homes.set(word, (this.homes.get(word) ?? new Set()).add(pane))
  }

  private isHome(tab: TabKey, group: IEditorGroup): boolean {
    const pane = this.panes.get(group.id)
    return pane !== undefined && (this.homes.get(wordOf(tab))?.has(pane) ?? false)
  }

  /** The shared tabs of a group. A file that it shows in two ways is one of them. */
  private sharedTabs(group: IEditorGroup): TabKey[] {
    const tabs: TabKey[] = []
    for (const editor of group.editors) {
      const key = this.keyOf(editor)
      if (key && !tabs.some((tab) => sameTab(tab, key))) tabs.push(key)
    }
    return tabs
  }

  /** A group as a pane; nothing for one that has only tabs of the page's own. */
  private paneShape(group: IEditorGroup, shared: TabKey[]): PaneShape | undefined {
    const id = this.panes.get(group.id) ?? null
    if (id === null && shared.length === 0 && group.editors.length > 0) return undefined
    const tabs = [...shared]
    for (const { tab, index } of (id && this.ghosts.get(id)) || []) {
      if (!tabs.some((other) => sameTab(tab, other))) tabs.splice(index, 0, tab)
    }
    const front = group.activeEditor ? this.keyOf(group.activeEditor) : undefined
    if (front) this.fronts.set(group.id, front)
    const before = front ?? this.fronts.get(group.id)
    const shape = { id, tabs, active: tabs.find((tab) => sameTab(tab, before)) ?? tabs[0] }
    this.observed.set(shape, group)
    return shape
  }

  private emptyShape(group: IEditorGroup | undefined): PaneShape {
    const shape = { id: null, tabs: [], active: undefined }
    if (group) this.observed.set(shape, group)
    return shape
  }

  /** The tree of groups, if it is another. */
  private shapeGroups(wanted: Shape): void {
    if (sameTree(this.observe(), wanted)) return
    this.makeGroups(panesOf(wanted))
    if (!sameTree(this.observe(), wanted)) this.applySizes(wanted)
  }

  /** A group for every pane, in reading order, and those of the page's own behind them. */
  private makeGroups(panes: PaneShape[]): void {
    const wanted = new Set(panes.map(({ id }) => id))
    const present = this.groupsInOrder()
    const spare = present.filter((group) => !wanted.has(this.panes.get(group.id) ?? null))
    const free = spare.filter((group) => group.editors.every((editor) => this.keyOf(editor)))
    const isFor = (pane: PaneShape) => ({ activeEditor }: IEditorGroup) =>
      pane.tabs.some((tab) => activeEditor && sameTab(tab, this.keyOf(activeEditor)))
    this.recall(panes, free)
    // What the person types in becomes no other pane than one that has it.
    const takeFor = (pane: PaneShape) => {
      const mine = free.findIndex((group) => isTypedIn(group) && isFor(pane)(group))
      const index = mine < 0 ? free.findIndex((group) => !isTypedIn(group)) : mine
      return index < 0 ? undefined : free.splice(index, 1)[0]
    }
    // The workbench always has a group: when there is no other, it is one of the page's own.
    if (spare.length === present.length && free.length === 0) free.push(...spare.slice(0, 1))
    const ordered: IEditorGroup[] = []
    for (const pane of panes) {
      const { id } = pane
      if (id === null) continue
      let group = this.groupOf(id)
      if (!group) {
        const neighbour = ordered.at(-1) ?? (present[0] as IEditorGroup)
        group = takeFor(pane) ?? this.groups.mainPart.addGroup(neighbour, GroupDirection.RIGHT)
        this.panes.set(group.id, id)
      }
      ordered.push(group)
    }
    this.order([...ordered, ...this.groupsInOrder().filter((group) => !ordered.includes(group))])
  }

  /** Panes that were here before a reload get groups with the numbers that theirs had. */
  private recall(panes: PaneShape[], free: IEditorGroup[]): void {
    for (const { id } of panes) {
      const number = id === null ? undefined : this.numbersBefore.get(id)
      if (id === null || number === undefined) continue
      this.numbersBefore.delete(id)
      const index = free.findIndex((group) => group.id === number)
      if (this.groupOf(id) || (index < 0 && this.groups.getGroup(number))) continue
      const { mainPart } = this.groups
      const add = () => mainPart.addGroup(mainPart.activeGroup, GroupDirection.RIGHT)
      const group = free.splice(index, index < 0 ? 0 : 1)[0] ?? numbering(number, add)
      this.panes.set(group.id, id)
    }
  }

  private order(wanted: IEditorGroup[]): void {
    const { mainPart } = this.groups
    for (const [index, group] of wanted.entries()) {
      const present = this.groupsInOrder()[index]
      if (present && present !== group) mainPart.moveGroup(group, present, GroupDirection.LEFT)
    }
  }

  /** Give the groups their sizes, unless these are what minimum sizes made of the very same wish. */
  private size(wanted: Shape): void {
    // One group has all of the room, and what the others have means nothing.
    if (this.narrow.isNarrow) return
    const now = this.observe()
    if (!sameSizes(now, wanted) && !this.isBestOf(wanted, now)) this.applySizes(wanted)
    this.noteSizes(wanted)
  }

  private isBestOf(wanted: Shape, now: Shape): boolean {
    if (!this.sized || !sameTree(this.sized.wish, wanted) || !sameSizes(this.sized.wish, wanted)) return false
    const least = this.leastWidths()
    // A tab that needs more room keeps it as long as it is in front.
    if (least.some((width) => width > LEAST.row)) return true
    return least.join() === this.sized.least.join() && sameSizes(this.sized.result, now)
  }

  private noteSizes(wish: Shape): void {
    this.sized = { wish, result: this.observe(), least: this.leastWidths() }
  }

  private applySizes(wanted: Shape): void {
    const extra = this.groupsInOrder().length - panesOf(wanted).length
    const own = Array.from({ length: extra }, () => ({ shape: this.emptyShape(undefined), share: 1 }))
    // Groups that no pane has come after the others, and would be merged away if they had no place.
    const aside = splitOf('column', own)
    const whole = aside ? beside('row', wanted, aside, OWN_SHARE) : wanted
    const { width, height } = this.groups.mainPart.contentDimension
    // The sizes as they can be: the workbench does not always correct those that it is given.
    const strip = (shape: Shape, across: number, down: number): GroupNode[] => {
      if (!isSplit(shape)) return [{ size: across }]
      const isRow = shape.direction === 'row'
      return divide(shape, isRow ? across : down).map((size, index) => {
        const child = shape.children[index]
        const inner = child && isSplit(child) ? strip(child, isRow ? size : across, isRow ? down : size) : undefined
        return { size, ...(inner ? { groups: inner } : {}) }
      })
    }
    const isColumn = isSplit(whole) && whole.direction === 'column'
    const orientation = isColumn ? GroupOrientation.VERTICAL : GroupOrientation.HORIZONTAL
    this.groups.mainPart.applyLayout({ orientation, groups: strip(whole, width, height) } as EditorGroupLayout)
  }

  private async fill({ id, tabs, active }: PaneShape, { mayShow, replacing }: Arranging): Promise<void> {
    const group = id === null ? undefined : this.groupOf(id)
    if (!group || id === null) return
    const mayBring = active !== undefined && this.mayBring(group, active, mayShow)
    for (const [index, tab] of tabs.entries()) {
      try {
        await this.place(tab, group, index, mayBring && sameTab(tab, active) && (() => replacing(group, tab)))
      } catch (error) {
        if (error instanceof Disturbed) throw error
        console.warn(`${tab.type} ${tab.contentId} cannot be shown`, error)
      }
      if (this.editorIn(group, tab) || this.showers[tab.type]?.isHeld(tab)) continue
      this.ghosts.set(id, [...(this.ghosts.get(id) ?? []), { tab, index }])
    }
    const front = active && this.editorIn(group, active)
    if (active && front && group.activeEditor !== front && mayBring) {
      if (group.activeEditor) replacing(group, active)
      await this.doing(active, group, () => group.openEditor(front, IN_BACKGROUND))
    }
    if (active) this.wishes.set(group.id, active)
  }

  /** What stayed in front once (settings, a text that is typed in) stays until something else is wanted there. */
  private mayBring(group: IEditorGroup, tab: TabKey, mayShow: Arranging['mayShow']): boolean {
    return !group.activeEditor || (!sameTab(this.wishes.get(group.id), tab) && mayShow(group, tab))
  }

  /**
   * Close the shared tabs of a group that its pane does not have; the last one with unsaved text stays in
   * sight. Whether such tabs stayed.
   */
  private async closeUnwanted(group: IEditorGroup): Promise<boolean> {
    let isKept = false
    for (const editor of [...group.editors]) {
      const key = this.keyOf(editor)
      if (!key || this.isHome(key, group) || this.isUntold(key)) continue
      const shower = this.showers[key.type]
      if (this.isHeld(group, editor) && (shower || this.homes.has(wordOf(key)))) {
        isKept = true
        continue
      }
      if (shower) await this.doing(key, undefined, () => shower.close(key))
      else if (editor.isDirty() && !this.isElsewhere(key, group)) isKept = true
      else await this.doing(key, group, () => group.closeEditor(editor, { preserveFocus: true }))
    }
    return isKept
  }

  /**
   * Whether the person types in what a tab shows. It then stays under their hands when others move it; a file
   * is shown once more where they want it.
   */
  private isHeld(group: IEditorGroup, editor: EditorInput): boolean {
    return group.activeEditor === editor && this.keyOf(editor) !== undefined && isTypedIn(group)
  }

  /** Whether another group that is to have a tab has it. */
  private isElsewhere(tab: TabKey, group: IEditorGroup): boolean {
    const isThere = (other: IEditorGroup) => this.isHome(tab, other) && this.editorIn(other, tab) !== undefined
    return this.groupsInOrder().some((other) => other !== group && isThere(other))
  }

  private isUntold(key: TabKey): boolean {
    return this.showers[key.type]?.isUntold(key) ?? false
  }

  private editorIn(group: IEditorGroup, tab: TabKey): EditorInput | undefined {
    return group.editors.find((editor) => sameTab(this.keyOf(editor), tab))
  }

  /** A tab in its group and place, moved from elsewhere rather than opened again; a new one at once in front. */
  private async place(
    tab: TabKey, group: IEditorGroup, index: number, toFront: (() => void) | false,
  ): Promise<void> {
    const here = this.editorIn(group, tab)
    const others = group.editors.filter((editor) => {
      const key = editor === here ? undefined : this.keyOf(editor)
      return key && this.isHome(key, group)
    })
    const place = (editor: EditorInput | undefined) => (editor ? group.getIndexOfEditor(editor) : -1)
    const at = index < others.length ? place(others[index]) : group.count
    if (here) {
      // Those before it are in their places already.
      const isInPlace = place(here) > place(others[index - 1]) && place(here) <= at
      if (!isInPlace) group.moveEditor(here, group, { index: at, ...IN_BACKGROUND })
      return
    }
    const isLeft = (other: IEditorGroup) => {
      const editor = this.editorIn(other, tab)
      return editor !== undefined && !this.isHome(tab, other) && !this.isHeld(other, editor)
    }
    const from = this.groupsInOrder().find((other) => other !== group && isLeft(other))
    const moving = from && this.editorIn(from, tab)
    if (from && moving) {
      keepingFocus(() => from.moveEditor(moving, group, { index: at, inactive: true, ...IN_BACKGROUND }))
      return
    }
    const shower = this.showers[tab.type]
    if (shower?.isHeld(tab)) return
    const active = toFront !== false || group.editors.length === 0
    if (toFront && group.activeEditor) toFront()
    if (shower) {
      await this.doing(tab, undefined, () => shower.open(tab, group, { index: at, active }))
    } else if (tab.type === 'editor') {
      const options = { ...IN_BACKGROUND, inactive: !active, index: at }
      const resource = uriOfContent(tab.contentId)
      await this.doing(tab, group, () => this.editors.openEditor({ resource, options }, group))
    }
  }

  /** Do something that takes time with one tab of a group, or of any. The person may act meanwhile: that wins. */
  private async doing(tab: TabKey, group: IEditorGroup | undefined, work: () => Promise<unknown>): Promise<void> {
    const before = this.whereabouts(tab, group)
    const { activeElement } = document
    await work()
    giveBack(activeElement)
    const after = this.whereabouts(tab, group)
    if (before.size !== after.size || [...before].some((place) => !after.has(place))) throw new Disturbed()
  }

  /** Where all other shared tabs are. */
  private whereabouts(except: TabKey, of: IEditorGroup | undefined): Set<string> {
    const places = new Set<string>()
    for (const group of this.groupsInOrder()) {
      for (const editor of group.editors) {
        const key = this.keyOf(editor)
        const isIt = sameTab(key, except) && (!of || of === group)
        if (key && !isIt) places.add(`${group.id} ${wordOf(key)}`)
      }
    }
    return places
  }

  /** Groups of panes that are gone go too, unless something is still there. */
  private removeOthers(panes: PaneShape[]): void {
    const wanted = new Set(panes.map(({ id }) => id))
    for (const group of this.groupsInOrder()) {
      const pane = this.panes.get(group.id)
      if (pane !== undefined && wanted.has(pane)) continue
      this.panes.delete(group.id)
      const isNeeded = group.editors.length > 0 || this.groupsInOrder().length === 1
      if (!isNeeded) this.groups.mainPart.removeGroup(group)
    }
    const live = new Set(this.groupsInOrder().map(({ id }) => id))
    for (const map of [this.panes, this.fronts, this.wishes]) {
      for (const id of map.keys()) if (!live.has(id)) map.delete(id)
    }
  }
}
