// The editor groups as panes, as features other than the layout see them.
import type { EditorInput, IEditorGroup, IEditorGroupsService } from '@codingame/monaco-vscode-api'
import type { Listeners } from '../../protocol/listeners'
import type { TabKey } from '../../protocol/state'
import { EditorActivation } from './upstream'

/** Without this an editor that keeps the focus where it is still makes its group the active one. */
export const IN_BACKGROUND = { pinned: true, preserveFocus: true, activation: EditorActivation.PRESERVE } as const

/** The layout of the space, as the page shows it. */
export interface Arrangement {
  groups: IEditorGroupsService
  groupsInOrder(): IEditorGroup[]
  /** The group that shows a pane, if this page has it. */
  groupOf(pane: string): IEditorGroup | undefined
  /** The nearest other group that has a pane. */
  neighbourOf(group: IEditorGroup): IEditorGroup | undefined
  /** Whether the person can see a group: in a narrow window one of them, and none behind a side bar. */
  isInSight(group: IEditorGroup): boolean
  /** Others bring a tab to the front of a group that showed another. */
  onReplacing: Listeners<{ group: IEditorGroup; tab: TabKey }>
  /** Wait until the page shows what the server last said and has told what the person did. */
  whenInStep(): Promise<void>
}

export interface TabPosition {
  index?: number
  /** Whether the tab is the one in front. */
  active: boolean
}

/** What shows a kind of content that is no file. */
export interface TabShower {
  /** The content of a tab, if it is of this kind. */
  keyOf(editor: EditorInput): TabKey | undefined
  open(key: TabKey, group: IEditorGroup, position: TabPosition): Promise<void>
  /** Take the tab away, not what it shows. */
  close(key: TabKey): Promise<void>
  /** Whether the person types in it, in a tab or elsewhere: then it stays where it is. */
  isHeld(key: TabKey): boolean
  /** Whether a person has opened the tab and the server has it elsewhere until it is told. */
  isUntold(key: TabKey): boolean
}
