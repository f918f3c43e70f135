// Zen mode after a reload: the workbench is in it again before the part is made that would hear of it, so nothing
// that is only for zen mode, such as the keys that leave it, would be there.
import { getService, IContextKeyService, IWorkbenchLayoutService } from '@codingame/monaco-vscode-api'
import { isZenMode } from '../core/upstream'

/** What the workbench's own keys and menus ask for. */
const IN_ZEN_MODE = 'inZenMode'

export async function tellZenMode(): Promise<void> {
  const [parts, keys] = await Promise.all([getService(IWorkbenchLayoutService), getService(IContextKeyService)])
  if (isZenMode(parts)) keys.createKey<boolean>(IN_ZEN_MODE, false).set(true)
}
