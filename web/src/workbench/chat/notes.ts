// What the server notes beside the conversations: drafts, what is chosen, what was seen.
import { isKept, type Draft } from '../../panels/chat/prompt-box'
import type { Review } from '../../protocol/chat-review'
import type { Attachment, ListedSession, ModelChoice } from '../../protocol/chat-words'
import { Listeners } from '../../protocol/listeners'
import type { Space } from '../../protocol/space'
import type { Chats } from './chats'

export interface ChatNote {
  model: ModelChoice | null
  mode: string | null
  seen: number
}

/** What is seen is told so long after it was changed. */
const SEEN_MS = 800
const NOTES = 'chats' as never
const DRAFTS = 'chat-drafts' as never
const REVIEWS = 'chat-reviews' as never

export class ChatNotes {
  readonly onChange = new Listeners<void>()
  private timer: ReturnType<typeof setTimeout> | undefined
  private told = new Map<string, number>()

  constructor(
    private readonly space: Space,
    private readonly chats: Chats,
  ) {
    space.onPart(NOTES, () => this.onChange.tell())
    space.onPart(REVIEWS, () => this.onChange.tell())
  }

  /** Under what the open session is noted; the next new one of an agent has no name after the slash. */
  get key(): string {
    return this.chats.address ?? `${this.chats.agent?.id ?? ''}/`
  }

  note(address = this.key): ChatNote | undefined {
    return (this.space.part(NOTES) as Record<string, ChatNote> | undefined)?.[address]
  }

  /** What the open session changed in files. */
  review(): Review | undefined {
    const { address } = this.chats
    const reviews = this.space.part(REVIEWS) as Record<string, Review> | undefined
    return address === undefined ? undefined : reviews?.[address]
  }

  draft(): Draft {
    const drafts = this.space.part(DRAFTS) as Record<string, { text: string; attachments: Attachment[] }> | undefined
    return drafts?.[this.key] ?? { text: '', attachments: [] }
  }

  /** A picture is too large to be kept with a draft. */
  keepDraft({ text, attachments }: Draft): void {
    // Of whom it is kept is not known yet: it stays in the prompt.
    if (this.key === '/') return
    const kept = attachments.filter(isKept)
    this.chats.commands.draft(this.chats.subject, text, kept).catch((error: unknown) => {
      // It stays in the prompt, which is where it is needed.
      console.warn('a draft could not be kept', error)
    })
  }

  isUnread({ address, session }: ListedSession): boolean {
    const note = this.note(address)
    return note !== undefined && address !== this.chats.address && (session.updated ?? 0) > note.seen
  }

  /** The person sees the open session as it is now. */
  see(): void {
    const { address, conversation } = this.chats
    const updated = conversation?.session?.updated
    if (address === undefined || !updated || conversation?.isBusy) return
    const known = Math.max(this.note(address)?.seen ?? 0, this.told.get(address) ?? 0)
    if (updated <= known) return
    this.told.set(address, updated)
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.chats.commands.seen(address, updated).catch((error: unknown) => {
        console.warn('it could not be noted that a session was seen', error)
      })
    }, SEEN_MS)
  }
}
