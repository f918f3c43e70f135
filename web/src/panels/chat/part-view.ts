// A part of a message: words, a thought, a call of a tool, a file.
import type { Failure, Message, Part, PartContent } from '../../protocol/chat-words'
import { strings } from '../../strings'
import { button, icon, made, setText, type View } from './dom'
import { MarkdownView } from './markdown'
import { drawFile, ToolCard, type ToolHelp } from './tool-card'

const words = strings.chat

export interface PartView extends View {
  show(content: PartContent): void
}

/** Whether there is anything to see of it. */
export function isSeen({ content }: Part): boolean {
  switch (content.type) {
    case 'text':
      return !content.isSynthetic && content.text.text.trim() !== ''
    case 'reasoning':
      return content.text.text.trim() !== ''
    // The files that a patch names are told by the tools that changed them.
    case 'patch':
    case 'step_start':
    case 'step_finish':
    case 'other':
      return false
    default:
      return true
  }
}

/** Whether a message is for people: an agent that makes itself go on says that to its model alone. */
export function isForPeople({ info, parts }: Message): boolean {
  return parts.length === 0 || info.failure !== null
    || parts.some(({ content }) => content.type !== 'text' || !content.isSynthetic)
}

export function viewOf(part: Part, isPersons: boolean, help: ToolHelp): PartView {
  const { content } = part
  switch (content.type) {
    case 'text':
      return isPersons ? new PlainText() : new Answer(help)
    case 'reasoning':
      return new Reasoning(help)
    case 'tool':
      return new Tool(help)
    case 'file':
      return fixed(drawFile(content.file, help))
    case 'mention':
      return fixed(made('span', `@${content.agent}`, 'chip'))
    case 'retry':
      return fixed(drawFailure(content.failure, { note: words.retried(content.attempt) }))
    case 'compaction':
      return fixed(made('div', content.isAutomatic ? words.compactedItself : words.compacted, 'divider'))
    case 'subtask':
      return fixed(subtask(content))
    default:
      return fixed(made('span'))
  }
}

function fixed(element: HTMLElement): PartView {
  return { element, show: () => undefined }
}

/** The words of a person stand as they were typed. */
class PlainText implements PartView {
  readonly element = made('div', '', 'said')

  show(content: PartContent): void {
    if (content.type === 'text') setText(this.element, content.text.text)
  }
}

class Answer implements PartView {
  readonly element: HTMLElement
  private readonly markdown: MarkdownView
  private readonly note = made('p', '', 'note')

  constructor(help: ToolHelp) {
    this.markdown = new MarkdownView(help)
    this.element = made('div', '', 'answer')
    this.element.append(this.markdown.element, this.note)
  }

  show(content: PartContent): void {
    if (content.type !== 'text') return
    this.markdown.show(content.text.text)
    const leftOut = content.text.leftOut ?? 0
    this.note.hidden = leftOut === 0
    if (leftOut > 0) setText(this.note, words.leftOut(leftOut))
  }
}

class Reasoning implements PartView {
  readonly element = made('details', '', 'reasoning')
  private readonly head = made('summary')
  private readonly title = made('span')
  private readonly markdown: MarkdownView
  private text = ''

  constructor(help: ToolHelp) {
    this.markdown = new MarkdownView(help)
    this.head.append(icon('lightbulb'), this.title)
    this.element.append(this.head, this.markdown.element)
    this.element.ontoggle = () => this.draw()
  }

  show(content: PartContent): void {
    if (content.type !== 'reasoning') return
    const { started, ended, text } = content
    const span = started !== null && ended !== null ? ended - started : undefined
    setText(this.title, ended === null ? words.thinking : words.thought(span))
    this.text = text.text
    this.draw()
  }

  /** What is folded is not drawn. */
  private draw(): void {
    if (this.element.open) this.markdown.show(this.text)
  }
}

class Tool implements PartView {
  readonly element: HTMLElement
  private readonly card: ToolCard

  constructor(help: ToolHelp) {
    this.card = new ToolCard(help)
    this.element = this.card.element
  }

  show(content: PartContent): void {
    if (content.type === 'tool') this.card.show(content.call)
  }
}

function subtask({ agent, description }: Extract<PartContent, { type: 'subtask' }>): HTMLElement {
  const element = made('div', '', 'chip')
  element.append(icon('organization'), made('span', words.subtask(agent, description)))
  return element
}

/** Why something failed, and what can be done about it. */
export function drawFailure(
  failure: Failure, { note = '', again, setUp }: { note?: string; again?: () => void; setUp?: () => void } = {},
): HTMLElement {
  const element = made('div', '', 'failure')
  element.setAttribute('role', 'alert')
  element.classList.toggle('stopped', failure.kind === 'aborted')
  element.append(icon(failure.kind === 'aborted' ? 'debug-stop' : 'error'))
  const said = made('div')
  said.append(made('strong', words.failures[failure.kind]))
  const message = failure.status === null ? failure.message : `${failure.message} (${failure.status})`
  if (failure.kind !== 'aborted') said.append(made('p', message))
  if (note) said.append(made('p', note, 'note'))
  const help = words.failureHelp[failure.kind]
  if (help) said.append(made('p', help, 'note'))
  if (again) said.append(button(words.again, again, 'secondary'))
  if (setUp && failure.kind === 'log_in') said.append(button(words.setUp, setUp, 'secondary'))
  element.append(said)
  return element
}
