// The part of VS Code's extension API that features use, over the workbench's own services.
//
// The whole API comes with an extension host and with the workbench's half of it, an eighth of all the code that
// a page would have to read before it shows a text, and no extension runs here (`docs/decisions/0028`). What a
// feature needs beyond this it asks a service for.
import { ICommandService, getService } from '@codingame/monaco-vscode-api'
import type { IDisposable } from 'monaco-editor'
import { Markers, type DiagnosticCollections } from './api/markers'
import { SourceControls, rowsToStates, type SourceControlApi } from './api/source-control'
import { startWindow, type WindowApi } from './api/window'
import { startWorkspace, type WorkspaceApi } from './api/workspace'
import { CommandsRegistry } from './upstream'

export interface Api {
  commands: CommandApi
  languages: DiagnosticCollections
  scm: SourceControlApi
  window: WindowApi
  workspace: WorkspaceApi
}

export interface CommandApi {
  executeCommand: <T = unknown>(id: string, ...args: unknown[]) => Promise<T | undefined>
  // Handlers name the types of what their menus hand them; nobody can check that here.
  // oxlint-disable-next-line no-explicit-any -- as above
  registerCommand: (id: string, handler: (...args: any[]) => unknown) => IDisposable
}

/** Names by which keys and links of people know what the workbench has under names of its own. */
const PUBLIC_NAMES = { setContext: '_setContext', 'vscode.open': '_workbench.open', 'vscode.diff': '_workbench.diff' }

/** The workbench must have started. */
export async function startApi(): Promise<Api> {
  const service = await getService(ICommandService)
  const commands: CommandApi = {
    executeCommand: <T>(id: string, ...args: unknown[]) => service.executeCommand<T>(id, ...args),
    registerCommand: (id, handler) =>
      CommandsRegistry.registerCommand(id, (_accessor, ...args) => handler(...rowsToStates(args))),
  }
  for (const [name, own] of Object.entries(PUBLIC_NAMES)) {
    commands.registerCommand(name, (...args: unknown[]) => service.executeCommand(own, ...args))
  }
  return {
    commands,
    languages: await Markers.start(),
    scm: await SourceControls.start(service),
    window: await startWindow(),
    workspace: await startWorkspace(),
  }
}
