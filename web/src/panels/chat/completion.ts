// What is proposed while a prompt is typed: slash commands at its beginning; files and agents after an `@`.
//
// The keyboard stays in the prompt: the list is told to those who hear the page as what the prompt has in mind.
import { strings } from '../../strings'
import { icon, made } from './dom'

const words = strings.chat

export interface Proposal {
  icon: string
  label: string
  detail: string
  /** What stands in the prompt instead of what was typed. */
  insert: string
}

export type Trigger = '/' | '@'
export type Propose = (trigger: Trigger, typed: string) => Promise<readonly Proposal[]>

/** What is being typed that something could be proposed for. */
export interface Typed {
  trigger: Trigger
  text: string
  start: number
}

const MOST_PROPOSED = 12

export function typedAt(text: string, caret: number): Typed | undefined {
  const before = text.slice(0, caret)
  const [command] = /^\/\S*$/.exec(before) ?? []
  if (command !== undefined) return { trigger: '/', text: command.slice(1), start: 0 }
  const [mention] = /(?<![^\s(])@[^\s@]*$/.exec(before) ?? []
  if (mention === undefined) return undefined
  return { trigger: '@', text: mention.slice(1), start: caret - mention.length }
}

let lists = 0

export class Completion {
  readonly element = made('ul', '', 'completion')
  private proposals: readonly Proposal[] = []
  private typed: Typed | undefined
  private index = 0
  private asked = 0

  constructor(
    private readonly input: HTMLTextAreaElement,
    private readonly propose: Propose,
    private readonly take: (typed: Typed, proposal: Proposal) => void,
  ) {
    lists += 1
    this.element.id = `openspace-completion-${lists}`
    this.element.setAttribute('role', 'listbox')
    this.element.setAttribute('aria-label', words.proposals)
    input.setAttribute('role', 'combobox')
    input.setAttribute('aria-autocomplete', 'list')
    input.setAttribute('aria-controls', this.element.id)
    this.close()
  }

  get isOpen(): boolean {
    return !this.element.hidden
  }

  /** The person typed, or moved. */
  async look(): Promise<void> {
    const typed = typedAt(this.input.value, this.input.selectionStart)
    this.typed = typed
    this.asked += 1
    const { asked } = this
    if (!typed) return this.close()
    let proposals: readonly Proposal[] = []
    try {
      proposals = await this.propose(typed.trigger, typed.text)
    } catch (error) {
      // What is typed is a prompt without proposals too.
      console.warn('nothing could be proposed', error)
    }
    if (asked !== this.asked) return
    this.proposals = proposals.slice(0, MOST_PROPOSED)
    this.index = 0
    if (this.proposals.length === 0) this.close()
    else this.open()
  }

  /** Whether the key was for the list. */
  press(event: KeyboardEvent): boolean {
    if (!this.isOpen || event.isComposing) return false
    const count = this.proposals.length
    switch (event.key) {
      case 'ArrowDown':
        this.choose((this.index + 1) % count)
        return true
      case 'ArrowUp':
        this.choose((this.index + count - 1) % count)
        return true
      case 'Enter':
      case 'Tab':
        if (event.shiftKey) return false
        // What is written out is sent with the same key.
        if (event.key === 'Enter' && this.isWhole) {
          this.close()
          return false
        }
        this.accept(this.index)
        return true
      case 'Escape':
        this.close()
        return true
      default:
        return false
    }
  }

  /** Whether the command that is proposed first stands there already. */
  private get isWhole(): boolean {
    const { typed } = this
    return typed?.trigger === '/' && this.proposals[this.index]?.insert.trim() === `/${typed.text}`
  }

  close(): void {
    this.asked += 1
    this.element.hidden = true
    this.input.setAttribute('aria-expanded', 'false')
    this.input.removeAttribute('aria-activedescendant')
  }

  private open(): void {
    this.element.replaceChildren(...this.proposals.map((proposal, index) => {
      const item = made('li')
      item.id = `${this.element.id}-${index}`
      item.setAttribute('role', 'option')
      item.append(icon(proposal.icon), made('span', proposal.label, 'label'), made('span', proposal.detail, 'detail'))
      // The keyboard stays in the prompt.
      item.onmousedown = (event) => event.preventDefault()
      item.onclick = () => this.accept(index)
      return item
    }))
    this.element.hidden = false
    this.input.setAttribute('aria-expanded', 'true')
    this.choose(this.index)
  }

  private choose(index: number): void {
    this.index = index
    for (const [at, item] of [...this.element.children].entries()) {
      item.setAttribute('aria-selected', String(at === index))
    }
    const chosen = this.element.children[index]
    chosen?.scrollIntoView({ block: 'nearest' })
    if (chosen) this.input.setAttribute('aria-activedescendant', chosen.id)
  }

  private accept(index: number): void {
    const proposal = this.proposals[index]
    const { typed } = this
    this.close()
    if (proposal && typed) this.take(typed, proposal)
  }
}
