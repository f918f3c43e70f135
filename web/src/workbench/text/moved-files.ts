// A file that somebody moves while it is typed in: the editor goes on with the new path, and the person does
// not notice more than another name on the tab.
//
// The tab is replaced by the layout, which says so here. Until its editor has the text of the new path, keys
// arrive in the old one, which stays bound to the unsaved text. In the moment of the change the new text takes
// over all of that, and the view and the keyboard are where they were. The text of the new path is there before
// the tab is replaced, so that the change is one step in which no key can arrive.
import type { editor as editors } from 'monaco-editor'
import type { FileMove } from '../core/moves'
import { pathOf } from '../core/uris'

/** An editor whose text is about to be another. */
interface Left {
  from: string
  view: editors.ICodeEditorViewState | null
  hadKeyboard: boolean
}

export class MovedFiles {
  private readonly moves = new Set<FileMove>()

  /** `succeed` has the text of the new path take over. */
  constructor(private readonly succeed: (move: FileMove) => void) {}

  begin(move: FileMove): { dispose(): void } {
    this.moves.add(move)
    return {
      dispose: () => {
        this.moves.delete(move)
        // A tab in the background has no editor that changes.
        this.succeed(move)
      },
    }
  }

  isMoving(from: string, to: string): boolean {
    return [...this.moves].some((move) => move.from === from && move.to === to)
  }

  /** Keep view and keyboard of an editor when its text becomes that of the new path. */
  mind(editor: editors.ICodeEditor): void {
    let left: Left | undefined
    editor.onWillChangeModel(() => {
      const from = pathOf(editor.getModel()?.uri)
      // On the way from one text to the other the workbench shows none.
      if (from === undefined) return
      const isMoved = [...this.moves].some((move) => move.from === from)
      left = isMoved ? { from, view: editor.saveViewState(), hadKeyboard: editor.hasTextFocus() } : undefined
    })
    editor.onDidChangeModel(() => {
      const to = pathOf(editor.getModel()?.uri)
      if (!left || to === undefined) return
      const { from, view, hadKeyboard } = left
      left = undefined
      if (!this.isMoving(from, to)) return
      this.succeed({ from, to })
      // Nobody took the keyboard meanwhile: with the text that went it fell to the page as a whole.
      if (hadKeyboard && document.activeElement === document.body) editor.focus()
      // After the workbench has put the view where it wants it.
      queueMicrotask(() => {
        if (view && pathOf(editor.getModel()?.uri) === to) editor.restoreViewState(view)
      })
    })
  }
}
