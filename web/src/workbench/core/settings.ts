// A person's own settings that more than one feature asks for.
import type { Api } from './api'
import type { RevealMode } from '../../protocol/state'

/** What the person wants of files that others open. */
export function revealMode(api: Api): RevealMode {
  return api.workspace.getConfiguration('openspace').get<RevealMode>('reveal', 'auto-focus')
}
