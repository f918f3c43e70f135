// That nothing comes: an agent at work that says nothing for a while looks like one that was lost. It is said since
// when nothing was heard, once, in the place of what would come; nothing is guessed about why.
import type { Conversation, Quiet } from '../../protocol/chat-conversation'
import { strings } from '../../strings'
import { icon, made, setText } from './dom'
import { nameOf } from './tool-facts'

const words = strings.chat
/** So long nothing is said of it: models think, and programs work. */
export const QUIET_MS = 15_000

/** What is said at this time, and when it has to be looked at again. */
export function sayingOf(quiet: Quiet | undefined, agent: string, now: number): { text: string; again?: number } {
  if (!quiet) return { text: '' }
  const left = quiet.since + QUIET_MS - now
  if (left > 0) return { text: '', again: left }
  const time = new Date(quiet.since).toLocaleTimeString()
  return { text: quiet.tool === undefined ? words.quiet(agent, time) : words.quietTool(nameOf(quiet.tool), time) }
}

export class QuietNote {
  readonly element = made('p', '', 'quiet note')
  private readonly text = made('span')
  private timer: ReturnType<typeof setTimeout> | undefined
  private shown: { conversation: Conversation | undefined; agent: string } | undefined

  constructor() {
    this.element.setAttribute('role', 'status')
    this.element.append(icon('watch'), this.text)
    this.element.hidden = true
  }

  /** Where something else says why nothing comes, no conversation is given. */
  show(conversation: Conversation | undefined, agent: string): void {
    this.shown = { conversation, agent }
    this.look()
  }

  dispose(): void {
    clearTimeout(this.timer)
  }

  private look(): void {
    clearTimeout(this.timer)
    const { conversation, agent = '' } = this.shown ?? {}
    const { text, again } = sayingOf(conversation?.quiet, agent, Date.now())
    this.element.hidden = text === ''
    setText(this.text, text)
    if (again !== undefined) this.timer = setTimeout(() => this.look(), again)
  }
}
