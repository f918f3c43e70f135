// Commands that servers attach to what they offer: done by the server that named them, or by the workbench where
// they are names of its own. Nothing else that a server says is run.
import type * as lsp from 'vscode-languageserver-types'
import { strings } from '../../strings'
import type { Workbench } from '../core/feature'
import type { lang } from '../core/upstream'
import type { Asking, Origin } from './asking'
import { toUri } from './addresses'
import { locationsOf, placeOf } from './convert/places'

const EXECUTE = 'openspace.languages.execute'
const SHOW_PLACES = 'openspace.languages.showPlaces'
/** What the workbench does by itself, without arguments. */
const OF_WORKBENCH = new Set(['editor.action.triggerSuggest', 'editor.action.triggerParameterHints'])
/** Uses of something, by the names that servers have for it: an address, a place, and places. */
const USES = /(^editor\.action|^rust-analyzer|^java\.show|^_?typescript|^gopls)\.?(showReferences|references)$/i

export function registerCommands({ api, notices }: Workbench, asking: Asking): void {
  api.commands.registerCommand(EXECUTE, async (from: Origin, command: string, args: unknown[]) => {
    try {
      await asking.again(from, 'workspace/executeCommand', { command, arguments: args })
    } catch (error) {
      notices.failure(strings.languages.notRun(command), error)
    }
  })
  api.commands.registerCommand(SHOW_PLACES, (address: string, position: lsp.Position, places: lsp.Location[]) => {
    const uri = toUri(address)
    const found = locationsOf(places, toUri)
    return uri && api.commands.executeCommand('editor.action.showReferences', uri, placeOf(position), found)
  })
}

/** Nothing for a command that nobody here can run. */
export function commandOf(asking: Asking, from: Origin, command: lsp.Command): lang.Command | undefined {
  const { title, command: id, arguments: args = [] } = command as lsp.Command & { arguments?: unknown[] }
  if (OF_WORKBENCH.has(id)) return { id, title }
  const [address, position, places] = args
  const arePlaces = typeof address === 'string' && typeof position === 'object' && Array.isArray(places)
  if (USES.test(id) && arePlaces) return { id: SHOW_PLACES, title, arguments: args }
  const { commands = [] } = (asking.serverOf(from)?.abilities['workspace/executeCommand'] ?? {}) as {
    commands?: string[]
  }
  return commands.includes(id) ? { id: EXECUTE, title, arguments: [from, id, args] } : undefined
}
