// Where an agent edits, drawn over an editor's text: a bar and a name. It moves no text, hides no more than
// the name covers, lets every click through, and goes along when text before it changes.
import { editor as monacoEditor, Range, type IDisposable, type IPosition } from 'monaco-editor'

/** How long it takes to fade; the style says so too. */
export const FADE_MS = 400

const { EXACT } = monacoEditor.ContentWidgetPositionPreference
const { NeverGrowsWhenTypingAtEdges } = monacoEditor.TrackedRangeStickiness

let count = 0

export class AgentCaret implements monacoEditor.IContentWidget, IDisposable {
  readonly suppressMouseDown = false
  private readonly id = `openspace.caret.${++count}`
  private readonly element = document.createElement('div')
  private readonly name = document.createElement('span')
  /** Goes along with the text. */
  private readonly anchor: monacoEditor.IEditorDecorationsCollection
  private readonly listeners: IDisposable[]

  constructor(
    private readonly editor: monacoEditor.ICodeEditor,
    name: string,
    { lineNumber, column }: IPosition,
  ) {
    this.element.className = 'openspace-caret'
    // What agents do is read out in the activity; here it would interrupt the reading of the text.
    this.element.setAttribute('aria-hidden', 'true')
    this.name.className = 'openspace-caret-name'
    this.name.textContent = name
    this.element.append(this.name)
    this.anchor = editor.createDecorationsCollection([
      {
        range: new Range(lineNumber, column, lineNumber, column),
        options: { description: 'openspace-caret', stickiness: NeverGrowsWhenTypingAtEdges } as never,
      },
    ])
    this.listeners = [
      editor.onDidChangeModelContent(() => editor.layoutContentWidget(this)),
      editor.onDidChangeModel(() => this.dispose()),
      editor.onDidDispose(() => this.dispose()),
    ]
    editor.addContentWidget(this)
  }

  getId(): string {
    return this.id
  }

  getDomNode(): HTMLElement {
    return this.element
  }

  getPosition(): monacoEditor.IContentWidgetPosition | null {
    const [range] = this.anchor.getRanges()
    return range ? { position: range.getStartPosition(), preference: [EXACT] } : null
  }

  /** Above the line, or below one that has no room above it. */
  afterRender(): void {
    const [range] = this.anchor.getRanges()
    if (!range) return
    const position = range.getStartPosition()
    this.element.style.height = `${this.editor.getLineHeightForPosition(position)}px`
    const room = this.editor.getTopForPosition(position.lineNumber, position.column) - this.editor.getScrollTop()
    this.element.classList.toggle('below', room < this.name.offsetHeight)
  }

  fade(): void {
    this.element.classList.add('fading')
  }

  dispose(): void {
    this.listeners.splice(0).forEach((listener) => listener.dispose())
    this.anchor.clear()
    this.editor.removeContentWidget(this)
  }
}
