// The tabs that are the page's own come back after a reload: settings, keys, previews, diffs, the welcome page.
//
// Tabs that are shared with agents are in the server's layout and none of this. What such a tab is, is written
// and read by the workbench's own serializers; a tab that none is for is forgotten. Diffs are known by their two
// sides, because the workbench writes none that has a side from git. A file that is split in its own tab is shared as
// a file, and its split is the page's own. A merge comes back while git is in it: without a conflict there are no
// sides to merge.
import {
  getService, GroupDirection, IEditorGroupsService, IEditorService, IInstantiationService, IStorageService,
  ITextEditorService, StorageScope, StorageTarget, type EditorInput, type IEditorGroup,
} from '@codingame/monaco-vscode-api'
import { Uri } from 'monaco-editor'
import { gitStatus } from '../../protocol/git'
import { IN_BACKGROUND } from '../core/panes'
import { loadRest } from '../core/rest'
import {
  CHAT_TYPE, GIT_SCHEME, MARKDOWN_TYPE, REVIEW_SCHEME, SETUP_TYPE, USER_SCHEME, WELCOME_TYPE,
} from '../core/tab-kinds'
import {
  EditorExtensions, isDiffEditorInput, Registry, SIDE_BY_SIDE_TYPE, TAB_TYPES, type IEditorFactoryRegistry,
} from '../core/upstream'
import { pathOf, UNTITLED } from '../core/uris'
import type { PaneGroups } from './groups'
import { sameTab } from './shape'

const KEY = 'openspace.ownTabs'
const MOST_TABS = 30
const KEPT: ReadonlySet<string> = new Set([
  WELCOME_TYPE, MARKDOWN_TYPE, CHAT_TYPE, SETUP_TYPE, SIDE_BY_SIDE_TYPE, ...Object.values(TAB_TYPES),
])
/** What can be opened again by its address alone. The text of what has no file is the server's. */
const READABLE = new Set(['file', GIT_SCHEME, REVIEW_SCHEME, USER_SCHEME, UNTITLED])

interface OwnTab {
  type: string
  value: string
  /** The pane in whose group it is, or the number of a group that no pane has. */
  place: string | number
  index: number
  isInFront: boolean
  /** Whether it has the keyboard, or had it last. */
  isActive?: boolean
}

interface Sides {
  label: string
  original: string
  modified: string
}

export class OwnTabs {
  private readonly registry = Registry.as<IEditorFactoryRegistry>(EditorExtensions.EditorFactory)
  private timer: ReturnType<typeof setTimeout> | undefined

  private constructor(
    private readonly panes: PaneGroups,
    private readonly texts: ITextEditorService,
    private readonly storage: IStorageService,
    private readonly services: IInstantiationService,
  ) {}

  /** Bring back what was there, then keep what is. */
  static async start(panes: PaneGroups): Promise<void> {
    const [editors, groups, texts, storage, services] = await Promise.all([
      getService(IEditorService), getService(IEditorGroupsService), getService(ITextEditorService),
      getService(IStorageService), getService(IInstantiationService),
    ])
    const tabs = new OwnTabs(panes, texts, storage, services)
    try {
      await tabs.restore()
    } catch (error) {
      console.warn('what was kept of the tabs of before cannot be read', error)
    }
    const soon = () => tabs.soon()
    editors.onDidEditorsChange(soon)
    groups.mainPart.onDidMoveGroup(soon)
    groups.mainPart.onDidRemoveGroup(soon)
    storage.onWillSaveState(() => tabs.keep())
  }

  private soon(): void {
    this.timer ??= setTimeout(() => this.keep(), 0)
  }

  private keep(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    let own = -1
    const tabs = this.panes.groupsInOrder().flatMap((group) => {
      const pane = this.panes.paneOf(group)
      const place = pane ?? ++own
      return group.editors.flatMap((editor, index) => this.describe(group, editor, place, index))
    })
    const text = JSON.stringify(tabs.slice(0, MOST_TABS))
    if (text === this.storage.get(KEY, StorageScope.WORKSPACE, '[]')) return
    this.storage.store(KEY, text, StorageScope.WORKSPACE, StorageTarget.MACHINE)
  }

  private describe(group: IEditorGroup, editor: EditorInput, place: string | number, index: number): OwnTab[] {
    const isSplit = editor.typeId === SIDE_BY_SIDE_TYPE
    if (!KEPT.has(editor.typeId) || (this.panes.keyOf(editor) !== undefined) !== isSplit) return []
    const value = editor.typeId === TAB_TYPES.diff ? sidesOf(editor) : this.serialized(editor)
    if (value === undefined) return []
    const isInFront = group.activeEditor === editor
    const isActive = isInFront && this.panes.groups.mainPart.activeGroup === group
    return [{ type: editor.typeId, value, place, index, isInFront, isActive }]
  }

  private serialized(editor: EditorInput): string | undefined {
    const serializer = this.registry.getEditorSerializer(editor)
    return serializer?.canSerialize(editor) ? serializer.serialize(editor) : undefined
  }

  private async restore(): Promise<void> {
    const tabs = this.storage.getObject<OwnTab[]>(KEY, StorageScope.WORKSPACE, [])
    const made = new Map<string | number, IEditorGroup>()
    for (const tab of tabs.slice(0, MOST_TABS)) {
      try {
        const editor = await this.editorOf(tab)
        if (!editor) continue
        if (tab.type === SIDE_BY_SIDE_TYPE) {
          await this.splitAgain(tab, editor)
          continue
        }
        const group = made.get(tab.place) ?? this.groupFor(tab.place)
        made.set(tab.place, group)
        const inactive = !tab.isInFront && group.editors.length > 0
        await group.openEditor(editor, { ...IN_BACKGROUND, index: tab.index, inactive })
        // Which pane is active the server says.
        if (tab.isActive && typeof tab.place === 'number') this.panes.groups.mainPart.activateGroup(group)
      } catch (error) {
        // A convenience: the page is as useful without it.
        console.warn(`a tab of before (${tab.type}) could not be brought back`, error)
      }
    }
  }

  /** Put a split tab in the place of the file that the layout brought. */
  private async splitAgain({ place, isInFront }: OwnTab, replacement: EditorInput): Promise<void> {
    const group = typeof place === 'string' ? this.panes.groupOf(place) : undefined
    const key = this.panes.keyOf(replacement)
    const editor = group?.editors.find((other) => key && sameTab(key, this.panes.keyOf(other)))
    if (!group || !editor) return
    const options = { ...IN_BACKGROUND, inactive: !isInFront }
    await group.replaceEditors([{ editor, replacement, options, forceReplaceDirty: true }])
  }

  private async editorOf({ type, value }: OwnTab): Promise<EditorInput | undefined> {
    if (!KEPT.has(type)) return undefined
    if (type !== TAB_TYPES.diff) {
      if (!this.registry.getEditorSerializer(type)) await loadRest()
      const editor = this.registry.getEditorSerializer(type)?.deserialize(this.services, value)
      return type === TAB_TYPES.merge && !(await isInConflict(pathOf(editor?.resource))) ? undefined : editor
    }
    const { label, original, modified } = JSON.parse(value) as Sides
    const sides = { original: { resource: Uri.parse(original) }, modified: { resource: Uri.parse(modified) } }
    return this.texts.resolveTextEditor({ label, ...sides })
  }

  /** The group of a pane that is still there, else one for itself beside the others. */
  private groupFor(place: string | number): IEditorGroup {
    const groups = this.panes.groupsInOrder()
    const known = typeof place === 'string' ? this.panes.groupOf(place) : undefined
    const empty = groups.length === 1 && groups[0]?.editors.length === 0 ? groups[0] : undefined
    const found = known ?? empty
    if (found) return found
    return this.panes.groups.mainPart.addGroup(groups.at(-1) as IEditorGroup, GroupDirection.RIGHT)
  }
}

async function isInConflict(path: string | undefined): Promise<boolean> {
  return (await gitStatus())?.conflicts.entries.some((entry) => entry.path === path) ?? false
}

/** A diff by its two sides, if both can be read again. */
function sidesOf(editor: EditorInput): string | undefined {
  if (!isDiffEditorInput(editor)) return undefined
  const [before, after] = [editor.original.resource, editor.modified.resource]
  if (!before || !after || !READABLE.has(before.scheme) || !READABLE.has(after.scheme)) return undefined
  const sides: Sides = { label: editor.getName(), original: before.toString(), modified: after.toString() }
  return JSON.stringify(sides)
}
