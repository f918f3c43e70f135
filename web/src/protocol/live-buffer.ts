// The unsaved text of one file as this page has it, kept in step with the server's.
//
// Three layers: what the server and the page agree on, one edit that is on its way, and what was typed
// since. What others do is moved behind what was typed here; what was typed here is never dropped, also
// not when the connection breaks or the server ends: it tells of no text before that is kept, so all that
// may be lost with it is here, in the edit on its way and what was typed since. What the server says is taken
// as the protocol has it or not at all: anything else makes the page ask for the whole text again. Nothing
// here knows editors or sockets.
import { Failure, type FailureKind } from './failure'
import type { CloseReason, EditId, FromBufferPage, ToBufferPage } from './generated'
import { Listeners } from './listeners'
import { apply, compose, diff, flawOf, normalise, span, transform, type TextEdit, type TextEdits } from './text-edits'

export type { CloseReason }

/** Each `open`, `attach` and `edit` gets one of these, in the order of asking. */
export type Answer = Extract<ToBufferPage, { type: 'opened' | 'accepted' | 'stale' | 'error' }>

/** What the server says by itself. */
export type Notice = Exclude<ToBufferPage, Answer>

/** Sends a question; false when there is no connection. */
export type Ask = (question: Question) => boolean
/** Names the page's next edit; each once. */
export type NameEdit = () => EditId
export type Question = Extract<FromBufferPage, { type: 'open' | 'attach' | 'edit' }>

type Phase =
  /** There is no connection. */
  | 'away'
  /** Asked for the text. */
  | 'joining'
  | 'live'
  /** The server does not keep this text; it is in this page only. */
  | 'refused'
  | 'over'

export interface BufferState {
  version: number
  /** The text that is in step with the disk. */
  base: string
  /** What the person sees. */
  text: string
  conflicted: boolean
  phase: Phase
  /** Something typed here is not known to the server yet. */
  unanswered: boolean
}

/** Edits that one message may have. */
const MOST_EDITS = 10_000
/** Misunderstandings in a row after which the page stops asking. */
const MOST_STRIKES = 5
/** Messages that wait while the person composes a character. */
const MOST_HELD = 1_000
/** With these the same question would get the same answer. */
const FINAL: ReadonlySet<FailureKind> = new Set(['unsupported', 'denied', 'limit'])

export class LiveBuffer {
  /** Edits of the text that the person sees, made by somebody else. */
  readonly onRemoteEdits = new Listeners<{ edits: TextEdit[]; by: string }>()
  /** The version, the base or the conflict is another. */
  readonly onState = new Listeners<BufferState>()
  /** There is no unsaved text any more. `kept` says that what the person sees has text that nobody else has. */
  readonly onClosed = new Listeners<{ reason: CloseReason; kept: boolean }>()
  readonly onRefused = new Listeners<Failure>()
  /** The file has another path, and its unsaved text with it. */
  readonly onMoved = new Listeners<{ from: string; to: string }>()
  private phase: Phase = 'away'
  private version = 0
  private conflicted = false
  private inFlight: TextEdit[] = []
  /** The edit that was sent and not answered: after a break the server says whether it was made. */
  private unsure: EditId | undefined
  private pending: TextEdit[] = []
  private question: Question | undefined
  /** The server had, or may have, this buffer. */
  private known: boolean
  /** Somebody was faster than the edit on its way: it will not be taken. */
  private overtaken = false
  private strikes = 0
  private held: ToBufferPage[] | undefined
  private waiters: (() => void)[] = []

  private constructor(
    private at: string,
    private readonly ask: Ask,
    private readonly nameEdit: NameEdit,
    private base: string,
    private agreed: string,
    known: boolean,
  ) {
    this.known = known
  }

  /** A file that read `base`, on disk and here, until the person changed it. */
  static typed(path: string, ask: Ask, nameEdit: NameEdit, base: string, edits: TextEdits): LiveBuffer {
    const buffer = new LiveBuffer(path, ask, nameEdit, base, base, false)
    buffer.pending = normalise(edits)
    return buffer
  }

  /** A buffer of others; the page shows `text` until it is told. */
  static joined(path: string, ask: Ask, nameEdit: NameEdit, text: string): LiveBuffer {
    return new LiveBuffer(path, ask, nameEdit, text, text, true)
  }

  get path(): string {
    return this.at
  }

  get state(): BufferState {
    const { version, base, text, conflicted, phase } = this
    return { version, base, text, conflicted, phase, unanswered: this.isUnanswered }
  }

  get text(): string {
    return apply(apply(this.agreed, this.inFlight), this.pending)
  }

  get isUnanswered(): boolean {
    if (this.phase === 'over') return false
    return this.inFlight.length > 0 || this.pending.length > 0
  }

  /** The person changed the text: edits of what they see. */
  localEdits(edits: TextEdits): void {
    if (this.phase === 'over') throw new Error(`the buffer of ${this.path} is closed`)
    this.pending = compose(this.pending, normalise(edits))
    this.send()
  }

  /** There is a connection, a new one each time. */
  connected(): void {
    if (this.phase === 'over') return
    this.strikes = 0
    this.join()
  }

  /** The connection is gone, and with it what was on its way. */
  disconnected(): void {
    if (this.phase === 'over') return
    this.release()
    this.question = undefined
    if (this.phase !== 'refused') this.phase = 'away'
    this.settle()
  }

  /** Wait until the server knows everything, or cannot be asked. */
  async flush(): Promise<void> {
    if (this.canWait) await new Promise<void>((resolve) => this.waiters.push(resolve))
  }

  /** Do not touch the text for a while: a character is being composed. */
  hold(): void {
    this.held ??= []
  }

  release(): void {
    const held = this.held ?? []
    this.held = undefined
    for (const message of held) this.take(message, this.question)
  }

  /** Hear no more. */
  end(): void {
    this.phase = 'over'
    this.held = undefined
    this.settle()
  }

  /** The server's answer to a question; one that was given up by now means nothing. */
  answered(question: Question, answer: Answer): void {
    if (question === this.question) this.receive(answer)
  }

  /** What the server says by itself. What comes before the text that was asked for is in that text. */
  told(notice: Notice): void {
    // The text may have come and be held.
    const hasText = this.phase === 'live' || this.held?.some(({ type }) => type === 'opened')
    if (hasText) this.receive(notice)
  }

  private receive(message: ToBufferPage): void {
    if (!this.held) {
      this.take(message, this.question)
      return
    }
    this.held.push(message)
    if (this.held.length >= MOST_HELD) this.release()
  }

  private take(message: ToBufferPage, question: Question | undefined): void {
    const isNotice = message.type === 'changed' || message.type === 'based' || message.type === 'closed'
    if (this.phase === 'over' || (isNotice && this.phase !== 'live')) return
    switch (message.type) {
      case 'opened':
        if (!question || question.type === 'edit') return this.misunderstood('a text that was not asked for')
        this.opened(message, question)
        break
      case 'accepted':
        this.accepted(message.version)
        break
      case 'stale':
        if (!this.overtaken || message.version !== this.version) return this.misunderstood('a stale edit that is not')
        this.question = undefined
        this.unsure = undefined
        break
      case 'changed':
        this.changed(message)
        break
      case 'based':
        this.base = message.base
        break
      case 'closed':
        if (message.to === undefined) this.closed(message.reason)
        else this.moved(message.to)
        break
      case 'error':
        this.failed(message, question)
    }
    this.onState.tell(this.state)
    this.send()
  }

  private opened(
    { text, version, base, conflicted, made }: Extract<Answer, { type: 'opened' }>, question: Question,
  ): void {
    const isKnown = question.type === 'open' || (this.unsure !== undefined && made === true)
    const from = isKnown ? apply(this.agreed, this.inFlight) : this.agreed
    const mine = isKnown ? this.pending : compose(this.inFlight, this.pending)
    const theirs = diff(from, text)
    Object.assign(this, { agreed: text, version, base, conflicted })
    this.phase = 'live'
    this.known = true
    this.question = undefined
    this.unsure = undefined
    this.inFlight = []
    this.pending = transform(mine, theirs, 'first')
    this.show(transform(theirs, mine, 'second'), '')
  }

  private accepted(version: number): void {
    if (this.question?.type !== 'edit' || this.overtaken || version !== this.version + 1) {
      return this.misunderstood('an answer to an edit that was not asked for')
    }
    this.agreed = apply(this.agreed, this.inFlight)
    this.version = version
    this.inFlight = []
    this.unsure = undefined
    this.question = undefined
    this.strikes = 0
  }

  private changed({ version, edits, by, base }: Extract<Notice, { type: 'changed' }>): void {
    const flaw = version === this.version + 1 ? flawOf(edits, this.agreed.length) : 'a version was left out'
    if (flaw) return this.misunderstood(flaw)
    this.version = version
    if (base !== undefined) this.base = base
    this.overtaken = this.question !== undefined
    this.absorb(edits, by)
  }

  /** Put somebody else's edits beneath what was typed here. */
  private absorb(edits: TextEdits, by: string): void {
    const beneathFlight = transform(edits, this.inFlight, 'second')
    const shown = transform(beneathFlight, this.pending, 'second')
    this.agreed = apply(this.agreed, edits)
    this.pending = transform(this.pending, beneathFlight, 'first')
    this.inFlight = transform(this.inFlight, edits, 'first')
    this.show(shown, by)
  }

  private show(edits: TextEdit[], by: string): void {
    if (edits.length > 0) this.onRemoteEdits.tell({ edits, by })
  }

  private closed(reason: CloseReason): void {
    this.question = undefined
    this.unsure = undefined
    this.known = false
    this.conflicted = false
    if (reason === 'saved') this.base = this.agreed
    if (reason === 'discarded') this.absorb(diff(this.agreed, this.base), '')
    const kept = this.inFlight.length > 0 || this.pending.length > 0
    if (kept && (reason === 'saved' || reason === 'discarded')) {
      // Somebody was faster, and the person typed on: that is the start of new unsaved text.
      this.join()
      return
    }
    this.finish(reason, kept)
  }

  /** What was typed here goes on at the new path; whether the edit on its way was made is asked there. */
  private moved(to: string): void {
    const from = this.at
    this.at = to
    this.question = undefined
    this.onMoved.tell({ from, to })
    this.join()
  }

  private finish(reason: CloseReason, kept: boolean): void {
    this.end()
    this.onClosed.tell({ reason, kept })
  }

  private failed({ error, kind, hint, to }: Extract<Answer, { type: 'error' }>, question: Question | undefined): void {
    if (!question) return this.misunderstood(error)
    this.question = undefined
    if (to !== undefined && this.strikes < MOST_STRIKES) {
      this.strikes += 1
      this.known = question.type !== 'open'
      this.moved(to)
      return
    }
    const failure = new Failure(kind, error, hint ?? undefined)
    if (question.type === 'attach' && kind === 'not_found') {
      this.known = false
      if (this.text === this.base) this.finish('saved', false)
      else this.join()
    } else if (question.type === 'open' || FINAL.has(kind)) {
      this.known = question.type !== 'open'
      this.refuse(failure)
    } else {
      this.misunderstood(failure.advice)
    }
  }

  /** The two sides do not mean the same: start from the whole text. */
  private misunderstood(why: string): void {
    this.strikes += 1
    console.warn(`unsaved text of ${this.path} is fetched again: ${why}`)
    if (this.strikes > MOST_STRIKES) this.refuse(new Failure('internal', why))
    else this.join()
  }

  private refuse(failure: Failure): void {
    this.phase = 'refused'
    this.question = undefined
    this.onRefused.tell(failure)
    this.settle()
  }

  private join(): void {
    this.overtaken = false
    const question = this.known ? this.attaching() : this.opening()
    const isAsked = this.ask(question)
    this.question = isAsked ? question : undefined
    this.phase = isAsked ? 'joining' : 'away'
    // Whether it arrives may never be known: from now on the server may have it.
    if (isAsked) this.known = true
  }

  private attaching(): Question {
    const { path, unsure } = this
    return unsure ? { type: 'attach', path, unsure } : { type: 'attach', path }
  }

  private opening(): Question {
    this.inFlight = compose(this.inFlight, this.pending)
    this.pending = []
    this.unsure = this.nameEdit()
    return { type: 'open', path: this.path, base: this.base, text: this.text, edit: this.unsure }
  }

  private send(): void {
    if (this.phase === 'live' && !this.question) {
      this.overtaken = false
      // What was not taken goes first, together with what was typed since.
      this.inFlight = compose(this.inFlight, this.pending)
      this.pending = []
      if (this.inFlight.length > 0) this.sendEdit()
    }
    this.settle()
  }

  private sendEdit(): void {
    if (this.inFlight.length > MOST_EDITS) this.inFlight = span(this.agreed, this.inFlight)
    this.unsure = this.nameEdit()
    const { path, version, inFlight: edits, unsure: edit } = this
    const question: Question = { type: 'edit', path, version, edits, edit }
    this.question = question
    if (!this.ask(question)) this.question = undefined
  }

  private get canWait(): boolean {
    return (this.phase === 'joining' || this.phase === 'live') && (this.question !== undefined || this.isUnanswered)
  }

  private settle(): void {
    if (this.canWait) return
    const waiters = this.waiters
    this.waiters = []
    for (const resolve of waiters) resolve()
  }
}
