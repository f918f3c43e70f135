// Starts VS Code's workbench over the space and wires each of its needs to the server.
import 'vscode/localExtensionHost'
import { initialize, LogLevel } from '@codingame/monaco-vscode-api'
import { registerExtension, ExtensionHostKind } from '@codingame/monaco-vscode-api/extensions'
import { registerCustomProvider } from '@codingame/monaco-vscode-files-service-override'
import { Uri } from 'monaco-editor'
import type { Space } from '../protocol/space'
import type { Welcome } from '../protocol/state'
import { strings } from '../strings'
import { defaults } from './defaults'
import { WorkspaceFiles } from './files'
import './languages'
import { folderUri, setFolder } from './place'
import { services } from './services'
import { LayoutSync } from './layout/sync'
import { TerminalViews } from './terminals'
import { USER_SCHEME, UserFiles } from './user-data'
import { useWorkers } from './workers'

export async function startWorkbench(container: HTMLElement, space: Space, welcome: Welcome): Promise<void> {
  setFolder(welcome.workspace.folder)
  useWorkers()
  registerCustomProvider('file', new WorkspaceFiles(space))
  registerCustomProvider(USER_SCHEME, new UserFiles(space))
  const terminals = new TerminalViews(space)
  const extension = registerExtension(
    { name: 'openspace', publisher: 'openspace', version: welcome.version, engines: { vscode: '*' } },
    ExtensionHostKind.LocalProcess,
    { system: true },
  )
  await initialize(
    services(terminals.backend),
    container,
    {
      workspaceProvider: {
        trusted: true,
        workspace: { folderUri: folderUri() },
        // One page is one space.
        open: async () => false,
      },
      developmentOptions: { logLevel: LogLevel.Warning },
      productConfiguration: { nameShort: strings.product, nameLong: strings.product },
      windowIndicator: { label: strings.product, tooltip: welcome.workspace.folder, command: '' },
      configurationDefaults: defaults,
      defaultLayout: { editors: [], views: [], force: true },
    },
    { userHome: Uri.file('/') },
  )
  await extension.setAsDefaultApi()
  await terminals.start()
  await LayoutSync.start(space, terminals)
}
