// Shows where an agent is editing: a caret and its name, for a few seconds after each change.
//
// What the person types is nobody else's edit: only text that the server or the disk brought counts.
import type { IModelContentChangedEvent } from '@codingame/monaco-vscode-api/vscode/vs/editor/common/textModelEvents'
import { editor as monacoEditor, Range, type IDisposable } from 'monaco-editor'
import type { Space } from '../protocol/space'
import { outcomeOf } from '../protocol/state'
import type { LiveBuffers } from './buffers'
import type { Place } from './model-edits'
import { pathOf } from './place'

/** How long a caret stays. */
const STAY_MS = 5_000
/** A change of the text and the call that made it are told apart by at most this. */
const NEAR_MS = 3_000
/** Commands that change a file's text. */
const EDITING = new Set(['openspace.workspace.edit', 'openspace.workspace.write', 'openspace.file.write'])

interface Seen {
  at: number
  place: Place
  /** Whose edit it was, where that is known. */
  by: string | undefined
}

export class Presence implements IDisposable {
  private readonly changes = new Map<string, Seen>()
  private readonly waiting = new Map<string, { at: number; name: string }>()
  private readonly carets = new Map<string, () => void>()
  private readonly subscriptions: IDisposable[]

  constructor(space: Space, buffers: LiveBuffers) {
    this.subscriptions = [
      buffers.onShown.on(({ path, by, place }) => this.changed(path, { at: Date.now(), place, by })),
      monacoEditor.onDidCreateModel((model) => this.watch(model)),
      space.on('call_ended', ({ record }) => {
        if (record.caller.kind === 'person' || outcomeOf(record) !== 'done' || !EDITING.has(record.command)) return
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
    const changed = model.onDidChangeContent((event) => {
      const last = event.changes[0]
      // The public type leaves out why the text changed; the event has it.
      const { detailedReasons } = event as IModelContentChangedEvent
      if (!last || !detailedReasons.some(({ metadata }) => metadata.source === 'reloadFromDisk')) return
      // Whole lines are replaced with their end; the caret belongs on what was written, not below it.
      const { length } = last.text.replace(/\r?\n$/, '')
      const offset = Math.min(last.rangeOffset + length, model.getValueLength())
      this.changed(path, { at: Date.now(), place: model.getPositionAt(offset), by: undefined })
    })
    model.onWillDispose(() => {
      changed.dispose()
      this.changes.delete(path)
      this.waiting.delete(path)
    })
  }

  private changed(path: string, seen: Seen): void {
    this.changes.set(path, seen)
    const awaited = this.waiting.get(path)
    if (!awaited || !isOf(seen, awaited.name)) return
    this.waiting.delete(path)
    if (seen.at - awaited.at < NEAR_MS) this.show(path, awaited.name, seen.place)
  }

  private edited(path: string, name: string): void {
    const seen = this.changes.get(path)
    if (seen && isOf(seen, name) && Date.now() - seen.at < NEAR_MS) this.show(path, name, seen.place)
    else if (monacoEditor.getModels().some((model) => pathOf(model.uri) === path)) this.waiting.set(path, { at: Date.now(), name })
  }

  private show(path: string, name: string, { lineNumber, column }: Place): void {
    this.carets.get(path)?.()
    const collections = monacoEditor
      .getEditors()
      .filter((editor) => pathOf(editor.getModel()?.uri) === path)
      .map((editor) =>
        editor.createDecorationsCollection([
          {
            range: new Range(lineNumber, column, lineNumber, column),
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

function isOf({ by }: Seen, name: string): boolean {
  return by === undefined || by === name
}
