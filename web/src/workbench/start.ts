// Starts VS Code's workbench over the space and wires each of its needs to the server.
import 'vscode/localExtensionHost'
import { initialize, IWorkbenchLayoutService, getService, LogLevel } from '@codingame/monaco-vscode-api'
import { registerCustomProvider } from '@codingame/monaco-vscode-files-service-override'
import { Uri } from 'monaco-editor'
import type * as vscode from 'vscode'
import { stat } from '../protocol/files'
import type { Space } from '../protocol/space'
import type { RevealMode, Welcome } from '../protocol/state'
import { strings } from '../strings'
import { registerActivityView } from './agents/activity-view'
import { LiveBuffers } from './text/buffers'
import { passOverCancellations } from './core/cancellations'
import { ChangeMarks } from './git/change-marks'
import { CommandPalette } from './commands/commands'
import { ConnectionBanner } from './status/connection'
import { defaults } from './core/defaults'
import { registerOwnExtension, VIEW_ACTIONS } from './core/extension'
import { WorkspaceFiles } from './files/files'
import { Highlights } from './agents/highlights'
import { registerImages, reopenAs } from './editors/image-editor'
import './core/languages'
import { LayoutSync } from './layout/sync'
import { registerMarkdownPreview, showMarkdownPreview } from './editors/markdown-preview'
import { Notices } from './core/notices'
import { OwnTabs } from './layout/own-tabs'
import { watchPage } from './status/page-update'
import { Pins } from './layout/pins'
import { folderUri, setFolder, uriOf } from './core/place'
import { Presence } from './agents/presence'
import { Problems } from './agents/problems'
import { proposalsFrom } from './commands/proposals'
import { Reporter } from './layout/report'
import { Revealer } from './agents/reveal'
import { useServerSearch } from './search/search'
import { services } from './core/services'
import { SourceControl } from './git/source-control'
import { StatusBar } from './status/status'
import { TerminalViews } from './terminals/terminals'
import { USER_SCHEME, UserFiles } from './files/user-data'
import { registerWelcome, showWelcome } from './editors/welcome-editor'
import { useWorkers } from './core/workers'
import './core/workbench.css'

/** Folders with too many files of which a person is told. */
const MOST_TOLD = 20

export async function startWorkbench(container: HTMLElement, space: Space, welcome: Welcome): Promise<void> {
  setFolder(welcome.workspace.folder)
  passOverCancellations()
  useWorkers()
  const files = new WorkspaceFiles(space)
  registerCustomProvider('file', files)
  registerCustomProvider(USER_SCHEME, new UserFiles(space))
  const terminals = new TerminalViews(space)
  // Before the workbench, whose own question at closing would otherwise be asked first.
  const buffers = new LiveBuffers(space, files)
  const extension = registerOwnExtension(welcome.version)
  let api: typeof vscode | undefined
  let notices: Notices | undefined
  const activity = registerActivityView(space, {
    openFile: (path) => {
      if (api && notices) void openPath(api, notices, path)
    },
    failed: (error) => notices?.failure(strings.activity.notLoaded, error),
  })
  registerWelcome(space, welcome.workspace.name)
  registerMarkdownPreview()
  registerImages(space)
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
  api.commands.registerCommand(VIEW_ACTIONS.activity.id, () => activity.show())
  notices = new Notices(api)
  notices.watch(space)
  tellCutFolders(files, notices)
  watchPage(space, welcome, notices)
  await terminals.start()
  await buffers.start()
  // What lies over the workbench is inside it: its colours end there.
  const { mainContainer } = await getService(IWorkbenchLayoutService)
  new ConnectionBanner(mainContainer, space)
  const layout = await LayoutSync.start(space, terminals)
  layout.onProblem.on((failure) => notices.failure(strings.layout.notTold, failure))
  new Presence(space, buffers)
  await startViews(api, notices, space, layout, mainContainer)
}

/** Show what somebody's call named: a file as text, a folder in the explorer. */
async function openPath(api: typeof vscode, notices: Notices, path: string): Promise<void> {
  try {
    const uri = uriOf(path)
    if ((await stat(path)).kind === 'folder') await api.commands.executeCommand('revealInExplorer', uri)
    else await api.commands.executeCommand('vscode.open', uri)
  } catch (error) {
    notices.failure(strings.activity.notOpened(path), error)
  }
}

/** Once for each folder: it is listed again with every change in it. */
function tellCutFolders(files: WorkspaceFiles, notices: Notices): void {
  const told = new Set<string>()
  files.onCut.on(({ path, shown }) => {
    if (told.has(path) || told.size >= MOST_TOLD) return
    told.add(path)
    notices.warning(strings.files.cut(path, shown))
  })
}

/** What shows the space's doings on top of the workbench. */
async function startViews(
  api: typeof vscode, notices: Notices, space: Space, layout: LayoutSync, container: HTMLElement,
): Promise<void> {
  const mode = () => api.workspace.getConfiguration('openspace').get<RevealMode>('reveal', 'auto-focus')
  layout.revealMode = mode
  new Highlights(space)
  new Pins(api, space, layout, notices)
  new Reporter(space, layout)
  new Problems(api, space)
  void new SourceControl(api, notices, space).refresh()
  // Before the person can do much that it would undo, and after what diffs are made of.
  await OwnTabs.start(layout.panes)
  await useServerSearch()
  await ChangeMarks.start(api)
  const revealer = await Revealer.start(space, layout, mode, container)
  const status = new StatusBar(api, space)
  const hasHighlights = () => {
    const isAny = Object.keys(space.part('highlights')).length > 0
    void api.commands.executeCommand('setContext', 'openspace.hasHighlights', isAny)
  }
  space.onPart('highlights', hasHighlights)
  hasHighlights()
  const { registerCommand } = api.commands
  registerCommand(VIEW_ACTIONS.follow.id, () => {
    revealer.follow(!revealer.follows)
    status.showFollowing(revealer.follows)
  })
  registerCommand(VIEW_ACTIONS.jumpBack.id, () => revealer.jumpBack())
  registerCommand(VIEW_ACTIONS.acceptOffer.id, () => revealer.accept())
  registerCommand(VIEW_ACTIONS.welcome.id, () => showWelcome(false))
  registerCommand(VIEW_ACTIONS.markdown.id, () => showMarkdownPreview())
  registerCommand(VIEW_ACTIONS.asImage.id, () => reopenAs('image'))
  registerCommand(VIEW_ACTIONS.asText.id, () => reopenAs('text'))
  await new CommandPalette(api, notices, proposalsFrom(api, space)).start(space)
  const isNobodyThere = Object.keys(space.part('agents')).length === 0
  const isNothingOpen = layout.panes.groupsInOrder().every((group) => group.editors.length === 0)
  if (isNobodyThere && isNothingOpen) await showWelcome(true)
}
