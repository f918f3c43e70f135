// Unsaved text of all files over one WebSocket, which comes back by itself.
//
// It only carries: which answer belongs to which question, and who hears what. After a break each buffer
// asks for its text anew and sends what was typed meanwhile. A message that nobody asked for and that is
// no notice is an error: the connection is made anew.
import type { FromBufferPage, ToBufferPage } from './generated'
import { LiveBuffer, type Answer, type Ask, type Question } from './live-buffer'
import { Listeners } from './listeners'
import { socketAddress } from './page-key'
import type { TextEdits } from './text-edits'

export { LiveBuffer, type BufferState, type CloseReason } from './live-buffer'

/** The part of a WebSocket that is needed here. */
export interface BufferSocket {
  onopen: (() => void) | null
  onclose: (() => void) | null
  onmessage: ((message: { data: unknown }) => void) | null
  send(text: string): void
  close(): void
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

interface Asked {
  question: Question
  buffer: LiveBuffer
}

export class BufferChannel {
  /** Whether there is a connection. */
  readonly onConnection = new Listeners<boolean>()
  private readonly buffers = new Map<string, LiveBuffer>()
  /** Questions without an answer, by path, oldest first. */
  private asked = new Map<string, Asked[]>()
  private socket: BufferSocket | undefined
  private isOpen = false
  private isOver = false
  private pause = FIRST_PAUSE_MS
  private edits = 0

  constructor(
    private readonly makeSocket: () => BufferSocket = socketToServer,
    private readonly later: (work: () => void, pauseMs: number) => void = (work, pause) => void setTimeout(work, pause),
    /** A name that no other page has. */
    private readonly page = unusedName(),
  ) {}

  connect(): void {
    if (this.isOver) return
    const socket = this.makeSocket()
    this.socket = socket
    socket.onopen = () => {
      if (this.socket !== socket) return
      this.isOpen = true
      this.onConnection.tell(true)
      for (const buffer of [...this.buffers.values()]) buffer.connected()
    }
    socket.onmessage = ({ data }) => {
      if (this.socket === socket) this.receive(data)
    }
    socket.onclose = () => {
      if (this.socket === socket) this.lose()
    }
  }

  /** Do not wait any longer: the server is there. */
  retry(): void {
    if (!this.socket) this.connect()
  }

  close(): void {
    this.isOver = true
    this.socket?.close()
  }

  get(path: string): LiveBuffer | undefined {
    return this.buffers.get(path)
  }

  /** A file that was in step with the disk as `base` was changed by these edits. */
  open(path: string, base: string, edits: TextEdits): LiveBuffer {
    return this.begin(path, (ask) => LiveBuffer.typed(path, ask, this.nameEdit, base, edits))
  }

  /** A file has a buffer already; the page shows `text` until it is told. */
  attach(path: string, text: string): LiveBuffer {
    return this.begin(path, (ask) => LiveBuffer.joined(path, ask, this.nameEdit, text))
  }

  /** The page does not show the file any more, or goes on by itself. */
  leave(buffer: LiveBuffer): void {
    if (this.buffers.get(buffer.path) !== buffer) return
    this.buffers.delete(buffer.path)
    buffer.end()
    this.post({ type: 'detach', path: buffer.path })
  }

  private readonly nameEdit = () => ({ page: this.page, number: (this.edits += 1) })

  private begin(path: string, make: (ask: Ask) => LiveBuffer): LiveBuffer {
    if (this.buffers.has(path)) throw new Error(`${path} has a buffer already`)
    const buffer: LiveBuffer = make((question) => this.put(buffer, question))
    this.buffers.set(path, buffer)
    buffer.onClosed.on(() => this.forget(buffer, buffer.path))
    buffer.onMoved.on(({ from, to }) => {
      this.forget(buffer, from)
      // What is there was replaced by the move, as it will be told.
      const replaced = this.buffers.get(to)
      if (replaced) this.leave(replaced)
      this.buffers.set(to, buffer)
    })
    // Whoever asked for the buffer listens to it before anything happens to it.
    queueMicrotask(() => {
      if (this.isOpen && this.buffers.get(buffer.path) === buffer) buffer.connected()
    })
    return buffer
  }

  private forget(buffer: LiveBuffer, path: string): void {
    if (this.buffers.get(path) === buffer) this.buffers.delete(path)
  }

  private put(buffer: LiveBuffer, question: Question): boolean {
    if (!this.isOpen) return false
    const waiting = this.asked.get(buffer.path) ?? []
    waiting.push({ question, buffer })
    this.asked.set(buffer.path, waiting)
    this.post(question)
    return true
  }

  private post(message: FromBufferPage): void {
    if (this.isOpen) this.socket?.send(JSON.stringify(message))
  }

  private receive(data: unknown): void {
    const message = JSON.parse(String(data)) as ToBufferPage
    this.pause = FIRST_PAUSE_MS
    switch (message.type) {
      case 'opened':
      case 'accepted':
      case 'stale':
      case 'error':
        this.answer(message)
        break
      case 'changed':
      case 'based':
      case 'closed':
        // What was said about a file before the server heard that the page left it finds nobody.
        this.buffers.get(message.path)?.told(message)
        break
      default:
        this.breakOff(`a message of an unknown kind: ${String(data).slice(0, 100)}`)
    }
  }

  private answer(message: Answer): void {
    const path = message.path ?? ''
    const waiting = this.asked.get(path) ?? []
    const asked = waiting.shift()
    if (waiting.length === 0) this.asked.delete(path)
    if (asked) asked.buffer.answered(asked.question, message)
    else this.breakOff(message.type === 'error' ? message.error : `an answer without a question: ${message.type}`)
  }

  private breakOff(why: string): void {
    console.error(`the connection for unsaved text is made anew: ${why}`)
    const socket = this.socket
    this.lose()
    socket?.close()
  }

  private lose(): void {
    this.socket = undefined
    this.asked = new Map()
    this.isOpen = false
    this.onConnection.tell(false)
    for (const buffer of [...this.buffers.values()]) buffer.disconnected()
    if (this.isOver) return
    const pause = this.pause * (0.75 + Math.random() / 2)
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS)
    this.later(() => this.retry(), pause)
  }
}

function unusedName(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
}

function socketToServer(): BufferSocket {
  return new WebSocket(socketAddress('/api/buffers')) as BufferSocket
}
