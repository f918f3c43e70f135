// Until what is loaded after the first text is there (`rest.ts`): its keys hold, and its commands wait for it and then
// do what they are for. What the person types meanwhile is for what they asked for, not for the file.
//
// The list has the keys that mean something out of nothing. Keys inside a view that is not there yet are not in it.
import type { ICommandService } from '@codingame/monaco-vscode-api'
import { KeyCode, KeyMod, type IDisposable } from 'monaco-editor'
import { HeldKeys } from './held-keys'
import { CommandsRegistry, ContextKeyExpr, KeybindingsRegistry, wrapExecuteCommand } from './upstream'

interface LateKey {
  command: string
  key: number
  mac?: number
  when?: string
}

const { CtrlCmd, Shift, Alt, WinCtrl } = KeyMod
const afterK = (key: KeyCode): number => KeyMod.chord(CtrlCmd | KeyCode.KeyK, CtrlCmd | key)

/** As the workbench has them. */
const LATE_KEYS: readonly LateKey[] = [
  { command: 'workbench.action.findInFiles', key: CtrlCmd | Shift | KeyCode.KeyF },
  { command: 'workbench.action.replaceInFiles', key: CtrlCmd | Shift | KeyCode.KeyH },
  {
    command: 'filesExplorer.findInFolder',
    key: Shift | Alt | KeyCode.KeyF,
    when: 'explorerResourceIsFolder && filesExplorerFocus && !inputFocus',
  },
  { command: 'workbench.view.scm', key: CtrlCmd | Shift | KeyCode.KeyG, mac: WinCtrl | Shift | KeyCode.KeyG },
  { command: 'workbench.actions.view.problems', key: CtrlCmd | Shift | KeyCode.KeyM },
  { command: 'workbench.action.openSettings', key: CtrlCmd | KeyCode.Comma },
  { command: 'workbench.action.openGlobalKeybindings', key: afterK(KeyCode.KeyS) },
  { command: 'workbench.action.selectTheme', key: afterK(KeyCode.KeyT) },
]

/** They are there from the start, but most of what they list is not. */
const LISTS = new Set([
  'workbench.action.showCommands', 'workbench.action.quickOpen', 'workbench.action.quickOpenWithModes',
])

/** As strong as keys of the workbench's parts are. */
const WEIGHT = 200

/** Before the workbench starts; to be disposed of when the real keys are there. */
export function holdLateKeys(): IDisposable {
  const rules = LATE_KEYS.map(({ command, key, mac, when }) => KeybindingsRegistry.registerKeybindingRule({
    id: command, primary: key, mac: mac ? { primary: mac } : undefined, weight: WEIGHT,
    when: ContextKeyExpr.deserialize(when),
  }))
  return { dispose: () => rules.forEach((rule) => rule.dispose()) }
}

/** When the workbench is there; to be disposed of when the commands are. */
export function awaitLateCommands(commands: ICommandService, load: () => Promise<void>): IDisposable {
  const isLate = (id: string) => LISTS.has(id) || !CommandsRegistry.getCommand(id)
  return wrapExecuteCommand(commands, (execute) => (id, ...args) =>
    isLate(id) ? runWhenThere(load, () => execute(id, ...args)) : execute(id, ...args))
}

async function runWhenThere<T>(load: () => Promise<void>, run: () => Promise<T>): Promise<T> {
  const keys = new HeldKeys()
  try {
    await load()
    return await keys.handTo(run)
  } finally {
    keys.end()
  }
}
