// A page for tests: a text that a person changes, wired to a channel as an editor would be.
import { strict as assert } from 'node:assert'
import { BufferChannel, type LiveBuffer } from '../src/protocol/buffers'
import { apply, type TextEdit } from '../src/protocol/text-edits'
import { Link, type ServerDouble } from './server-double'
import type { Random } from './random'

let made = 0

export class PageDouble {
  readonly channel: BufferChannel
  link: Link | undefined
  live: LiveBuffer | undefined
  closed: string[] = []
  private reconnect: (() => void) | undefined

  constructor(
    private readonly server: ServerDouble,
    readonly path: string,
    public text: string,
  ) {
    this.channel = new BufferChannel(
      () => (this.link = new Link(this.server)),
      (work) => (this.reconnect = work),
      `page-${(made += 1)}`,
    )
    this.channel.connect()
  }

  /** The connection is there. */
  arrive(): void {
    this.reconnect?.()
    this.reconnect = undefined
    this.link?.onopen?.()
  }

  get isAway(): boolean {
    return this.reconnect !== undefined
  }

  type(edits: TextEdit[]): void {
    const before = this.text
    this.text = apply(before, edits)
    if (this.live) this.live.localEdits(edits)
    else this.listen(this.channel.open(this.path, before, edits))
  }

  join(): void {
    this.listen(this.channel.attach(this.path, this.text))
  }

  /** One key of a person: a character somewhere, or a deletion. */
  typeKey(random: Random, character: string): void {
    const at = random.below(this.text.length + 1)
    this.type([{ start: at, end: at, text: character }])
  }

  private listen(live: LiveBuffer): void {
    this.live = live
    live.onRemoteEdits.on(({ edits }) => {
      this.text = apply(this.text, edits)
      assert.equal(live.text, this.text)
    })
    live.onClosed.on(({ reason }) => {
      this.closed.push(reason)
      this.live = undefined
    })
  }
}

/** Let everything arrive. */
export async function settle(...pages: PageDouble[]): Promise<void> {
  for (let moved = true; moved; ) {
    moved = false
    await Promise.resolve()
    for (const { link } of pages) {
      while (link?.deliverToServer()) moved = true
      while (link?.deliverToPage()) moved = true
    }
  }
}
