// Tells the person which clients wait for their consent: a notice that stays, with what they would agree to.
//
// It takes no keyboard, and no single click agrees. The space's part `consents` says who waits, live; nothing is asked
// for meanwhile. Who has waited longest is shown, and the next when that is settled: a second notice of this size would
// have no room. What the person put away is not shown again. The status bar counts all that wait.
import { run } from '../../protocol/commands'
import type { Consent } from '../../protocol/generated'
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import type { LastingNotice } from '../core/api/window'
import type { Workbench } from '../core/feature'
import { inWords, type Consenting } from './consenting'

const words = strings.agents.consent

export class ConsentNotices {
  /** Who is shown; without a notice while it is asked what to write into it. */
  private shown: { client: string; notice?: LastingNotice } | undefined
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
    if (this.shown && !waits(this.shown.client)) this.settle(part[this.shown.client])
    if (this.shown) return
    const waiting = Object.entries(part).filter(([client]) => waits(client) && !this.putAway.has(client))
    const [longest] = waiting.sort(([a, one], [b, other]) => one.at - other.at || a.localeCompare(b, 'en'))
    if (longest) void this.show(longest[0])
  }

  /** Somebody answered, here or elsewhere; or it is no longer known that it asks. */
  private settle(said: Consent | undefined): void {
    const { shown } = this
    this.shown = undefined
    if (!shown) return
    shown.notice?.close()
    const { given, refused } = words
    if (said) this.workbench.notices.done(said.state === 'given' ? given(shown.client) : refused(shown.client))
  }

  private async show(client: string): Promise<void> {
    const { api, notices } = this.workbench
    const shown: { client: string; notice?: LastingNotice } = { client }
    this.shown = shown
    try {
      const { words: told } = await run('openspace.consent.list', {})
      // Meanwhile it may have been answered.
      if (this.shown !== shown) return
      shown.notice = api.window.showLasting(words.asks(client, inWords(told)), [
        [words.agreeButton, () => void this.consenting.agree(client)],
        [words.refuseButton, () => void this.consenting.refuse(client)],
      ], () => this.close(shown))
    } catch (error) {
      notices.failure(words.notLoaded(client), error)
      this.close(shown)
    }
  }

  /** The person does not want to see it now, or it cannot be shown. */
  private close(shown: { client: string }): void {
    if (this.shown !== shown) return
    this.shown = undefined
    this.putAway.add(shown.client)
    this.look()
  }
}
