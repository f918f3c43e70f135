// One change of a file, shown between the lines of its editor as a small diff, with what can be done about it.
//
// It shows and offers; who made it does the work. It ends with the editor's file.
import type { IInstantiationService } from '@codingame/monaco-vscode-api'
import type { editor as monacoEditor } from 'monaco-editor'
import { strings } from '../../strings'
import { EmbeddedDiffEditorWidget, innerEditorOf, PeekViewWidget } from '../core/upstream'
import type { CodeEditor, Differences } from './change-marks'
import { linesOf } from './hunks'

const words = strings.scm.inlineDiff
/** Lines of the diff around a change, and the most of all. */
const AROUND = 8
const MOST_LINES = 24

type DiffModel = Parameters<EmbeddedDiffEditorWidget['setModel']>[0]

export interface DiffActions {
  previous(): void
  next(): void
  stage(): void
  revert(): void
  /** Put it into the draft of the chat. */
  toChat(): void
}

export class InlineDiff extends PeekViewWidget {
  private diff: EmbeddedDiffEditorWidget | undefined

  constructor(
    readonly shownIn: CodeEditor,
    services: IInstantiationService,
    private readonly file: string,
    private readonly actions: DiffActions,
  ) {
    super(innerEditorOf(shownIn), {
      isResizeable: true, frameWidth: 1, keepEditorSelection: true, isAccessible: true,
      className: 'openspace-inline-diff',
    }, services)
    this._disposables.add({ dispose: () => this.diff?.dispose() })
    this._disposables.add(shownIn.onDidChangeModel(() => this.dispose()))
    this.create()
  }

  /** Show the change at an index of what differs. */
  showChange(differences: Differences, index: number): void {
    const shown = differences.changes[index]
    const models = shown && differences.getDiffEditorModel(shown.original)
    if (!shown || !models || !this.diff) return this.dispose()
    if (this.diff.getModel()?.original !== models.original) this.diff.setModel(models as DiffModel)
    this.setTitle(this.file, words.place(index + 1, differences.changes.length))
    const { first, last } = linesOf(shown.change)
    const { originalStartLineNumber, originalEndLineNumber } = shown.change
    const gone = originalEndLineNumber === 0 ? 0 : originalEndLineNumber - originalStartLineNumber + 1
    const height = Math.min(last - first + 1 + gone + AROUND, MOST_LINES)
    this.show({ startLineNumber: last, startColumn: 1, endLineNumber: last, endColumn: 1 }, height)
    const reveal = () => this.diff?.revealLinesInCenter(first, last)
    reveal()
    // The first time it is only known now where the lines are.
    const listening = this.diff.onDidUpdateDiff(() => {
      listening.dispose()
      reveal()
    })
    this._disposables.add(listening)
  }

  /** Whether the keyboard is in it. */
  get isFocused(): boolean {
    return this.hasFocus() || (this.diff?.hasTextFocus() ?? false)
  }

  protected override _fillHead(container: HTMLElement): void {
    super._fillHead(container)
    const { actions } = this
    const buttons = [
      button('previous', words.previous, 'arrow-up', () => actions.previous()),
      button('next', words.next, 'arrow-down', () => actions.next()),
      button('stage', words.stage, 'add', () => actions.stage()),
      button('revert', words.revert, 'discard', () => actions.revert()),
      button('toChat', words.toChat, 'comment-discussion', () => actions.toChat()),
    ]
    this._actionbarWidget?.push(buttons, { label: false, icon: true, index: 0 })
  }

  protected override _fillBody(container: HTMLElement): void {
    const options: monacoEditor.IDiffEditorConstructionOptions = {
      renderSideBySide: false, scrollBeyondLastLine: false, minimap: { enabled: false }, fixedOverflowWidgets: true,
      renderOverviewRuler: false, stickyScroll: { enabled: false }, automaticLayout: false, hideUnchangedRegions: {
        enabled: false,
      },
    }
    this.diff = this.instantiationService.createInstance(
      EmbeddedDiffEditorWidget, container, options as never, {}, this.editor,
    )
  }

  protected override _doLayoutBody(height: number, width: number): void {
    super._doLayoutBody(height, width)
    this.diff?.layout({ height, width })
  }
}

function button(id: string, label: string, icon: string, run: () => void) {
  const look = `codicon codicon-${icon}`
  return { id: `openspace.inlineDiff.${id}`, label, tooltip: label, class: look, enabled: true, run }
}
