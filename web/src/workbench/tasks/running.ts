// What runs, in the status bar: a click shows its terminal, or the list of what can be stopped.
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import { MenuId, MenuRegistry } from '../core/upstream'
import type { TerminalPanel } from '../core/terminal-panel'
import { TASK_ACTIONS } from './actions'

const words = strings.tasks
const SHOW = 'openspace.view.runningTask'

export function showRunning(api: Api, space: Space, panel: TerminalPanel): void {
  addToMenu()
  const item = api.window.createStatusBarItem('openspace.tasks', 60)
  let front: string | undefined
  api.commands.registerCommand(SHOW, async () => {
    const { showTerminal } = await import('./tasks')
    if (front) await showTerminal(panel, front, true)
  })
  const show = () => {
    const runs = Object.values(space.part('tasks'))
    const active = runs.filter(({ state }) => state === 'waiting' || state === 'running' || state === 'watching')
    const [first, ...more] = active.filter(({ terminalId }) => terminalId).reverse()
    front = first?.terminalId ?? undefined
    if (!first) return item.hide()
    const icon = active.some(({ state }) => state === 'running') ? '$(loading~spin)' : '$(eye)'
    const text = more.length > 0 ? words.severalRun(active.length) : first.task
    return item.set({ text: `${icon} ${text}`, tooltip: words.running(active.map(({ task }) => task)), command: SHOW })
  }
  space.onPart('tasks', show)
  show()
}

function addToMenu(): void {
  const entries = [
    [TASK_ACTIONS.run, words.run],
    [TASK_ACTIONS.build, words.runBuild],
    [TASK_ACTIONS.stop, words.stop],
    [TASK_ACTIONS.configure, words.configure],
  ] as const
  for (const [order, [id, title]] of entries.entries()) {
    MenuRegistry.appendMenuItem(MenuId.MenubarTerminalMenu, { group: '3_tasks', order, command: { id, title } })
  }
}
