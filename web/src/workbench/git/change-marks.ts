// Marks beside the lines that differ from what is staged, in every editor of a file.
//
// The workbench finds the differences but does not bring what draws them; this draws them, and tells when one is
// clicked. What is shown then is in `inline-diff.ts`.
import type { IQuickDiffModelService } from '@codingame/monaco-vscode-api'
import { editor as monacoEditor, Range } from 'monaco-editor'
import { Listeners } from '../../protocol/listeners'
import type { Api } from '../core/api'
import {
  overviewRulerAddedForeground, overviewRulerDeletedForeground, overviewRulerModifiedForeground,
} from '../core/upstream'
import { pathOf } from '../core/uris'
import { kindOf, linesOf, touches, type Hunk } from './hunks'

export type CodeEditor = monacoEditor.ICodeEditor
type Reference = NonNullable<ReturnType<IQuickDiffModelService['createQuickDiffModelReference']>>
/** What is known of the differences of a file. */
export type Differences = Reference['object']

const SETTING = 'scm.diffDecorations'
const MARK = 'openspace-change'

const LOOKS = {
  added: { word: 'openspace-added', ruler: overviewRulerAddedForeground },
  modified: { word: 'openspace-modified', ruler: overviewRulerModifiedForeground },
  deleted: { word: 'openspace-deleted', ruler: overviewRulerDeletedForeground },
}

interface Marked {
  draw(): void
  differences(): Differences | undefined
}

export class ChangeMarks {
  /** A mark was clicked, or what differs in an editor changed. */
  readonly onClick = new Listeners<{ editor: CodeEditor; line: number }>()
  readonly onChanges = new Listeners<CodeEditor>()
  private readonly editors = new Map<CodeEditor, Marked>()

  constructor(
    private readonly api: Api,
    private readonly service: IQuickDiffModelService,
  ) {
    monacoEditor.getEditors().forEach((editor) => this.add(editor))
    monacoEditor.onDidCreateEditor((editor) => this.add(editor))
    api.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(SETTING)) this.editors.forEach((marked) => marked.draw())
    })
  }

  /** What differs in the file that an editor shows. */
  differences(editor: CodeEditor): Differences | undefined {
    return this.editors.get(editor)?.differences()
  }

  private add(editor: CodeEditor): void {
    const drawn = editor.createDecorationsCollection()
    let reference: Reference | undefined
    let listening: { dispose(): void } | undefined
    const leave = () => {
      listening?.dispose()
      reference?.dispose()
      listening = undefined
      reference = undefined
    }
    const draw = () => {
      drawn.set(reference?.object.changes.map(({ change }) => this.decoration(change)) ?? [])
      this.onChanges.tell(editor)
    }
    const follow = () => {
      leave()
      const uri = editor.getModel()?.uri
      reference = uri && pathOf(uri) !== undefined ? this.service.createQuickDiffModelReference(uri) : undefined
      listening = reference?.object.onDidChange(draw)
      draw()
    }
    this.editors.set(editor, { draw, differences: () => reference?.object })
    editor.onDidChangeModel(follow)
    editor.onMouseDown(({ target, event }) => {
      const line = target.position?.lineNumber
      const isMark = target.element?.classList.contains(MARK) ?? false
      if (!event.leftButton || !isMark || line === undefined) return
      if (!reference?.object.changes.some(({ change }) => touches(change, line, line))) return
      this.onClick.tell({ editor, line })
    })
    editor.onDidDispose(() => {
      leave()
      this.editors.delete(editor)
    })
    follow()
  }

  private decoration(change: Hunk): monacoEditor.IModelDeltaDecoration {
    const wanted = this.api.workspace.getConfiguration().get<string>(SETTING, 'all')
    const isWanted = (place: string) => wanted === 'all' || wanted === place
    const { word, ruler } = LOOKS[kindOf(change)]
    const { first, last } = linesOf(change)
    const color = { id: ruler }
    return {
      range: new Range(first, 1, last, 1),
      options: {
        isWholeLine: true,
        linesDecorationsClassName: isWanted('gutter') ? `${MARK} ${word}` : null,
        overviewRuler: isWanted('overview') ? { color, position: monacoEditor.OverviewRulerLane.Left } : null,
        minimap: isWanted('minimap') ? { color, position: monacoEditor.MinimapPosition.Gutter } : null,
      },
    }
  }
}
