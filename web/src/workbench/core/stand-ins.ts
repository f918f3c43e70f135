// Until what is loaded after the first text is there (`rest.ts`): its keys hold, and its commands wait for it and then
// do what they are for. What the person types meanwhile is for what they asked for, not for the file.
//
// The list has the keys that mean something out of nothing. Keys inside a view that is not there yet are not in it.
import type { ICommandService } from '@codingame/monaco-vscode-api'
import { KeyCode, KeyMod, type IDisposable } from 'monaco-editor'
import { heldKeys } from './held-keys'
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
const LISTS = ['workbench.action.showCommands', 'workbench.action.quickOpen', 'workbench.action.quickOpenWithModes']

const LATE = new Set([...LATE_KEYS.map(({ command }) => command), ...LISTS])

/** They need nothing of the rest. What they open takes the keyboard when it is there, as that does. */
const SLOW = new Set(['workbench.action.terminal.toggleTerminal', 'workbench.action.terminal.new'])

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

/** What commands wait for. */
export interface Awaited {
  /** The page shows what it showed before: what is opened now has its place. */
  start: () => Promise<void>
  rest: () => Promise<void>
}

/** When the workbench is there; to be disposed of when the commands are. */
export function awaitLateCommands(commands: ICommandService, { start, rest }: Awaited): IDisposable {
  const isLate = (id: string) => LATE.has(id) || !CommandsRegistry.getCommand(id)
  const all = async () => void (await Promise.all([start(), rest()]))
  return wrapExecuteCommand(commands, (execute) => <R>(id: string, ...args: unknown[]) => {
    const run = () => execute<R>(id, ...args)
    if (isLate(id)) return heldKeys.handTo(all, run)
    return SLOW.has(id) ? heldKeys.handTo(start, run) : run()
  })
}
