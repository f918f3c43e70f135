// What is said about conversations with agents while they happen, over one WebSocket that comes back by itself.
//
// It carries: how agents are, what sessions do, and every word of the sessions that are followed. What was said before
// is read with a command; events that an answer has in it are left out by their number.
import type { AgentState, ChatEvent, PermissionRequest, QuestionRequest, SessionStatus } from './chat-words'
import { Listeners } from './listeners'
import { socketAddress } from './page-key'

/** A session of an agent. */
export interface SessionAddress {
  agent: string
  sessionId: string
}

export type ToChatPage =
  | { type: 'agents'; agents: AgentState[]; defaultAgent: string | null }
  | {
    type: 'standing'; agent: string; statuses: { sessionId: string; status: SessionStatus }[]
    permissions: PermissionRequest[]; questions: QuestionRequest[]
  }
  | { type: 'following'; sessions: SessionAddress[]; number: number }
  | { type: 'told'; agent: string; number: number; event: ChatEvent }
  | { type: 'gap'; agent: string | null; why: string; number: number }
  | { type: 'error'; error: string; kind: string; hint: string | null }

/** The part of a WebSocket that is needed here. */
export interface ChatSocket {
  onopen: (() => void) | null
  onclose: (() => void) | null
  onmessage: ((message: { data: unknown }) => void) | null
  send(text: string): void
  close(): void
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

export class ChatChannel {
  /** Whether there is a connection. */
  readonly onConnection = new Listeners<boolean>()
  readonly onMessage = new Listeners<ToChatPage>()
  private socket: ChatSocket | undefined
  private isOpen = false
  private isOver = false
  private pause = FIRST_PAUSE_MS
  private followed: readonly SessionAddress[] = []

  constructor(
    private readonly makeSocket: () => ChatSocket = socketToServer,
    private readonly later: (work: () => void, pauseMs: number) => void = (work, pause) => void setTimeout(work, pause),
  ) {}

  get isConnected(): boolean {
    return this.isOpen
  }

  connect(): void {
    if (this.isOver || this.socket) return
    const socket = this.makeSocket()
    this.socket = socket
    socket.onopen = () => {
      if (this.socket !== socket) return
      this.isOpen = true
      // Before anybody hears of the connection: who reads then is told all that comes after.
      this.post()
      this.onConnection.tell(true)
    }
    socket.onmessage = ({ data }) => {
      if (this.socket !== socket) return
      this.pause = FIRST_PAUSE_MS
      this.onMessage.tell(JSON.parse(String(data)) as ToChatPage)
    }
    socket.onclose = () => {
      if (this.socket === socket) this.lose()
    }
  }

  /** Hear everything of these sessions, and of no other. Answered by `following`. */
  follow(sessions: readonly SessionAddress[]): void {
    this.followed = sessions
    this.post()
  }

  /** Do not wait any longer: the server is there. */
  retry(): void {
    this.connect()
  }

  close(): void {
    this.isOver = true
    this.socket?.close()
  }

  private post(): void {
    if (this.isOpen) this.socket?.send(JSON.stringify({ type: 'follow', sessions: this.followed }))
  }

  private lose(): void {
    const wasOpen = this.isOpen
    this.socket = undefined
    this.isOpen = false
    if (wasOpen) this.onConnection.tell(false)
    if (this.isOver) return
    const pause = this.pause * (0.75 + Math.random() / 2)
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS)
    this.later(() => this.connect(), pause)
  }
}

function socketToServer(): ChatSocket {
  return new WebSocket(socketAddress('/api/v1/chat')) as ChatSocket
}
