// Conflicts in the editors: what each side has is coloured, and above it stands what can be done. Choosing a side is
// an edit like any other; the file is resolved when the person stages it.
import { editor as monacoEditor, Range as MonacoRange } from 'monaco-editor'
import type * as vscode from 'vscode'
import { strings } from '../../strings'
import { pathOf } from '../core/uris'
import { conflictsIn, type Conflict } from './conflict-markers'
import { resolvedLines, type Side } from './conflict-sides'
import { SCM_ACTIONS } from './contributions'
import { gitUri } from './git-content'
import type { Repository } from './repository'

const words = strings.scm.conflicts
/** Larger texts are left alone: they are read at every key. */
const LARGEST = 5_000_000

export class Conflicts {
  private readonly api: typeof vscode
  private readonly changed: vscode.EventEmitter<void>

  constructor(private readonly repository: Repository) {
    this.api = repository.api
    this.changed = new this.api.EventEmitter<void>()
    const { registerCommand } = this.api.commands
    const accept = (id: string, side: Side) =>
      registerCommand(id, (uri?: vscode.Uri, first?: number) => this.accept(side, uri, first))
    accept(SCM_ACTIONS.acceptCurrent, 'current')
    accept(SCM_ACTIONS.acceptIncoming, 'incoming')
    accept(SCM_ACTIONS.acceptBoth, 'both')
    registerCommand(SCM_ACTIONS.compareSides, (uri?: vscode.Uri) => this.compare(uri))
    registerCommand(SCM_ACTIONS.nextConflict, () => this.go(1))
    registerCommand(SCM_ACTIONS.previousConflict, () => this.go(-1))
    this.api.languages.registerCodeLensProvider({ scheme: 'file' }, {
      onDidChangeCodeLenses: this.changed.event,
      provideCodeLenses: (document) => this.lenses(document),
    })
    monacoEditor.getEditors().forEach(colour)
    monacoEditor.onDidCreateEditor(colour)
  }

  private lenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (pathOf(document.uri) === undefined) return []
    return conflictsOf(document.getText()).flatMap(({ first }) => {
      const lens = (command: string, title: string) =>
        new this.api.CodeLens(new this.api.Range(first, 0, first, 0), {
          command, title, arguments: [document.uri, first],
        })
      return [
        lens(SCM_ACTIONS.acceptCurrent, words.acceptCurrent),
        lens(SCM_ACTIONS.acceptIncoming, words.acceptIncoming),
        lens(SCM_ACTIONS.acceptBoth, words.acceptBoth),
        lens(SCM_ACTIONS.compareSides, words.compare),
      ]
    })
  }

  /** The document that is meant, and the conflict in it: at a line, or where the caret is. */
  private async found(
    uri: vscode.Uri | undefined, first: number | undefined,
  ): Promise<{ document: vscode.TextDocument; conflict: Conflict | undefined } | undefined> {
    const editor = this.api.window.activeTextEditor
    const document = uri ? await this.api.workspace.openTextDocument(uri) : editor?.document
    if (!document) return undefined
    const caret = editor?.selection.active.line ?? 0
    const conflict = conflictsOf(document.getText()).find((candidate) =>
      first === undefined ? candidate.first <= caret && caret <= candidate.last : candidate.first === first)
    return { document, conflict }
  }

  private async accept(side: Side, uri?: vscode.Uri, first?: number): Promise<void> {
    const { document, conflict } = (await this.found(uri, first)) ?? {}
    if (!document || !conflict) return this.repository.notices.warning(words.noneHere)
    const all = document.getText().split(/\r?\n/)
    const kept = resolvedLines(all, conflict, side)
    const isEnd = conflict.last + 1 >= document.lineCount
    const range = new this.api.Range(conflict.first, 0, isEnd ? conflict.last : conflict.last + 1,
      isEnd ? (all[conflict.last]?.length ?? 0) : 0)
    const eol = document.eol === this.api.EndOfLine.CRLF ? '\r\n' : '\n'
    const edit = new this.api.WorkspaceEdit()
    edit.replace(document.uri, range, isEnd ? kept.join(eol) : kept.map((line) => line + eol).join(''))
    if (!(await this.api.workspace.applyEdit(edit))) this.repository.notices.warning(words.notChanged)
  }

  private async compare(uri?: vscode.Uri): Promise<void> {
    const document = uri ?? this.api.window.activeTextEditor?.document.uri
    const path = pathOf(document)
    if (!document || path === undefined) return this.repository.notices.warning(words.noneHere)
    const title = words.compared(path.split('/').at(-1) ?? path)
    const side = (name: 'current' | 'incoming') => gitUri(this.api, document, name)
    await this.api.commands.executeCommand('vscode.diff', side('current'), side('incoming'), title)
  }

  private go(step: 1 | -1): void {
    const editor = this.api.window.activeTextEditor
    const conflicts = editor ? conflictsOf(editor.document.getText()) : []
    if (!editor || conflicts.length === 0) return this.repository.notices.warning(words.none)
    const { line } = editor.selection.active
    const target = step > 0
      ? (conflicts.find(({ first }) => first > line) ?? conflicts[0])
      : (conflicts.findLast(({ last }) => last < line) ?? conflicts.at(-1))
    if (!target) return
    const place = new this.api.Position(target.first, 0)
    editor.selection = new this.api.Selection(place, place)
    editor.revealRange(new this.api.Range(place, place), this.api.TextEditorRevealType.InCenterIfOutsideViewport)
  }
}

function conflictsOf(text: string): Conflict[] {
  return text.length <= LARGEST && text.includes('<<<<<<<') ? conflictsIn(text.split('\n')) : []
}

/** Each side in its colour, in every editor of a file. */
function colour(editor: monacoEditor.ICodeEditor): void {
  const drawn = editor.createDecorationsCollection()
  const draw = () => {
    const model = editor.getModel()
    const conflicts = model && pathOf(model.uri) !== undefined ? conflictsOf(model.getValue()) : []
    drawn.set(conflicts.flatMap((conflict) => [
      lines(conflict.current.marker, conflict.current.marker + 1, 'current-head'),
      lines(conflict.current.from, conflict.current.to, 'current'),
      lines(conflict.incoming.from, conflict.incoming.to, 'incoming'),
      lines(conflict.incoming.marker, conflict.incoming.marker + 1, 'incoming-head'),
    ].flat()))
  }
  editor.onDidChangeModel(draw)
  editor.onDidChangeModelContent(draw)
  draw()
}

function lines(from: number, to: number, look: string): monacoEditor.IModelDeltaDecoration[] {
  if (to <= from) return []
  const options = { isWholeLine: true, className: `openspace-conflict-${look}` }
  return [{ range: new MonacoRange(from + 1, 1, to, 1), options }]
}
