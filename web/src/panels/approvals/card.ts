// The card of a question to the person. It comes without taking the keyboard, stands over nothing that must be used
// first, and stays until somebody has answered.
//
// Plain DOM. It draws what it is given and asks nobody for anything. The keyboard comes into it when the person says
// so, to the card itself, where no key answers anything; Escape gives it back.
import type { Approval, ApprovalAnswer, PhoneLink } from '../../protocol/approvals'
import { strings } from '../../strings'
import { Answers } from './answers'
import { bodyOf, made, type Body } from './body'
import { CALM_MS, ClickGuard } from './click-guard'
import { drawn, inOneLine } from './visible'

const words = strings.approvals
/** Characters of a question in the list of all. */
const MOST_LISTED = 120

/** A question as the card shows it. */
export interface ShownQuestion {
  id: string
  approval: Approval
  /** Its place among all that are open, from 1. */
  place: number
  all: readonly { id: string; approval: Approval }[]
  /** What became of it, when it needs no answer any more. */
  outcome: string | undefined
  /** What keeps the person from answering now, or what went wrong. */
  note: string | undefined
  /** Whether it can be answered now. */
  canAnswer: boolean
}

export interface CardHelp {
  answer(id: string, answer: ApprovalAnswer, message: string): void
  /** Ask for a link to it, for a phone; `showPhone` gets it. */
  phone(id: string): void
  step(by: number): void
  goTo(id: string): void
  hide(): void
  /** Give the keyboard back to where it was. */
  leave(): void
}

/** Clocks: of the wall, and of the events of a browser. */
export interface Clocks {
  wall(): number
  events(): number
}

export class ApprovalCard {
  readonly element = made('section', '', 'openspace-approvals')
  private readonly title = made('h2')
  private readonly steps = made('div', '', 'steps')
  private readonly place = made('button')
  private readonly all = made('ul', '', 'all')
  private readonly body = made('div', '', 'body')
  private readonly note = made('p', '', 'note')
  private readonly answers: Answers
  private readonly guard: ClickGuard
  private drawnBody: Body | undefined
  private shown: ShownQuestion | undefined
  private readonly drafts = new Map<string, string>()
  private timer: ReturnType<typeof setInterval> | undefined
  private calm: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly help: CardHelp,
    private readonly clocks: Clocks,
  ) {
    this.guard = new ClickGuard(() => clocks.events(), () => this.showFresh())
    this.answers = new Answers(this.guard, {
      answer: (answer, message) => this.shown && help.answer(this.shown.id, answer, message),
      phone: () => this.shown && help.phone(this.shown.id),
      replace: (work, next) => this.replace(work, next),
    })
    const { element } = this
    element.setAttribute('role', 'dialog')
    element.setAttribute('aria-modal', 'false')
    element.tabIndex = -1
    element.hidden = true
    this.title.id = 'openspace-question'
    this.body.id = 'openspace-question-body'
    element.setAttribute('aria-labelledby', this.title.id)
    element.setAttribute('aria-describedby', this.body.id)
    // So that keys scroll it.
    this.body.tabIndex = 0
    this.note.setAttribute('role', 'status')
    this.all.setAttribute('aria-label', words.all)
    element.append(this.header(), this.all, this.body, this.note, this.answers.element)
    element.addEventListener('keydown', (event) => this.press(event))
    this.watchPointer()
  }

  /** Show a question; without one, nothing. */
  show(question: ShownQuestion | undefined): void {
    const before = this.shown
    const isOther = before?.id !== question?.id || isAskedAnew(before?.approval, question?.approval)
    if (before && isOther) this.keepDraft(before.id)
    this.shown = question
    if (!question) {
      if (this.hasKeyboard) this.help.leave()
      this.element.hidden = true
      clearInterval(this.timer)
      this.timer = undefined
      return
    }
    const isOff = !question.canAnswer && !this.answers.isTypedIn
    // A button that the person went to was for another question, or does nothing now.
    if (this.hasKeyboard && (isOther || isOff || question.outcome !== undefined)) this.focus()
    if (isOther) this.draw(question)
    else if (before?.approval !== question.approval) this.drawBody(question.approval)
    this.number(question)
    this.say(question)
    this.element.hidden = false
    this.timer ??= setInterval(() => this.tick(), 1_000)
    if (isOther || before?.canAnswer !== question.canAnswer) this.guard.changed()
  }

  /** Show a link to a question, if that is still the one in front. */
  showPhone(id: string, link: PhoneLink): void {
    if (this.shown?.id === id && this.shown.outcome === undefined) this.answers.showPhone(link)
  }

  get hasKeyboard(): boolean {
    return this.element.contains(document.activeElement)
  }

  /** Take the keyboard, to where no key answers anything. */
  focus(): void {
    this.element.focus({ preventScroll: true })
  }

  private header(): HTMLElement {
    const header = made('header')
    const back = symbol('chevron-left', words.previous)
    back.onclick = () => this.help.step(-1)
    const on = symbol('chevron-right', words.next)
    on.onclick = () => this.help.step(1)
    this.place.className = 'place'
    this.place.onclick = () => this.list(this.all.hidden)
    this.steps.append(back, this.place, on)
    const hide = symbol('chrome-minimize', words.hide)
    hide.onclick = () => this.help.hide()
    for (const button of [back, this.place, on, hide]) button.onmousedown = (event) => event.preventDefault()
    header.append(this.title, this.steps, hide)
    return header
  }

  private draw({ id, approval, all }: ShownQuestion): void {
    this.title.replaceChildren(...drawn('span', words.asks(approval.caller.id)).childNodes)
    this.drawBody(approval)
    this.body.scrollTop = 0
    this.answers.ask(approval, this.drafts.get(id) ?? '')
    for (const kept of this.drafts.keys()) if (!all.some((one) => one.id === kept)) this.drafts.delete(kept)
    this.all.hidden = true
  }

  private drawBody(approval: Approval): void {
    this.drawnBody = bodyOf(approval)
    this.body.replaceChildren(...this.drawnBody.elements)
    this.tick()
  }

  private number({ id, place, all, outcome }: ShownQuestion): void {
    this.steps.hidden = all.length < 2 || outcome !== undefined
    this.place.textContent = words.place(place, all.length)
    this.place.setAttribute('aria-label', words.placeLabel(place, all.length))
    if (this.steps.hidden) this.all.hidden = true
    this.place.setAttribute('aria-expanded', String(!this.all.hidden))
    if (!this.all.hidden) this.all.replaceChildren(...all.map((one) => this.row(one, one.id === id)))
  }

  private row({ id, approval }: ShownQuestion['all'][number], isShown: boolean): HTMLElement {
    const item = made('li')
    const what = inOneLine(approval.line?.text ?? approval.summary)
    const short = what.length > MOST_LISTED ? `${what.slice(0, MOST_LISTED)}…` : what
    const button = made('button', words.listed(inOneLine(approval.caller.id), short))
    if (isShown) button.setAttribute('aria-current', 'true')
    button.onmousedown = (event) => event.preventDefault()
    button.onclick = () => {
      this.list(false)
      this.help.goTo(id)
    }
    item.append(button)
    return item
  }

  /** Show the list of all questions, or no more. */
  private list(isShown: boolean): void {
    this.replace(() => {
      this.all.hidden = !isShown
      if (this.shown) this.number(this.shown)
    }, this.place)
  }

  /** Do what takes away what may have the keyboard, or moves it; `next` gets it then. */
  private replace(work: () => void, next = this.element as HTMLElement): void {
    const { hasKeyboard } = this
    work()
    this.guard.changed()
    if (hasKeyboard) next.focus({ preventScroll: true })
  }

  /** What became of it, what went wrong, or what is in the way. */
  private say({ outcome, note, canAnswer }: ShownQuestion): void {
    const text = outcome ?? note ?? ''
    // The same words again would be read out again.
    if (this.note.textContent !== text) this.note.textContent = text
    this.note.hidden = text === ''
    this.element.classList.toggle('over', outcome !== undefined)
    this.answers.element.hidden = outcome !== undefined
    this.answers.turn(!canAnswer)
  }

  private tick(): void {
    this.drawnBody?.tick(this.clocks.wall())
  }

  /** As long as no click counts, the pointer does not offer one. */
  private showFresh(): void {
    this.element.classList.add('fresh')
    clearTimeout(this.calm)
    this.calm = setTimeout(() => this.element.classList.remove('fresh'), CALM_MS)
  }

  private press(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.isComposing) return
    event.preventDefault()
    event.stopPropagation()
    if (!this.all.hidden) this.list(false)
    else if (this.answers.isAside) this.answers.showAnswers()
    else this.help.leave()
  }

  /** What was typed for the agent is there when the question is in front again. */
  private keepDraft(id: string): void {
    const { draft } = this.answers
    if (draft === '') this.drafts.delete(id)
    else this.drafts.set(id, draft)
  }

  /** What can be clicked moves with the sizes of the card and of what it stands in, and when the page is seen again. */
  private watchPointer(): void {
    const sizes = new ResizeObserver(() => this.guard.moved())
    sizes.observe(this.element)
    sizes.observe(this.answers.element)
    sizes.observe(document.documentElement)
    // In a small window all of the card scrolls.
    this.element.addEventListener('scroll', () => this.guard.moved(), { passive: true })
    document.addEventListener('visibilitychange', () => this.guard.moved())
    const seen = ({ clientX: x, clientY: y }: PointerEvent) => this.guard.seenAt({ x, y })
    for (const name of ['pointermove', 'pointerdown'] as const) {
      window.addEventListener(name, seen, { capture: true, passive: true })
    }
  }
}

/** Whether it is another question under the same number: its caller came back, and something is not as it was. */
function isAskedAnew(before: Approval | undefined, now: Approval | undefined): boolean {
  return before !== now && asText(before) !== asText(now)
}

function asText(approval: Approval | undefined): string | undefined {
  if (!approval) return undefined
  const { caller, site, line, summary, folder, reason, theirs, rule, why, always } = approval
  return JSON.stringify([caller, site, line, summary, approval.arguments, folder, reason, theirs, rule, why, always])
}

/** A button that is a picture. */
function symbol(icon: string, label: string): HTMLButtonElement {
  const button = made('button', '', `codicon codicon-${icon}`)
  button.setAttribute('aria-label', label)
  button.title = label
  return button
}
