// Starts languages: the socket, what can be asked, and what the person sees of the servers.
import { ILanguageFeaturesService, ILanguageService, getService } from '@codingame/monaco-vscode-api'
import { LanguageChannel, type PageFeature } from '../../protocol/languages'
import type { Space } from '../../protocol/space'
import type { Workbench } from '../core/feature'
import type { SharedText } from '../core/shared-text'
import type { IDisposable } from '../core/upstream'
import { startApplying } from './applying'
import { Asking } from './asking'
import { changing } from './changing'
import { registerCommands } from './commands'
import { registerKinds } from './kinds'
import { Offers } from './offers'
import { reading, Refreshing } from './reading'
import { Registrations } from './registrations'
import { ServerActions } from './servers'
import { tellShown } from './shown'
import { registerSources } from './source'
import { LanguageStatus } from './status'
import { registerWorkspaceSymbols, structure } from './structure'
import { ShownTexts, versionOf } from './texts'
import { typing } from './typing'

/** Characters of a server's own words that a notice has. */
const MOST_SAID = 500

export async function startLanguages(workbench: Workbench, space: Space, text: SharedText): Promise<void> {
  const { api, notices } = workbench
  const texts = new ShownTexts(text)
  const [features, known, applying] = await Promise.all([
    getService(ILanguageFeaturesService), getService(ILanguageService), startApplying(texts),
  ])
  const nameOf = (language: string) => known.getLanguageName(language) ?? language
  const channel = new LanguageChannel()
  channel.applying = applying
  const asking = new Asking(channel, texts)
  const refreshing = new Refreshing()
  const registrations = new Registrations({
    ...reading(features, asking, refreshing),
    ...typing(features, asking),
    ...changing(features, asking, versionOf),
    ...structure(features, asking, refreshing),
  })
  let symbols: IDisposable | undefined
  channel.onServers.on(({ servers }) => {
    registrations.update(servers)
    const hasSymbols = servers.some(({ abilities }) => abilities['workspace/symbol'])
    if (hasSymbols) {
      symbols ??= registerWorkspaceSymbols(asking)
    } else {
      symbols?.dispose()
      symbols = undefined
    }
  })
  channel.onKinds.on(registerKinds)
  const refresh: Record<PageFeature, () => void> = {
    semanticTokens: () => refreshing.tokens.fire(),
    inlayHints: () => refreshing.hints.fire(),
    codeLenses: () => refreshing.lenses.fire(undefined as never),
    foldingRanges: () => refreshing.folds.fire(undefined as never),
    // They are a part of the space, which tells of them by itself.
    diagnostics: () => {},
  }
  channel.onRefresh.on((feature) => refresh[feature]())
  channel.onNotice.on(({ level, server, text: said }) => {
    // The workbench would make links of it, of commands too.
    const whole = `${server}: ${said.slice(0, MOST_SAID).replaceAll('](', '] (')}`
    if (level === 'error') notices.error(whole)
    else if (level === 'warning') notices.warning(whole)
    else notices.done(whole)
  })
  registerCommands(workbench, asking)
  registerSources(api)
  const actions = new ServerActions(workbench, channel, nameOf)
  const offers = new Offers(api, actions, nameOf)
  void new LanguageStatus(api, channel, (condition, language) => offers.seen(condition, language), nameOf)
  tellShown(channel)
  space.onConnection.on(({ is }) => {
    if (is === 'live') channel.retry()
  })
  channel.connect()
}
