// The server's side of live buffers as the contract has it, in memory, for tests.
//
// Strict: what the contract does not allow a page to send is an error of the test, not an answer. Each
// direction of a link is a queue, and the test says which message arrives next.
import { strict as assert } from 'node:assert'
import { apply, diff, flawOf, transform, type TextEdit } from '../src/protocol/text-edits'
import type { BufferSocket } from '../src/protocol/buffers'
import type { CloseReason, EditId, FromBufferPage, ToBufferPage } from '../src/protocol/generated'

interface Kept {
  text: string
  base: string
  version: number
  conflicted: boolean
  links: Set<Link>
  /** The last decided edit of each page, and whether it was made. */
  decided: Map<string, { number: number; made: boolean }>
}

/** One connection of one page. */
export class Link implements BufferSocket {
  onopen: (() => void) | null = null
  onclose: (() => void) | null = null
  onmessage: ((message: { data: unknown }) => void) | null = null
  readonly toServer: string[] = []
  readonly toPage: string[] = []
  isBroken = false

  constructor(private readonly server: ServerDouble) {}

  send(text: string): void {
    assert.ok(!this.isBroken, 'a page sends into a broken connection')
    this.toServer.push(text)
  }

  close(): void {
    this.break()
  }

  /** Let the server hear the page's next message. */
  deliverToServer(): boolean {
    const next = this.toServer.shift()
    if (next === undefined) return false
    this.server.hear(this, JSON.parse(next) as FromBufferPage)
    return true
  }

  /** Let the page hear the server's next message. */
  deliverToPage(): boolean {
    const next = this.toPage.shift()
    if (next === undefined) return false
    this.onmessage?.({ data: next })
    return true
  }

  /** What is on the way is lost. */
  break(): void {
    if (this.isBroken) return
    this.isBroken = true
    this.toServer.length = 0
    this.toPage.length = 0
    this.server.forget(this)
    this.onclose?.()
  }
}

export class ServerDouble {
  readonly disk = new Map<string, string>()
  readonly buffers = new Map<string, Kept>()
  /** Every edit that a page sent and the server took. */
  taken = 0

  hear(link: Link, message: FromBufferPage): void {
    const kept = this.buffers.get(message.path)
    switch (message.type) {
      case 'open':
        this.open(link, message)
        break
      case 'attach':
        if (kept) this.attach(link, message.path, kept, settle(kept, message.unsure))
        else tell(link, { type: 'error', path: message.path, error: 'no buffer', kind: 'not_found', hint: null })
        break
      case 'edit':
        this.edit(link, message, kept)
        break
      case 'detach':
        kept?.links.delete(link)
    }
  }

  forget(link: Link): void {
    for (const kept of this.buffers.values()) kept.links.delete(link)
  }

  /** Somebody who is no page changes the text, and with `base` the disk too. */
  change(path: string, edits: TextEdit[], base?: string): void {
    const kept = this.buffers.get(path)
    assert.ok(kept, `${path} has no buffer`)
    this.commit(path, kept, edits, undefined, base)
  }

  /** A file is written by `file.save`. */
  save(path: string, content: string): void {
    this.disk.set(path, content)
    const kept = this.buffers.get(path)
    if (!kept) return
    kept.base = content
    kept.conflicted = false
    if (kept.text === content) this.close(path, 'saved')
    else for (const link of kept.links) tell(link, { type: 'based', path, base: content })
  }

  close(path: string, reason: CloseReason): void {
    const kept = this.buffers.get(path)
    assert.ok(kept, `${path} has no buffer`)
    this.buffers.delete(path)
    for (const link of kept.links) tell(link, { type: 'closed', path, reason })
  }

  private open(link: Link, { path, base, text, edit }: Extract<FromBufferPage, { type: 'open' }>): void {
    assert.ok(!base.includes('\r') && !text.includes('\r'), 'texts have line feeds only')
    const disk = this.disk.get(path) ?? base
    let kept = this.buffers.get(path)
    if (kept) {
      kept.links.delete(link)
      const mine = diff(base, text)
      const theirs = diff(base, kept.text)
      this.commit(path, kept, transform(mine, theirs, 'second'), undefined)
    } else {
      const merged = apply(disk, transform(diff(base, text), diff(base, disk), 'second'))
      kept = { text: merged, base: disk, version: 1, conflicted: false, links: new Set(), decided: new Map() }
      this.buffers.set(path, kept)
    }
    const still = this.buffers.get(path) ?? kept
    this.buffers.set(path, still)
    if (edit) still.decided.set(edit.page, { number: edit.number, made: true })
    this.attach(link, path, still)
    if (still.text === still.base) this.close(path, 'saved')
  }

  private attach(link: Link, path: string, kept: Kept, made = false): void {
    const { version, text, base, conflicted } = kept
    kept.links.add(link)
    tell(link, { type: 'opened', path, version, text, base, conflicted, made })
  }

  private edit(link: Link, message: Extract<FromBufferPage, { type: 'edit' }>, kept: Kept | undefined): void {
    const { path, version, edits, edit } = message
    assert.ok(edit, 'every edit has a name')
    if (!kept) {
      tell(link, { type: 'error', path, error: 'no buffer', kind: 'not_found', hint: null })
    } else if (!kept.links.has(link)) {
      tell(link, { type: 'error', path, error: 'not attached', kind: 'conflict', hint: null })
    } else if (version !== kept.version) {
      tell(link, { type: 'stale', path, version: kept.version })
    } else {
      assert.equal(flawOf(edits, kept.text.length), undefined)
      assert.ok(edits.length > 0 && edits.every(({ text }) => text.isWellFormed() && !text.includes('\r')))
      this.taken += 1
      kept.decided.set(edit.page, { number: edit.number, made: true })
      this.commit(path, kept, edits, link)
    }
  }

  private commit(path: string, kept: Kept, edits: TextEdit[], author?: Link, base?: string): void {
    if (edits.length === 0) return
    kept.text = apply(kept.text, edits)
    kept.version += 1
    if (base !== undefined) kept.base = base
    if (author) tell(author, { type: 'accepted', path, version: kept.version })
    for (const link of kept.links) {
      if (link !== author) tell(link, { type: 'changed', path, version: kept.version, edits, by: 'agent', base })
    }
    if (kept.text === kept.base) this.close(path, 'saved')
  }
}

/** Whether an edit was made; if not, it never will be. */
function settle(kept: Kept, edit: EditId | undefined): boolean {
  if (!edit) return false
  const known = kept.decided.get(edit.page)
  if (known && known.number >= edit.number) return known.made && known.number === edit.number
  kept.decided.set(edit.page, { number: edit.number, made: false })
  return false
}

function tell(link: Link, message: ToBufferPage): void {
  if (!link.isBroken) link.toPage.push(JSON.stringify(message))
}
