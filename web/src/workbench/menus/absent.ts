// What the workbench offers and cannot do here, or does for another product: it is taken out of all menus, of the
// palette, of the lists of places to go to and of the settings.
//
// `e2e/menus.spec.ts` runs what is left and names what belongs here too. What is only of no use in this very moment
// stays: the workbench greys it by itself.
import { getService, IContextKeyService } from '@codingame/monaco-vscode-api'
import {
  allMenus, ContextKeyExpr, isIMenuItem, MenuId, MenuRegistry, QuickAccessExtensions, Registry, settingSections,
  type IMenuItem, type IQuickAccessRegistry,
} from '../core/upstream'

const ABSENT: readonly (string | RegExp)[] = [
  // One page is one space, and a pane in another window would be in nobody's layout.
  /NewWindow$/,
  'workbench.action.newWindow',
  'workbench.action.newEmptyEditorWindow',
  'workbench.action.restoreEditorsToMainWindow',
  'workbench.action.openRecent',
  'workbench.action.clearRecentFiles',
  // Other products: their licence, shop, accounts, helpers and walkthroughs.
  'workbench.action.openLicenseUrl',
  'workbench.action.getStartedWithAccessibilityFeatures',
  'workbench.action.browseColorThemesInMarketplace',
  'workbench.action.configureMeteredConnection',
  'workbench.action.manageTrustedDomain',
  'workbench.action.showPolicyDiagnostics',
  'workbench.action.syncAccountPolicy',
  'workbench.action.terminal.startVoice',
  'workbench.action.terminal.stopVoice',
  'workbench.action.url.openUrl',
  'workbench.extensions.action.openInstalledWebExtensionsResource',
  'editor.action.inlineSuggest.snooze',
  'editor.action.measureExtHostLatency',
  'settings.filterByOnline',
  /^extension\.bisect\./,
  /^merge\.dev\./,
  // Parts that are not here: logs on screen, a host for terminals beside the server, a frame around the page.
  'hideCustomTitleBar',
  'workbench.action.setLogLevel',
  'workbench.action.showWindowLog',
  'workbench.action.toggleKeybindingsLog',
  'workbench.action.terminal.attachToSession',
  'workbench.action.terminal.detachSession',
  'workbench.action.terminal.recordSession',
  'workbench.action.terminal.restartPtyHost',
]

/**
 * What asks the language of a file and would never have an answer: no language here knows symbols, where something is
 * defined or used, or how to change code. An entry leaves this list with the first language that does, and so does
 * the Outline view (`build/left-out.ts`). What the workbench shows only where a language can do it is not in it:
 * renaming, formatting, hierarchies. JSON completes and explains; those entries are everybody's.
 */
const NO_LANGUAGE_YET = new Set([
  'workbench.action.gotoSymbol',
  'workbench.action.showAllSymbols',
  'editor.action.revealDefinition',
  'editor.action.revealDeclaration',
  'editor.action.goToTypeDefinition',
  'editor.action.goToImplementation',
  'editor.action.goToReferences',
  // These are shown for snippets around lines, which have an entry of their own.
  'editor.action.quickFix',
  'editor.action.refactor',
])

/** Sections of the settings whose settings nothing here reads. */
const ABSENT_SECTIONS = new Set([
  'window/newWindow', 'workbench/browser', 'chat', 'features/debug', 'features/testing', 'features/extensions',
  'features/task', 'features/output', 'features/comments', 'features/remote', 'features/notebook',
  'features/issueReporter', 'application/http', 'application/update', 'application/telemetry',
  'application/settingsSync', 'application/network', 'application/experimental',
])

const NEVER = ContextKeyExpr.false()

export function clearMenus(): void {
  for (const menu of allMenus().values()) {
    const absent = MenuRegistry.getMenuItems(menu).filter(isIMenuItem).filter(({ command }) => isAbsent(command.id))
    for (const item of absent) hide(item)
    // Those of the palette that are in no list are made anew with each look: one of the same command replaces them.
    const hidden = menu === MenuId.CommandPalette ? absent : absent.slice(0, 1)
    // Being told of an entry, menus that were made before look again.
    for (const { command } of hidden) MenuRegistry.appendMenuItem(menu, { command, when: NEVER })
  }
}

/** The lists of what one can go to, in the middle of the title and behind a question mark in the palette. */
export async function clearPlaces(): Promise<void> {
  const places = Registry.as<IQuickAccessRegistry>(QuickAccessExtensions.Quickaccess)
  for (const { helpEntries } of places.getQuickAccessProviders(await getService(IContextKeyService))) {
    const kept = helpEntries.filter(({ commandId }) => !commandId || !isAbsent(commandId))
    helpEntries.splice(0, helpEntries.length, ...kept)
  }
}

function isAbsent(command: string): boolean {
  if (NO_LANGUAGE_YET.has(command)) return true
  return ABSENT.some((one) => (typeof one === 'string' ? one === command : one.test(command)))
}

/** Menus have no way to take out what another part has put in. */
function hide(item: IMenuItem): void {
  item.when = NEVER
}

export function hideSections(): void {
  const look = (sections: typeof settingSections[]): void => {
    for (const section of sections) {
      if (ABSENT_SECTIONS.has(section.id)) section.hide = true
      look(section.children ?? [])
    }
  }
  look(settingSections.children ?? [])
}
