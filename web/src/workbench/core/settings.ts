// A person's own settings that more than one feature asks for.
import type * as vscode from 'vscode'
import type { RevealMode } from '../../protocol/state'

/** What the person wants of files that others open. */
export function revealMode(api: typeof vscode): RevealMode {
  return api.workspace.getConfiguration('openspace').get<RevealMode>('reveal', 'auto-focus')
}
