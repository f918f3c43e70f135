// What a person sees of the connection: a banner while it is away, a word when it is back.
import type { ConnectionState, Space } from '../../protocol/space'
import { strings } from '../../strings'

const words = strings.connection

export class ConnectionBanner {
  private readonly element = document.createElement('div')
  private readonly text = document.createElement('span')
  private readonly countdown = document.createElement('span')
  private readonly button = document.createElement('button')
  private timer: ReturnType<typeof setInterval> | undefined

  constructor(container: HTMLElement, private readonly space: Space) {
    this.element.className = 'openspace-banner'
    this.element.setAttribute('role', 'alert')
    this.element.hidden = true
    // A click must not take the keyboard from where the person types.
    this.button.onmousedown = (event) => event.preventDefault()
    // An alert is read out with every change; the seconds are only for those who see them.
    this.countdown.setAttribute('aria-hidden', 'true')
    this.element.append(this.text, this.countdown, this.button)
    container.append(this.element)
    space.onConnection.on((state) => this.show(state))
  }

  private show(state: ConnectionState): void {
    clearInterval(this.timer)
    this.element.hidden = state.is === 'live'
    if (state.is === 'live') return
    if (state.is === 'refused') {
      this.say(words.refused, words.reload, () => location.reload())
      this.countdown.textContent = ''
      return
    }
    this.say(words.lost, words.retry, () => this.space.retry())
    this.count(state)
    this.timer = setInterval(() => this.count(state), 1_000)
  }

  private say(text: string, label: string, action: () => void): void {
    if (this.text.textContent !== text) this.text.textContent = text
    this.button.textContent = label
    this.button.onclick = action
  }

  private count(state: ConnectionState): void {
    const left = state.is === 'lost' ? Math.ceil((state.retryAt - Date.now()) / 1_000) : 0
    this.countdown.textContent = left > 0 ? words.tryingIn(left) : words.trying
  }
}
