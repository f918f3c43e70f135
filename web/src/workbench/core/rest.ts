// The rest of the workbench: what nobody needs before the first text is on the screen. Search, source control,
// problems, and the editors of settings, keys, merges and searches are an eighth of its code.
import {
  ICommandService, IKeybindingService, IPaneCompositePartService, IWorkbenchLayoutService, getService,
} from '@codingame/monaco-vscode-api'
import type { IDisposable } from 'monaco-editor'
import { atOpening } from '../../protocol/user-data'
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
const standIns: IDisposable[] = []

/** Has what the person asks for of the rest wait for it. Called before the workbench starts; what it gives, after. */
export function announceRest(): () => Promise<void> {
  standIns.push(holdLateKeys())
  return async () => void standIns.push(awaitLateCommands(await getService(ICommandService), loadRest))
}

/** Loads it, once; whoever needs it earlier waits for it. */
export function loadRest(): Promise<void> {
  loading ??= load()
  return loading
}

async function load(): Promise<void> {
  const views = await getService(IPaneCompositePartService)
  const layout = await getService(IWorkbenchLayoutService)
  const known = new Map(IN_FRONT.map(({ location }) => [location, new Set(views.getPaneCompositeIds(location))]))
  await import('./upstream-late')
  for (const one of standIns) one.dispose()
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
