// The rest of the workbench: what nobody needs before the first text is on the screen. Search, source control,
// problems, and the editors of settings, keys, merges and searches are an eighth of its code.
import {
  ICommandService, IKeybindingService, IPaneCompositePartService, IWorkbenchLayoutService, getService,
} from '@codingame/monaco-vscode-api'
import type { IDisposable } from 'monaco-editor'
import { atOpening } from '../../protocol/user-data'
import { heldKeys } from './held-keys'
import { awaitLateCommands, holdLateKeys } from './stand-ins'
import { Parts, ViewContainerLocation, readColoursAnew, readKeysAnew } from './upstream'

/** Where the workbench notes which view is in front, and where that is. */
export const IN_FRONT = [
  { key: 'workbench.sidebar.activeviewletid', location: ViewContainerLocation.Sidebar, part: Parts.SIDEBAR_PART },
  { key: 'workbench.panelpart.activepanelid', location: ViewContainerLocation.Panel, part: Parts.PANEL_PART },
  {
    key: 'workbench.auxiliarybar.activepanelid',
    location: ViewContainerLocation.AuxiliaryBar,
    part: Parts.AUXILIARYBAR_PART,
  },
] as const

let loading: Promise<void> | undefined
let keys: IDisposable | undefined
let commands: IDisposable | undefined
const start = signal()
const over = signal()

/** Has what the person asks for of the rest wait for it. Called before the workbench starts; what it gives, after. */
export function announceRest(): () => Promise<void> {
  keys = holdLateKeys()
  return async () => {
    commands = awaitLateCommands(await getService(ICommandService), { start: () => start.is, rest: loadRest })
  }
}

/** The page shows what it showed before: from now on what the rest brings may be used. */
export function useRest(): void {
  start.tell()
}

/** For whoever does not need it so much that it is to be loaded for that. Who loads it says when that fails. */
export function restHasCome(): Promise<void> {
  return over.is
}

/** Loads it, once; whoever needs it earlier waits for it. */
export function loadRest(): Promise<void> {
  loading ??= load().finally(over.tell)
  return loading
}

async function load(): Promise<void> {
  const views = await getService(IPaneCompositePartService)
  const layout = await getService(IWorkbenchLayoutService)
  const known = new Map(IN_FRONT.map(({ location }) => [location, new Set(views.getPaneCompositeIds(location))]))
  await import('./upstream-late')
  keys?.dispose()
  void endWaiting()
  readKeysAnew(await getService(IKeybindingService))
  readColoursAnew()
  // A view that was in front when the page was left, and was not there when the workbench looked for it.
  const { workspace } = await atOpening().ui
  for (const { key, location, part } of IN_FRONT) {
    const id = workspace?.[key]
    if (id === undefined || known.get(location)?.has(id) || !layout.isVisible(part, window)) continue
    await views.openPaneComposite(id, location, false)
  }
}

/** A tab that comes back may need the rest before the start is over, and keys that are kept may be for commands. */
async function endWaiting(): Promise<void> {
  await start.is
  await heldKeys.free()
  commands?.dispose()
}

function signal(): { is: Promise<void>; tell: () => void } {
  let tell = () => {}
  const is = new Promise<void>((resolve) => {
    tell = resolve
  })
  return { is, tell }
}
