// The status bar: how the language servers of the text at hand are, and a click to what can be done about it.
import type { LanguageChannel } from '../../protocol/languages'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import type { StatusBarItem } from '../core/api/window'
import { pathOf } from '../core/uris'
import { conditionOf, lineOf, signOf, type Condition } from './condition'
import { COMMANDS } from './contributions'

const words = strings.languages.status

export class LanguageStatus {
  private readonly item: StatusBarItem

  constructor(
    private readonly api: Api,
    private readonly channel: LanguageChannel,
    /** The condition of the text at hand, each time that it is shown. */
    private readonly onShown: (condition: Condition, language: string) => void,
    private readonly nameOf: (language: string) => string,
  ) {
    this.item = api.window.createStatusBarItem('openspace.languages', 101, 'right')
    api.window.onActiveText((what) => {
      if (what === 'other') this.show()
    })
    channel.onServers.on(() => this.show())
    this.show()
  }

  private show(): void {
    const text = this.api.window.activeText()
    const path = pathOf(text?.uri)
    const language = text?.text.getLanguageId() ?? ''
    const condition = path ? conditionOf(this.channel.servers, path, language) : undefined
    if (!condition) {
      this.item.hide()
      return
    }
    this.item.set({ name: words.name, ...this.entryOf(condition, language) })
    this.onShown(condition, language)
  }

  private entryOf(condition: Condition, language: string): Omit<Parameters<StatusBarItem['set']>[0], 'name'> {
    if (condition.is === 'servers') {
      const { worst, all } = condition
      const isFailed = worst.state === 'failed'
      const lines = all.map((server) => `${server.name}: ${lineOf(server)}`)
      const partial = worst.state === 'loading' ? [words.partial] : []
      const command = isFailed
        ? { id: COMMANDS.restart, title: '', arguments: [worst.id, worst.root] }
        : { id: COMMANDS.show, title: '' }
      return {
        text: signOf(worst),
        tooltip: [...lines, ...partial, isFailed ? words.clickRestart : words.click].join('\n'),
        command,
        kind: isFailed ? 'error' : 'standard',
      }
    }
    const isAbsent = condition.is === 'absent'
    return {
      text: isAbsent ? words.absent(this.nameOf(language)) : words.untrusted(this.nameOf(language)),
      tooltip: isAbsent ? words.clickInstall : words.clickTrust,
      command: { id: isAbsent ? COMMANDS.install : COMMANDS.trust, title: '', arguments: [language] },
      kind: isAbsent ? 'standard' : 'warning',
    }
  }
}
