// What a person sees of the connection: a banner while it is away, a word when it is back.
import { strings } from '../strings'
import type { ConnectionState, Space } from '../protocol/space'

const words = strings.connection

export class ConnectionBanner {
  private readonly element = document.createElement('div')
  private readonly text = document.createElement('span')
  private readonly button = document.createElement('button')
  private timer: ReturnType<typeof setInterval> | undefined

  constructor(container: HTMLElement, private readonly space: Space) {
    this.element.className = 'openspace-banner'
    this.element.setAttribute('role', 'alert')
    this.element.hidden = true
    this.element.append(this.text, this.button)
    container.append(this.element)
    space.onConnection.on((state) => this.show(state))
  }

  private show(state: ConnectionState): void {
    clearInterval(this.timer)
    this.element.hidden = state.is === 'live'
    if (state.is === 'refused') {
      this.text.textContent = words.refused
      this.button.textContent = words.reload
      this.button.onclick = () => location.reload()
      return
    }
    this.button.textContent = words.retry
    this.button.onclick = () => this.space.retry()
    this.count(state)
    this.timer = setInterval(() => this.count(state), 1_000)
  }

  private count(state: ConnectionState): void {
    const left = state.is === 'lost' ? Math.ceil((state.retryAt - Date.now()) / 1_000) : 0
    this.text.textContent = left > 0 ? words.lost(left) : words.trying
  }
}
