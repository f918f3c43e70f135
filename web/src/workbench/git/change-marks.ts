// Marks beside the lines that differ from what is staged, and others beside those that are staged, in every editor of
// a file. What is staged and then changed again is not staged as it is.
//
// The workbench finds the differences but does not bring what draws them; this draws them, and tells when one is
// clicked. What is shown then is in `inline-diff.ts`.
import type { IQuickDiffModelService } from '@codingame/monaco-vscode-api'
import { editor as monacoEditor, Range } from 'monaco-editor'
import { Listeners } from '../../protocol/listeners'
import type { Api } from '../core/api'
import { QUICK_DIFFS } from '../core/api/source-control'
import {
  overviewRulerAddedForeground, overviewRulerDeletedForeground, overviewRulerModifiedForeground,
} from '../core/upstream'
import { pathOf } from '../core/uris'
import { kindOf, linesOf, touches, type Hunk } from './hunks'

export type CodeEditor = monacoEditor.ICodeEditor
type Reference = NonNullable<ReturnType<IQuickDiffModelService['createQuickDiffModelReference']>>
/** What is known of how a file differs from what is staged. */
export type Differences = Pick<Reference['object'], 'changes' | 'getDiffEditorModel'>

const SETTING = 'scm.diffDecorations'
const MARK = 'openspace-change'

const LOOKS = {
  added: { word: 'openspace-added', ruler: overviewRulerAddedForeground },
  modified: { word: 'openspace-modified', ruler: overviewRulerModifiedForeground },
  deleted: { word: 'openspace-deleted', ruler: overviewRulerDeletedForeground },
}

/** What is staged has no place of its own in the ruler and the minimap: it is done with. */
const STAGED = { added: 'openspace-staged-added', modified: 'openspace-staged-modified',
  deleted: 'openspace-staged-deleted' }

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
    const differences = () => reference && unstaged(reference.object)
    const draw = () => {
      const open = differences()?.changes.map(({ change }) => change) ?? []
      const staged = reference ? stagedIn(reference.object, open) : []
      drawn.set([...open.map((change) => this.decoration(change)), ...staged.map((change) => this.stagedMark(change))])
      this.onChanges.tell(editor)
    }
    const follow = () => {
      leave()
      const uri = editor.getModel()?.uri
      reference = uri && pathOf(uri) !== undefined ? this.service.createQuickDiffModelReference(uri) : undefined
      listening = reference?.object.onDidChange(draw)
      draw()
    }
    this.editors.set(editor, { draw, differences })
    editor.onDidChangeModel(follow)
    editor.onMouseDown(({ target, event }) => {
      const line = target.position?.lineNumber
      const isMark = target.element?.classList.contains(MARK) ?? false
      if (!event.leftButton || !isMark || line === undefined) return
      if (!differences()?.changes.some(({ change }) => touches(change, line, line))) return
      this.onClick.tell({ editor, line })
    })
    editor.onDidDispose(() => {
      leave()
      this.editors.delete(editor)
    })
    follow()
  }

  private isWanted(place: string): boolean {
    const wanted = this.api.workspace.getConfiguration().get<string>(SETTING, 'all')
    return wanted === 'all' || wanted === place
  }

  private stagedMark(change: Hunk): monacoEditor.IModelDeltaDecoration {
    const { first, last } = linesOf(change)
    const look = this.isWanted('gutter') ? `openspace-staged ${STAGED[kindOf(change)]}` : null
    return { range: new Range(first, 1, last, 1), options: { isWholeLine: true, linesDecorationsClassName: look } }
  }

  private decoration(change: Hunk): monacoEditor.IModelDeltaDecoration {
    const { word, ruler } = LOOKS[kindOf(change)]
    const { first, last } = linesOf(change)
    const color = { id: ruler }
    return {
      range: new Range(first, 1, last, 1),
      options: {
        isWholeLine: true,
        linesDecorationsClassName: this.isWanted('gutter') ? `${MARK} ${word}` : null,
        overviewRuler: this.isWanted('overview') ? { color, position: monacoEditor.OverviewRulerLane.Left } : null,
        minimap: this.isWanted('minimap') ? { color, position: monacoEditor.MinimapPosition.Gutter } : null,
      },
    }
  }
}

function unstaged(all: Reference['object']): Differences {
  return {
    changes: all.changes.filter(({ providerId }) => providerId === QUICK_DIFFS.primary),
    getDiffEditorModel: (original) => all.getDiffEditorModel(original),
  }
}

/** What differs from the last commit where nothing differs from what is staged. */
function stagedIn(all: Reference['object'], open: Hunk[]): Hunk[] {
  return all.changes.filter(({ providerId }) => providerId === QUICK_DIFFS.secondary).map(({ change }) => change)
    .filter((change) => {
      const { first, last } = linesOf(change)
      return !open.some((other) => touches(other, first, last))
    })
}
