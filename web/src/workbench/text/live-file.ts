// One open file whose unsaved text is shared: an editor's model on one side, a live buffer on the other.
//
// The server's text is the truth, the model follows it, and what the person types goes to it. The model is
// unsaved exactly when its text is not the disk's. It never asks the person anything and never writes the
// file: saving is the workbench's, over the file system.
import type { BufferChannel, CloseReason, LiveBuffer } from '../../protocol/buffers'
import { run } from '../../protocol/commands'
import { Failure } from '../../protocol/failure'
import { content, saveUnsaved } from '../../protocol/files'
import type { FileSaveResult } from '../../protocol/generated'
import { apply, diff, type TextEdit } from '../../protocol/text-edits'
import type { FileVersions, WrittenText } from '../core/shared-text'
import {
  EndOfLinePreference, isReload, TextFileEditorModelState, withReasons, type IModelContentChangedEvent, type ITextModel,
  type TextFileEditorModel,
} from '../core/upstream'
import { editsOf, withLineFeeds } from './model-edits'

/** What a file needs of the page around it. */
export interface LiveSurroundings {
  channel: BufferChannel
  files: FileVersions
  /** Whether the server has unsaved text of a path. */
  isBuffered(path: string): boolean
  /** Whether the disk has lines that cannot be merged into that text. */
  isConflicted(path: string): boolean
  /** Whether the disk has no file of a path with unsaved text. */
  isDeleted(path: string): boolean
  /** Whether the file is being moved or deleted from this page. */
  isOperatedOn(path: string): boolean
  /** Another open file whose unsaved text belongs to this path by now, if there is one. */
  predecessorOf(file: LiveFile): LiveFile | undefined
  /** Put edits of others into a model without disturbing who types; `by` is empty when it was nobody in particular. */
  show(model: ITextModel, edits: TextEdit[], by: string): void
  /** Put edits into a model as if the person had typed them. */
  type(model: ITextModel, edits: TextEdit[]): void
  /** What can be undone in one model can be undone in the other, which has the same text. */
  moveSteps(from: ITextModel, to: ITextModel): void
  complain(path: string, failure: Failure, what: 'refused' | 'discard'): void
}

/** Larger texts stay in the page until they are saved. */
const MOST_CHARACTERS = 5 * 1024 * 1024
const SHARED_ENCODINGS: ReadonlySet<string | undefined> = new Set(['utf8', 'utf8bom'])

export class LiveFile implements WrittenText {
  private live: LiveBuffer | undefined
  /** The text that is in step with the disk while there is no buffer; not known when the file opened unsaved. */
  private disk: string | undefined
  /** The base that the file system was told of, or was tried to be. */
  private adopted: string | undefined
  private wasDirty: boolean
  private isShowing = false
  private isRemovingMark = false
  private isUndoing = false
  private isSaving = false
  /** The time of what was written, until the workbench is done with the save. */
  private written: number | undefined
  /** The text that is written by the save that is under way. */
  private beingWritten: string | undefined
  /** What was written is not what the model has. */
  private mustRead = false
  private isHeld = false
  private hasNewLineEnds = false
  private starting: Promise<void> | undefined
  private isLooking = false
  private isOver = false
  /** The same file under its old path, as long as a person may still type there. */
  private predecessor: LiveFile | undefined
  private liveListeners: { dispose(): void }[] = []
  private readonly listeners: { dispose(): void }[]
  private readonly text: ITextModel

  constructor(
    readonly path: string,
    readonly model: TextFileEditorModel,
    private readonly around: LiveSurroundings,
  ) {
    const text = model.textEditorModel
    if (!text) throw new Error(`${path} is not loaded yet`)
    this.text = text
    this.wasDirty = model.isDirty()
    this.listeners = [
      text.onDidChangeContent((event) => this.contentChanged(withReasons(event))),
      model.onDidChangeDirty(() => (this.wasDirty = model.isDirty())),
      model.onDidRevert(() => this.reverted()),
      model.onDidSave(() => this.saved()),
      model.onDidSaveError(() => this.saveEnded()),
      around.files.share(path, this),
    ]
    this.predecessor = around.predecessorOf(this)
    if (this.wasDirty) this.begin()
    else this.disk = this.sharedValue
    this.attach()
  }

  /** The file under its old path is not shown any more: what was unsaved there is here from now on. */
  succeed(old: LiveFile): void {
    if (this.predecessor !== old) return
    this.predecessor = undefined
    const value = old.value
    const wasDirty = old.model.isDirty()
    const live = old.giveAway()
    if (live && !this.live && !this.starting) {
      this.listen(live)
      this.show(diff(this.value, live.text), '')
      this.updateDirtyMark()
    } else if (wasDirty && value !== this.value) {
      // It was not shared, or not yet.
      this.around.type(this.text, diff(this.value, value))
    } else {
      this.attach()
    }
    this.around.moveSteps(old.text, this.text)
  }

  /** Hand the unsaved text over to the file of the new path, and be an ordinary file without any. */
  private giveAway(): LiveBuffer | undefined {
    const live = this.live
    this.live = undefined
    for (const listener of this.liveListeners.splice(0)) listener.dispose()
    this.dispose()
    this.becomeClean()
    return live
  }

  dispose(): void {
    this.isOver = true
    for (const listener of this.listeners) listener.dispose()
    this.leave()
  }

  get isDirty(): boolean {
    return this.model.isDirty()
  }

  /** Whether the server has everything that is not saved. */
  get isKept(): boolean {
    if (this.model.hasState(TextFileEditorModelState.PENDING_SAVE)) return false
    if (!this.live) return !this.model.isDirty()
    const { phase, unanswered } = this.live.state
    return phase !== 'refused' && !unanswered && !this.hasNewLineEnds
  }

  get isUnanswered(): boolean {
    return this.live?.isUnanswered ?? false
  }

  /** Before a save: everything is said, and from now on the disk must not move beneath what is written. */
  async prepareSave(): Promise<void> {
    await this.said()
    this.isSaving = true
    this.beingWritten = this.sharedValue
  }

  /** Everything that was typed is known to the server. */
  async said(): Promise<void> {
    await this.starting
    await this.live?.flush()
  }

  get heldTime(): number | undefined {
    if (this.written !== undefined) return this.written
    if (!this.isWriting || !this.isMerging) return undefined
    return this.model.lastResolvedFileStat?.mtime
  }

  async write(): Promise<FileSaveResult | undefined> {
    if (!this.isMerging) return undefined
    // Between two buffers there is none: what was typed since begins the next one.
    this.resume()
    await this.said()
    if (!this.isMerging || (!this.live && !this.isUnchanged)) return undefined
    // What was written is not what the workbench believes.
    this.mustRead = true
    const lineEnd = this.text.getEOL() === '\n' ? 'lf' : 'crlf'
    return saveUnsaved(this.path, { lineEnd, byteOrderMark: this.model.getEncoding() === 'utf8bom' })
  }

  wrote(time: number): void {
    this.isSaving = false
    this.written = time
  }

  hold(): void {
    this.isHeld = true
    this.live?.hold()
  }

  release(): void {
    this.isHeld = false
    this.live?.release()
  }

  /** The server has unsaved text of this file: show it. */
  attach(): void {
    if (this.live || this.starting || this.isOver || this.predecessor) return
    if (this.model.isDirty() || !this.isShareable) return
    if (!this.around.isBuffered(this.path)) return
    this.listen(this.around.channel.attach(this.path, this.value))
  }

  private get value(): string {
    return this.text.getValue(EndOfLinePreference.LF)
  }

  /** The text to compare with later; nothing when it will not be shared. */
  private get sharedValue(): string | undefined {
    return this.isShareable ? this.value : undefined
  }

  /** A save that was given up is told nobody, so the flag alone is not enough. */
  private get isWriting(): boolean {
    return this.isSaving && this.model.hasState(TextFileEditorModelState.PENDING_SAVE)
  }

  /** Whether the text is what the disk last had, though the workbench may not know that yet. */
  private get isUnchanged(): boolean {
    return this.disk !== undefined && !this.starting && !this.hasNewLineEnds && this.value === this.disk
  }

  /** Whether the server merges what comes to the disk into this text. */
  private get isMerging(): boolean {
    if (this.around.isConflicted(this.path)) return false
    // Between two buffers, one of which was just saved, there is none.
    if (!this.live) return this.disk !== undefined && this.isShareable && !this.hasNewLineEnds
    const { phase, conflicted } = this.live.state
    return (phase === 'live' || phase === 'joining') && !conflicted
  }

  private get isShareable(): boolean {
    return this.text.getValueLength() <= MOST_CHARACTERS && SHARED_ENCODINGS.has(this.model.getEncoding())
  }

  private contentChanged(event: IModelContentChangedEvent): void {
    if (this.isShowing) return
    if (event.isUndoing || event.isRedoing) {
      this.isUndoing = true
      queueMicrotask(() => (this.isUndoing = false))
    }
    if (event.isEolChange) this.hasNewLineEnds = true
    if (isReload(event)) this.reloaded()
    else if (this.live) this.tell(this.live, event)
    else if (this.starting) return
    else if (this.model.isDirty()) this.firstKey(event)
    else this.disk = this.sharedValue
  }

  private tell(live: LiveBuffer, event: IModelContentChangedEvent): void {
    const edits = editsOf(event) ?? diff(live.text, this.value)
    if (edits.length > 0) live.localEdits(edits)
    if (event.isUndoing || event.isRedoing) this.updateDirtyMark()
  }

  /** The base is the text before this very change, also when the disk has another by now. */
  private firstKey(event: IModelContentChangedEvent): void {
    if (!this.isShareable) return
    if (this.disk === undefined) {
      this.begin()
      return
    }
    const told = editsOf(event) ?? []
    const isLast = event.versionId === this.text.getVersionId()
    const fits = !isLast || apply(this.disk, told).length === this.text.getValueLength(EndOfLinePreference.LF)
    const edits = fits ? told : diff(this.disk, this.value)
    if (edits.length > 0) this.listen(this.around.channel.open(this.path, this.disk, edits))
  }

  /** The file is unsaved and it is not known what the disk has: look. */
  private begin(): void {
    if (this.starting || !this.isShareable) return
    this.wait(async () => {
      if (this.around.isDeleted(this.path)) return
      const { bytes } = await content(this.path)
      this.disk = textOf(bytes)
    })
  }

  /** Do something before the text is shared again; then it is, if there is something to share. */
  private wait(work: () => Promise<void>): void {
    const waiting = work()
      .catch((error: unknown) => {
        if (!(error instanceof Failure) || error.kind !== 'not_found') throw error
      })
      .catch((error: unknown) => this.around.complain(this.path, asFailure(error), 'refused'))
      .finally(() => {
        this.starting = undefined
        this.resume()
      })
    this.starting = waiting
  }

  private resume(): void {
    if (this.isOver || this.live) return
    if (!this.model.isDirty()) {
      this.attach()
      return
    }
    const edits = diff(this.disk ?? '', this.value)
    if (edits.length > 0) this.listen(this.around.channel.open(this.path, this.disk ?? '', edits))
  }

  private listen(live: LiveBuffer): void {
    this.live = live
    this.adopted = this.disk
    if (this.isHeld) live.hold()
    for (const listener of this.liveListeners.splice(0)) listener.dispose()
    this.liveListeners.push(live.onRemoteEdits.on(({ edits, by }) => this.show(edits, by)))
    this.liveListeners.push(live.onState.on(({ base, phase }) => {
      if (this.live !== live) return
      if (phase === 'live' && base !== this.adopted) void this.adopt(base)
      this.updateDirtyMark()
    }))
    this.liveListeners.push(live.onClosed.on(({ reason, kept }) => this.closed(live, reason, kept)))
    const refused = live.onRefused.on((failure) => {
      refused.dispose()
      this.around.complain(this.path, failure, 'refused')
    })
    this.liveListeners.push(refused)
  }

  private leave(): void {
    if (this.live) this.around.channel.leave(this.live)
    this.live = undefined
  }

  private show(edits: TextEdit[], by: string): void {
    this.isShowing = true
    try {
      this.around.show(this.text, edits, by)
    } finally {
      this.isShowing = false
    }
  }

  /** Bring the workbench's mark for unsaved text in step with the texts. */
  private updateDirtyMark(): void {
    if (!this.live || this.live.state.phase !== 'live') return
    const { text, base, unanswered } = this.live.state
    if (text !== base) this.model.setDirty(true)
    else if (!unanswered) this.becomeClean()
  }

  private becomeClean(): void {
    if (!this.model.isDirty() || this.hasNewLineEnds) return
    // While a file is saved its mark is the workbench's.
    if (!this.model.hasState(TextFileEditorModelState.PENDING_SAVE)) {
      this.isRemovingMark = true
      // A soft revert only takes the mark away, before it returns.
      void this.model.revert({ soft: true })
      this.isRemovingMark = false
    }
    this.lookAgain()
  }

  /**
   * The workbench hears of the disk only while a text has no mark and is not saved. Whenever that begins, what came
   * before is looked for: the mark may have to go, and the disk may have another content.
   */
  private lookAgain(): void {
    if (this.isLooking) return
    this.isLooking = true
    this.look().catch((error: unknown) => console.warn(`${this.path} could not be looked at again`, error))
  }

  private async look(): Promise<void> {
    // Until no save is under way, not even one that began while the last one was awaited; what became of it is told.
    do await this.model.joinState(TextFileEditorModelState.PENDING_SAVE).catch(() => undefined)
    while (this.model.hasState(TextFileEditorModelState.PENDING_SAVE))
    if (!this.isOver) this.cleanIfWritten()
    this.isLooking = false
    if (this.isOver || this.live || this.model.isDirty()) return
    const forceReadFromFile = this.mustRead
    this.mustRead = false
    await this.model.resolve({ forceReadFromFile })
  }

  private closed(live: LiveBuffer, reason: CloseReason, kept: boolean): void {
    if (this.live !== live) return
    this.live = undefined
    this.disk = live.state.base
    // What was typed while the rest was saved is unsaved text again; other text that nobody else has stays here.
    if (kept && reason === 'saved') queueMicrotask(() => this.resume())
    if (reason === 'deleted' || kept) return
    // After a save of this page the workbench knows the disk already.
    if (this.model.isDirty() && this.disk !== this.adopted) void this.adopt(this.disk)
    this.becomeClean()
    this.lookAgain()
  }

  /** The workbench read the file from disk. */
  private reloaded(): void {
    this.hasNewLineEnds = false
    const live = this.live
    if (!live) {
      this.disk = this.sharedValue
    } else if (this.wasDirty) {
      // It does so with unsaved text only when the person wants to be rid of that.
      this.discard(this.value)
    } else {
      // The buffer gets the disk's change from the server, in order with everything else.
      queueMicrotask(() => {
        if (this.live === live) this.show(diff(this.value, live.text), '')
      })
    }
  }

  private reverted(): void {
    // The workbench reverts before it moves or deletes; the server knows what becomes of the text then.
    if (this.isRemovingMark || this.around.isOperatedOn(this.path)) return
    // An undo back to what was saved is told as a revert before its change is.
    queueMicrotask(() => {
      if (!this.isUndoing && this.live) this.discard(this.live.state.base)
    })
  }

  /** The person does not want the unsaved text any more. */
  private discard(disk: string): void {
    if (!this.live) return
    this.leave()
    this.disk = disk
    this.wait(async () => {
      try {
        await run('openspace.editor.discard', { path: this.path })
      } catch (error) {
        const failure = asFailure(error)
        if (failure.kind !== 'not_found') this.around.complain(this.path, failure, 'discard')
      }
    })
  }

  private saveEnded(): void {
    this.isSaving = false
    this.beingWritten = undefined
    this.written = undefined
  }

  private saved(): void {
    const written = this.beingWritten
    this.saveEnded()
    this.hasNewLineEnds = false
    // What was merged while it was written is on disk, too, and more may be by now.
    this.lookAgain()
    if (this.model.isDirty()) return
    // What the server did not want to keep is on disk now: the next key starts anew.
    if (this.live?.state.phase === 'refused') this.leave()
    if (this.live || this.mustRead) return
    this.disk = written ?? this.sharedValue
    // What was undone meanwhile is for the workbench the text of the disk, as that was before.
    if (this.disk === this.sharedValue) return
    this.model.setDirty(true)
    this.resume()
  }

  private cleanIfWritten(): void {
    if (this.live) this.updateDirtyMark()
    else if (!this.model.isDirty()) return
    else if (this.value === this.disk) this.becomeClean()
    else this.resume()
  }

  /** The model has what is on disk now, so a save may replace it. */
  private async adopt(base: string): Promise<void> {
    this.adopted = base
    if (this.isWriting || this.around.isDeleted(this.path)) return
    try {
      const { bytes, token } = await content(this.path)
      // It may have changed once more: then that is told next.
      if (this.isWriting || textOf(bytes) !== base) return
      this.around.files.adopt(this.path, token, this.model.lastResolvedFileStat?.mtime)
    } catch (error) {
      // Saving looks once more; nothing is lost.
      console.warn(`${this.path} could not be compared with the disk`, error)
    }
  }
}

function textOf(bytes: Uint8Array): string {
  return withLineFeeds(new TextDecoder().decode(bytes))
}

function asFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure('internal', String(error))
}
