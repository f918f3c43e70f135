// Marks beside the lines that differ from what git has, in every editor of a file.
//
// The workbench finds the differences but does not bring what draws them; this draws them and nothing
// else: what a mark means is in the Source Control view.
import { getService, IQuickDiffModelService } from '@codingame/monaco-vscode-api'
import { editor as monacoEditor, Range } from 'monaco-editor'
import type * as vscode from 'vscode'
import {
  overviewRulerAddedForeground, overviewRulerDeletedForeground, overviewRulerModifiedForeground,
} from '../core/upstream'
import { pathOf } from '../core/uris'

type CodeEditor = monacoEditor.ICodeEditor
type Reference = NonNullable<ReturnType<IQuickDiffModelService['createQuickDiffModelReference']>>
type Change = Reference['object']['changes'][number]['change']

const SETTING = 'scm.diffDecorations'

const LOOKS = {
  added: { word: 'openspace-added', ruler: overviewRulerAddedForeground },
  modified: { word: 'openspace-modified', ruler: overviewRulerModifiedForeground },
  deleted: { word: 'openspace-deleted', ruler: overviewRulerDeletedForeground },
}

export class ChangeMarks {
  private readonly drawers = new Map<CodeEditor, () => void>()

  private constructor(
    private readonly api: typeof vscode,
    private readonly differences: IQuickDiffModelService,
  ) {
    monacoEditor.getEditors().forEach((editor) => this.add(editor))
    monacoEditor.onDidCreateEditor((editor) => this.add(editor))
    api.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(SETTING)) this.drawers.forEach((draw) => draw())
    })
  }

  static async start(api: typeof vscode): Promise<ChangeMarks> {
    return new ChangeMarks(api, await getService(IQuickDiffModelService))
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
    const draw = () => drawn.set(reference?.object.changes.map(({ change }) => this.decoration(change)) ?? [])
    const follow = () => {
      leave()
      const uri = editor.getModel()?.uri
      reference = uri && pathOf(uri) !== undefined ? this.differences.createQuickDiffModelReference(uri) : undefined
      listening = reference?.object.onDidChange(draw)
      draw()
    }
    this.drawers.set(editor, draw)
    editor.onDidChangeModel(follow)
    editor.onDidDispose(() => {
      leave()
      this.drawers.delete(editor)
    })
    follow()
  }

  private decoration(change: Change): monacoEditor.IModelDeltaDecoration {
    const wanted = this.api.workspace.getConfiguration().get<string>(SETTING, 'all')
    const isWanted = (place: string) => wanted === 'all' || wanted === place
    const { word, ruler } = LOOKS[kindOf(change)]
    const first = Math.max(change.modifiedStartLineNumber, 1)
    const color = { id: ruler }
    return {
      range: new Range(first, 1, Math.max(change.modifiedEndLineNumber, first), 1),
      options: {
        isWholeLine: true,
        linesDecorationsClassName: isWanted('gutter') ? `openspace-change ${word}` : null,
        overviewRuler: isWanted('overview') ? { color, position: monacoEditor.OverviewRulerLane.Left } : null,
        minimap: isWanted('minimap') ? { color, position: monacoEditor.MinimapPosition.Gutter } : null,
      },
    }
  }
}

/** A side that has no lines of the change ends at 0. */
function kindOf({ originalEndLineNumber, modifiedEndLineNumber }: Change): keyof typeof LOOKS {
  if (originalEndLineNumber === 0) return 'added'
  return modifiedEndLineNumber === 0 ? 'deleted' : 'modified'
}
