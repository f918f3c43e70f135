// Text that has no file yet is shared and kept like any other unsaved text, under a name that is no file's.
//
// It differs from an empty text, so it has no disk to be in step with and needs no mark of its own: the workbench
// takes a text that is emptied for one that is not unsaved, and so does the server. Saving it under a name empties
// it, closing it without saving does too. Names of files that do not exist yet are left to the workbench alone.
import { IUntitledTextEditorService, getService } from '@codingame/monaco-vscode-api'
import type { BufferChannel, LiveBuffer } from '../../protocol/buffers'
import type { Failure } from '../../protocol/failure'
import { diff, type TextEdit } from '../../protocol/text-edits'
import {
  EndOfLinePreference, withReasons, type IModelContentChangedEvent, type ITextModel, type IUntitledTextEditorModel,
} from '../core/upstream'
import { contentOf } from '../core/uris'
import { editsOf } from './model-edits'

/** What such a text needs of the page around it. */
export interface UntitledSurroundings {
  channel: BufferChannel
  isBuffered(name: string): boolean
  show(model: ITextModel, edits: TextEdit[], by: string): void
  complain(name: string, failure: Failure, what: 'refused' | 'discard'): void
}

export class UntitledTexts {
  private readonly open = new Map<IUntitledTextEditorModel, UntitledText>()

  constructor(private readonly around: UntitledSurroundings) {}

  async start(): Promise<void> {
    const service = await getService(IUntitledTextEditorService)
    service.onDidCreate((model) => this.watch(model))
    service.onWillDispose((model) => {
      this.open.get(model)?.dispose()
      this.open.delete(model)
    })
  }

  /** The server has unsaved text under other names than before. */
  heard(): void {
    for (const text of this.open.values()) text.heard()
  }

  /** The addresses of those texts of which the server has everything. */
  kept(): string[] {
    return [...this.open].filter(([, text]) => text.isKept).map(([{ resource }]) => resource.toString())
  }

  get isUnanswered(): boolean {
    return [...this.open.values()].some((text) => text.isUnanswered)
  }

  private watch(model: IUntitledTextEditorModel): void {
    const name = contentOf(model.resource)
    if (name === undefined || model.hasAssociatedFilePath || this.open.has(model)) return
    this.open.set(model, new UntitledText(name, model, this.around))
  }
}

class UntitledText {
  private live: LiveBuffer | undefined
  private text: ITextModel | undefined
  private isShowing = false
  private isOver = false
  private readonly listeners: { dispose(): void }[] = []

  constructor(
    readonly name: string,
    private readonly model: IUntitledTextEditorModel,
    private readonly around: UntitledSurroundings,
  ) {
    this.listeners.push(model.onDidChangeContent(() => this.look()))
    this.heard()
  }

  dispose(): void {
    this.isOver = true
    for (const listener of this.listeners) listener.dispose()
    if (this.live) this.around.channel.leave(this.live)
    this.live = undefined
  }

  get isKept(): boolean {
    if (!this.live) return !this.model.isDirty()
    const { phase, unanswered } = this.live.state
    return phase !== 'refused' && !unanswered
  }

  get isUnanswered(): boolean {
    return this.live?.isUnanswered ?? false
  }

  /** Take up what the server has, also of a tab that nobody has looked at. */
  heard(): void {
    if (this.live || this.isOver || !this.around.isBuffered(this.name)) return
    if (!this.model.isResolved()) {
      this.model.resolve().then(() => this.heard(), (error: unknown) => {
        console.warn(`${this.name} cannot be shown`, error)
      })
      return
    }
    this.look()
    if (!this.live) this.listen(this.around.channel.attach(this.name, this.value))
  }

  private get value(): string {
    return this.text?.getValue(EndOfLinePreference.LF) ?? ''
  }

  /** Follow the text, once there is one, and share what is in it already. */
  private look(): void {
    if (this.text || this.isOver || !this.model.textEditorModel) return
    this.text = this.model.textEditorModel
    this.listeners.push(this.text.onDidChangeContent((event) => this.changed(withReasons(event))))
    this.share()
  }

  private changed(event: IModelContentChangedEvent): void {
    if (this.isShowing) return
    if (!this.live) {
      this.share()
      return
    }
    const edits = editsOf(event) ?? diff(this.live.text, this.value)
    if (edits.length > 0) this.live.localEdits(edits)
  }

  private share(): void {
    const edits = diff('', this.value)
    if (edits.length > 0) this.listen(this.around.channel.open(this.name, '', edits))
  }

  private listen(live: LiveBuffer): void {
    this.live = live
    live.onRemoteEdits.on(({ edits, by }) => {
      this.isShowing = true
      if (this.text) this.around.show(this.text, edits, by)
      this.isShowing = false
    })
    live.onClosed.on(({ kept }) => {
      if (this.live !== live) return
      this.live = undefined
      // What was typed while the rest was emptied is unsaved text again.
      if (kept) queueMicrotask(() => !this.isOver && !this.live && this.share())
    })
    const refused = live.onRefused.on((failure) => {
      refused.dispose()
      this.around.complain(this.name, failure, 'refused')
    })
  }
}
