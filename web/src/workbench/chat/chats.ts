// What the page knows of agents and their sessions, and which one is open. It brings together what is told
// (`protocol/chat.ts`) and what is read (`protocol/chat-commands.ts`), and draws nothing.
//
// The open session is followed before it is read, and what was told meanwhile is kept until then: an answer says up to
// which event it has all, and those are left out. After a gap it is read anew.
import type { Chosen } from '../../panels/chat/prompt-box'
import type { ChatChannel, SessionAddress, ToChatPage } from '../../protocol/chat'
import type { ChatCommands } from '../../protocol/chat-commands'
import { Conversation } from '../../protocol/chat-conversation'
import type {
  Ability, AgentState, ChatEvent, ListedSession, Mode, ModelChoice, Models, PermissionRequest, QuestionRequest, Session,
  SessionStatus, SlashCommand,
} from '../../protocol/chat-words'
import { Listeners } from '../../protocol/listeners'

/** What an agent waits for a person for. */
interface Waiting {
  permissions: PermissionRequest[]
  questions: QuestionRequest[]
}

/** What can be chosen with an agent. */
export interface Catalogue {
  models: Models | undefined
  modes: Mode[]
  commands: SlashCommand[]
}

interface Held {
  number: number
  event: ChatEvent
}

/** Events that wait for what is being read; more make it to be read again. */
const MOST_HELD = 5_000

export class Chats {
  readonly onChange = new Listeners<void>()
  readonly onFailure = new Listeners<{ what: 'sessions' | 'agent'; error: unknown }>()
  agents: AgentState[] | undefined
  sessions: ListedSession[] = []
  moreSessions: string | undefined
  isLoadingSessions = false
  conversation: Conversation | undefined
  /** The open session as it is named; nothing when the next words begin one. */
  address: string | undefined
  isLoading = false
  failure: unknown
  catalogue: Catalogue = { models: undefined, modes: [], commands: [] }
  private agentId: string | undefined
  private search = ''
  private readonly waiting = new Map<string, Waiting>()
  private held: Held[] | undefined
  /** What waits until everything of a session is told. */
  private following: { session: SessionAddress; tell: () => void } | undefined
  private reading = 0
  private listing = 0
  private catalogueOf: string | undefined

  constructor(
    readonly channel: ChatChannel,
    readonly commands: ChatCommands,
  ) {
    channel.onMessage.on((message) => this.hear(message))
    channel.onConnection.on((isConnected) => {
      // What was told while nobody heard is read again.
      if (isConnected) this.refresh()
      this.onChange.tell()
    })
  }

  get agent(): AgentState | undefined {
    return this.agents?.find(({ id }) => id === this.agentId)
  }

  /** Whom the next commands are about. */
  get subject(): { session: string } | { agent: string } {
    return this.address === undefined ? { agent: this.agentId ?? '' } : { session: this.address }
  }

  /** Why an agent cannot do something; nothing when it can, or when that is not known yet. */
  whyNot(ability: Ability): string | undefined {
    const known = this.agent?.abilities.find((it) => it.ability === ability)
    return known && !known.can ? known.why ?? '' : undefined
  }

  chosen(note: { model?: ModelChoice | null; mode?: string | null } | undefined): Chosen {
    const session = this.conversation?.session
    return {
      model: note?.model ?? session?.model ?? undefined,
      mode: note?.mode ?? session?.mode ?? undefined,
    }
  }

  isAsking(agent: string, session: string): boolean {
    const { permissions = [], questions = [] } = this.waiting.get(agent) ?? {}
    return [...permissions, ...questions].some(({ sessionId }) => sessionId === session)
  }

  chooseAgent(id: string): void {
    if (id === this.agentId) return
    this.agentId = id
    this.leave()
    this.refresh()
  }

  /** Nothing is open: what is said next begins a session. */
  leave(): void {
    this.reading += 1
    this.address = undefined
    this.conversation = undefined
    this.isLoading = false
    this.failure = undefined
    this.held = undefined
    this.channel.follow([])
    this.onChange.tell()
  }

  /** Show a session, by its address. */
  async open(address: string): Promise<void> {
    const { agent, sessionId } = parsed(address)
    if (agent !== this.agentId) {
      this.agentId = agent
      this.refresh()
    }
    if (address !== this.address) {
      this.address = address
      this.conversation = new Conversation(sessionId)
      this.conversation.onChange.on(() => this.onChange.tell())
      const listed = this.sessions.find((known) => known.address === address)
      this.conversation.session = listed?.session
      if (listed) this.conversation.status = listed.status
    }
    await this.read()
  }

  /** Read the open session anew. */
  async read(): Promise<void> {
    const { address, conversation } = this
    if (address === undefined || !conversation) return
    this.reading += 1
    const { reading } = this
    const isOver = () => reading !== this.reading
    this.isLoading = true
    this.failure = undefined
    this.held = []
    this.onChange.tell()
    try {
      await this.follow(parsed(address))
      if (isOver()) return
      const { messages, older, number } = await this.commands.messages(address)
      if (isOver()) return
      const held: Held[] = this.held ?? []
      this.held = undefined
      this.isLoading = false
      conversation.restart(messages, older ?? undefined)
      this.showWaiting()
      for (const told of held) if (told.number > number) conversation.apply(told.event)
      void this.readTodos(address, conversation)
    } catch (error) {
      if (isOver()) return
      this.isLoading = false
      this.held = undefined
      this.failure = error
    }
    this.onChange.tell()
  }

  async loadOlder(): Promise<void> {
    const { address, conversation } = this
    const before = conversation?.older
    if (address === undefined || !conversation || before === undefined) return
    const { messages, older } = await this.commands.messages(address, before)
    if (this.conversation === conversation && conversation.older === before) {
      conversation.prepend(messages, older ?? undefined)
    }
  }

  async listSessions(search = this.search): Promise<void> {
    const { agent } = this
    this.search = search
    if (!agent || agent.state === 'missing') return
    this.listing += 1
    const { listing } = this
    this.isLoadingSessions = true
    this.onChange.tell()
    try {
      const { sessions, next } = await this.commands.sessions(agent.id, search, undefined)
      if (listing !== this.listing) return
      this.sessions = sessions
      this.moreSessions = next ?? undefined
      const open = sessions.find(({ address }) => address === this.address)
      if (open && this.conversation) {
        this.conversation.session = open.session
        this.conversation.status = open.status
      }
    } catch (error) {
      if (listing === this.listing) this.onFailure.tell({ what: 'sessions', error })
    }
    if (listing === this.listing) this.isLoadingSessions = false
    this.onChange.tell()
  }

  async listMore(): Promise<void> {
    const { agent, moreSessions, listing } = this
    if (!agent || moreSessions === undefined || this.isLoadingSessions) return
    this.isLoadingSessions = true
    this.onChange.tell()
    try {
      const { sessions, next } = await this.commands.sessions(agent.id, this.search, moreSessions)
      if (listing !== this.listing) return
      const known = new Set(this.sessions.map(({ address }) => address))
      this.sessions = [...this.sessions, ...sessions.filter(({ address }) => !known.has(address))]
      this.moreSessions = next ?? undefined
    } finally {
      // A list that was begun meanwhile says by itself when it is there.
      if (listing === this.listing) this.isLoadingSessions = false
      this.onChange.tell()
    }
  }

  /** Look which agents there are: one may have been installed meanwhile, which nobody tells. */
  async lookForAgents(): Promise<void> {
    const { agents, defaultAgent } = await this.commands.agents()
    this.hearAgents(agents, defaultAgent)
    this.onChange.tell()
  }

  /** Read again what may be old: sessions, what can be chosen, and the open session. */
  refresh(): void {
    this.catalogueOf = undefined
    void this.listSessions()
    void this.loadCatalogue()
    if (this.address !== undefined) void this.read()
  }

  /** Wait until everything of this session is told. */
  private async follow(session: SessionAddress): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      this.following = { session, tell: resolve }
    })
    this.channel.follow([session])
    // Without a connection nothing is told; it is read again when there is one.
    if (this.channel.isConnected) await answered
  }

  private hear(message: ToChatPage): void {
    switch (message.type) {
      case 'agents':
        this.hearAgents(message.agents, message.defaultAgent)
        break
      case 'standing':
        this.waiting.set(message.agent, { permissions: message.permissions, questions: message.questions })
        for (const { sessionId, status } of message.statuses) this.setStatus(message.agent, sessionId, status)
        this.showWaiting()
        break
      case 'following':
        this.hearFollowing(message.sessions)
        return
      case 'told':
        this.hearEvent(message.agent, message.number, message.event)
        break
      case 'gap':
        if (message.agent === null || message.agent === this.agentId) this.refresh()
        break
      case 'error':
        console.error(`the server did not take what this page said about a chat: ${message.error}`)
        this.following?.tell()
        return
    }
    this.onChange.tell()
  }

  /** An answer about another session was for what was asked before. */
  private hearFollowing(sessions: readonly SessionAddress[]): void {
    const { following } = this
    const isIt = ({ agent, sessionId }: SessionAddress) =>
      agent === following?.session.agent && sessionId === following.session.sessionId
    if (!sessions.some(isIt)) return
    following?.tell()
    this.following = undefined
  }

  private hearAgents(agents: AgentState[], defaultAgent: string | null): void {
    const before = this.agent?.state
    this.agents = agents
    const isThere = agents.some(({ id }) => id === this.agentId)
    if (!isThere) this.agentId = defaultAgent ?? agents.find(({ state }) => state !== 'missing')?.id
    const now = this.agent?.state
    // It is there, for the first time or again. A stopped one is started by what is asked of it, but not one that a
    // person has stopped.
    const wasNotThere = before === undefined || ['missing', 'hidden', 'failed'].includes(before)
    if (now !== before && (now === 'running' || (now === 'stopped' && wasNotThere))) this.refresh()
  }

  private hearEvent(agent: string, number: number, event: ChatEvent): void {
    this.takeOfAll(agent, event)
    if (agent !== this.agentId || !this.conversation) return
    if (event.type === 'gap') {
      this.refresh()
      return
    }
    if (!this.held) this.conversation.apply(event)
    else if (this.held.length < MOST_HELD) this.held.push({ number, event })
    else void this.read()
  }

  /** What is told of sessions that need not be open. */
  private takeOfAll(agent: string, event: ChatEvent): void {
    switch (event.type) {
      case 'session_created':
      case 'session_updated':
        this.putSession(agent, event.session)
        break
      case 'session_deleted':
        this.sessions = this.sessions.filter((known) => known.agent !== agent || known.session.id !== event.sessionId)
        break
      case 'status':
        this.setStatus(agent, event.sessionId, event.status)
        break
      case 'catalogue_changed':
        this.catalogueOf = undefined
        void this.loadCatalogue()
        break
      default:
        if (this.wait(agent, event)) this.showWaiting()
    }
  }

  private wait(agent: string, event: ChatEvent): boolean {
    const { permissions, questions } = this.waiting.get(agent) ?? { permissions: [], questions: [] }
    const others = <Asked extends { id: string }>(list: Asked[], id: string) => list.filter((asked) => asked.id !== id)
    const set = (next: Partial<Waiting>) => {
      this.waiting.set(agent, { permissions, questions, ...next })
      return true
    }
    switch (event.type) {
      case 'permission_asked':
        return set({ permissions: [...others(permissions, event.request.id), event.request] })
      case 'permission_answered':
        return set({ permissions: others(permissions, event.permissionId) })
      case 'question_asked':
        return set({ questions: [...others(questions, event.request.id), event.request] })
      case 'question_answered':
        return set({ questions: others(questions, event.questionId) })
      default:
        return false
    }
  }

  private showWaiting(): void {
    const { permissions = [], questions = [] } = this.waiting.get(this.agentId ?? '') ?? {}
    this.conversation?.waitFor(permissions, questions)
  }

  private putSession(agent: string, session: Session): void {
    if (agent !== this.agentId) return
    const index = this.sessions.findIndex((known) => known.session.id === session.id)
    const known = this.sessions[index]
    if (known) this.sessions = this.sessions.with(index, { ...known, session })
    else if (this.search === '') {
      const address = `${agent}/${session.id}`
      this.sessions = [{ address, agent, session, status: { state: 'idle' }, unread: false }, ...this.sessions]
    }
    this.sessions = this.sessions.toSorted((a, b) => (b.session.updated ?? 0) - (a.session.updated ?? 0))
  }

  private setStatus(agent: string, id: string, status: SessionStatus): void {
    this.sessions = this.sessions.map((known) =>
      (known.agent === agent && known.session.id === id ? { ...known, status } : known))
    if (agent === this.agentId && this.conversation?.id === id) this.conversation.status = status
  }

  private async loadCatalogue(): Promise<void> {
    const { agent } = this
    if (!agent || agent.state === 'missing' || this.catalogueOf === agent.id) return
    this.catalogueOf = agent.id
    const { id } = agent
    // One that an agent does not offer is none to choose from, and its abilities say why.
    const [models, modes, commands] = await Promise.all([
      this.commands.models(id).catch(() => undefined), this.commands.modes(id).catch(() => []),
      this.commands.slashCommands(id).catch(() => []),
    ])
    if (this.agentId !== id) return
    this.catalogue = { models, modes, commands }
    this.onChange.tell()
  }

  private async readTodos(address: string, conversation: Conversation): Promise<void> {
    if (this.whyNot('todos') !== undefined) return
    try {
      const todos = await this.commands.todos(address)
      if (this.conversation !== conversation) return
      conversation.todos = todos
      this.onChange.tell()
    } catch (error) {
      // The conversation says the same in its own words.
      console.warn('the list of what is to be done could not be read', error)
    }
  }
}

export function parsed(address: string): SessionAddress {
  const slash = address.indexOf('/')
  return { agent: address.slice(0, slash), sessionId: address.slice(slash + 1) }
}
