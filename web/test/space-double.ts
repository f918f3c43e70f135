// A double of the server's side of `/api/socket`: a space that changes at random, its stream with a short memory,
// and sockets that lose what was not delivered when they break. Everything crosses as text, as it does in truth.
import type { Layout, Parts, Patch } from '../src/protocol/generated'
import { entriesOf, LayoutModel } from './layout-model'
import type { Random } from './random'

/** Events that the stream remembers. */
const REMEMBERED = 8
const NAMES = ['agents', 'buffers', 'editors', 'highlights', 'layouts', 'problems', 'terminals', 'views', 'workspaces']
/** Keys are what people name their files, too. */
const KEYS = ['__proto__', 'constructor', 'a', 'b.rs', 'lint\nsrc/a.rs', 'ünï', '10', '9', 'toString', 'z']

type Entries = Map<string, string>

interface Told {
  seq: number
  text: string
}

export class SpaceDouble {
  readonly sockets: SocketDouble[] = []
  private readonly model: LayoutModel
  private boot = 1
  private seq = 0
  private revision = 0
  private log: Told[] = []
  private readonly parts = new Map<string, Entries>(NAMES.map((name) => [name, new Map()]))

  constructor(private readonly random: Random) {
    this.model = new LayoutModel(random)
    this.parts.set('layout', this.layoutEntries())
  }

  get layout(): Layout {
    return this.model.layout
  }

  /** The parts as text, entries in the order of their keys. */
  text(name: string): string {
    return objectOf(this.parts.get(name) ?? new Map())
  }

  get names(): (keyof Parts)[] {
    return [...this.parts.keys()] as (keyof Parts)[]
  }

  /** A change of one or several parts; one event tells it. */
  change(): void {
    const patches = new Map<string, Patch>()
    for (const [name, before] of this.parts) {
      if (!this.random.chance(name === 'layout' ? 0.6 : 0.15)) continue
      const now = name === 'layout' ? this.changedLayout() : this.changed(before)
      const patch = patchOf(before, now)
      this.parts.set(name, now)
      if (patch) patches.set(name, patch)
    }
    if (patches.size === 0) return
    this.revision += 1
    this.tell(`"type":"changed","patches":${JSON.stringify(Object.fromEntries(patches))}`)
  }

  /** Something that is not state. */
  mention(): void {
    this.tell('"type":"user_data_changed","name":"settings.json"')
  }

  restart(): void {
    this.drop()
    this.boot += 1
    this.seq = 0
    this.log = []
  }

  /** Every connection breaks. */
  drop(): void {
    for (const socket of this.sockets.splice(0)) socket.break()
  }

  attach(socket: SocketDouble, since: URLSearchParams): void {
    const boot = `boot${this.boot}`
    const seq = Number(since.get('seq'))
    const first = this.log[0]?.seq ?? this.seq + 1
    const isKnown = since.get('boot') === boot && seq <= this.seq && seq + 1 >= first
    const workspace = { name: 'w', folder: '/w' }
    socket.send(JSON.stringify({ type: 'welcome', viewId: 'v1', boot, workspace, version: '0', debug: false }))
    if (isKnown) for (const event of this.log) if (event.seq > seq) socket.send(event.text)
    if (!isKnown) socket.send(this.snapshot(boot))
    this.sockets.push(socket)
  }

  private snapshot(boot: string): string {
    const parts = [...this.parts.keys()].map((name) => `${JSON.stringify(name)}:${this.text(name)}`)
    const { seq, revision } = this
    const point = JSON.stringify({ boot, seq, revision }).slice(1, -1)
    return `{"type":"snapshot","snapshot":{${point},"parts":{${parts.join()}}}}`
  }

  private tell(event: string): void {
    this.seq += 1
    const text = `{"seq":${this.seq},"revision":${this.revision},${event}}`
    this.log = [...this.log, { seq: this.seq, text }].slice(-REMEMBERED)
    for (const socket of this.sockets) socket.send(text)
  }

  private changed(before: Entries): Entries {
    const now = new Map(before)
    for (let count = 1 + this.random.below(3); count > 0; count -= 1) {
      const key = this.random.pick(KEYS)
      if (this.random.chance(0.35)) now.delete(key)
      else now.set(key, JSON.stringify({ count: this.random.below(4), list: [this.random.text(2)], none: null }))
    }
    return now
  }

  private changedLayout(): Entries {
    for (let count = 1 + this.random.below(2); count > 0; count -= 1) this.model.change()
    return this.layoutEntries()
  }

  private layoutEntries(): Entries {
    const entries = Object.entries(entriesOf(this.model.layout))
    return new Map(entries.map(([key, entry]) => [key, JSON.stringify(entry)]))
  }
}

function objectOf(entries: Entries): string {
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  // Parsed and written again, so that keys like numbers stand where every object has them.
  return JSON.stringify(JSON.parse(`{${sorted.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`))
}

function patchOf(before: Entries, now: Entries): Patch | undefined {
  const put = [...now].filter(([key, entry]) => before.get(key) !== entry)
  const removed = [...before.keys()].filter((key) => !now.has(key))
  if (put.length + removed.length === 0) return undefined
  return {
    ...(put.length > 0 ? { put: JSON.parse(objectOf(new Map(put))) as Record<string, unknown> } : {}),
    ...(removed.length > 0 ? { removed } : {}),
  }
}

/** The page's end of a connection. */
export class SocketDouble {
  onmessage: ((message: { data: string }) => void) | null = null
  onclose: (() => void) | null = null
  private waiting: string[] = []

  get hasMore(): boolean {
    return this.waiting.length > 0
  }

  send(text: string): void {
    this.waiting.push(text)
  }

  /** Hand over the next message. */
  deliver(): void {
    const data = this.waiting.shift()
    if (data !== undefined) this.onmessage?.({ data })
  }

  break(): void {
    this.waiting = []
    this.onclose?.()
  }
}
