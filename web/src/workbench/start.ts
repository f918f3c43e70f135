// Starts VS Code's workbench over the space and wires each of its needs to the server.
import 'vscode/localExtensionHost'
import { initialize, IViewsService, getService, LogLevel } from '@codingame/monaco-vscode-api'
import { registerCustomProvider } from '@codingame/monaco-vscode-files-service-override'
import { Uri } from 'monaco-editor'
import type * as vscode from 'vscode'
import type { Space } from '../protocol/space'
import type { RevealMode, Welcome } from '../protocol/state'
import { strings } from '../strings'
import { ACTIVITY_VIEW, registerActivityView } from './activity-view'
import { CommandPalette } from './commands'
import { ConnectionBanner } from './connection'
import { defaults } from './defaults'
import { registerOwnExtension, VIEW_ACTIONS } from './extension'
import { WorkspaceFiles } from './files'
import { Highlights } from './highlights'
import './languages'
import { LayoutSync } from './layout/sync'
import { registerMarkdownPreview, showMarkdownPreview } from './markdown-preview'
import { Notices } from './notices'
import { folderUri, setFolder, uriOf } from './place'
import { Presence } from './presence'
import { Problems } from './problems'
import { proposalsFrom } from './proposals'
import { Reporter } from './report'
import { Revealer } from './reveal'
import { useServerSearch } from './search'
import { services } from './services'
import { SourceControl } from './source-control'
import { StatusBar } from './status'
import { TerminalViews } from './terminals'
import { USER_SCHEME, UserFiles } from './user-data'
import { registerWelcome, showWelcome } from './welcome-editor'
import { useWorkers } from './workers'
import './workbench.css'

export async function startWorkbench(container: HTMLElement, space: Space, welcome: Welcome): Promise<void> {
  setFolder(welcome.workspace.folder)
  useWorkers()
  registerCustomProvider('file', new WorkspaceFiles(space))
  registerCustomProvider(USER_SCHEME, new UserFiles(space))
  const terminals = new TerminalViews(space)
  const extension = registerOwnExtension(welcome.version)
  let api: typeof vscode | undefined
  let notices: Notices | undefined
  registerActivityView(space, {
    openFile: (path) => void api?.window.showTextDocument(uriOf(path)),
    notices: () => notices,
  })
  registerWelcome(space, welcome.workspace.name)
  registerMarkdownPreview()
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
      windowIndicator: { label: strings.product, tooltip: welcome.workspace.folder, command: VIEW_ACTIONS.welcome.id },
      configurationDefaults: defaults,
      defaultLayout: { editors: [], views: [], force: true },
    },
    { userHome: Uri.file('/') },
  )
  await extension.setAsDefaultApi()
  api = await extension.getApi()
  notices = new Notices(api)
  notices.watch(space)
  await terminals.start()
  new ConnectionBanner(container, space)
  const layout = await LayoutSync.start(space, terminals)
  layout.onProblem.on((failure) => notices.failure(strings.layout.notTold, failure))
  await startViews(api, notices, space, layout, container)
}

/** What shows the space's doings on top of the workbench. */
async function startViews(
  api: typeof vscode, notices: Notices, space: Space, layout: LayoutSync, container: HTMLElement,
): Promise<void> {
  const mode = () => api.workspace.getConfiguration('openspace').get<RevealMode>('reveal', 'auto-focus')
  new Highlights(space)
  new Reporter(space, layout)
  new Presence(space)
  new Problems(api, space)
  await useServerSearch()
  void new SourceControl(api, notices, space).refresh()
  const revealer = await Revealer.start(space, layout, mode, container)
  const status = new StatusBar(api, space)
  const views = await getService(IViewsService)
  const hasHighlights = () =>
    void api.commands.executeCommand('setContext', 'openspace.hasHighlights', Object.keys(space.part('highlights')).length > 0)
  space.onPart('highlights', hasHighlights)
  hasHighlights()
  space.onRestart.on(() => notices.warning(strings.connection.restarted))
  const { registerCommand } = api.commands
  registerCommand(VIEW_ACTIONS.follow.id, () => {
    revealer.follow(!revealer.follows)
    status.showFollowing(revealer.follows)
  })
  registerCommand(VIEW_ACTIONS.jumpBack.id, () => revealer.jumpBack())
  registerCommand(VIEW_ACTIONS.acceptOffer.id, () => revealer.accept())
  registerCommand(VIEW_ACTIONS.welcome.id, () => showWelcome(false))
  registerCommand(VIEW_ACTIONS.markdown.id, () => showMarkdownPreview())
  registerCommand(VIEW_ACTIONS.activity.id, () => views.openView(ACTIVITY_VIEW, true))
  await new CommandPalette(api, notices, proposalsFrom(api, space)).start(space)
  const isNobodyThere = Object.keys(space.part('agents')).length === 0
  const isNothingOpen = layout.panes.groupsInOrder().every((group) => group.editors.length === 0)
  if (isNobodyThere && isNothingOpen) await showWelcome(true)
}
