// A message in the timeline: who said it, its parts, how it ended, and what can be done with it.
import type { Message, Part } from '../../protocol/chat-words'
import { strings } from '../../strings'
import { icon, iconButton, KeyedList, made, setText } from './dom'
import { drawFailure, isSeen, viewOf, type PartView } from './part-view'
import type { ToolHelp } from './tool-card'

const words = strings.chat

export interface MessageHelp extends ToolHelp {
  /** Why an ability is not there, or nothing. */
  whyNot(ability: 'fork' | 'revert'): string | undefined
  fork(message: Message): void
  revert(message: Message): void
  /** Say the same again. */
  again(message: Message): void
  /** Shows where agents are set up. */
  setUp(): void
}

/** A message and what it stands beside. */
export interface Row {
  message: Message
  /** It goes on with what the one before it began, so nobody is named again. */
  goesOn: boolean
  /** It is the last one, and the agent works. */
  isLive: boolean
  /** Nobody says any more of it, though it was not told that it is over. */
  isBroken: boolean
  /** It waits until the agent is done with another. */
  isQueued: boolean
  /** The agent stopped before it came to it. */
  isUnanswered: boolean
  /** What the turn took that ends with it. */
  spent: string
  /** Which model it was. */
  model: string
  /** Who speaks for the agent. */
  agent: string
}

export class MessageView {
  readonly element = made('div', '', 'message-body')
  private readonly head = made('header')
  private readonly who = made('span', '', 'who')
  private readonly about = made('span', '', 'about')
  private readonly actions = made('span', '', 'actions')
  private readonly parts: KeyedList<Part, PartView>
  private readonly foot = made('footer')
  private readonly failure = made('div')
  private readonly broken = made('p', words.brokeOff, 'broken note')
  private shown: Row | undefined

  constructor(
    private readonly isPersons: boolean,
    private readonly help: MessageHelp,
  ) {
    const list = made('div', '', 'parts')
    this.parts = new KeyedList(
      list, ({ id, content }) => `${id} ${content.type}`, (part) => viewOf(part, isPersons, help),
      (view, { content }) => view.show(content),
    )
    this.head.append(icon(isPersons ? 'account' : 'sparkle'), this.who, this.about, this.actions)
    this.drawActions()
    this.element.append(this.head, list, this.broken, this.failure, this.foot)
  }

  show(row: Row): void {
    const before = this.shown
    this.shown = row
    const { info, parts } = row.message
    this.head.hidden = row.goesOn
    setText(this.who, this.isPersons ? words.you : row.agent)
    const mode = this.isPersons ? '' : [info.mode, row.model].filter(Boolean).join(' · ')
    setText(this.about, row.isQueued ? words.queued : row.isUnanswered ? words.unanswered : mode)
    this.about.classList.toggle('late', row.isUnanswered)
    this.broken.hidden = !row.isBroken
    setText(this.foot, row.spent)
    this.foot.hidden = row.spent === ''
    const { message } = row
    if (before?.message.parts !== parts) this.parts.show(parts.filter(isSeen))
    if (before?.message.info !== info || before?.isLive !== row.isLive) {
      const { failure } = info
      const again = row.isLive || !failure || failure.kind === 'aborted' ? undefined : () => this.help.again(message)
      const deeds = { ...(again ? { again } : {}), setUp: () => this.help.setUp() }
      this.failure.replaceChildren(...(failure ? [drawFailure(failure, deeds)] : []))
      const time = new Date(info.created)
      this.head.title = time.toLocaleString()
    }
  }

  /** What it says in words, for those who copy it. */
  private get text(): string {
    const parts = this.shown?.message.parts ?? []
    return parts.filter(isSeen).flatMap(({ content }) => (content.type === 'text' ? [content.text.text] : []))
      .join('\n\n')
  }

  private drawActions(): void {
    const { help } = this
    const withMessage = (act: (message: Message) => void) => () => {
      if (this.shown) act(this.shown.message)
    }
    this.actions.append(iconButton('copy', words.copyMessage, () => help.copy(this.text)))
    if (!this.isPersons) return
    const offer = (ability: 'fork' | 'revert', name: string, label: string, act: (message: Message) => void) => {
      const element = iconButton(name, label, withMessage(act))
      const why = help.whyNot(ability)
      element.disabled = why !== undefined
      if (why !== undefined) element.title = words.cannot(label, why)
      this.actions.append(element)
    }
    offer('fork', 'repo-forked', words.forkHere, (message) => help.fork(message))
    offer('revert', 'discard', words.revertHere, (message) => help.revert(message))
  }
}
