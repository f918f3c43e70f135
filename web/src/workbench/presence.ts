// Shows where an agent is editing: a caret and its name, for a few seconds after each change.
import { editor as monacoEditor, Range, type IDisposable } from 'monaco-editor'
import type { Space } from '../protocol/space'
import { pathOf } from './place'

/** How long a caret stays. */
const STAY_MS = 5_000
/** A change of the text and the call that made it are told apart by at most this. */
const NEAR_MS = 3_000
/** Commands that change a file's text. */
const EDITING = new Set(['openspace.workspace.edit', 'openspace.workspace.write', 'openspace.file.write'])

interface Seen {
  at: number
  line: number
  column: number
}

export class Presence implements IDisposable {
  private readonly changes = new Map<string, Seen>()
  private readonly waiting = new Map<string, { at: number; name: string }>()
  private readonly carets = new Map<string, () => void>()
  private readonly subscriptions: IDisposable[]

  constructor(space: Space) {
    this.subscriptions = [
      monacoEditor.onDidCreateModel((model) => this.watch(model)),
      space.on('call_ended', ({ record }) => {
        if (record.caller.kind === 'person' || record.outcome !== 'done' || !EDITING.has(record.command)) return
        for (const path of record.paths) this.edited(path, record.caller.id)
      }),
    ]
    monacoEditor.getModels().forEach((model) => this.watch(model))
  }

  dispose(): void {
    this.subscriptions.forEach((subscription) => subscription.dispose())
    this.carets.forEach((remove) => remove())
  }

  private watch(model: monacoEditor.ITextModel): void {
    const path = pathOf(model.uri)
    if (path === undefined) return
    const changed = model.onDidChangeContent(({ changes }) => {
      const last = changes[0]
      if (!last) return
      const offset = Math.min(last.rangeOffset + last.text.length, model.getValueLength())
      const { lineNumber, column } = model.getPositionAt(offset)
      const seen = { at: Date.now(), line: lineNumber, column }
      this.changes.set(path, seen)
      const awaited = this.waiting.get(path)
      if (awaited && seen.at - awaited.at < NEAR_MS) this.show(path, awaited.name, seen)
      this.waiting.delete(path)
    })
    model.onWillDispose(() => {
      changed.dispose()
      this.changes.delete(path)
      this.waiting.delete(path)
    })
  }

  private edited(path: string, name: string): void {
    const seen = this.changes.get(path)
    if (seen && Date.now() - seen.at < NEAR_MS) this.show(path, name, seen)
    else if (monacoEditor.getModels().some((model) => pathOf(model.uri) === path)) this.waiting.set(path, { at: Date.now(), name })
  }

  private show(path: string, name: string, { line, column }: Seen): void {
    this.carets.get(path)?.()
    const collections = monacoEditor
      .getEditors()
      .filter((editor) => pathOf(editor.getModel()?.uri) === path)
      .map((editor) =>
        editor.createDecorationsCollection([
          {
            range: new Range(line, column, line, column),
            options: {
              beforeContentClassName: 'openspace-caret',
              after: { content: ` ${name} `, inlineClassName: 'openspace-caret-name', cursorStops: monacoEditor.InjectedTextCursorStops.None },
              showIfCollapsed: true,
            },
          },
        ]),
      )
    const remove = () => {
      clearTimeout(timer)
      collections.forEach((collection) => collection.clear())
      this.carets.delete(path)
    }
    const timer = setTimeout(remove, STAY_MS)
    this.carets.set(path, remove)
  }
}
