// The answers to a question: yes for how much, with the rule shown before it is saved, or no with a word.
//
// A yes needs a click that is meant (`click-guard.ts`), or a key on a button that the person went to: no button is ever
// given the keyboard from here, and a key that is held down answers once at most.
import type { Approval, ApprovalAnswer, PhoneLink, SuggestedRule } from '../../protocol/approvals'
import { strings } from '../../strings'
import { made } from './body'
import type { ClickGuard } from './click-guard'
import { phoneLink } from './phone'
import { drawn } from './visible'

const words = strings.approvals
/** As long as the server takes it. */
const MOST_MESSAGE = 1_000

export interface AnswersHelp {
  answer(answer: ApprovalAnswer, message: string): void
  /** Ask for a link to the question, which `showPhone` gets. */
  phone(): void
  /** Do what takes away what may have the keyboard; `next` gets it then, or the card. */
  replace(work: () => void, next?: HTMLElement): void
}

export class Answers {
  readonly element = made('footer')
  private readonly choices = made('div', '', 'choices')
  private readonly message = document.createElement('input')
  private readonly session = made('div', '', 'hint')
  private readonly rule = made('div', '', 'rule-to-save')
  private readonly phone = made('div', '', 'phone-link')
  private readonly buttons: HTMLButtonElement[] = []
  private readonly always: HTMLButtonElement
  private readonly forSession: HTMLButtonElement
  private approval: Approval | undefined
  private isOff = false

  constructor(
    private readonly guard: ClickGuard,
    private readonly help: AnswersHelp,
  ) {
    this.always = this.button(words.always, () => this.showRule())
    this.forSession = this.button(words.session, () => this.give('session'))
    this.choices.append(
      this.button(words.once, () => this.give('once'), 'primary'),
      this.forSession,
      this.always,
    )
    this.message.type = 'text'
    this.message.maxLength = MOST_MESSAGE
    this.message.placeholder = words.message
    this.message.setAttribute('aria-label', words.message)
    this.message.onkeydown = (event) => this.press(event)
    const refusal = made('div', '', 'refusal')
    refusal.append(this.message, this.button(words.no, () => this.give('no'), 'no'))
    this.choices.append(refusal, this.button(words.phone.ask, () => help.phone(), 'quiet'))
    this.element.append(this.session, this.choices, this.rule, this.phone)
  }

  /** Whether something stands in the place of the answers: the rule that would be saved, or a link. */
  get isAside(): boolean {
    return this.choices.hidden
  }

  /** Whether the person writes to the agent. */
  get isTypedIn(): boolean {
    return document.activeElement === this.message && !this.element.hidden
  }

  /** What was typed for the agent. */
  get draft(): string {
    return this.message.value
  }

  ask(approval: Approval, draft: string): void {
    this.approval = approval
    this.message.value = draft
    this.always.hidden = approval.always === null
    this.forSession.hidden = approval.eachTime
    this.session.replaceChildren(...hintsOf(approval))
    this.rule.replaceChildren(...(approval.always === null ? [] : this.saving(approval.always)))
    this.turnTo(this.choices)
  }

  /** While an answer is on its way, or cannot be given, no button does anything. */
  turn(isOff: boolean): void {
    this.isOff = isOff
    for (const button of [...this.buttons, ...this.rule.querySelectorAll('button')]) button.disabled = isOff
  }

  /** Show the answers again. */
  showAnswers(): void {
    this.help.replace(() => this.turnTo(this.choices))
  }

  /** Show a link to the question, for a phone. */
  showPhone(link: PhoneLink): void {
    this.phone.replaceChildren(...phoneLink(link, this.backButton()))
    this.help.replace(() => this.turnTo(this.phone), this.phone.querySelector('pre') ?? undefined)
  }

  private showRule(): void {
    this.help.replace(() => this.turnTo(this.rule), this.rule.querySelector('pre') ?? undefined)
  }

  private turnTo(shown: HTMLElement): void {
    for (const part of [this.choices, this.rule, this.phone]) part.hidden = part !== shown
    this.session.hidden = shown !== this.choices
  }

  private backButton(): HTMLButtonElement {
    const back = made('button', words.back)
    back.onmousedown = keepKeyboard
    back.onclick = () => this.showAnswers()
    return back
  }

  private saving({ about, text: rule }: SuggestedRule): HTMLElement[] {
    const text = drawn('pre', rule.trimEnd(), 'line')
    text.tabIndex = -1
    const save = this.button(words.saveRule, () => this.give('always'), 'primary')
    const both = made('div', '', 'choices')
    both.append(save, this.backButton())
    this.buttons.splice(this.buttons.indexOf(save), 1)
    const label = made('p', `${words.rule} `, 'label')
    label.append(drawn('code', about))
    return [label, text, both]
  }

  private give(answer: ApprovalAnswer): void {
    if (!this.isOff && this.approval) this.help.answer(answer, answer === 'no' ? this.message.value.trim() : '')
  }

  /** Enter in the message says no with it; without a word it does nothing. */
  private press(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.isComposing || event.repeat) return
    event.preventDefault()
    if (this.message.value.trim() !== '') this.give('no')
  }

  private button(label: string, act: () => void, className = ''): HTMLButtonElement {
    const button = made('button', label, className)
    button.onmousedown = keepKeyboard
    button.onpointerdown = ({ timeStamp }) => this.guard.pressed(timeStamp)
    button.onpointerenter = ({ clientX: x, clientY: y }) => this.guard.entered({ x, y })
    button.onkeydown = (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return
      // A key that was held down when the keyboard came here is not meant for it.
      if (event.repeat) event.preventDefault()
      else this.guard.keyed(event.timeStamp)
    }
    button.onclick = ({ timeStamp }) => {
      if (this.guard.isMeant(timeStamp)) act()
    }
    this.buttons.push(button)
    return button
  }
}

/** A click must not take the keyboard from where the person types. */
function keepKeyboard(event: Event): void {
  event.preventDefault()
}

/** For how much a yes counts, where the button's own words do not say it all. */
function hintsOf({ always, theirs }: Approval): HTMLElement[] {
  const session = made('p', `${words.forSession} `)
  if (always === null) session.append(words.exactly)
  else session.append(words.like, ' ', drawn('code', always.about))
  return theirs === null ? [session] : [drawn('p', words.theirs(theirs)), session]
}
