// Questions of agents, brought to the person: a card over the workbench, a badge in the status bar, and a word for
// those who do not see them. Nothing here takes the keyboard; the person's own command brings it to the card.
import { getService, IKeybindingService } from '@codingame/monaco-vscode-api'
import './approvals.css'
import { ApprovalCard } from '../../panels/approvals/card'
import { inOneLine } from '../../panels/approvals/visible'
import {
  answerQuestion, linkToQuestion, questionsIn, onQuestions, type ApprovalAnswer,
} from '../../protocol/approvals'
import { Failure } from '../../protocol/failure'
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import { ACTIONS } from '../core/actions'
import type { StatusBarItem } from '../core/api/window'
import type { Workbench } from '../core/feature'
import { adviceOf } from '../core/notices'
import { keepBeside } from './beside'
import { KeyboardPlace } from './keyboard'
import { Queue, type Asked, type Card } from './queue'

const words = strings.approvals
/** How long it is shown what became of a question that others settled. */
const OVER_MS = 4_000
/** Whether its key is for questions. */
const HAS_QUESTIONS = 'openspace.hasQuestions'

export class Asking {
  private readonly queue = new Queue()
  private readonly card: ApprovalCard
  private readonly said = document.createElement('div')
  private readonly badge: StatusBarItem
  private readonly place: KeyboardPlace
  private timer: ReturnType<typeof setTimeout> | undefined

  static async start(workbench: Workbench, space: Space): Promise<Asking> {
    return new Asking(workbench, space, await getService(IKeybindingService))
  }

  private constructor(
    private readonly workbench: Workbench,
    private readonly space: Space,
    private readonly keys: IKeybindingService,
  ) {
    this.card = new ApprovalCard({
      answer: (id, answer, message) => void this.answer(id, answer, message),
      phone: (id) => void this.link(id),
      step: (by) => this.change(() => this.queue.step(by)),
      goTo: (id) => this.change(() => this.queue.goTo(id)),
      hide: () => this.change(() => (this.queue.isHidden = true)),
      leave: () => void this.giveBack(),
    }, { wall: () => Date.now(), events: () => performance.now() })
    this.said.className = 'openspace-said'
    this.said.setAttribute('role', 'status')
    this.badge = workbench.api.window.createStatusBarItem('openspace.questions', 101)
    this.place = new KeyboardPlace(this.card.element)
    workbench.container.append(this.card.element, this.said)
    keepBeside(this.card.element, workbench.container)
    space.onSnapshot.on(() => this.take(true))
    onQuestions(space, () => this.take(false))
    space.onConnection.on(() => this.draw())
    this.take(true)
  }

  /** Bring the keyboard to the question in front, because the person says so. */
  open(): void {
    if (this.queue.count === 0) {
      this.workbench.notices.done(words.none)
      return
    }
    this.change(() => {
      this.queue.passOver()
      this.queue.isHidden = false
    })
    this.card.focus()
  }

  private take(isSnapshot: boolean): void {
    const fresh = this.queue.take(questionsIn(this.space), isSnapshot)
    this.draw()
    const [first] = fresh
    if (first) this.announce(first)
  }

  private async answer(id: string, answer: ApprovalAnswer, message: string): Promise<void> {
    if (this.space.state.is !== 'live' || !this.queue.send(id, answer)) return
    this.draw()
    try {
      await answerQuestion(id, answer, message)
      this.queue.taken(id)
      this.said.textContent = words.given[answer]
      this.workbench.notices.done(words.given[answer])
    } catch (error) {
      const isUnsure = error instanceof Failure && error.kind === 'unreachable'
      this.queue.failed(id, adviceOf(error), isUnsure, questionsIn(this.space))
    }
    this.draw()
  }

  private async link(id: string): Promise<void> {
    try {
      this.card.showPhone(id, await linkToQuestion(id))
    } catch (error) {
      this.workbench.notices.failure(words.phone.failed, error)
    }
  }

  private change(work: () => void): void {
    work()
    this.draw()
  }

  private draw(): void {
    const card = this.queue.card()
    const isLive = this.space.state.is === 'live'
    this.card.show(card && !this.queue.isHidden ? shownOf(card, isLive) : undefined)
    if (card?.is === 'over') {
      this.timer ??= setTimeout(() => this.change(() => this.queue.passOver()), OVER_MS)
    } else {
      clearTimeout(this.timer)
      this.timer = undefined
    }
    this.drawBadge()
  }

  private drawBadge(): void {
    const { count, first } = this.queue
    void this.workbench.api.commands.executeCommand('setContext', HAS_QUESTIONS, count > 0)
    if (!first) {
      this.badge.hide()
      return
    }
    this.badge.set({
      text: words.badge(count),
      tooltip: words.badgeTooltip(inOneLine(first.approval.caller.id), this.key),
      command: ACTIONS.answer,
      kind: 'warning',
    })
  }

  private announce({ approval }: Asked): void {
    const what = inOneLine(approval.line?.text ?? approval.summary)
    this.said.textContent = words.said(inOneLine(approval.caller.id), what, this.key)
  }

  private get key(): string | undefined {
    return this.keys.lookupKeybinding(ACTIONS.answer)?.getAriaLabel() ?? undefined
  }

  private async giveBack(): Promise<void> {
    if (this.place.giveBack()) return
    await this.workbench.api.commands.executeCommand('workbench.action.focusActiveEditorGroup')
  }
}

function shownOf(card: Card, isLive: boolean) {
  const { id, approval } = card
  if (card.is === 'over') {
    return { id, approval, place: 1, all: [], outcome: card.outcome, note: undefined, canAnswer: false }
  }
  const { place, all, isSending, trouble } = card
  const note = !isLive ? words.offline : isSending ? words.sending : trouble
  return { id, approval, place, all, outcome: undefined, note, canAnswer: isLive && !isSending }
}
