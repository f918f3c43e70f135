// One terminal's raw bytes over a WebSocket of its own.
//
// It comes back by itself after a break, and then the server repaints the screen, so that nothing is
// shown twice or missing. Keys typed while it is away are kept in order and sent when it is back.
import { Listeners } from './listeners'

export interface TerminalEnd {
  code: number | null
  signal: number | null
}

const PAUSE_MS = 500
/** Keys that are kept while the connection is away. */
const MOST_WAITING_KEYS = 64 * 1024

export class TerminalChannel {
  readonly onOutput = new Listeners<Uint8Array>()
  /** The bytes that follow paint the whole screen. */
  readonly onRepaint = new Listeners<{ rows: number; cols: number }>()
  readonly onResized = new Listeners<{ rows: number; cols: number }>()
  readonly onEnd = new Listeners<TerminalEnd>()
  readonly onProblem = new Listeners<string>()
  private socket: WebSocket | undefined
  private waiting: Uint8Array[] = []
  private waitingBytes = 0
  private size: { rows: number; cols: number } | undefined
  private isOver = false

  constructor(readonly id: string) {}

  connect(): void {
    if (this.isOver) return
    const address = new URL(`/api/terminals/${encodeURIComponent(this.id)}`, location.href)
    address.protocol = address.protocol.replace('http', 'ws')
    const socket = new WebSocket(address)
    socket.binaryType = 'arraybuffer'
    this.socket = socket
    socket.onopen = () => {
      if (this.size) this.resize(this.size.rows, this.size.cols)
      const keys = this.waiting
      this.waiting = []
      this.waitingBytes = 0
      for (const key of keys) socket.send(key)
    }
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') this.hear(JSON.parse(data))
      else this.onOutput.tell(new Uint8Array(data as ArrayBuffer))
    }
    socket.onclose = () => {
      if (this.socket !== socket || this.isOver) return
      this.socket = undefined
      setTimeout(() => this.connect(), PAUSE_MS)
    }
  }

  type(keys: Uint8Array): void {
    if (this.socket?.readyState === WebSocket.OPEN) {
      this.socket.send(keys)
      return
    }
    if (this.waitingBytes + keys.length > MOST_WAITING_KEYS) return
    this.waiting.push(keys)
    this.waitingBytes += keys.length
  }

  resize(rows: number, cols: number): void {
    this.size = { rows, cols }
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ rows, cols }))
  }

  close(): void {
    this.isOver = true
    this.socket?.close()
  }

  private hear(message: { type: string; rows?: number; cols?: number; code?: number; signal?: number; error?: string }): void {
    const size = { rows: message.rows ?? 24, cols: message.cols ?? 80 }
    switch (message.type) {
      case 'repaint':
        this.onRepaint.tell(size)
        break
      case 'resized':
        this.onResized.tell(size)
        break
      case 'ended':
        this.isOver = true
        this.onEnd.tell({ code: message.code ?? null, signal: message.signal ?? null })
        break
      case 'error':
        this.onProblem.tell(message.error ?? '')
    }
  }
}
