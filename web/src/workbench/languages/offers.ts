// A word to the person that a language of theirs has no server: once for each language in this browser, and never
// for those that they do not want to hear of.
import type { AbsentLanguage } from '../../protocol/languages'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import type { LastingNotice } from '../core/api/window'
import type { Condition } from './condition'
import { isUntrusted } from './condition'
import { NEVER_OFFER } from './contributions'
import type { ServerActions } from './servers'

const words = strings.languages.missing
/** Where the browser keeps for which languages it has been said. */
const OFFERED = 'openspace.languages-offered'
/** Languages that are kept there. */
const MOST_KEPT = 100

export class Offers {
  /** Those that are still to be seen, by their languages. */
  private readonly open = new Map<string, LastingNotice>()

  constructor(
    private readonly api: Api,
    private readonly actions: ServerActions,
    private readonly nameOf: (language: string) => string,
  ) {}

  /** The text at hand has such a condition. */
  seen(condition: Condition, language: string): void {
    if (condition.is === 'servers') this.open.get(language)?.close()
    if (condition.is === 'servers' || this.never.includes(language)) return
    const key = `${condition.is} ${language}`
    const offered = read()
    if (offered.includes(key)) return
    localStorage.setItem(OFFERED, JSON.stringify([...offered, key].slice(-MOST_KEPT)))
    this.offer(condition.missing, condition.is)
  }

  private offer({ language, servers }: AbsentLanguage, is: 'absent' | 'untrusted'): void {
    const [server] = is === 'untrusted' ? servers.filter(isUntrusted) : servers.filter(({ install }) => install)
    if (!server) return
    const name = this.nameOf(language)
    const [text, label] = is === 'untrusted'
      ? [words.offerTrust(name), words.decide]
      : [words.offer(name, server.name), words.install]
    const then = (act: () => Promise<void>) => () => {
      this.open.get(language)?.close()
      void act()
    }
    const accept = () => (is === 'untrusted' ? this.actions.trust(language) : this.actions.runInstall(server))
    const refuse = () => this.api.workspace.set(NEVER_OFFER, [...this.never, language])
    const buttons: [string, () => void][] = [[label, then(accept)], [words.never, then(refuse)]]
    this.open.set(language, this.api.window.showLasting(text, buttons, () => this.open.delete(language), true))
  }

  private get never(): string[] {
    return this.api.workspace.getConfiguration().get<string[]>(NEVER_OFFER, [])
  }
}

function read(): string[] {
  const kept: unknown = JSON.parse(localStorage.getItem(OFFERED) ?? '[]')
  return Array.isArray(kept) ? kept.filter((key) => typeof key === 'string') : []
}
