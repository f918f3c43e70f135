// What a narrow window has no room for beside a text: the minimap, and the buttons of tab bars, which are in their
// menus meanwhile. What the status bar has no room for is a matter of style (`core/workbench.css`).
//
// Holds in this window alone, and is written down nowhere: the person's settings stay as they are.
import { getService, IConfigurationService, IContextKeyService, IEditorService } from '@codingame/monaco-vscode-api'
import {
  ConfigurationExtensions, ContextKeyExpr, isCodeEditor, isIMenuItem, MenuId, MenuRegistry, Registry,
  type IConfigurationRegistry, type IMenuItem, type ISubmenuItem,
} from '../core/upstream'
import type { NarrowWindow } from './narrow-window'

const MINIMAP = 'editor.minimap.enabled'
/** A person's own settings win over it, as over all defaults. */
const DEFAULTS = [{ overrides: { [MINIMAP]: false } }]

const IS_NARROW = 'openspace.isNarrow'
/** Those of a tab bar that are buttons. */
const BUTTONS = 'navigation'
/** Where they are in its menu: first. */
const FOLDED = '0_folded'
/** Nothing else than one pane is to be had. */
const ONE_PANE = 'workbench.action.toggleMaximizeEditorGroup'

export async function foldDetails(narrow: NarrowWindow): Promise<void> {
  const [contexts, editors, settings] = await Promise.all([
    getService(IContextKeyService), getService(IEditorService), getService(IConfigurationService),
  ])
  const defaults = Registry.as<IConfigurationRegistry>(ConfigurationExtensions.Configuration)
  const isNarrow = contexts.createKey<boolean>(IS_NARROW, false)
  /** Of another default only editors hear that open a file after it. */
  const showMinimaps = (): void => {
    for (const editor of editors.visibleTextEditorControls.filter(isCodeEditor)) {
      const model = editor.getModel()
      if (!model) continue
      const place = { resource: model.uri, overrideIdentifier: model.getLanguageId() }
      editor.updateOptions({ minimap: { enabled: settings.getValue<boolean>(MINIMAP, place) } })
    }
  }
  const fold = (): void => {
    isNarrow.set(true)
    defaults.registerDefaultConfigurations(DEFAULTS)
    showMinimaps()
  }
  const unfold = (): void => {
    isNarrow.set(false)
    defaults.deregisterDefaultConfigurations(DEFAULTS)
    showMinimaps()
  }
  narrow.onNarrow.on(fold)
  narrow.onWide.on(unfold)
  if (narrow.isNarrow) fold()
  foldButtons()
  MenuRegistry.onDidChangeMenu((changed) => {
    if (changed.has(MenuId.EditorTitle)) foldButtons()
  })
}

const seen = new WeakSet<IMenuItem | ISubmenuItem>()

/** Gives each button a second place, in the menu, and has either be there by the width of the window. */
function foldButtons(): void {
  const buttons = MenuRegistry.getMenuItems(MenuId.EditorTitle)
    .filter((item) => item.group === BUTTONS && !seen.has(item))
  for (const item of buttons) {
    seen.add(item)
    const folded = { ...item, group: FOLDED, when: ContextKeyExpr.and(item.when, ContextKeyExpr.has(IS_NARROW)) }
    item.when = ContextKeyExpr.and(item.when, ContextKeyExpr.not(IS_NARROW))
    const isOfPanes = isIMenuItem(item) && item.command.id === ONE_PANE
    if (!isOfPanes) MenuRegistry.appendMenuItem(MenuId.EditorTitle, folded)
  }
}
