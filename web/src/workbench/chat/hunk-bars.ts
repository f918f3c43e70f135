// The buttons of all changes of a diff editor: each at the right end of its first line, also when the text moves.
import { Range, type editor as monacoEditor, type IDisposable } from 'monaco-editor'
import { hunkBar, type HunkHelp } from '../../panels/chat/hunk-bar'
import type { ReviewedHunk } from '../../protocol/chat-review'

/** Editors that are narrower show pictures without words. */
const NARROW = 420
const GAP = 6

let count = 0

interface Bar {
  hunk: ReviewedHunk
  element: HTMLElement
  anchor: monacoEditor.IEditorDecorationsCollection
}

export class HunkBars implements monacoEditor.IOverlayWidget, IDisposable {
  private readonly id = `openspace.hunks.${++count}`
  private readonly element = document.createElement('div')
  private readonly listening: IDisposable[]
  private bars: Bar[] = []

  constructor(
    private readonly editor: monacoEditor.ICodeEditor,
    private readonly help: HunkHelp,
  ) {
    this.element.className = 'openspace-hunks'
    editor.addOverlayWidget(this)
    this.listening = [
      editor.onDidScrollChange(() => this.place()),
      editor.onDidLayoutChange(() => this.place()),
      editor.onDidContentSizeChange(() => this.place()),
      editor.onDidChangeModelContent(() => this.place()),
    ]
  }

  /** The changes with the lines where they are now. */
  get hunks(): ReviewedHunk[] {
    return this.bars.map(({ hunk, anchor }) => ({ ...hunk, line: anchor.getRange(0)?.startLineNumber ?? hunk.line }))
  }

  getId(): string {
    return this.id
  }

  getDomNode(): HTMLElement {
    return this.element
  }

  getPosition(): null {
    return null
  }

  show(hunks: readonly ReviewedHunk[]): void {
    const focused = this.bars.findIndex(({ element }) => element.contains(document.activeElement))
    for (const { anchor } of this.bars) anchor.clear()
    const last = this.editor.getModel()?.getLineCount() ?? 1
    this.bars = hunks.map((hunk) => {
      const line = Math.min(hunk.line, last)
      const options = { description: 'openspace-hunk' } as never
      const anchor = this.editor.createDecorationsCollection([{ range: new Range(line, 1, line, 1), options }])
      return { hunk, element: hunkBar(hunk, this.help), anchor }
    })
    this.element.replaceChildren(...this.bars.map(({ element }) => element))
    this.place()
    // The keyboard stays where it was among the buttons, or goes back to the text.
    if (focused < 0) return
    const next = this.bars[Math.min(focused, this.bars.length - 1)]?.element.querySelector('button')
    if (next) next.focus()
    else this.editor.focus()
  }

  dispose(): void {
    for (const one of this.listening) one.dispose()
    for (const { anchor } of this.bars) anchor.clear()
    this.editor.removeOverlayWidget(this)
  }

  private place(): void {
    const { width, height, verticalScrollbarWidth, minimap } = this.editor.getLayoutInfo()
    const right = width - verticalScrollbarWidth - minimap.minimapWidth - GAP
    let below = Number.NEGATIVE_INFINITY
    for (const { hunk, element, anchor } of this.bars) {
      const line = anchor.getRange(0)?.startLineNumber ?? hunk.line
      element.classList.toggle('narrow', width < NARROW)
      // Changes in lines next to each other keep their buttons apart.
      const top = Math.max(this.editor.getTopForLineNumber(line) - this.editor.getScrollTop(), below)
      const isSeen = top > -element.offsetHeight && top < height
      element.style.visibility = isSeen ? 'visible' : 'hidden'
      element.style.top = `${top}px`
      element.style.left = `${Math.max(0, right - element.offsetWidth)}px`
      below = top + element.offsetHeight
    }
  }
}
