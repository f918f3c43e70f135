// A small offer in the corner: what an agent wants to show. It waits, and never takes the keyboard.
import { strings } from '../../strings'

const PATIENCE_MS = 20_000

export class Chip {
  private readonly element = document.createElement('div')
  private readonly take = document.createElement('button')
  private readonly refuse = document.createElement('button')
  private action: (() => Promise<void>) | undefined
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(container: HTMLElement) {
    this.element.className = 'openspace-chip'
    this.element.setAttribute('role', 'status')
    this.element.hidden = true
    this.take.className = 'openspace-chip-take'
    this.take.onclick = () => void this.accept()
    this.refuse.className = 'openspace-chip-refuse'
    this.refuse.textContent = '×'
    this.refuse.setAttribute('aria-label', strings.reveal.dismiss)
    this.refuse.onclick = () => this.hide()
    // A click must not take the keyboard from where the person types.
    this.element.onmousedown = (event) => event.preventDefault()
    this.element.append(this.take, this.refuse)
    container.append(this.element)
  }

  /** Offer something; the newest offer replaces the one before. */
  offer(text: string, action: () => Promise<void>): void {
    this.action = action
    this.take.textContent = text
    this.element.hidden = false
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.hide(), PATIENCE_MS)
  }

  async accept(): Promise<void> {
    const { action } = this
    this.hide()
    await action?.()
  }

  hide(): void {
    clearTimeout(this.timer)
    this.action = undefined
    this.element.hidden = true
  }
}
