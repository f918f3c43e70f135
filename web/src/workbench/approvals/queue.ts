// The questions as one card shows them, one after the other: which is in front, and what became of it.
//
// Plain data. What is shown as open is open for the server, but for an answer of this page that it has taken; an
// answer that is on its way is neither given nor lost until the server says so.
import type { Approval, ApprovalAnswer } from '../../protocol/approvals'
import { strings } from '../../strings'

const words = strings.approvals

export type Card = OpenCard | OverCard

/** A question that waits for an answer. */
export interface OpenCard {
  is: 'open'
  id: string
  approval: Approval
  /** Its place among the open ones, from 1. */
  place: number
  /** All that are open, oldest first. */
  all: readonly Asked[]
  /** An answer of this page is on its way. */
  isSending: boolean
  /** Why an answer of this page was not taken. */
  trouble: string | undefined
}

/** A question that was in front and needs no answer any more. */
export interface OverCard {
  is: 'over'
  id: string
  approval: Approval
  outcome: string
}

export interface Asked {
  id: string
  approval: Approval
}

export class Queue {
  private open: Asked[] = []
  private front: Asked | undefined
  private over: OverCard | undefined
  /** Where the question in front was among the open ones. */
  private index = 0
  private readonly sending = new Map<string, ApprovalAnswer>()
  /** Answers of which nobody knows whether they arrived. */
  private readonly unsure = new Map<string, ApprovalAnswer>()
  private readonly trouble = new Map<string, string>()
  /** Answered from here, and not yet said to be settled. */
  private readonly answered = new Set<string>()
  private known = new Set<string>()
  /** The person wants it out of the way. A new question shows it again. */
  isHidden = false

  get count(): number {
    return this.open.length
  }

  get first(): Asked | undefined {
    return this.open[0]
  }

  /** What the server says now; gives what is asked for the first time. A snapshot is not about what went before. */
  take(part: Readonly<Record<string, Approval>>, isSnapshot = false): Asked[] {
    if (isSnapshot) this.answered.clear()
    const all = Object.entries(part).filter(([, approval]) => approval.state === 'open')
    const open = all.map(([id, approval]) => ({ id, approval })).sort(byAge)
    for (const id of this.answered) if (!open.some((one) => one.id === id)) this.answered.delete(id)
    this.open = open.filter(({ id }) => !this.answered.has(id))
    const fresh = this.open.filter(({ id }) => !this.known.has(id))
    this.known = new Set(open.map(({ id }) => id))
    for (const id of this.trouble.keys()) if (!this.known.has(id)) this.trouble.delete(id)
    if (fresh.length > 0) this.isHidden = false
    this.look(part)
    for (const id of this.unsure.keys()) if (!this.known.has(id)) this.unsure.delete(id)
    return fresh
  }

  card(): Card | undefined {
    if (this.over) return this.over
    const { front } = this
    if (!front) return undefined
    const { id, approval } = front
    const isSending = this.sending.has(id)
    const place = this.index + 1
    return { is: 'open', id, approval, place, all: this.open, isSending, trouble: this.trouble.get(id) }
  }

  /** Show the one so many places further, around the end. */
  step(by: number): void {
    const { length } = this.open
    if (length > 0) this.bringToFront(this.open[(this.index + by + length) % length])
  }

  goTo(id: string): void {
    const asked = this.open.find((one) => one.id === id)
    if (asked) this.bringToFront(asked)
  }

  /** What became of the one in front was shown long enough. */
  passOver(): void {
    if (this.over) this.bringToFront(this.open[Math.min(this.index, this.open.length - 1)])
  }

  /** An answer leaves. Whether it may: a second one would be for nobody. */
  send(id: string, answer: ApprovalAnswer): boolean {
    if (this.sending.has(id) || !this.open.some((one) => one.id === id)) return false
    this.sending.set(id, answer)
    this.trouble.delete(id)
    return true
  }

  /** The server has taken it. */
  taken(id: string): void {
    this.sending.delete(id)
    this.unsure.delete(id)
    this.trouble.delete(id)
    if (this.open.some((one) => one.id === id)) this.answered.add(id)
    this.open = this.open.filter((one) => one.id !== id)
    if (this.front?.id === id) this.bringToFront(this.open[Math.min(this.index, this.open.length - 1)])
    else this.find()
  }

  /** The server has not taken it, or nobody knows. `part` is what it says of the questions. */
  failed(id: string, why: string, isUnsure: boolean, part: Readonly<Record<string, Approval>>): void {
    const answer = this.sending.get(id)
    this.sending.delete(id)
    if (isUnsure && answer) this.unsure.set(id, answer)
    this.trouble.set(id, isUnsure ? words.unsure(why) : words.failed(why))
    this.look(part)
  }

  /** Find the one in front among what is open now, or what became of it. */
  private look(part: Readonly<Record<string, Approval>>): void {
    const { front } = this
    const isOpen = front && this.open.some(({ id }) => id === front.id)
    if (front && !isOpen && !this.sending.has(front.id)) {
      const approval = Object.hasOwn(part, front.id) ? part[front.id] : undefined
      const outcome = outcomeOf(approval, this.unsure.get(front.id))
      this.over = { is: 'over', id: front.id, approval: approval ?? front.approval, outcome }
      this.front = undefined
      this.unsure.delete(front.id)
    }
    if (!this.front && !this.over) this.bringToFront(this.open[0])
    this.find()
  }

  private bringToFront(asked: Asked | undefined): void {
    this.over = undefined
    this.front = asked
    this.find()
  }

  private find(): void {
    const { front } = this
    const index = this.open.findIndex(({ id }) => id === front?.id)
    if (index < 0) return
    this.index = index
    this.front = this.open[index]
  }
}

/** What became of a question; `unsure` is what this page answered, if it does not know whether that arrived. */
function outcomeOf(approval: Approval | undefined, unsure: ApprovalAnswer | undefined): string {
  switch (approval?.state) {
    case 'approved':
    case 'denied': {
      const { channel, by } = approval.answered
      const answer = approval.state === 'approved' ? approval.scope : 'no'
      if (channel === 'browser' && answer === unsure) return words.arrived
      return approval.state === 'approved' ? words.allowed(channel, by) : words.refused(channel, by)
    }
    case 'expired':
      return words.expired
    case 'taken_back':
      return words.takenBack
    default:
      return words.gone
  }
}

function byAge(a: Asked, b: Asked): number {
  return a.approval.askedAt - b.approval.askedAt || a.id.localeCompare(b.id, 'en', { numeric: true })
}
