// The messages of a session, from the oldest that was read to the newest.
//
// A message is an empty shell until it comes near to what is seen, and the browser lays out only what is near, so that
// thousands of them cost what a few do. Whoever is at the end stays there while more comes; whoever reads elsewhere is
// never moved: what grows above is made up for by the browser (`overflow-anchor`), and what comes below is counted.
import type { Message, ModelChoice, Models } from '../../protocol/chat-words'
import { strings } from '../../strings'
import { button, icon, iconButton, KeyedList, made, setText, type View } from './dom'
import { MessageView, type MessageHelp, type Row } from './message-view'
import { isForPeople } from './part-view'
import { spentOf } from './spent'

const words = strings.chat
/** So near to the end is at the end. */
const END = 32
/** What is so near to what is seen is drawn. */
const NEAR = '1200px'
/** Of what came near, so much is drawn before the page may do something else. */
const DRAW_MS = 8

export interface TimelineHelp extends MessageHelp {
  loadOlder(): void
}

export interface Shown {
  messages: readonly Message[]
  hasOlder: boolean
  isBusy: boolean
  /** It works by itself, and waits for nobody. */
  isWorking: boolean
  agent: string
  models: Models | undefined
}

export class Timeline {
  readonly element = made('div', '', 'timeline')
  private readonly scroller = made('div', '', 'scroller')
  private readonly older: HTMLButtonElement
  private readonly list = made('div', '', 'messages')
  private readonly rows: KeyedList<Row, MessageRow>
  private readonly toEnd: HTMLButtonElement
  private readonly works = made('p', '', 'works note')
  private readonly worksText = made('span')
  private readonly near: IntersectionObserver
  private readonly grown: ResizeObserver
  private isAtEnd = true
  private count = 0
  private seen = 0
  private isLoading = false
  /** How high everything was when the end was gone to. */
  private height = 0
  private readonly waiting = new Set<MessageRow>()
  private frame = 0
  private shown: Shown | undefined

  constructor(private readonly help: TimelineHelp) {
    this.older = button(words.older, () => this.loadOlder(), 'secondary older')
    this.rows = new KeyedList(
      this.list, ({ message }) => message.info.id, (row) => this.make(row), (view, row) => view.show(row),
    )
    this.toEnd = iconButton('arrow-down', words.toEnd, () => this.goToEnd())
    this.toEnd.classList.add('to-end')
    this.toEnd.hidden = true
    this.list.setAttribute('role', 'feed')
    this.list.setAttribute('aria-label', words.messages)
    const content = made('div')
    this.works.append(icon('loading codicon-modifier-spin'), this.worksText)
    // Who does not see it is told when it begins and when it is over.
    this.works.setAttribute('aria-hidden', 'true')
    content.append(this.older, this.list, this.works)
    this.scroller.append(content)
    this.scroller.tabIndex = -1
    this.element.append(this.scroller, this.toEnd)
    this.scroller.onscroll = () => this.scrolled()
    this.scroller.addEventListener('wheel', ({ deltaY }) => {
      if (deltaY < 0 && this.scroller.scrollTop > 0) this.isAtEnd = false
    }, { passive: true })
    this.list.onkeydown = (event) => this.press(event)
    this.near = new IntersectionObserver((entries) => this.came(entries), { root: this.scroller, rootMargin: NEAR })
    this.near.observe(this.older)
    this.grown = new ResizeObserver(() => this.stay())
    this.grown.observe(content)
    this.grown.observe(this.scroller)
  }

  show(shown: Shown): void {
    const { hasOlder, isBusy, agent } = shown
    const before = this.shown
    this.shown = shown
    setText(this.worksText, words.worksNow(agent))
    this.works.hidden = !shown.isWorking
    const isSame = before?.messages === shown.messages && before.isBusy === isBusy && before.agent === agent
      && before.models === shown.models
    if (isSame && before.hasOlder === hasOlder) return
    const messages = shown.messages.filter(isForPeople)
    const last = messages.length - 1
    const answered = new Set(messages.map(({ info }) => info.answers))
    const working = messages.findLastIndex(({ info }) => info.role === 'assistant')
    const spent = spentOf(messages, isBusy)
    this.rows.show(messages.map((message, index) => {
      const { id, role, completed, failure } = message.info
      return {
        message, agent, spent: spent[index] ?? '', model: nameOf(message.info.model, shown.models),
        goesOn: role === 'assistant' && messages[index - 1]?.info.role === 'assistant',
        isLive: isBusy && index === last,
        isBroken: !isBusy && role === 'assistant' && completed === null && failure === null,
        isQueued: isBusy && role === 'user' && index > working && working >= 0 && !answered.has(id)
          && messages[working]?.info.completed === null,
        isUnanswered: !isBusy && role === 'user' && index > working && working >= 0,
      }
    }))
    this.older.hidden = !hasOlder
    this.isLoading = false
    this.older.disabled = false
    this.list.setAttribute('aria-busy', String(isBusy))
    this.count = messages.length
    if (this.isAtEnd) this.seen = this.count
    this.showEnd()
    this.stay()
    if (messages.length > 0 && !this.list.querySelector('[tabindex="0"]')) {
      this.list.lastElementChild?.setAttribute('tabindex', '0')
    }
  }

  /** Another session is shown: from its end. */
  restart(): void {
    this.isAtEnd = true
    this.shown = undefined
    this.waiting.clear()
    this.rows.show([])
  }

  goToEnd(): void {
    this.isAtEnd = true
    this.seen = this.count
    this.stay()
    this.showEnd()
  }

  /** Give the keyboard to the newest message. */
  focus(): void {
    const last = this.list.lastElementChild
    if (last instanceof HTMLElement) this.goTo(last)
  }

  private goTo(row: HTMLElement): void {
    for (const other of this.list.querySelectorAll<HTMLElement>(':scope > [tabindex="0"]')) other.tabIndex = -1
    row.tabIndex = 0
    row.focus({ preventScroll: true })
    row.scrollIntoView({ block: 'nearest' })
  }

  dispose(): void {
    cancelAnimationFrame(this.frame)
    this.near.disconnect()
    this.grown.disconnect()
  }

  private make(row: Row): MessageRow {
    const view = new MessageRow(row, this.help)
    this.near.observe(view.element)
    return view
  }

  private came(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue
      if (target === this.older) this.loadOlder()
      else if (target instanceof HTMLElement) {
        this.near.unobserve(target)
        const row = this.rows.get(target.dataset.id ?? '')
        if (row) this.waiting.add(row)
      }
    }
    this.drawWaiting()
  }

  /** The newest first: that is what is seen when a session is opened. */
  private drawWaiting(): void {
    const until = performance.now() + DRAW_MS
    for (const row of [...this.waiting].reverse()) {
      this.waiting.delete(row)
      row.draw()
      if (performance.now() > until) break
    }
    cancelAnimationFrame(this.frame)
    if (this.waiting.size > 0) this.frame = requestAnimationFrame(() => this.drawWaiting())
  }

  private loadOlder(): void {
    if (this.isLoading || this.older.hidden) return
    this.isLoading = true
    this.older.disabled = true
    // At the very top the browser has nothing to hold on to: what comes above would move what is read.
    if (this.scroller.scrollTop === 0) this.scroller.scrollTop = 1
    this.help.loadOlder()
  }

  private scrolled(): void {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller
    // What grew meanwhile did not move the person away from the end.
    if (this.isAtEnd && scrollHeight !== this.height) return this.stay()
    this.isAtEnd = scrollHeight - scrollTop - clientHeight < END
    if (this.isAtEnd) this.seen = this.count
    this.showEnd()
  }

  private stay(): void {
    if (!this.isAtEnd) return
    this.height = this.scroller.scrollHeight
    this.scroller.scrollTop = this.height
  }

  private showEnd(): void {
    this.toEnd.hidden = this.isAtEnd
    const fresh = this.count - this.seen
    this.toEnd.dataset.count = fresh > 0 ? String(fresh) : ''
    this.toEnd.title = fresh > 0 ? words.fresh(fresh) : words.toEnd
    this.toEnd.setAttribute('aria-label', this.toEnd.title)
  }

  /** Arrows go from message to message; within one, keys are its own. */
  private press(event: KeyboardEvent): void {
    const target = event.target as HTMLElement
    if (target.parentElement !== this.list || event.ctrlKey || event.metaKey || event.altKey) return
    const { list } = this
    const next: Record<string, Element | null> = {
      ArrowDown: target.nextElementSibling, ArrowUp: target.previousElementSibling,
      Home: list.firstElementChild, End: list.lastElementChild,
    }
    if (!(event.key in next)) return
    event.preventDefault()
    event.stopPropagation()
    const row = next[event.key]
    if (!(row instanceof HTMLElement)) return
    this.goTo(row)
  }
}

/** A model as people know it; by its id where it is not on offer any more. */
function nameOf(choice: ModelChoice | null, models: Models | undefined): string {
  const offered = models?.providers.find(({ id }) => id === choice?.provider)?.models
  return offered?.find(({ id }) => id === choice?.model)?.name ?? choice?.model ?? ''
}

/** The shell of a message. */
class MessageRow implements View {
  readonly element = made('article', '', 'message')
  private view: MessageView | undefined
  private row: Row

  constructor(row: Row, private readonly help: MessageHelp) {
    this.row = row
    const { info } = row.message
    this.element.dataset.id = info.id
    this.element.classList.add(info.role)
    this.element.tabIndex = -1
    this.look()
  }

  show(row: Row): void {
    const before = this.row
    this.row = row
    if (before === row) return
    const isSame = before.message === row.message && before.isLive === row.isLive && before.goesOn === row.goesOn
      && before.isQueued === row.isQueued && before.isUnanswered === row.isUnanswered
      && before.isBroken === row.isBroken && before.agent === row.agent
      && before.spent === row.spent && before.model === row.model
    if (isSame) return
    this.look()
    if (this.view) this.drawNow()
  }

  private look(): void {
    this.element.classList.toggle('goes-on', this.row.goesOn)
    this.element.classList.toggle('queued', this.row.isQueued)
  }

  /** It came near to what is seen. */
  draw(): void {
    if (!this.view) this.drawNow()
  }

  private drawNow(): void {
    const isPersons = this.row.message.info.role === 'user'
    if (!this.view) {
      this.view = new MessageView(isPersons, this.help)
      this.element.append(this.view.element)
      this.element.classList.add('drawn')
      this.element.setAttribute('aria-label', isPersons ? words.saidByYou : words.saidBy(this.row.agent))
    }
    this.view.show(this.row)
  }
}

/** What is said to those who hear the page: that an answer began or is there, never its letters one by one. */
export class Said {
  readonly element = made('div', '', 'openspace-said')

  constructor() {
    this.element.setAttribute('role', 'status')
  }

  say(text: string): void {
    setText(this.element, text)
  }
}
