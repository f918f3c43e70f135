// Opens VS Code's workbench over the space, with what the features add to it.
import {
  getService, initialize, IStorageService, IWorkbenchLayoutService, LogLevel,
} from '@codingame/monaco-vscode-api'
import type { ITerminalBackend } from '@codingame/monaco-vscode-terminal-service-override'
import { Uri } from 'monaco-editor'
import { strings } from '../../strings'
import { ACTIONS } from './actions'
import { startApi } from './api'
import { passOverCancellations } from './cancellations'
import { defaults } from './defaults'
import { registerOwnExtension } from './extension'
import type { Contributions, Page, Workbench } from './feature'
import { heldKeys } from './held-keys'
import { keyTakers } from './key-takers'
import './languages'
import { Notices } from './notices'
import { announceRest } from './rest'
import { services } from './services'
import { saveWhenHidden } from './storage'
import { folderUri } from './uris'
import { useWorkers } from './workers'
import './workbench.css'

export async function openWorkbench(
  element: HTMLElement, { space, welcome }: Page, contributions: readonly Contributions[], terminals: ITerminalBackend,
): Promise<Workbench> {
  passOverCancellations()
  useWorkers()
  registerOwnExtension(welcome.version, contributions)
  const awaitRest = announceRest()
  await initialize(
    services(terminals),
    element,
    {
      workspaceProvider: {
        trusted: true,
        workspace: { folderUri: folderUri() },
        // One page is one space.
        open: async () => false,
      },
      developmentOptions: { logLevel: LogLevel.Warning },
      productConfiguration: { nameShort: strings.product, nameLong: strings.product },
      windowIndicator: { label: strings.product, tooltip: welcome.workspace.folder, command: ACTIONS.welcome },
      configurationDefaults: defaults,
      defaultLayout: { editors: [], views: [], force: true },
    },
    // Paths beneath it are shown with `~`.
    { userHome: Uri.file(welcome.workspace.home ?? '/') },
  )
  heldKeys.takers = await keyTakers()
  await awaitRest()
  saveWhenHidden(await getService(IStorageService))
  const api = await startApi()
  const notices = new Notices(api)
  notices.watch(space)
  const { mainContainer } = await getService(IWorkbenchLayoutService)
  if (welcome.debug) offerChecks()
  return { api, notices, container: mainContainer }
}

/** For the tests: what of the workbench's insides is not as the page needs it, and what its menus hold. */
function offerChecks(): void {
  const openspaceUpstream = async () => (await import('./upstream-checks')).checkUpstream()
  const openspaceMenus = async () => import('./menu-checks')
  Object.assign(window, { openspaceUpstream, openspaceMenus })
}
