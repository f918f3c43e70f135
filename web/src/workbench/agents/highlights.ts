// Highlighted lines in every editor that shows them: colour, note at the line's end, hover, ruler.
//
// The server owns them and moves them with the text. Here they are only drawn; while the person
// types, the editor keeps them on their text until the server has said the same. When a file is read again,
// the server may have said where they are before or after: they are drawn once more when both are there.
import { editor as monacoEditor, Range, type IDisposable } from 'monaco-editor'
import type { Space } from '../../protocol/space'
import type { Highlight, TextRange } from '../../protocol/state'
import { strings } from '../../strings'
import { isReload } from '../core/upstream'
import { pathOf } from '../core/uris'

const NAMED: Record<string, string> = {
  yellow: '#e8b04b', green: '#57b894', blue: '#4c9be8', red: '#e0625f', purple: '#a983e0', orange: '#e58a4b',
}
/** How long after a file was read again the server has certainly said where its highlights are. */
const AFTER_RELOAD_MS = 500
/** Characters of a note that fit at a line's end. */
const INLINE_NOTE = 100

type CodeEditor = monacoEditor.ICodeEditor

export class Highlights implements IDisposable {
  private readonly drawn = new Map<CodeEditor, Drawn>()
  private readonly style = new CSSStyleSheet()
  private readonly colours = new Set<string>()
  private readonly subscriptions: IDisposable[]

  constructor(private readonly space: Space) {
    document.adoptedStyleSheets.push(this.style)
    this.subscriptions = [
      space.onPart('highlights', () => this.drawAll()),
      monacoEditor.onDidCreateEditor((editor) => this.add(editor)),
    ]
    monacoEditor.getEditors().forEach((editor) => this.add(editor))
  }

  /** The highlights of a file. */
  of(path: string): [string, Highlight][] {
    return Object.entries(this.space.part('highlights')).filter(([, highlight]) => highlight.path === path)
  }

  dispose(): void {
    this.subscriptions.forEach((subscription) => subscription.dispose())
    this.drawn.forEach((drawn) => {
      clearTimeout(drawn.again)
      drawn.collection.clear()
    })
  }

  private add(editor: CodeEditor): void {
    const drawn: Drawn = { collection: editor.createDecorationsCollection(), told: '', again: undefined }
    this.drawn.set(editor, drawn)
    editor.onDidChangeModel(() => this.draw(editor))
    editor.onDidChangeModelContent((event) => {
      if (isReload(event)) this.drawAgain(editor, drawn)
    })
    editor.onDidDispose(() => {
      clearTimeout(drawn.again)
      this.drawn.delete(editor)
    })
    this.draw(editor)
  }

  private drawAgain(editor: CodeEditor, drawn: Drawn): void {
    clearTimeout(drawn.again)
    drawn.again = setTimeout(() => {
      drawn.told = ''
      this.draw(editor)
    }, AFTER_RELOAD_MS)
  }

  private drawAll(): void {
    for (const editor of this.drawn.keys()) this.draw(editor)
  }

  private draw(editor: CodeEditor): void {
    const drawn = this.drawn.get(editor)
    const model = editor.getModel()
    if (!drawn) return
    const path = model ? pathOf(model.uri) : undefined
    const highlights = path === undefined ? [] : this.of(path)
    // What the server said already is not said again: the editor has moved it along since.
    const told = `${model?.id ?? ''} ${JSON.stringify(highlights)}`
    if (told === drawn.told) return
    drawn.told = told
    drawn.collection.set(highlights.flatMap(([, highlight]) => this.decorations(highlight)))
  }

  private decorations(highlight: Highlight): monacoEditor.IModelDeltaDecoration[] {
    const word = this.colour(highlight.color)
    const colour = NAMED[highlight.color] ?? highlight.color
    return highlight.ranges.map((range, index) => ({
      range: rangeOf(range),
      options: {
        stickiness: monacoEditor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges,
        ...(range.startColumn || range.endColumn
          ? { className: `openspace-mark ${word}` }
          : { isWholeLine: true, className: `openspace-mark ${word}` }),
        linesDecorationsClassName: `openspace-mark-edge ${word}`,
        hoverMessage: [{ value: strings.highlight.hover(highlight.by, highlight.note) }],
        overviewRuler: { color: colour, position: monacoEditor.OverviewRulerLane.Full },
        minimap: { color: colour, position: monacoEditor.MinimapPosition.Inline },
        ...(index === 0 && highlight.note ? { after: inlineNote(highlight.note) } : {}),
      },
    }))
  }

  /** The class of a colour; a rule is added the first time. */
  private colour(name: string): string {
    const colour = NAMED[name] ?? (/^#[0-9a-f]{6}$/i.test(name) ? name : '#e8b04b')
    const word = `openspace-colour-${colour.slice(1).toLowerCase()}`
    if (!this.colours.has(word)) {
      this.colours.add(word)
      this.style.insertRule(`.${word} { --openspace-colour: ${colour} }`)
    }
    return word
  }
}

interface Drawn {
  collection: monacoEditor.IEditorDecorationsCollection
  told: string
  again: ReturnType<typeof setTimeout> | undefined
}

function inlineNote(note: string): monacoEditor.InjectedTextOptions {
  const first = note.split('\n', 1)[0] ?? ''
  const text = first.length > INLINE_NOTE ? `${first.slice(0, INLINE_NOTE)}…` : first
  const cursorStops = monacoEditor.InjectedTextCursorStops.None
  return { content: `   ${text}`, inlineClassName: 'openspace-note', cursorStops }
}

/** Whole lines when no columns are given. */
export function rangeOf({ startLine, endLine, startColumn, endColumn }: TextRange): Range {
  return new Range(startLine, startColumn ?? 1, endLine, endColumn ?? Number.MAX_SAFE_INTEGER)
}
