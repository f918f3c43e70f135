// What an agent means to do, one thing below the other: over the prompt, and in the card of the tool that wrote it.
import type { Todo } from '../../protocol/chat-words'
import { strings } from '../../strings'
import { icon, made, nameIt } from './dom'

const words = strings.chat

const ICONS: Record<Todo['state'], string> = {
  pending: 'circle-large-outline', in_progress: 'play-circle', completed: 'pass-filled', cancelled: 'circle-slash',
  unknown: 'question',
}

export function drawPlan(todos: readonly Pick<Todo, 'content' | 'state'>[]): HTMLElement {
  const list = made('ol', '', 'plan')
  list.append(...todos.map(({ content, state }) => {
    const item = made('li', '', state)
    const mark = icon(ICONS[state])
    mark.removeAttribute('aria-hidden')
    mark.setAttribute('role', 'img')
    nameIt(mark, words.todoStates[state])
    item.append(mark, made('span', content))
    return item
  }))
  return list
}

/** In which of the known ways something is. */
export function stateOf(name: unknown): Todo['state'] {
  return typeof name === 'string' && name in ICONS ? (name as Todo['state']) : 'unknown'
}
