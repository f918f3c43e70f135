// Unsaved text is shared with the server, with other browsers and with agents while it is typed.
//
// This finds the open files, wires each to its live buffer, and tells the person what they have to decide.
// Texts without a file are in `untitled.ts`. Files outside the workspace and other encodings are left to the
// workbench alone.
import {
  getService, ICommandService, INotificationService, IStorageService, ITextFileService, ITextModelService,
  IUndoRedoService, IWorkingCopyFileService, IWorkingCopyService, Severity,
} from '@codingame/monaco-vscode-api'
import { editor as editors } from 'monaco-editor'
import { BufferChannel } from '../../protocol/buffers'
import type { Failure } from '../../protocol/failure'
import { Listeners } from '../../protocol/listeners'
import type { Space } from '../../protocol/space'
import { endOf, type TextEdit } from '../../protocol/text-edits'
import { strings } from '../../strings'
import type { FileMove, MovingText } from '../core/moves'
import type { FileVersions, SharedText } from '../core/shared-text'
import { saveBeforeLeaving } from '../core/storage'
import { TextFileEditorModel, type ITextFileEditorModel, type ITextModel } from '../core/upstream'
import { pathOf, uriOf } from '../core/uris'
import { LiveFile, type LiveSurroundings } from './live-file'
import { inModelOffsets, operationsOf, positionAt } from './model-edits'
import { MovedFiles } from './moved-files'
import { moveSteps, prepareSteps } from './undo-steps'
import { UnsavedTabs } from './unsaved-tabs'
import { UntitledTexts } from './untitled'

const COMPARE_WITH_DISK = 'workbench.files.action.compareWithSaved'
/** After everything else that changes a text right before it is saved. */
const LAST = 1_000_000

export class LiveBuffers implements LiveSurroundings, SharedText, MovingText {
  readonly channel = new BufferChannel()
  readonly onShown: SharedText['onShown'] = new Listeners()
  private readonly open = new Map<ITextFileEditorModel, LiveFile>()
  /** Conflicts that the person was told of, and whether it was that the file is deleted. */
  private readonly told = new Map<string, boolean>()
  /** Paths that are being moved or deleted, by operation. */
  private readonly operations = new Map<number, string[]>()
  private texts: ITextFileService | undefined
  private readonly untitled = new UntitledTexts(this)
  private unsavedTabs: UnsavedTabs | undefined
  private readonly moved = new MovedFiles((move) => this.succeed(move))
  private undo: IUndoRedoService | undefined
  private notifications: INotificationService | undefined
  private commands: ICommandService | undefined
  private copies: IWorkingCopyService | undefined
  private storage: IStorageService | undefined
  private models: ITextModelService | undefined

  /** To be made before the workbench is: of those who hear that the page closes, the first one decides. */
  constructor(
    private readonly space: Space,
    readonly files: FileVersions,
  ) {
    window.addEventListener('beforeunload', (event) => this.closing(event), { capture: true })
  }

  async start(): Promise<void> {
    const [texts, undo, notifications, commands, copies, storage, operations, models] = await Promise.all([
      getService(ITextFileService), getService(IUndoRedoService), getService(INotificationService),
      getService(ICommandService), getService(IWorkingCopyService), getService(IStorageService),
      getService(IWorkingCopyFileService), getService(ITextModelService),
    ])
    this.texts = texts
    this.models = models
    this.undo = undo
    this.notifications = notifications
    this.commands = commands
    this.copies = copies
    this.storage = storage
    this.mindOperations(operations)
    this.channel.connect()
    this.space.onConnection.on(({ is }) => {
      if (is === 'live') this.channel.retry()
    })
    texts.files.onDidResolve(({ model }) => this.watch(model))
    for (const model of texts.files.models) this.watch(model)
    texts.files.addSaveParticipant({
      ordinal: LAST,
      participate: async (model) => this.open.get(model)?.prepareSave(),
    })
    await this.untitled.start()
    this.unsavedTabs = new UnsavedTabs(this.space, texts, this.channel)
    await this.unsavedTabs.start()
    this.space.onPart('buffers', () => this.heard())
    this.heard()
    editors.getEditors().forEach((editor) => this.minding(editor))
    editors.onDidCreateEditor((editor) => this.minding(editor))
  }

  /** Files with text that is not saved, as this page shows them. */
  dirtyPaths(): string[] {
    return [...this.open.values()].filter(({ isDirty }) => isDirty).map(({ path }) => path)
  }

  async said(path: string): Promise<void> {
    await Promise.all([...this.open.values()].filter((file) => file.path === path).map((file) => file.said()))
  }

  versionOf(path: string): number | undefined {
    const state = this.channel.get(path)?.state
    return state?.phase === 'live' && !state.unanswered ? state.version : undefined
  }

  isBuffered(path: string): boolean {
    return Object.hasOwn(this.space.part('buffers'), path)
  }

  isConflicted(path: string): boolean {
    return this.space.part('buffers')[path]?.conflicted ?? false
  }

  isDeleted(path: string): boolean {
    return this.space.part('buffers')[path]?.deleted ?? false
  }

  isOperatedOn(path: string): boolean {
    const all = [...this.operations.values()].flat()
    return all.some((operated) => path === operated || path.startsWith(`${operated}/`))
  }

  predecessorOf(file: LiveFile): LiveFile | undefined {
    const isBefore = (other: LiveFile) => other !== file && this.moved.isMoving(other.path, file.path)
    return [...this.open.values()].find(isBefore)
  }

  type(model: ITextModel, edits: TextEdit[]): void {
    model.pushStackElement()
    model.pushEditOperations(null, operationsOf(model, edits), () => null)
    model.pushStackElement()
  }

  moveSteps(from: ITextModel, to: ITextModel): void {
    if (this.undo) moveSteps(this.undo, from, to)
  }

  async moving(move: FileMove): Promise<{ dispose(): void } | undefined> {
    if (this.isOperatedOn(move.from) || this.isOperatedOn(move.to)) return undefined
    const isOpen = [...this.open.values()].some(({ path }) => path === move.from)
    const moving = this.moved.begin(move)
    if (!isOpen || !this.models) return moving
    const held = [await this.models.createModelReference(uriOf(move.from))]
    try {
      held.push(await this.models.createModelReference(uriOf(move.to)))
    } catch (error) {
      // It may be gone again: then the tab says so.
      console.warn(`${move.to} cannot be read yet`, error)
    }
    return {
      dispose: () => {
        moving.dispose()
        for (const text of held) text.dispose()
      },
    }
  }

  private succeed({ from, to }: FileMove): void {
    const find = (path: string) => [...this.open.values()].find((file) => file.path === path)
    const [old, now] = [find(from), find(to)]
    if (old && now) now.succeed(old)
  }

  show(model: ITextModel, edits: TextEdit[], by: string): void {
    if (edits.length === 0 || !this.undo) return
    const operations = operationsOf(model, edits)
    const showing = editors.getEditors().filter((editor) => editor.getModel()?.uri.toString() === model.uri.toString())
    const scrolls = showing.map((editor) => keepInView(editor))
    const storeSteps = prepareSteps(this.undo, model.uri, model.getEOL(), inModelOffsets(model, edits))
    if (storeSteps) {
      model.applyEdits(operations)
      storeSteps()
    } else {
      // The steps cannot be moved, and as they are they would damage the text: this becomes one of them.
      model.pushStackElement()
      model.pushEditOperations(null, operations, () => null)
      model.pushStackElement()
    }
    for (const restore of scrolls) restore()
    const path = pathOf(model.uri)
    if (path !== undefined && by !== '') this.onShown.tell({ path, by, position: positionAt(model, endOf(edits)) })
  }

  complain(path: string, failure: Failure, what: 'refused' | 'discard'): void {
    const words = what === 'refused' ? strings.buffers.refused : strings.buffers.notDiscarded
    this.notifications?.notify({ severity: Severity.Warning, message: words(path, failure.advice) })
  }

  private watch(model: ITextFileEditorModel): void {
    const path = pathOf(model.resource)
    // The manager makes only these; the class has what the interface does not say.
    if (!path || this.open.has(model) || !(model instanceof TextFileEditorModel) || !model.isResolved()) return
    const file = new LiveFile(path, model, this)
    this.open.set(model, file)
    model.onWillDispose(() => {
      this.open.delete(model)
      // Nobody can type there any more: whoever waited for it goes on.
      for (const other of this.open.values()) other.succeed(file)
      file.dispose()
    })
    this.warnOfConflicts()
  }

  /** The server has unsaved text of other files than before. */
  private heard(): void {
    for (const file of this.open.values()) file.attach()
    this.untitled.heard()
    this.unsavedTabs?.look()
    this.warnOfConflicts()
  }

  private warnOfConflicts(): void {
    const buffers = this.space.part('buffers')
    for (const path of this.told.keys()) {
      if (!buffers[path]?.conflicted) this.told.delete(path)
    }
    for (const { path } of this.open.values()) {
      const { conflicted = false, deleted = false } = buffers[path] ?? {}
      if (!conflicted || this.told.get(path) === deleted) continue
      this.told.set(path, deleted)
      if (deleted) this.offerSave(path)
      else this.offerComparison(path)
    }
  }

  private offerComparison(path: string): void {
    const run = () => void this.commands?.executeCommand(COMPARE_WITH_DISK, uriOf(path))
    const { conflict, compare } = strings.buffers
    this.notifications?.prompt(Severity.Warning, conflict(path), [{ label: compare, run }])
  }

  /** The file is gone from the disk: nothing can be compared, and saving makes it anew. */
  private offerSave(path: string): void {
    const run = () => void this.texts?.save(uriOf(path))
    const { deleted, save } = strings.buffers
    this.notifications?.prompt(Severity.Warning, deleted(path), [{ label: save, run }])
  }

  private mindOperations(operations: IWorkingCopyFileService): void {
    operations.onWillRunWorkingCopyFileOperation(({ correlationId, files }) => {
      const touched = files.flatMap(({ source, target }) => [pathOf(source), pathOf(target)])
      this.operations.set(correlationId, touched.filter((path) => path !== undefined))
    })
    operations.onDidRunWorkingCopyFileOperation(({ correlationId }) => this.operations.delete(correlationId))
    operations.onDidFailWorkingCopyFileOperation(({ correlationId }) => this.operations.delete(correlationId))
  }

  /** While a character is composed of several keys, nothing else may change the text. */
  private minding(editor: editors.ICodeEditor): void {
    this.moved.mind(editor)
    let composing: LiveFile | undefined
    const end = () => {
      composing?.release()
      composing = undefined
    }
    editor.onDidCompositionStart(() => {
      end()
      composing = this.fileOf(editor)
      composing?.hold()
    })
    editor.onDidCompositionEnd(end)
    editor.onDidChangeModel(end)
    editor.onDidDispose(end)
  }

  private fileOf(editor: editors.ICodeEditor): LiveFile | undefined {
    const path = pathOf(editor.getModel()?.uri)
    return [...this.open.values()].find((file) => file.path === path)
  }

  /** Ask before the page is closed only when something would be lost; the workbench always would. */
  private closing(event: BeforeUnloadEvent): void {
    if (!this.copies) return
    const open = [...this.open.values()]
    const kept = new Set(open.filter(({ isKept }) => isKept).map(({ model }) => model.resource.toString()))
    for (const resource of this.untitled.kept()) kept.add(resource)
    const isAllKept = this.copies.modifiedWorkingCopies.every(({ resource }) => kept.has(resource.toString()))
    if (this.untitled.isUnanswered || open.some((file) => file.isUnanswered)) {
      event.preventDefault()
    } else if (isAllKept) {
      event.stopImmediatePropagation()
      if (this.storage) saveBeforeLeaving(this.storage)
    }
  }
}

/** What the person looks at stays where it is on the screen; call the result when the text has changed. */
function keepInView(editor: editors.ICodeEditor): () => void {
  const [seen] = editor.getVisibleRanges()
  const cursor = editor.getPosition()?.lineNumber ?? 0
  if (!seen) return () => undefined
  const isCursorSeen = cursor >= seen.startLineNumber && cursor <= seen.endLineNumber
  const lineNumber = isCursorSeen ? cursor : seen.startLineNumber
  const distance = editor.getTopForLineNumber(lineNumber) - editor.getScrollTop()
  // A mark that moves with the text.
  const mark = editor.createDecorationsCollection([
    { range: { startLineNumber: lineNumber, startColumn: 1, endLineNumber: lineNumber, endColumn: 1 }, options: {} },
  ])
  return () => {
    const now = mark.getRange(0)?.startLineNumber
    mark.clear()
    if (now !== undefined && now !== lineNumber) editor.setScrollTop(editor.getTopForLineNumber(now) - distance)
  }
}
