// Tabs of files that were moved: each is replaced in its place by the tab of the new path, as the workbench does
// when a file is renamed in it. So the pane keeps its focus, and a text that is typed in goes on being typed in.
import type { EditorInput, IEditorGroup, IEditorService } from '@codingame/monaco-vscode-api'
import type { Space } from '../../protocol/space'
import { RecentMoves, type MovingText } from '../core/moves'
import { IN_BACKGROUND } from '../core/panes'
import { keepText } from '../core/upstream'
import { uriOf } from '../core/uris'

export class MovedTabs {
  private readonly moves = new RecentMoves()

  constructor(
    space: Space,
    private readonly editors: IEditorService,
    private readonly text: MovingText,
  ) {
    space.on('file_moved', ({ from, to }) => this.moves.remember({ from, to }))
  }

  /** Have the tabs follow that the layout has under their new paths only; `files` are all that it has. */
  async follow(
    groups: IEditorGroup[], files: ReadonlySet<string>, fileOf: (editor: EditorInput) => string | undefined,
  ): Promise<void> {
    for (const group of groups) {
      for (const editor of [...group.editors]) {
        const from = fileOf(editor)
        const to = from === undefined ? undefined : this.moves.after(from)
        if (from === undefined || to === undefined || files.has(from) || !files.has(to)) continue
        if (!group.editors.some((other) => fileOf(other) === to)) await this.replace(group, editor, from, to)
      }
    }
  }

  private async replace(group: IEditorGroup, editor: EditorInput, from: string, to: string): Promise<void> {
    const moving = await this.text.moving({ from, to })
    if (!moving) return
    const kept = group.isActive(editor) ? keepText(group) : undefined
    try {
      // Where the view stands is kept with the text.
      const options = { ...IN_BACKGROUND, pinned: group.isPinned(editor), sticky: group.isSticky(editor) }
      const replacement = { resource: uriOf(to), options }
      // Unsaved text is not lost with its tab: that of the new path has it.
      await this.editors.replaceEditors([{ editor, replacement, forceReplaceDirty: true }], group)
    } finally {
      kept?.dispose()
      moving.dispose()
    }
  }
}
