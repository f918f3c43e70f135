// One terminal's raw bytes over a WebSocket of its own.
//
// It comes back by itself after a break, and then the server repaints the screen, so that nothing is
// shown twice or missing. Keys typed while it is away are kept in order and sent when it is back.
// It decodes nothing, knows no screen and does not decide when a terminal is over for good: a refusal
// is told, and whoever listens says whether to go on.
import { strings } from '../strings'
import type { FromTerminalView, ToTerminalView } from './generated'
import { Listeners } from './listeners'
import { socketAddress } from './page-key'

type Told<Type extends ToTerminalView['type']> = Omit<Extract<ToTerminalView, { type: Type }>, 'type'>

export type TerminalSize = Told<'resized'>
export type TerminalEnd = Told<'ended'>

/** Bytes that bring a screen of this size, whatever it shows, to the present state. */
export interface Repaint extends TerminalSize {
  bytes: Uint8Array
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000
/** An attempt that takes longer is given up for another one. */
const LONGEST_ATTEMPT_MS = 10_000
/** Keys that are kept while the connection is away. */
const MOST_WAITING_BYTES = 64 * 1024

export class TerminalChannel {
  readonly onRepaint = new Listeners<Repaint>()
  readonly onOutput = new Listeners<Uint8Array>()
  readonly onResized = new Listeners<TerminalSize>()
  /** Whether this view answers what programs ask, from this place of the output on. */
  readonly onAnswers = new Listeners<boolean>()
  readonly onEnd = new Listeners<TerminalEnd>()
  /** The server let nobody in, this many times in a row: the terminal may not run. It is tried again until `close`. */
  readonly onRefused = new Listeners<number>()
  readonly onProblem = new Listeners<string>()
  /** Keys were dropped, because the connection was away for too long. */
  readonly onKeysLost = new Listeners<void>()
  private socket: WebSocket | undefined
  /** The size of the repaint of which the bytes are the next message. */
  private painting: TerminalSize | undefined
  private waiting: Uint8Array<ArrayBuffer>[] = []
  private waitingBytes = 0
  private pauseMs = FIRST_PAUSE_MS
  private refusals = 0
  private timer: ReturnType<typeof setTimeout> | undefined
  private state: 'live' | 'paused' | 'over' = 'live'

  constructor(readonly id: string) {}

  get isPaused(): boolean {
    return this.state === 'paused'
  }

  /** Connect now, also when the next attempt is planned for later. */
  connect(): void {
    if (this.state !== 'live' || this.socket) return
    clearTimeout(this.timer)
    const socket = new WebSocket(socketAddress(`/api/terminals/${encodeURIComponent(this.id)}`))
    socket.binaryType = 'arraybuffer'
    this.socket = socket
    this.painting = undefined
    let wasOpen = false
    this.timer = setTimeout(() => socket.close(), LONGEST_ATTEMPT_MS)
    socket.onopen = () => {
      if (this.socket !== socket) return
      clearTimeout(this.timer)
      wasOpen = true
      this.refusals = 0
      this.pauseMs = FIRST_PAUSE_MS
      this.sendWaiting(socket)
    }
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (this.socket !== socket) return
      if (typeof data === 'string') this.hear(JSON.parse(data) as ToTerminalView)
      else this.receive(new Uint8Array(data))
    }
    socket.onclose = () => {
      if (this.socket === socket) this.lose(wasOpen)
    }
  }

  type(keys: Uint8Array<ArrayBuffer>): void {
    if (this.state === 'over') return
    if (this.socket?.readyState === WebSocket.OPEN) {
      this.socket.send(keys)
    } else if (this.waitingBytes + keys.length > MOST_WAITING_BYTES) {
      this.onKeysLost.tell()
    } else {
      this.waiting.push(keys)
      this.waitingBytes += keys.length
    }
  }

  /** Ask for a size; whether it was asked. A size is never kept for later: it may be another one by then. */
  resize({ rows, cols }: TerminalSize): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false
    const message: FromTerminalView = { type: 'resize', rows, cols }
    this.socket.send(JSON.stringify(message))
    return true
  }

  /** Hear nothing until `resume`, which starts with a repaint: what comes meanwhile is never transferred. */
  pause(): void {
    if (this.state !== 'live') return
    this.state = 'paused'
    this.hangUp()
  }

  resume(): void {
    if (this.state !== 'paused') return
    this.state = 'live'
    this.connect()
  }

  /** For good. */
  close(): void {
    this.state = 'over'
    this.waiting = []
    this.hangUp()
  }

  private hangUp(): void {
    clearTimeout(this.timer)
    const socket = this.socket
    this.socket = undefined
    socket?.close()
  }

  private lose(wasOpen: boolean): void {
    this.socket = undefined
    clearTimeout(this.timer)
    // Pages that lost the same server do not all come back in the same moment.
    const pause = this.pauseMs * (0.75 + Math.random() / 2)
    this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS)
    this.timer = setTimeout(() => this.connect(), pause)
    if (!wasOpen) this.onRefused.tell(++this.refusals)
  }

  private sendWaiting(socket: WebSocket): void {
    const keys = this.waiting
    this.waiting = []
    this.waitingBytes = 0
    for (const key of keys) socket.send(key)
  }

  private receive(bytes: Uint8Array): void {
    const size = this.painting
    this.painting = undefined
    if (size) this.onRepaint.tell({ ...size, bytes })
    else this.onOutput.tell(bytes)
  }

  private hear(message: ToTerminalView): void {
    switch (message.type) {
      case 'repaint':
        this.painting = { rows: message.rows, cols: message.cols }
        break
      case 'resized':
        this.onResized.tell({ rows: message.rows, cols: message.cols })
        break
      case 'answers':
        this.onAnswers.tell(message.answers)
        break
      case 'ended':
        this.close()
        this.onEnd.tell({ code: message.code, signal: message.signal })
        break
      case 'error':
        this.onProblem.tell(message.error)
        break
      default:
        this.onProblem.tell(strings.failures.unknownMessage(unknownType(message)))
    }
  }
}

/** What a server of another version says. */
function unknownType(message: never): string {
  return String((message as { type?: unknown }).type)
}
