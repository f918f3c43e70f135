// Which of the workbench's services are on, and how each is set up. The lean set: no extension host
// outside the page, no telemetry, no chat, no marketplace.
import { StorageScope, type IEditorOverrideServices } from '@codingame/monaco-vscode-api'
import accessibility from '@codingame/monaco-vscode-accessibility-service-override'
import bulkEdit from '@codingame/monaco-vscode-bulk-edit-service-override'
import configuration from '@codingame/monaco-vscode-configuration-service-override'
import dialogs from '@codingame/monaco-vscode-dialogs-service-override'
import environment from '@codingame/monaco-vscode-environment-service-override'
import explorer from '@codingame/monaco-vscode-explorer-service-override'
import extensions from '@codingame/monaco-vscode-extensions-service-override'
import keybindings from '@codingame/monaco-vscode-keybindings-service-override'
import languages from '@codingame/monaco-vscode-languages-service-override'
import lifecycle from '@codingame/monaco-vscode-lifecycle-service-override'
import localization from '@codingame/monaco-vscode-localization-service-override'
import log from '@codingame/monaco-vscode-log-service-override'
import markers from '@codingame/monaco-vscode-markers-service-override'
import multiDiff from '@codingame/monaco-vscode-multi-diff-editor-service-override'
import model from '@codingame/monaco-vscode-model-service-override'
import notifications from '@codingame/monaco-vscode-notifications-service-override'
import outline from '@codingame/monaco-vscode-outline-service-override'
import preferences from '@codingame/monaco-vscode-preferences-service-override'
import quickAccess from '@codingame/monaco-vscode-quickaccess-service-override'
import scm from '@codingame/monaco-vscode-scm-service-override'
import search from '@codingame/monaco-vscode-search-service-override'
import snippets from '@codingame/monaco-vscode-snippets-service-override'
import storage from '@codingame/monaco-vscode-storage-service-override'
import terminal, { type ITerminalBackend } from '@codingame/monaco-vscode-terminal-service-override'
import textmate from '@codingame/monaco-vscode-textmate-service-override'
import theme from '@codingame/monaco-vscode-theme-service-override'
import banner from '@codingame/monaco-vscode-view-banner-service-override'
import statusBar from '@codingame/monaco-vscode-view-status-bar-service-override'
import timeline from '@codingame/monaco-vscode-timeline-service-override'
import titleBar from '@codingame/monaco-vscode-view-title-bar-service-override'
import workbench from '@codingame/monaco-vscode-workbench-service-override'
import workingCopy from '@codingame/monaco-vscode-working-copy-service-override'
import trust from '@codingame/monaco-vscode-workspace-trust-service-override'
import { hiddenAtFirst, UiState } from './storage'

export function services(terminals: ITerminalBackend): IEditorOverrideServices {
  const ui = new UiState()
  return {
    ...log(),
    ...extensions({ enableWorkerExtensionHost: false }),
    ...model(),
    ...notifications(),
    ...dialogs(),
    ...configuration(),
    ...keybindings(),
    ...textmate(),
    ...theme(),
    ...languages(),
    ...preferences(),
    ...outline(),
    ...banner(),
    ...statusBar(),
    ...titleBar(),
    ...snippets(),
    ...terminal(terminals),
    ...search(),
    ...markers(),
    ...accessibility(),
    ...storage({
      fallbackOverride: hiddenAtFirst,
      databaseFactories: {
        [StorageScope.APPLICATION]: () => ui.database('application'),
        [StorageScope.PROFILE]: () => ui.database('profile'),
        [StorageScope.WORKSPACE]: () => ui.database('workspace'),
      },
    }),
    ...lifecycle(),
    ...environment(),
    ...trust(),
    ...workingCopy(),
    ...scm(),
    ...multiDiff(),
    ...timeline(),
    ...explorer(),
    ...bulkEdit(),
    ...localization({
      clearLocale: async () => undefined,
      setLocale: async () => undefined,
      availableLanguages: [{ locale: 'en', languageName: 'English' }],
    }),
    ...workbench(),
    ...quickAccess({ isKeybindingConfigurationVisible: () => true, shouldUseGlobalPicker: () => true }),
  }
}
