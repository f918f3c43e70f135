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

/** Read by the server, which has them as soon as they are set. */
const OF_SERVER = {
  'languages.servers': {
    type: 'object', additionalProperties: { type: 'boolean' }, default: {}, description: words.settings.servers,
  },
  'languages.settings': {
    type: 'object', additionalProperties: { type: 'object' }, default: {}, description: words.settings.settings,
  },
  'languages.afterEdit': {
    type: 'string', enum: ['new', 'errors', 'off'], enumDescriptions: words.settings.afterEditValues, default: 'new',
    description: words.settings.afterEdit,
  },
}

export const LANGUAGE_CONTRIBUTIONS: Contributions = {
  actions: (['show', 'restart', 'stop', 'install'] as const).map((name) => ({
    id: COMMANDS[name], title: words.actions[name], category: words.category,
  })),
  settings: {
    ...OF_SERVER,
    [NEVER_OFFER]: {
      type: 'array', items: { type: 'string' }, uniqueItems: true, default: [], description: words.missing.neverSetting,
    },
  },
}
