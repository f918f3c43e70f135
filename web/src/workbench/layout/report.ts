// Tells the server what this browser really shows: panes in pixels, cursors, visible lines. Agents read
// it to know what the person sees. It is observed, never intended, and told at most a few times a second.
import { editor as monacoEditor, type IRange } from 'monaco-editor'
import { run } from '../../protocol/commands'
import { Failure } from '../../protocol/failure'
import type { Space } from '../../protocol/space'
import { isTypedIn } from '../core/typing'
import { elementOf } from '../core/upstream'
import { contentOf } from '../core/uris'
import type { LayoutSync } from './sync'

const PAUSE_MS = 300
/** By what a selection changes without a person's hand: its text did, or its tab came back to the front. */
const NOT_BY_HAND: ReadonlySet<string> = new Set(['model', 'modelChange', 'restoreState'])

interface ObservedEditor {
  path: string
  line: number
  column: number
  firstVisibleLine: number
  lastVisibleLine: number
  selection?: string
}

export class Reporter {
  private timer: ReturnType<typeof setTimeout> | undefined
  private told = ''
  /** Where the person selected something that was not told yet. */
  private readonly selected = new Set<monacoEditor.ICodeEditor>()

  constructor(
    private readonly space: Space,
    private readonly layout: LayoutSync,
  ) {
    const soon = () => this.soon()
    monacoEditor.getEditors().forEach((editor) => this.watch(editor))
    monacoEditor.onDidCreateEditor((editor) => this.watch(editor))
    layout.onApplied.on(soon)
    space.onSnapshot.on(() => {
      this.told = ''
      soon()
    })
    new ResizeObserver(soon).observe(document.body)
    // Where the keyboard is.
    for (const name of ['focus', 'blur']) window.addEventListener(name, soon, { capture: true, passive: true })
    soon()
  }

  private watch(editor: monacoEditor.ICodeEditor): void {
    const soon = () => this.soon()
    const forget = () => {
      this.selected.delete(editor)
      soon()
    }
    editor.onDidChangeCursorSelection(({ source, selection }) => {
      if (selection.isEmpty()) this.selected.delete(editor)
      else if (!NOT_BY_HAND.has(source)) this.selected.add(editor)
      soon()
    })
    editor.onDidScrollChange(soon)
    editor.onDidChangeModel(forget)
    editor.onDidLayoutChange(soon)
    editor.onDidDispose(forget)
  }

  private soon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      void this.tell()
    }, PAUSE_MS)
  }

  private async tell(): Promise<void> {
    if (this.space.state.is !== 'live') return
    const view = { panes: this.panes(), editors: this.editors(), typedIn: this.typedIn() }
    const editors = [...this.selected]
    const selected = editors.flatMap((editor) => contentOf(editor.getModel()?.uri) ?? [])
    const text = JSON.stringify(view)
    if (text === this.told && selected.length === 0) return
    this.told = text
    this.selected.clear()
    try {
      await run('openspace.view.report', { viewId: this.space.viewId, view, selected })
    } catch (error) {
      // The connection may just have been lost; the next one reports anew.
      this.told = ''
      for (const editor of editors) this.selected.add(editor)
      if (!(error instanceof Failure) || error.kind !== 'unreachable') console.warn('the view was not reported', error)
    }
  }

  private panes() {
    return this.layout.panes.groupsInOrder().flatMap((group) => {
      const paneId = this.layout.panes.paneOf(group)
      if (paneId === undefined) return []
      const box = elementOf(group).getBoundingClientRect()
      const { round } = Math
      const size = { x: round(box.x), y: round(box.y), width: round(box.width), height: round(box.height) }
      return [{ paneId, ...size, visible: box.width > 0 && box.height > 0 && this.layout.isInSight(group) }]
    })
  }

  /** In a narrow window the other panes are out of sight: nothing that an agent shows is better off there. */
  private typedIn(): string | undefined {
    const group = this.layout.groupsInOrder().find((one) => isTypedIn(one))
    const hasNeighbour = group !== undefined && this.layout.neighbourOf(group) !== undefined
    return hasNeighbour ? this.layout.panes.paneOf(group) : undefined
  }

  private editors(): ObservedEditor[] {
    return monacoEditor.getEditors().flatMap((editor) => {
      const path = contentOf(editor.getModel()?.uri)
      const position = editor.getPosition()
      const visible = editor.getVisibleRanges()
      const [first, last] = [visible[0], visible.at(-1)]
      if (path === undefined || !position || !first || !last || !editor.getDomNode()?.isConnected) return []
      const selection = editor.getSelection()
      const range = selection && !selection.isEmpty() ? selection : undefined
      return [
        {
          path,
          line: position.lineNumber,
          column: position.column,
          firstVisibleLine: first.startLineNumber,
          lastVisibleLine: last.endLineNumber,
          selection: range && wordsOf(range),
        },
      ]
    })
  }
}

function wordsOf({ startLineNumber, startColumn, endLineNumber, endColumn }: IRange): string {
  return `${startLineNumber}:${startColumn}-${endLineNumber}:${endColumn}`
}
