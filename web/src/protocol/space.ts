// The page's copy of the live space, kept in step over one WebSocket.
//
// It holds what the server said last and nothing of its own. When the connection breaks, it comes
// back with growing pauses, asks for what it missed, and takes a new snapshot when that is not known.
import { layoutOf } from './layout'
import { Listeners, type Subscription } from './listeners'
import { signed, socketAddress } from './page-key'
import { applyPatches, type Patches } from './patches'
import type { Aside, Layout, Parts, Snapshot, SpaceEvent, Welcome } from './state'

export type ConnectionState =
  | { is: 'connecting' }
  | { is: 'live' }
  /** `retryAt` is when the next attempt is made. */
  | { is: 'lost'; since: number; retryAt: number }
  /** The browser's entry is no longer good. */
  | { is: 'refused' }

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

type Message = Welcome | { type: 'snapshot'; snapshot: Snapshot } | SpaceEvent
type EventOf<Type extends SpaceEvent['type']> = Extract<SpaceEvent, { type: Type }>

export class Space {
  readonly onConnection = new Listeners<ConnectionState>()
  /** The server was restarted: what was only known to it is gone. */
  readonly onRestart = new Listeners<void>()
  readonly onSnapshot = new Listeners<Snapshot>()
  private readonly partListeners = new Map<string, Listeners<unknown>>()
  private readonly eventListeners = new Map<string, Listeners<SpaceEvent>>()
  private parts: Parts | undefined
  /** Which run of the server the parts are from, and the last event in them: where to go on. */
  private boot: string | undefined
  private seq = 0
  private welcome: Welcome | undefined
  private socket: WebSocket | undefined
  private pause = FIRST_PAUSE_MS
  private lostSince: number | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  state: ConnectionState = { is: 'connecting' }
  revision = 0
  /** What an earlier run of the server saved and this one could not read. */
  aside: Aside[] = []

  /** Connect, and wait for the first snapshot. */
  async start(): Promise<Welcome> {
    const first = new Promise<void>((resolve) => {
      const once = this.onSnapshot.on(() => {
        once.dispose()
        resolve()
      })
    })
    this.connect()
    await first
    if (!this.welcome) throw new Error('the server sent a snapshot before its welcome')
    return this.welcome
  }

  get viewId(): string {
    return this.welcome?.viewId ?? ''
  }

  /** Which run of the server the space is from. */
  get bootId(): string {
    return this.boot ?? ''
  }

  part<Name extends keyof Parts>(name: Name): Parts[Name] {
    if (!this.parts) throw new Error('the space is not connected yet')
    return this.parts[name] ?? ({} as Parts[Name])
  }

  /** The part `layout` as the tree that it tells. */
  layout(): Layout {
    return layoutOf(this.part('layout'))
  }

  /** Hear a part whenever something in it changed. What was changed together is there before anybody is told. */
  onPart<Name extends keyof Parts>(name: Name, listener: (value: Parts[Name]) => void): Subscription {
    return listenersIn(this.partListeners, name).on(listener as (value: unknown) => void)
  }

  on<Type extends SpaceEvent['type']>(type: Type, listener: (event: EventOf<Type>) => void): Subscription {
    return listenersIn(this.eventListeners, type).on(listener as (event: SpaceEvent) => void)
  }

  /** Try again now: the person does not want to wait. */
  retry(): void {
    if (this.state.is !== 'lost') return
    clearTimeout(this.timer)
    this.connect()
  }

  private connect(): void {
    const since = this.boot ? `?boot=${this.boot}&seq=${this.seq}` : ''
    const socket = new WebSocket(socketAddress(`/api/socket${since}`))
    this.socket = socket
    socket.onmessage = (message) => this.receive(JSON.parse(message.data as string) as Message)
    socket.onclose = () => {
      if (this.socket === socket) void this.lose()
    }
  }

  private async lose(): Promise<void> {
    this.socket = undefined
    this.lostSince ??= Date.now()
    if (await isRefused()) {
      this.become({ is: 'refused' })
      return
    }
    // Pages that lost the same server do not all come back in the same moment.
    const pause = this.pause * (0.75 + Math.random() / 2)
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS)
    this.become({ is: 'lost', since: this.lostSince, retryAt: Date.now() + pause })
    this.timer = setTimeout(() => this.connect(), pause)
  }

  private become(state: ConnectionState): void {
    this.state = state
    this.onConnection.tell(state)
  }

  private receive(message: Message): void {
    switch (message.type) {
      case 'welcome':
        this.greet(message)
        return
      case 'snapshot':
        this.take(message.snapshot)
        return
      default:
        this.seq = message.seq
        this.revision = message.revision
        if (message.type === 'changed' && this.parts) this.change(this.parts, message.patches)
        this.eventListeners.get(message.type)?.tell(message)
    }
  }

  private greet(welcome: Welcome): void {
    const isAnother = this.welcome !== undefined && this.welcome.boot !== welcome.boot
    this.welcome = welcome
    this.pause = FIRST_PAUSE_MS
    this.lostSince = undefined
    this.become({ is: 'live' })
    if (isAnother) this.onRestart.tell()
  }

  private take(snapshot: Snapshot): void {
    this.parts = snapshot.parts
    this.boot = snapshot.boot
    this.seq = snapshot.seq
    this.revision = snapshot.revision
    this.aside = snapshot.aside ?? []
    this.onSnapshot.tell(snapshot)
    this.tellOf([...this.partListeners.keys()] as (keyof Parts)[])
  }

  private change(before: Parts, patches: Patches): void {
    const now = applyPatches(before, patches)
    this.parts = now
    const names = Object.keys(patches) as (keyof Parts)[]
    this.tellOf(names.filter((name) => now[name] !== before[name]))
  }

  private tellOf(names: (keyof Parts)[]): void {
    // The layout comes last: whoever draws panes finds that others know of what is in them.
    const inOrder = [...names].sort((a, b) => Number(a === 'layout') - Number(b === 'layout'))
    for (const name of inOrder) this.partListeners.get(name)?.tell(this.part(name))
  }
}

function listenersIn<T>(all: Map<string, Listeners<T>>, name: string): Listeners<T> {
  let listeners = all.get(name)
  if (!listeners) {
    listeners = new Listeners<T>()
    all.set(name, listeners)
  }
  return listeners
}

/** Whether the server is there and does not let this browser in. */
async function isRefused(): Promise<boolean> {
  try {
    const response = await fetch('/api/state', { method: 'HEAD', credentials: 'same-origin', headers: signed() })
    return response.status === 401 || response.status === 403
  } catch {
    return false
  }
}
