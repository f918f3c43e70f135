// Tasks of the workspace: what builds, tests and watches it, chosen in the palette and run by the server in terminals
// that agents see too.
import { strings } from '../../strings'
import type { Feature, Page } from '../core/feature'
import type { TerminalPanel } from '../core/terminal-panel'
import { TASK_ACTIONS } from './actions'

const words = strings.tasks
const category = words.category

export function register({ space }: Page, { panel }: { panel: TerminalPanel }): Feature {
  return {
    contributes: {
      actions: [
        { id: TASK_ACTIONS.run, title: words.run, category },
        { id: TASK_ACTIONS.build, title: words.runBuild, category, key: 'ctrl+shift+b' },
        { id: TASK_ACTIONS.test, title: words.runTest, category },
        { id: TASK_ACTIONS.again, title: words.again, category },
        { id: TASK_ACTIONS.stop, title: words.stop, category },
        { id: TASK_ACTIONS.configure, title: words.configure, category },
      ],
      settings: {
        'openspace.saveBeforeTask': { type: 'boolean', default: true, description: words.saveSetting },
      },
    },
    start: ({ api, notices }) => {
      const load = async () => {
        const { Tasks } = await import('./tasks')
        return Tasks.of(api, notices, space, panel)
      }
      const acts = {
        [TASK_ACTIONS.run]: async (label?: unknown) => (await load()).choose(label),
        [TASK_ACTIONS.build]: async () => (await load()).runGroup('build'),
        [TASK_ACTIONS.test]: async () => (await load()).runGroup('test'),
        [TASK_ACTIONS.again]: async () => (await load()).again(),
        [TASK_ACTIONS.stop]: async () => (await load()).stop(),
        [TASK_ACTIONS.configure]: async () => (await load()).configure(),
      }
      for (const [id, act] of Object.entries(acts)) {
        api.commands.registerCommand(id, async (...args: unknown[]) => {
          try {
            await act(args[0])
          } catch (error) {
            notices.failure(words.failed, error)
          }
        })
      }
    },
    later: async ({ api }) => {
      const { showRunning } = await import('./running')
      showRunning(api, space, panel)
    },
  }
}
