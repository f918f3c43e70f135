// What the editor does in HTML while one types.
import { editor as monacoEditor, languages, Range, Selection } from 'monaco-editor'
import type { Api } from '../core/api'
import { endAfter, MOST_CHARACTERS, nameAfter, namesAt, type Name } from './tags'

type Text = monacoEditor.ITextModel
type Editor = monacoEditor.ICodeEditor
type Change = monacoEditor.IModelContentChangedEvent

const LANGUAGE = 'html'

export function startMarkup(api: Api): void {
  languages.registerLinkedEditingRangeProvider(LANGUAGE, {
    provideLinkedEditingRanges: (text, position) => {
      if (text.getValueLength() > MOST_CHARACTERS) return undefined
      const names = namesAt(text.getValue(monacoEditor.EndOfLinePreference.LF), offsetOf(text, position))
      return names && { ranges: names.map((name) => rangeOf(text, name)), wordPattern: /[a-zA-Z][\w:.-]*/ }
    },
  })
  const settings = api.workspace.getConfiguration('html')
  const follow = (editor: Editor) => editor.onDidChangeModelContent((change) => {
    if (editor.getModel()?.getLanguageId() === LANGUAGE && settings.get('autoClosingTags', true)) close(editor, change)
  })
  monacoEditor.getEditors().forEach(follow)
  monacoEditor.onDidCreateEditor(follow)
}

/** A single sign that the person typed at their caret; what others write comes without it. */
function close(editor: Editor, { changes, isUndoing, isRedoing, isFlush }: Change): void {
  const [change] = changes
  const typed = change?.text
  if (!change || changes.length > 1 || isUndoing || isRedoing || isFlush || (typed !== '>' && typed !== '/')) return
  const text = editor.getModel()
  if (!text || !editor.hasTextFocus() || text.getValueLength() > MOST_CHARACTERS) return
  const { startLineNumber: line, startColumn: column } = change.range
  const version = text.getVersionId()
  // The caret is moved after this is told.
  queueMicrotask(() => {
    const caret = editor.getSelection()
    if (!caret?.isEmpty() || caret.startLineNumber !== line || caret.startColumn !== column + 1) return
    if (editor.getModel() !== text || text.getVersionId() !== version) return
    const all = text.getValue(monacoEditor.EndOfLinePreference.LF)
    const offset = offsetOf(text, caret.getStartPosition())
    if (typed === '>') {
      const end = endAfter(all, offset)
      if (end) insert(editor, caret, end, caret)
    } else if (all.slice(offset - 2, offset) === '</') {
      const name = nameAfter(all, offset)
      const after = name && new Selection(line, column + 2 + name.length, line, column + 2 + name.length)
      if (name && after) insert(editor, caret, `${name}>`, after)
    }
  })
}

function insert(editor: Editor, range: Range, text: string, caret: Selection): void {
  editor.executeEdits('openspace-tags', [{ range, text, forceMoveMarkers: false }], [caret])
}

function offsetOf(text: Text, { lineNumber, column }: { lineNumber: number; column: number }): number {
  const whole = text.getValueInRange(new Range(1, 1, lineNumber, column), monacoEditor.EndOfLinePreference.LF)
  return whole.length
}

function rangeOf(text: Text, { start, end }: Name): Range {
  // Offsets are of a text with single line ends.
  const before = text.getValue(monacoEditor.EndOfLinePreference.LF).slice(0, start)
  const line = before.split('\n').length
  const column = start - before.lastIndexOf('\n')
  return new Range(line, column, line, column + end - start)
}
