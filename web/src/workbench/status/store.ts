// What a person sees while the server cannot save its own state: a banner that goes when it can again. It says
// nothing while the server is away, because then nobody knows.
import type { ConnectionState, Space } from '../../protocol/space'
import { strings } from '../../strings'
import type { Notices } from '../core/notices'

const words = strings.store

export class StoreBanner {
  private readonly element = document.createElement('div')
  private isLive = true

  constructor(
    private readonly container: HTMLElement,
    private readonly space: Space,
    private readonly notices: Notices,
  ) {
    this.element.className = 'openspace-banner openspace-store-banner'
    this.element.setAttribute('role', 'alert')
    space.onConnection.on((state) => this.connected(state))
    space.onPart('store', () => this.show())
    this.show()
  }

  private connected(state: ConnectionState): void {
    this.isLive = state.is === 'live'
    this.show()
  }

  private show(): void {
    const [trouble] = Object.values(this.space.part('store'))
    const wasShown = this.element.isConnected
    if (trouble) this.element.textContent = words.failing(trouble.why)
    if (trouble && this.isLive) this.container.append(this.element)
    else this.element.remove()
    if (!trouble && wasShown) this.notices.done(words.well)
  }
}
