// The page's copy of one session of an agent: what was read of it, and what was told since.
//
// Messages and parts are never changed in place: what is another object is what has to be drawn anew. It asks nobody
// for anything, and holds a bounded number of messages: the oldest are forgotten first and can be read again.
import type {
  ChatEvent, Failure, FileDiff, Message, MessageInfo, Part, PermissionRequest, QuestionRequest, Session, SessionStatus,
  Todo,
} from './chat-words'
import { Listeners } from './listeners'

/** Messages that are kept; opening older ones is what makes them more. */
export const MOST_KEPT = 5_000
/** Failures that belong to no message. */
const MOST_FAILURES = 5

/** That an agent is at work and tells nothing. */
export interface Quiet {
  /** When the last thing was heard. */
  since: number
  /** The tool that is at work meanwhile. */
  tool: string | undefined
}

export class Conversation {
  /** Something in it is another. */
  readonly onChange = new Listeners<void>()
  session: Session | undefined
  /** What waits for the person, of this session and of the sub-agents at work for it. */
  permissions: readonly PermissionRequest[] = []
  questions: readonly QuestionRequest[] = []
  /** Its sessions: this one and those of sub-agents that are known. */
  readonly family = new Set<string>()
  todos: Todo[] = []
  diffs: FileDiff[] = []
  failures: Failure[] = []
  /** Where older messages go on; `undefined` when there are none. */
  older: string | undefined
  isDeleted = false
  private list: readonly Message[] = []
  private heard: number
  private does: SessionStatus = { state: 'idle' }

  constructor(
    readonly id: string,
    private readonly now: () => number = Date.now,
  ) {
    this.family.add(id)
    this.heard = now()
  }

  get messages(): readonly Message[] {
    return this.list
  }

  /** Those that still count: what is undone is listed until something new is said. */
  get shown(): readonly Message[] {
    const reverted = this.session?.reverted?.messageId
    const end = reverted === undefined ? -1 : this.list.findIndex(({ info }) => info.id === reverted)
    return end < 0 ? this.list : this.list.slice(0, end)
  }

  get undone(): number {
    return this.list.length - this.shown.length
  }

  get status(): SessionStatus {
    return this.does
  }

  set status(status: SessionStatus) {
    if (!this.isBusy) this.heard = this.now()
    this.does = status
  }

  get isBusy(): boolean {
    return this.status.state !== 'idle'
  }

  /** Since when it has told nothing, though it works and waits for nobody. */
  get quiet(): Quiet | undefined {
    if (this.status.state !== 'busy' || this.permissions.length > 0 || this.questions.length > 0) return undefined
    const parts = this.list.findLast(({ info }) => info.role === 'assistant')?.parts ?? []
    const working = parts.findLast(({ content }) => content.type === 'tool' && content.call.state === 'running')
    const tool = working?.content.type === 'tool' ? working.content.call.tool : undefined
    return { since: this.heard, tool }
  }

  /** The newest messages were read, after everything that was told before. */
  restart(messages: readonly Message[], older: string | undefined): void {
    this.list = [...messages]
    for (const { content } of messages.flatMap(({ parts }) => parts)) {
      if (content.type === 'tool' && content.call.childSession) this.family.add(content.call.childSession)
    }
    this.older = older
    this.failures = []
    this.heard = this.now()
    this.onChange.tell()
  }

  /** What waits for the person, of all sessions of the agent. */
  waitFor(permissions: readonly PermissionRequest[], questions: readonly QuestionRequest[]): void {
    const isOurs = ({ sessionId }: { sessionId: string }) => this.family.has(sessionId)
    const before = this.permissions.length + this.questions.length
    this.permissions = permissions.filter(isOurs)
    this.questions = questions.filter(isOurs)
    // After an answer it is the agent's turn again.
    if (this.permissions.length + this.questions.length !== before) this.heard = this.now()
    this.onChange.tell()
  }

  /** Older ones were read. */
  prepend(messages: readonly Message[], older: string | undefined): void {
    const known = new Set(this.list.map(({ info }) => info.id))
    this.list = [...messages.filter(({ info }) => !known.has(info.id)), ...this.list]
    this.older = this.list.length >= MOST_KEPT ? undefined : older
    this.onChange.tell()
  }

  apply(event: ChatEvent): void {
    if (!this.take(event)) return
    this.heard = this.now()
    this.onChange.tell()
  }

  /** Whether anything is another now. */
  private take(event: ChatEvent): boolean {
    switch (event.type) {
      case 'session_created':
      case 'session_updated':
        return this.setSession(event.session)
      case 'session_deleted':
        if (event.sessionId !== this.id) return false
        this.isDeleted = true
        return true
      case 'message_updated':
        return event.message.sessionId === this.id && this.setInfo(event.message)
      case 'part_updated':
        return event.part.sessionId === this.id && this.setPart(event.part)
      case 'permission_asked':
      case 'permission_answered':
      case 'question_asked':
      case 'question_answered':
      case 'gap':
      case 'connection':
      case 'catalogue_changed':
        return false
      default:
        return event.sessionId === this.id && this.takeOfSession(event)
    }
  }

  private takeOfSession(event: Extract<ChatEvent, { sessionId: unknown }>): boolean {
    switch (event.type) {
      case 'status':
        this.status = event.status
        if (event.status.state === 'busy') this.failures = []
        return true
      case 'message_removed':
        this.list = this.list.filter(({ info }) => info.id !== event.messageId)
        return true
      case 'text_delta':
        return this.grow(event)
      case 'part_removed':
        return this.change(event.messageId, (message) => ({
          ...message, parts: message.parts.filter(({ id }) => id !== event.partId),
        }))
      case 'todos':
        this.todos = event.todos
        return true
      case 'diff':
        this.diffs = event.diffs
        return true
      case 'error':
        return this.fail(event.failure)
      default:
        return false
    }
  }

  /** A failure that a message tells too is told once. */
  private fail(failure: Failure): boolean {
    const last = this.list.at(-1)?.info.failure
    if (last?.message === failure.message || failure.kind === 'aborted') return false
    this.failures = [...this.failures, failure].slice(-MOST_FAILURES)
    return true
  }

  private setInfo(info: MessageInfo): boolean {
    const isKnown = this.change(info.id, (message) => ({ ...message, info }))
    if (!isKnown) this.insert({ info, parts: [], partsLeftOut: 0 })
    if (info.failure) this.failures = this.failures.filter(({ message }) => message !== info.failure?.message)
    return true
  }

  /** Messages stand in the order in which they began; of those of one moment, the one that was told first. */
  private insert(message: Message): void {
    let index = this.list.length
    while (index > 0 && (this.list[index - 1]?.info.created ?? 0) > message.info.created) index -= 1
    // Older than all that was read: it comes with those that are read when they are looked for.
    if (index === 0 && this.older !== undefined) return
    const list = this.list.toSpliced(index, 0, message)
    if (list.length > MOST_KEPT) list.splice(0, list.length - MOST_KEPT)
    this.list = list
  }

  private setSession(session: Session): boolean {
    if (session.parentId !== null && this.family.has(session.parentId)) this.family.add(session.id)
    if (session.id !== this.id) return false
    this.session = session
    return true
  }

  private setPart(part: Part): boolean {
    if (part.content.type === 'tool' && part.content.call.childSession) this.family.add(part.content.call.childSession)
    return this.change(part.messageId, (message) => {
      const index = message.parts.findLastIndex(({ id }) => id === part.id)
      const parts = index < 0 ? [...message.parts, part] : message.parts.with(index, part)
      return { ...message, parts }
    })
  }

  private grow({ messageId, partId, field, delta }: Extract<ChatEvent, { type: 'text_delta' }>): boolean {
    return this.change(messageId, (message) => {
      const index = message.parts.findLastIndex(({ id }) => id === partId)
      const part = message.parts[index]
      if (!part) return message
      return { ...message, parts: message.parts.with(index, { ...part, content: grown(part.content, field, delta) }) }
    })
  }

  private change(id: string, work: (message: Message) => Message): boolean {
    const index = this.list.findLastIndex(({ info }) => info.id === id)
    const message = this.list[index]
    if (!message) return false
    this.list = this.list.with(index, work(message))
    return true
  }
}

function grown(content: Part['content'], field: 'text' | 'output', delta: string): Part['content'] {
  if (content.type === 'tool' && field === 'output') {
    const { call } = content
    return { ...content, call: { ...call, output: { ...call.output, text: (call.output?.text ?? '') + delta } } }
  }
  if ((content.type === 'text' || content.type === 'reasoning') && field === 'text') {
    return { ...content, text: { ...content.text, text: content.text.text + delta } }
  }
  return content
}
