// Keeps a preview and the editors of its text scrolled to the same place, whichever of them the person scrolls.
//
// Each block of the preview knows the line at which it begins; between two of them the way is divided evenly.
import { editor as monacoEditor } from 'monaco-editor'

type Model = monacoEditor.ITextModel
type CodeEditor = monacoEditor.ICodeEditor

/** What a scroll may differ from what was asked for, being rounded. */
const ROUNDING = 2

interface Mark {
  line: number
  top: number
}

export class Steps {
  private elements: HTMLElement[] = []
  private lines: number[] = []
  private marks: Mark[] = []
  /** Where this made the preview and an editor scroll to: the answer to that is no scroll of the person's. */
  private asked: number | undefined
  private readonly askedOf = new WeakMap<CodeEditor, number>()
  private readonly listening = new Map<CodeEditor, { dispose(): void }[]>()
  private readonly subscriptions: { dispose(): void }[] = []
  private readonly resized: ResizeObserver

  constructor(
    private readonly container: HTMLElement,
    private readonly model: Model,
  ) {
    monacoEditor.getEditors().forEach((editor) => this.listen(editor))
    this.subscriptions.push(monacoEditor.onDidCreateEditor((editor) => this.listen(editor)))
    container.addEventListener('scroll', this.onScroll, { passive: true })
    this.resized = new ResizeObserver(() => this.measure())
    this.resized.observe(container)
  }

  /** What is drawn now, block by block, and the line at which each begins. */
  follow(elements: HTMLElement[], lines: number[]): void {
    this.elements = elements
    this.lines = lines
    this.measure()
  }

  /** Where the blocks are; to be called when pictures and colours have come. */
  measure(): void {
    const zero = this.container.getBoundingClientRect().top - this.container.scrollTop
    const count = Math.min(this.elements.length, this.lines.length)
    this.marks = this.elements.slice(0, count).map((element, index) => ({
      line: this.lines[index] ?? 1,
      top: element.getBoundingClientRect().top - zero,
    }))
    this.marks.push({ line: this.model.getLineCount() + 1, top: this.container.scrollHeight })
  }

  dispose(): void {
    this.resized.disconnect()
    this.container.removeEventListener('scroll', this.onScroll)
    this.subscriptions.forEach((subscription) => subscription.dispose())
    for (const subscriptions of this.listening.values()) subscriptions.forEach((one) => one.dispose())
  }

  private listen(editor: CodeEditor): void {
    const forget = () => {
      this.listening.get(editor)?.forEach((one) => one.dispose())
      this.listening.delete(editor)
    }
    this.listening.set(editor, [
      editor.onDidScrollChange(({ scrollTopChanged }) => {
        if (scrollTopChanged && editor.getModel() === this.model) this.editorScrolled(editor)
      }),
      editor.onDidDispose(forget),
    ])
  }

  private editorScrolled(editor: CodeEditor): void {
    const top = editor.getScrollTop()
    const asked = this.askedOf.get(editor)
    this.askedOf.delete(editor)
    if (asked !== undefined && Math.abs(asked - top) <= ROUNDING) return
    const first = editor.getVisibleRanges()[0]?.startLineNumber ?? 1
    const from = editor.getTopForLineNumber(first)
    const height = editor.getTopForLineNumber(first + 1) - from
    const line = first + (height > 0 ? (top - from) / height : 0)
    const most = this.container.scrollHeight - this.container.clientHeight
    const wanted = Math.min(Math.round(top <= 0 ? 0 : between(this.marks, 'line', 'top', line)), most)
    if (Math.abs(wanted - this.container.scrollTop) <= ROUNDING) return
    this.asked = wanted
    this.container.scrollTop = wanted
  }

  private readonly onScroll = (): void => {
    const top = this.container.scrollTop
    const { asked } = this
    this.asked = undefined
    if (asked !== undefined && Math.abs(asked - top) <= ROUNDING) return
    const line = between(this.marks, 'top', 'line', top)
    for (const editor of this.listening.keys()) {
      if (editor.getModel() !== this.model) continue
      const whole = Math.floor(line)
      const from = editor.getTopForLineNumber(whole)
      const height = editor.getTopForLineNumber(whole + 1) - from
      const most = editor.getScrollHeight() - editor.getLayoutInfo().height
      const wanted = Math.max(0, Math.min(Math.round(top <= 0 ? 0 : from + (line - whole) * height), most))
      if (Math.abs(wanted - editor.getScrollTop()) <= ROUNDING) continue
      this.askedOf.set(editor, wanted)
      editor.setScrollTop(wanted)
    }
  }
}

/** The value of `to` that belongs to a value of `from`, between the two marks around it. */
function between(marks: readonly Mark[], from: keyof Mark, to: keyof Mark, value: number): number {
  const after = marks.findIndex((mark) => mark[from] > value)
  const next = marks[after] ?? marks.at(-1)
  const last = after > 0 ? marks[after - 1] : { line: 1, top: 0 }
  if (!next || !last) return to === 'line' ? 1 : 0
  const share = next[from] === last[from] ? 0 : (value - last[from]) / (next[from] - last[from])
  return last[to] + Math.min(Math.max(share, 0), 1) * (next[to] - last[to])
}
