// What stands between the messages and the prompt: what the agent waits for, what it means to do, and what is undone.
import type { Review } from '../../protocol/chat-review'
import type { PermissionRequest, QuestionRequest, Todo } from '../../protocol/chat-words'
import { strings } from '../../strings'
import { drawDiff } from './diff'
import { button, icon, KeyedList, made, setText, type View } from './dom'
import { drawPlan } from './plan'
import { ReviewDock, type ReviewHelp } from './review-dock'
import { lineOf, plainOutput } from './tool-facts'

const words = strings.chat

export interface DockHelp extends ReviewHelp {
  /** Bring up the questions to the person: there it is answered, as all others are. */
  answerPermission(request: PermissionRequest): void
  answerQuestions(request: QuestionRequest, answers: string[][]): void
  dismissQuestions(request: QuestionRequest): void
  unrevert(): void
}

export class Docks {
  readonly element = made('div', '', 'docks')
  private readonly undone = made('div', '', 'dock undone')
  private readonly permissions: KeyedList<PermissionRequest, View>
  private readonly questions: KeyedList<QuestionRequest, QuestionCard>
  private readonly todos = made('details', '', 'dock todos')
  private readonly todoTitle = made('span', '', 'said-of')
  private readonly todoList = made('div')
  private readonly review: ReviewDock
  private isAsking = false

  constructor(private readonly help: DockHelp) {
    const permissions = made('div', '', 'asking')
    const questions = made('div', '', 'asking')
    this.permissions = new KeyedList(
      permissions, ({ id }) => id, (request) => this.permission(request), () => undefined,
    )
    this.questions = new KeyedList(
      questions, ({ id }) => id, (request) => new QuestionCard(request, help), () => undefined,
    )
    this.review = new ReviewDock(help)
    const head = made('summary')
    head.append(icon('checklist'), this.todoTitle)
    this.todos.append(head, this.todoList)
    this.element.append(this.review.element, this.todos, this.undone, permissions, questions)
    this.show({ permissions: [], questions: [], todos: [], undone: 0, review: undefined })
  }

  show({ permissions, questions, todos, undone, review }: {
    permissions: readonly PermissionRequest[]; questions: readonly QuestionRequest[]; todos: readonly Todo[]
    undone: number; review: Review | undefined
  }): void {
    this.permissions.show(permissions)
    this.questions.show(questions)
    this.showTodos(todos)
    this.review.show(review)
    // What is asked wants the room.
    const isAsking = permissions.length + questions.length > 0
    if (isAsking && !this.isAsking) for (const dock of [this.todos, this.review.element]) dock.open = false
    this.isAsking = isAsking
    if (this.undone.dataset.count !== String(undone)) {
      this.undone.dataset.count = String(undone)
      this.undone.replaceChildren(
        icon('discard'), made('span', words.undone(undone)),
        button(words.restore, () => this.help.unrevert(), 'secondary'),
      )
    }
    this.undone.hidden = undone === 0
  }

  private permission(request: PermissionRequest): View {
    const element = made('section', '', 'dock permission')
    element.setAttribute('aria-label', words.asksPermission)
    const head = made('p')
    head.append(icon('shield'), made('strong', words.wants(request.permission)))
    element.append(head)
    const line = lineOf(request)
    if (request.title && line === undefined) element.append(made('p', plainOutput(request.title)))
    const patterns = request.patterns.filter((pattern) => pattern !== '' && pattern !== request.title)
    const what = line ?? plainOutput(patterns.join('\n'))
    if (what !== '') element.append(made('pre', what))
    for (const diff of request.diffs.slice(0, 3)) element.append(drawDiff(diff))
    element.append(button(words.answer, () => this.help.answerPermission(request), 'primary'))
    return { element }
  }

  private showTodos(todos: readonly Todo[]): void {
    const open = todos.filter(({ state }) => state !== 'cancelled')
    const done = open.filter(({ state }) => state === 'completed').length
    this.todos.hidden = open.length === 0 || done === open.length
    const current = open.find(({ state }) => state === 'in_progress') ?? open.find(({ state }) => state === 'pending')
    setText(this.todoTitle, words.todos(done, open.length, current?.content ?? ''))
    this.todoTitle.title = this.todoTitle.textContent ?? ''
    const key = JSON.stringify(todos.map(({ content, state }) => [content, state]))
    if (this.todoList.dataset.key === key) return
    this.todoList.dataset.key = key
    this.todoList.replaceChildren(drawPlan(todos))
  }
}

/** Questions of the agent, one below the other. */
class QuestionCard implements View {
  readonly element = made('form', '', 'dock question')
  private readonly fields: { inputs: HTMLInputElement[]; own: HTMLInputElement | undefined; isMultiple: boolean }[] = []

  constructor(request: QuestionRequest, help: DockHelp) {
    const { element } = this
    element.setAttribute('aria-label', words.asksYou)
    for (const [index, question] of request.questions.entries()) {
      const set = made('fieldset')
      set.append(made('legend', question.question))
      const name = `${request.id}-${index}`
      const inputs = question.choices.map(({ label, description }) => {
        const input = made('input')
        input.type = question.isMultiple ? 'checkbox' : 'radio'
        input.name = name
        input.value = label
        const line = made('label')
        const text = made('span')
        text.append(made('strong', label))
        if (description) text.append(made('span', ` ${description}`, 'note'))
        line.append(input, text)
        set.append(line)
        return input
      })
      let own: HTMLInputElement | undefined
      if (question.takesOwnWords || question.choices.length === 0) {
        own = made('input')
        own.type = 'text'
        own.placeholder = words.ownWords
        own.setAttribute('aria-label', words.ownWords)
        set.append(own)
      }
      this.fields.push({ inputs, own, isMultiple: question.isMultiple })
      element.append(set)
    }
    const send = made('button', words.sendAnswer, 'primary')
    send.type = 'submit'
    const row = made('div', '', 'row')
    row.append(send, button(words.dismiss, () => help.dismissQuestions(request), 'secondary'))
    element.append(row)
    element.oninput = () => {
      send.disabled = !this.isComplete
    }
    send.disabled = true
    element.onsubmit = (event) => {
      event.preventDefault()
      if (this.isComplete) help.answerQuestions(request, this.answers)
    }
  }

  private get answers(): string[][] {
    return this.fields.map(({ inputs, own, isMultiple }) => {
      const chosen = inputs.filter(({ checked }) => checked).map(({ value }) => value)
      const typed = own?.value.trim() ?? ''
      return typed === '' ? chosen : isMultiple ? [...chosen, typed] : [typed]
    })
  }

  private get isComplete(): boolean {
    return this.answers.every((answer) => answer.length > 0)
  }
}
