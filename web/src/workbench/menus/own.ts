// Entries of ours in menus that no manifest of an extension reaches, and what they do.
import { getService, ILanguageService } from '@codingame/monaco-vscode-api'
import { Uri } from 'monaco-editor'
import { strings } from '../../strings'
import { ACTIONS } from '../core/actions'
import type { Api } from '../core/api'
import { CommandsRegistry, MenuId, MenuRegistry } from '../core/upstream'

const words = strings.about
const ABOUT = 'workbench.action.showAboutDialog'
const LICENCE = 'openspace.view.licence'
const SCHEME = 'openspace-licence'
/** What the workbench runs for “Format Document” where nothing can format. */
const NO_FORMATTER = 'editor.action.formatDocument.none'

export function addOwnEntries(api: Api, version: string): void {
  // The command that was registered last is the one that is run.
  CommandsRegistry.registerCommand(ABOUT, () => void showAbout(api, version))
  // The workbench would offer to install an extension.
  CommandsRegistry.registerCommand(NO_FORMATTER, () => void sayNoFormatter(api))
  CommandsRegistry.registerCommand(LICENCE, () => void showLicence(api))
  api.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: async () => (await import('../../panels/licence/licence')).licence,
  })
  const add = (menu: MenuId, group: string, order: number, id: string, title: string) =>
    MenuRegistry.appendMenuItem(menu, { group, order, command: { id, title } })
  add(MenuId.MenubarHelpMenu, '1_welcome', 0, ACTIONS.welcome, words.welcome)
  add(MenuId.MenubarHelpMenu, '4_legal', 1, LICENCE, words.licence)
  add(MenuId.MenubarFileMenu, '1_new', 2, 'explorer.newFile', words.newFile)
  add(MenuId.MenubarFileMenu, '1_new', 3, 'explorer.newFolder', words.newFolder)
  // The workbench has the same entry, behind a setting that no page has.
  add(MenuId.ExplorerContext, 'navigation', 30, 'openInIntegratedTerminal', words.inTerminal)
}

async function sayNoFormatter(api: Api): Promise<void> {
  const id = api.window.activeText()?.text.getLanguageId()
  if (id === undefined) return
  const name = (await getService(ILanguageService)).getLanguageName(id) ?? id
  await api.window.showInformationMessage(words.noFormatter(name))
}

async function showAbout(api: Api, version: string): Promise<void> {
  const title = words.title(version)
  const detail = words.detail(navigator.userAgent)
  const choice = await api.window.ask({ message: title, detail, isNews: true }, words.licence, words.copy)
  if (choice === words.licence) await showLicence(api)
  if (choice === words.copy) await api.window.copy(`${title}\n${detail}`)
}

async function showLicence(api: Api): Promise<void> {
  await api.window.showTextDocument(Uri.from({ scheme: SCHEME, path: '/LICENSE' }))
}
