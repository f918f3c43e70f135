// In a narrow window the active group has the whole editor area, and the status bar leads to the others.
//
// The groups stay as they are behind it, so nothing of this is an arrangement that could be told to others.
import {
  getService, IStatusbarService, type IEditorGroup, type IEditorGroupsService,
} from '@codingame/monaco-vscode-api'
import { strings } from '../../strings'
import { gridOf, StatusbarAlignment } from '../core/upstream'
import type { NarrowWindow } from './narrow-window'
import type { PaneGroups } from './groups'

const words = strings.layout

export class OnePane {
  private isDue = false
  private entry: { dispose(): void } | undefined
  private told = ''

  private constructor(
    private readonly panes: PaneGroups,
    private readonly narrow: NarrowWindow,
    private readonly bar: IStatusbarService,
  ) {}

  static async start(panes: PaneGroups, narrow: NarrowWindow): Promise<void> {
    const one = new OnePane(panes, narrow, await getService(IStatusbarService))
    const { mainPart } = panes.groups
    const soon = () => one.soon()
    mainPart.onDidAddGroup(soon)
    mainPart.onDidRemoveGroup(soon)
    mainPart.onDidMoveGroup(soon)
    mainPart.onDidChangeActiveGroup(soon)
    // The workbench shows all of them again whenever one comes, goes or moves.
    mainPart.onDidChangeGroupMaximized(soon)
    narrow.onNarrow.on(soon)
    narrow.onWide.on(() => one.end())
    one.fit()
  }

  /** When what is under way is done: a group that is being moved is not moved again. */
  private soon(): void {
    if (this.isDue) return
    this.isDue = true
    queueMicrotask(() => {
      this.isDue = false
      this.fit()
    })
  }

  private fit(): void {
    if (!this.narrow.isNarrow) return
    const { activeGroup, count } = this.panes.groups.mainPart
    const grid = gridOf(this.panes.groups)
    if (count > 1 && !grid.isViewMaximized(activeGroup)) grid.maximizeView(activeGroup)
    this.say(this.panes.groupsInOrder().indexOf(activeGroup) + 1, count)
  }

  private end(): void {
    gridOf(this.panes.groups).exitMaximizedView()
    this.say(1, 1)
  }

  /** Which of how many is in sight. */
  private say(place: number, count: number): void {
    const text = count > 1 ? words.paneOf(place, count) : ''
    if (text === this.told) return
    this.told = text
    this.entry?.dispose()
    this.entry = undefined
    if (text === '') return
    this.entry = this.bar.addEntry({
      name: words.panes,
      text: `$(split-horizontal) ${place}/${count}`,
      ariaLabel: text,
      tooltip: text,
      command: 'workbench.action.focusNextGroup',
    }, 'openspace.panes', StatusbarAlignment.LEFT, 98)
  }
}

/** Whether a group can be seen: in a narrow window one of them is. */
export function isShown(groups: IEditorGroupsService, group: IEditorGroup): boolean {
  return !groups.mainPart.hasMaximizedGroup() || gridOf(groups).isViewMaximized(group)
}
