// Tells the person which clients wait for their consent: a notice that stays, with what they would agree to.
//
// It takes no keyboard, and no single click agrees. The space's part `consents` says who waits, live; nothing is asked
// for meanwhile. What the person put away is not shown again: the status bar still counts it.
import { run } from '../../protocol/commands'
import type { Consent } from '../../protocol/generated'
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import type { LastingNotice } from '../core/api/window'
import type { Workbench } from '../core/feature'
import { inWords, type Consenting } from './consenting'

const words = strings.agents.consent
/** Notices at once; clients choose their names, so there may be many. The workbench has room for as many. */
const MOST_SHOWN = 3

export class ConsentNotices {
  /** By client; `undefined` while it is asked what to write into it. */
  private readonly shown = new Map<string, LastingNotice | undefined>()
  private readonly putAway = new Set<string>()

  constructor(
    private readonly workbench: Pick<Workbench, 'api' | 'notices'>,
    private readonly space: Space,
    private readonly consenting: Consenting,
  ) {
    space.onPart('consents', () => this.look())
    this.look()
  }

  private look(): void {
    const part = this.space.part('consents')
    const waits = (client: string) => part[client]?.state === 'asked'
    for (const client of this.putAway) if (!waits(client)) this.putAway.delete(client)
    for (const client of [...this.shown.keys()]) if (!waits(client)) this.settle(client, part[client])
    for (const client of Object.keys(part).filter(waits)) {
      if (this.shown.size >= MOST_SHOWN) return
      if (!this.shown.has(client) && !this.putAway.has(client)) void this.show(client)
    }
  }

  /** Somebody answered, here or elsewhere; or it is no longer known that it asks. */
  private settle(client: string, said: Consent | undefined): void {
    const notice = this.shown.get(client)
    this.shown.delete(client)
    notice?.close()
    if (said) this.workbench.notices.done(said.state === 'given' ? words.given(client) : words.refused(client))
  }

  private async show(client: string): Promise<void> {
    const { api, notices } = this.workbench
    this.shown.set(client, undefined)
    try {
      const { words: told } = await run('openspace.consent.list', {})
      // Meanwhile it may have been answered.
      if (!this.shown.has(client)) return
      const notice = api.window.showLasting(words.asks(client, inWords(told)), [
        [words.agreeButton, () => void this.consenting.agree(client)],
        [words.refuseButton, () => void this.consenting.refuse(client)],
      ], () => this.close(client))
      this.shown.set(client, notice)
    } catch (error) {
      notices.failure(words.notLoaded(client), error)
      this.close(client)
    }
  }

  private close(client: string): void {
    if (!this.shown.delete(client)) return
    this.putAway.add(client)
    this.look()
  }
}
