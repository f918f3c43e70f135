// Our defaults for the workbench's settings. A person's own settings win over each of them.
import { ACTIONS } from './actions'

export const defaults: Record<string, unknown> = {
  'workbench.colorTheme': 'Dark Modern',
  'workbench.preferredDarkColorTheme': 'Dark Modern',
  'workbench.preferredLightColorTheme': 'Light Modern',
  'window.autoDetectColorScheme': true,
  'workbench.iconTheme': 'vs-seti',
  'workbench.startupEditor': 'none',
  // The layout is shared: a modal part or a group that locks itself would be in nobody's model.
  'workbench.editor.useModal': 'off',
  'workbench.editor.autoLockGroups': {},
  // Another window would be in nobody's model either.
  'workbench.editor.dragToOpenWindow': false,
  'workbench.editor.restoreEditors': false,
  'workbench.editor.closeEmptyGroups': true,
  'workbench.editor.empty.hint': 'hidden',
  // A pinned pane shows its pin also while another one is active.
  'workbench.editor.alwaysShowEditorActions': true,
  // The keys that help where no tab is open.
  'workbench.tips.enabled': true,
  'workbench.layoutControl.enabled': true,
  // The chat comes when it is asked for, and stays then.
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.commandCenter.enabled': false,
  'chat.disableAIFeatures': true,
  'security.workspace.trust.enabled': false,
  'files.autoSave': 'off',
  // The server keeps unsaved text.
  'files.hotExit': 'off',
  // Its copies would go to user data, which has no place for them.
  'workbench.localHistory.enabled': false,
  'terminal.integrated.tabs.title': '${sequence}',
  'terminal.integrated.enablePersistentSessions': false,
  'terminal.integrated.shellIntegration.enabled': true,
  // Besides those that the workbench skips by itself: the side bar folds, and a question is answered, from everywhere.
  'terminal.integrated.commandsToSkipShell': [
    'workbench.action.toggleSidebarVisibility', ACTIONS.answer, ACTIONS.sendTerminal,
  ],
  'terminal.integrated.scrollback': 10_000,
  // It would stand in the line that an agent types in.
  'terminal.integrated.initialHint': false,
  'editor.glyphMargin': true,
  // Its helper thread sends colours for texts that are closed by then, which is an error in the page.
  'editor.experimental.asyncTokenization': false,
  // As VS Code has it for prose: the end of a line is a key that must not choose a word.
  '[markdown]': { 'editor.quickSuggestions': { comments: 'off', strings: 'off', other: 'off' } },
  'search.smartCase': true,
  'scm.alwaysShowRepositories': false,
  'scm.graph.badges': 'all',
  'telemetry.telemetryLevel': 'off',
  'extensions.ignoreRecommendations': true,
}
