// Tools whose arguments are words for people: what is planned, and what is asked. They are shown as such, where a model
// gave them the form that they have; anything else is shown as it was given.
import { strings } from '../../strings'
import { made } from './dom'
import { drawPlan, stateOf } from './plan'
import { plainOutput, record } from './tool-facts'

const words = strings.chat
/** More of one call are not drawn. */
const MOST = 100

/** Its arguments in words; nothing where they are none of these. */
export function drawWords(tool: string, input: unknown): HTMLElement[] | undefined {
  const { todos, questions } = record(input)
  if (tool === 'todowrite' && isListOf(todos, ({ content }) => typeof content === 'string')) {
    const planned = todos.slice(0, MOST).map(({ content, status }) =>
      ({ content: plainOutput(String(content)), state: stateOf(status) }))
    return withRest(todos.length, drawPlan(planned))
  }
  if (tool === 'question' && isListOf(questions, ({ question }) => typeof question === 'string')) {
    return withRest(questions.length, ...questions.slice(0, MOST).map(asked))
  }
  return undefined
}

function asked({ question, options }: Record<string, unknown>): HTMLElement {
  const element = made('div', '', 'asked')
  element.append(made('p', plainOutput(String(question))))
  if (isListOf(options, ({ label }) => typeof label === 'string')) {
    const labels = options.slice(0, MOST).map(({ label }) => plainOutput(String(label)))
    element.append(made('p', labels.join(' · '), 'note'))
  }
  return element
}

function withRest(count: number, ...elements: HTMLElement[]): HTMLElement[] {
  return count > MOST ? [...elements, made('p', words.moreOfThem(count - MOST), 'note')] : elements
}

function isListOf(
  value: unknown, isOne: (item: Record<string, unknown>) => boolean,
): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => isOne(record(item)))
}
