// What the workbench is told of languages before it starts: entries of the palette, and settings.
import { strings } from '../../strings'
import type { Contributions } from '../core/feature'

const words = strings.languages

export const COMMANDS = {
  show: 'openspace.languages.show',
  restart: 'openspace.languages.restart',
  stop: 'openspace.languages.stop',
  install: 'openspace.languages.install',
  /** Asks whether servers of the project may run. */
  trust: 'openspace.languages.trust',
} as const

/** Languages that the person does not want to be offered a server for. */
export const NEVER_OFFER = 'languages.neverOffer'

export const LANGUAGE_CONTRIBUTIONS: Contributions = {
  actions: (['show', 'restart', 'stop', 'install'] as const).map((name) => ({
    id: COMMANDS[name], title: words.actions[name], category: words.category,
  })),
  settings: {
    [NEVER_OFFER]: {
      type: 'array', items: { type: 'string' }, uniqueItems: true, default: [], description: words.missing.neverSetting,
    },
  },
}
