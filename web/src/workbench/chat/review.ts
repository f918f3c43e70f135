// Reviewing what a session changed: its files in the diff editor, with buttons at each change, and ways from one that
// nobody has reviewed to the next.
//
// Left is the text without what the session changed, which the server reckons; right is the file itself, which can be
// typed in. What was accepted, and what undoing does, is the server's: here it is only asked for.
import { getService, IEditorService } from '@codingame/monaco-vscode-api'
import { Uri, type editor as monacoEditor, type Emitter } from 'monaco-editor'
import '../../panels/chat/review.css'
import type { HunkHelp } from '../../panels/chat/hunk-bar'
import type { ChatCommands } from '../../protocol/chat-commands'
import {
  hunkAt, nextUnreviewed, type Place, type Review, type ReviewedFile, type ReviewedHunk,
} from '../../protocol/chat-review'
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import { ACTIONS } from '../core/actions'
import type { Workbench } from '../core/feature'
import { REVIEW_SCHEME } from '../core/tab-kinds'
import { isDiffEditorInput } from '../core/upstream'
import { pathOf, uriOf } from '../core/uris'
import { HunkBars } from './hunk-bars'

const words = strings.chat.review
const REVIEWS = 'chat-reviews' as never
const CONTEXT = 'openspace.review'
/** The right side of a file that is gone. */
const NOTHING = 'nothing'
/** What is typed reaches the server before it is asked where the changes are now. */
const TYPED_MS = 600

type DiffEditor = monacoEditor.IDiffEditor

/** A diff editor that shows changes of a session. */
interface Shown {
  address: string
  path: string
  editor: monacoEditor.ICodeEditor
  bars: HunkBars
  file: ReviewedFile | undefined
  listening: { dispose(): void }[]
}

export class ReviewEditors {
  private readonly shown = new Map<DiffEditor, Shown>()
  private known: Record<string, Review> = {}
  private last: Promise<unknown> = Promise.resolve()

  private constructor(
    private readonly workbench: Workbench,
    private readonly space: Space,
    private readonly commands: ChatCommands,
    private readonly editors: IEditorService,
    private readonly changed: Emitter<Uri>,
  ) {
    space.onPart(REVIEWS, () => this.hear())
    this.known = this.reviews
    editors.onDidVisibleEditorsChange(() => this.look())
    editors.onDidActiveEditorChange(() => this.look())
    this.look()
  }

  static async start(
    workbench: Workbench, space: Space, commands: ChatCommands, changed: Emitter<Uri>,
  ): Promise<ReviewEditors> {
    return new ReviewEditors(workbench, space, commands, await getService(IEditorService), changed)
  }

  /** The text before the changes: what the left side shows. */
  async read(uri: Uri): Promise<string> {
    const path = pathOf({ scheme: 'file', path: uri.path })
    if (path === undefined || uri.fragment === NOTHING) return ''
    if (this.isKept(uri.query, path)) return (await this.commands.original(uri.query, path)) ?? ''
    // Nothing is left of the changes: both sides are the same then, or there is no file.
    try {
      return await this.workbench.api.workspace.readText(uriOf(path))
    } catch {
      return ''
    }
  }

  /** Show the changes of one file, or those that come next. */
  async review(address: string, path?: string): Promise<void> {
    if (path === undefined) return this.go(1, address)
    const { files } = await this.commands.review(address, path)
    const [file] = files
    if (!file) return
    const hunk = file.hunks.find(({ reviewed }) => !reviewed) ?? file.hunks[0]
    await this.show(address, file, hunk)
  }

  /** Go to a change that nobody has reviewed: in this file, else in another one. */
  async go(step: 1 | -1, address = this.inFront?.address): Promise<void> {
    if (address === undefined) return
    const { inFront } = this
    const here = inFront?.address === address ? inFront : undefined
    const from: Place | undefined = here && { path: here.path, line: here.editor.getPosition()?.lineNumber ?? 1 }
    const { files } = await this.commands.review(address)
    const found = nextUnreviewed(files, from, step)
    if (found) await this.show(address, found.file, found.hunk)
    else {
      this.workbench.notices.done(words.allReviewed)
      const [first] = files
      if (!here && first) await this.show(address, first, first.hunks[0])
    }
  }

  /** The same by a key. */
  move(step: 1 | -1): Promise<void> {
    return this.inTurn(() => this.go(step))
  }

  /** Accept the change at the caret, and go to the next one. */
  accept(): Promise<void> {
    return this.inTurn(async () => {
      const { inFront } = this
      const hunk = inFront && this.atCaret(inFront)
      if (inFront && hunk) await this.say(inFront, hunk, true)
    })
  }

  undo(): Promise<void> {
    return this.inTurn(async () => {
      const { inFront } = this
      const hunk = inFront && this.atCaret(inFront)
      if (inFront && hunk) await this.takeBack(inFront, hunk)
    })
  }

  /** A file of a session, or all of its files; the one in front where no session is named. */
  async acceptFile(address?: string, path?: string): Promise<void> {
    if (address !== undefined) {
      await this.commands.accept(address, path, [])
      return
    }
    const { inFront } = this
    if (!inFront) return
    // What is shown is what was reviewed: what the session changes at this very moment is not among it.
    const hunks = inFront.file?.hunksLeftOut === 0 ? inFront.file.hunks.map(({ hunk }) => hunk) : []
    const { toReview } = await this.commands.accept(inFront.address, inFront.path, hunks)
    if (toReview > 0) await this.go(1)
  }

  async undoFile(address = this.inFront?.address, path = this.inFront?.path): Promise<void> {
    if (address === undefined || path === undefined) return
    const sure = await this.workbench.api.window.ask({ message: words.surelyUndo(path) }, words.undo)
    if (sure === words.undo) await this.commands.undoChanges(address, path, [])
  }

  toChat(): void {
    const { inFront } = this
    const hunk = inFront && this.atCaret(inFront)
    if (inFront && hunk) this.attach(inFront, hunk)
  }

  /** A key means the change to which the one before it led, however soon it comes. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.last.then(work)
    this.last = done.catch(() => undefined)
    return done
  }

  private get reviews(): Record<string, Review> {
    return (this.space.part(REVIEWS) as Record<string, Review> | undefined) ?? {}
  }

  private get inFront(): Shown | undefined {
    const control: unknown = this.editors.activeEditorPane?.getControl()
    return this.shown.get(control as DiffEditor)
  }

  /** Whether anything of a file is kept, as the space has it: what is not there is not asked for. */
  private isKept(address: string, path: string): boolean {
    return path in (this.reviews[address]?.files ?? {})
  }

  private atCaret({ editor, bars }: Shown): ReviewedHunk | undefined {
    return hunkAt(bars.hunks, editor.getPosition()?.lineNumber ?? 1)
  }

  private async show(address: string, file: ReviewedFile, hunk: ReviewedHunk | undefined): Promise<void> {
    const { path, change } = file
    const uri = uriOf(path)
    const left = Uri.from({ scheme: REVIEW_SCHEME, path: uri.path, query: address })
    const right = change === 'deleted' ? left.with({ fragment: NOTHING }) : uri
    const line = hunk?.line ?? 1
    const selection = { startLineNumber: line, startColumn: 1, endLineNumber: line, endColumn: 1 }
    const title = words.tab(path.split('/').at(-1) ?? path)
    await this.workbench.api.window.showDiff(left, right, title, { pinned: true, selection })
    this.look()
    const { inFront } = this
    if (!inFront) return
    inFront.editor.setPosition({ lineNumber: line, column: 1 })
    inFront.editor.revealLineInCenterIfOutsideViewport(line)
    inFront.editor.focus()
    await this.load(inFront)
  }

  /** Which diff editors show changes of a session now. */
  private look(): void {
    const seen = new Set<DiffEditor>()
    for (const pane of this.editors.visibleEditorPanes) {
      const { input } = pane
      const left = input && isDiffEditorInput(input) ? input.original.resource : undefined
      const inner: unknown = pane.getControl()
      const control = inner as DiffEditor | undefined
      if (left?.scheme !== REVIEW_SCHEME || !control) continue
      const path = pathOf({ scheme: 'file', path: left.path })
      if (path === undefined) continue
      seen.add(control)
      const known = this.shown.get(control)
      if (known?.address === left.query && known.path === path) continue
      if (known) this.leave(control, known)
      this.begin(control, left.query, path)
    }
    for (const [control, shown] of this.shown) if (!seen.has(control)) this.leave(control, shown)
    void this.workbench.api.commands.executeCommand('setContext', CONTEXT, this.inFront !== undefined)
  }

  private begin(control: DiffEditor, address: string, path: string): void {
    const editor = control.getModifiedEditor() as monacoEditor.ICodeEditor
    const help: HunkHelp = {
      accept: (hunk, isAccepted) => this.attempt(words.notAccepted, () => this.say(shown, hunk, isAccepted)),
      undo: (hunk) => this.attempt(words.notUndone(path), () => this.takeBack(shown, hunk)),
      toChat: (hunk) => this.attach(shown, hunk),
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const shown: Shown = {
      address, path, editor, bars: new HunkBars(editor, help), file: undefined,
      listening: [
        editor.onDidChangeModelContent(() => {
          clearTimeout(timer)
          timer = setTimeout(() => void this.load(shown), TYPED_MS)
        }),
        { dispose: () => clearTimeout(timer) },
      ],
    }
    this.shown.set(control, shown)
    void this.load(shown)
  }

  private leave(control: DiffEditor, { bars, listening }: Shown): void {
    this.shown.delete(control)
    for (const one of listening) one.dispose()
    bars.dispose()
  }

  /** Another browser, or the session itself, changed what there is to review. */
  private hear(): void {
    const before = this.known
    this.known = this.reviews
    for (const shown of this.shown.values()) {
      const { address, path } = shown
      const [was, is] = [before[address]?.files[path], this.known[address]?.files[path]]
      if (JSON.stringify(was) !== JSON.stringify(is)) void this.load(shown)
    }
  }

  private async load(shown: Shown): Promise<void> {
    const { address, path, bars } = shown
    try {
      const { files } = this.isKept(address, path) ? await this.commands.review(address, path) : { files: [] }
      shown.file = files[0]
    } catch (error) {
      shown.file = undefined
      this.workbench.notices.failure(words.notLoaded(path), error)
    }
    if (![...this.shown.values()].includes(shown)) return
    bars.show(shown.file?.hunks ?? [])
    this.changed.fire(Uri.from({ scheme: REVIEW_SCHEME, path: uriOf(path).path, query: address }))
  }

  private async say(shown: Shown, hunk: ReviewedHunk, isAccepted: boolean): Promise<void> {
    await this.commands.accept(shown.address, shown.path, [hunk.hunk], !isAccepted)
    if (isAccepted) await this.go(1, shown.address)
  }

  private async takeBack(shown: Shown, hunk: ReviewedHunk): Promise<void> {
    const { toReview } = await this.commands.undoChanges(shown.address, shown.path, [hunk.hunk])
    if (toReview > 0) await this.go(1, shown.address)
  }

  private attach({ path }: Shown, hunk: ReviewedHunk): void {
    const lines = (sign: string, text: string) => (text === '' ? [] : text.split('\n').map((line) => sign + line))
    const text = [...lines('-', hunk.old), ...lines('+', hunk.new)].join('\n')
    const title = words.hunkTitle(path, hunk.line)
    const attachment = { type: 'text', title, text, language: 'diff', path }
    void this.workbench.api.commands.executeCommand(ACTIONS.attach, attachment)
  }

  private attempt(what: string, work: () => Promise<unknown>): void {
    work().catch((error: unknown) => this.workbench.notices.failure(what, error))
  }
}
