// Shows where an agent is editing: a caret and its name, for a few seconds after each change.
//
// What the person types is nobody else's edit: only text that the server or the disk brought counts.
import { editor as monacoEditor, type IDisposable, type IPosition } from 'monaco-editor'
import type { Space } from '../../protocol/space'
import { outcomeOf } from '../../protocol/state'
import type { SharedText } from '../core/shared-text'
import { isReload } from '../core/upstream'
import { pathOf } from '../core/uris'
import { AgentCaret, FADE_MS } from './agent-caret'

/** How long a caret stays before it fades. */
const STAY_MS = 5_000
/** A change of the text and the call that made it are told apart by at most this. */
const NEAR_MS = 3_000
/** Commands that change a file's text. */
const EDITING = new Set(['openspace.workspace.edit', 'openspace.workspace.write', 'openspace.file.write'])

interface Seen {
  at: number
  position: IPosition
  /** Whose edit it was, where that is known. */
  by: string | undefined
}

export class Presence implements IDisposable {
  private readonly changes = new Map<string, Seen>()
  private readonly waiting = new Map<string, { at: number; name: string }>()
  private readonly carets = new Map<string, () => void>()
  private readonly subscriptions: IDisposable[]

  constructor(space: Space, text: SharedText) {
    this.subscriptions = [
      text.onShown.on(({ path, by, position }) => this.changed(path, { at: Date.now(), position, by })),
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
      if (!last || !isReload(event)) return
      // Whole lines are replaced with their end; the caret belongs on what was written, not below it.
      const { length } = last.text.replace(/\r?\n$/, '')
      const offset = Math.min(last.rangeOffset + length, model.getValueLength())
      this.changed(path, { at: Date.now(), position: model.getPositionAt(offset), by: undefined })
    })
    model.onWillDispose(() => {
      changed.dispose()
      this.changes.delete(path)
      this.waiting.delete(path)
    })
  }

  /** A change and the call that made it come in either order; each is used once, or the next would look like it. */
  private changed(path: string, seen: Seen): void {
    const awaited = this.waiting.get(path)
    if (!awaited || !isOf(seen, awaited.name)) {
      this.changes.set(path, seen)
      return
    }
    this.waiting.delete(path)
    if (seen.at - awaited.at < NEAR_MS) this.show(path, awaited.name, seen.position)
  }

  private edited(path: string, name: string): void {
    const seen = this.changes.get(path)
    if (seen && isOf(seen, name) && Date.now() - seen.at < NEAR_MS) {
      this.changes.delete(path)
      this.show(path, name, seen.position)
    } else if (monacoEditor.getModels().some((model) => pathOf(model.uri) === path)) {
      this.waiting.set(path, { at: Date.now(), name })
    }
  }

  private show(path: string, name: string, position: IPosition): void {
    this.carets.get(path)?.()
    const carets = monacoEditor
      .getEditors()
      .filter((editor) => pathOf(editor.getModel()?.uri) === path)
      .map((editor) => new AgentCaret(editor, name, position))
    const remove = () => {
      clearTimeout(timer)
      carets.forEach((caret) => caret.dispose())
      this.carets.delete(path)
    }
    const fade = () => {
      carets.forEach((caret) => caret.fade())
      timer = setTimeout(remove, FADE_MS)
    }
    let timer = setTimeout(fade, STAY_MS)
    this.carets.set(path, remove)
  }
}

function isOf({ by }: Seen, name: string): boolean {
  return by === undefined || by === name
}
