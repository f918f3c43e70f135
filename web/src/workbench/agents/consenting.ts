// Whether a client does more than look: what that means is shown before the person agrees, and only then is it said.
//
// Refusing and taking back need no second word: nothing is lost by them, and both can be changed.
import { run } from '../../protocol/commands'
import type { ConsentWords } from '../../protocol/generated'
import { strings } from '../../strings'
import type { Workbench } from '../core/feature'

const words = strings.agents

export class Consenting {
  constructor(private readonly workbench: Pick<Workbench, 'api' | 'notices'>) {}

  /** Ask the person, with what they would agree to. */
  async agree(client: string): Promise<void> {
    const { api, notices } = this.workbench
    const { sureButton, question, meaning, given } = words.consent
    try {
      const { words: told } = await run('openspace.consent.list', {})
      const detail = meaning([...inWords(told), told.back])
      if ((await api.window.ask({ message: question(client), detail }, sureButton)) !== sureButton) return
      await run('openspace.consent.give', { client })
      notices.done(given(client))
    } catch (error) {
      notices.failure(words.failed.agree(client), error)
    }
  }

  async refuse(client: string): Promise<void> {
    await this.revoke(client, words.failed.refuse(client))
  }

  async takeBack(client: string): Promise<void> {
    await this.revoke(client, words.failed.takeBack(client))
  }

  private async revoke(client: string, failed: string): Promise<void> {
    const { notices } = this.workbench
    try {
      await run('openspace.consent.revoke', { client })
      notices.done(words.consent.refused(client))
    } catch (error) {
      notices.failure(failed, error)
    }
  }
}

/** What somebody agrees to, sentence by sentence. */
export function inWords({ see, change, reach }: ConsentWords): string[] {
  return [see, change, reach]
}
