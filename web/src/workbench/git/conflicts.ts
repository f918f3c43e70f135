// Conflicts in the editors: what each side has is coloured, and above it stands what can be done. Choosing a side is
// an edit like any other; the file is resolved when the person stages it.
import { editor as monacoEditor, languages, Range, type Uri } from 'monaco-editor'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import { pathOf } from '../core/uris'
import { conflictsIn, type Conflict } from './conflict-markers'
import { resolvedLines, type Side } from './conflict-sides'
import { SCM_ACTIONS } from './contributions'
import { gitUri } from './git-content'
import type { Repository } from './repository'

type Text = monacoEditor.ITextModel

const words = strings.scm.conflicts
/** Larger texts are left alone: they are read at every key. */
const LARGEST = 5_000_000

export class Conflicts {
  private readonly api: Api

  constructor(private readonly repository: Repository) {
    this.api = repository.api
    const { registerCommand } = this.api.commands
    const accept = (id: string, side: Side) =>
      registerCommand(id, (uri?: Uri, first?: number) => this.accept(side, uri, first))
    accept(SCM_ACTIONS.acceptCurrent, 'current')
    accept(SCM_ACTIONS.acceptIncoming, 'incoming')
    accept(SCM_ACTIONS.acceptBoth, 'both')
    registerCommand(SCM_ACTIONS.compareSides, (uri?: Uri) => this.compare(uri))
    registerCommand(SCM_ACTIONS.nextConflict, () => this.go(1))
    registerCommand(SCM_ACTIONS.previousConflict, () => this.go(-1))
    languages.registerCodeLensProvider({ scheme: 'file' }, {
      provideCodeLenses: (text) => ({ lenses: this.lenses(text), dispose: () => undefined }),
    })
    monacoEditor.getEditors().forEach(colour)
    monacoEditor.onDidCreateEditor(colour)
  }

  private lenses(text: Text): languages.CodeLens[] {
    if (pathOf(text.uri) === undefined) return []
    return conflictsOf(text.getValue()).flatMap(({ first }) => {
      const lens = (id: string, title: string) =>
        ({ range: new Range(first + 1, 1, first + 1, 1), command: { id, title, arguments: [text.uri, first] } })
      return [
        lens(SCM_ACTIONS.acceptCurrent, words.acceptCurrent),
        lens(SCM_ACTIONS.acceptIncoming, words.acceptIncoming),
        lens(SCM_ACTIONS.acceptBoth, words.acceptBoth),
        lens(SCM_ACTIONS.compareSides, words.compare),
      ]
    })
  }

  /** The text that is meant, and the conflict in it: at a line, or where the caret is. */
  private found(uri: Uri | undefined, first: number | undefined): { text: Text; conflict: Conflict } | undefined {
    const active = this.api.window.activeText()
    const text = uri ? monacoEditor.getModel(uri) : active?.text
    const caret = (active?.selection.positionLineNumber ?? 1) - 1
    const conflict = conflictsOf(text?.getValue() ?? '').find((candidate) =>
      first === undefined ? candidate.first <= caret && caret <= candidate.last : candidate.first === first)
    return text && conflict ? { text, conflict } : undefined
  }

  private async accept(side: Side, uri?: Uri, first?: number): Promise<void> {
    const { text, conflict } = this.found(uri, first) ?? {}
    if (!text || !conflict) return this.repository.notices.warning(words.noneHere)
    const all = text.getLinesContent()
    const kept = resolvedLines(all, conflict, side)
    const isEnd = conflict.last + 1 >= all.length
    const range = isEnd
      ? new Range(conflict.first + 1, 1, conflict.last + 1, text.getLineMaxColumn(conflict.last + 1))
      : new Range(conflict.first + 1, 1, conflict.last + 2, 1)
    const eol = text.getEOL()
    const taken = isEnd ? kept.join(eol) : kept.map((line) => line + eol).join('')
    if (!(await this.api.workspace.edit(text.uri, range, taken))) this.repository.notices.warning(words.notChanged)
  }

  private async compare(uri?: Uri): Promise<void> {
    const document = uri ?? this.api.window.activeText()?.uri
    const path = pathOf(document)
    if (!document || path === undefined) return this.repository.notices.warning(words.noneHere)
    const title = words.compared(path.split('/').at(-1) ?? path)
    const side = (name: 'current' | 'incoming') => gitUri(document, name)
    await this.api.window.showDiff(side('current'), side('incoming'), title)
  }

  private go(step: 1 | -1): void {
    const { editor, text, selection } = this.api.window.activeText() ?? {}
    const conflicts = text ? conflictsOf(text.getValue()) : []
    if (!editor || !selection || conflicts.length === 0) return this.repository.notices.warning(words.none)
    const line = selection.positionLineNumber - 1
    const target = step > 0
      ? (conflicts.find(({ first }) => first > line) ?? conflicts[0])
      : (conflicts.findLast(({ last }) => last < line) ?? conflicts.at(-1))
    if (!target) return
    editor.setPosition({ lineNumber: target.first + 1, column: 1 })
    editor.revealLineInCenterIfOutsideViewport(target.first + 1)
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
  return [{ range: new Range(from + 1, 1, to, 1), options }]
}
