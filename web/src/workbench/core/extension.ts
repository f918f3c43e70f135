// The page's own extension: what its features add to the workbench, told to it in the one form that it reads.
import { registerExtension } from '@codingame/monaco-vscode-api/extensions'
import { strings } from '../../strings'
import type { Action, Contributions, MenuEntry } from './feature'
import { NOTICE_SETTINGS } from './notices'

const TAKEN_AWAY = [
  // Browsers zoom with it; the workbench would only move the focus.
  { command: '-workbench.action.focusSideBar', key: 'ctrl+0', mac: 'cmd+0' },
  // Browsers look into the page with it; the entry of the menu has another one, which works everywhere.
  { command: '-workbench.action.terminal.new', key: 'ctrl+shift+c', mac: 'cmd+shift+c' },
  // Nobody's layout would have a tab in another window (`menus/absent.ts`).
  { command: '-workbench.action.copyEditorToNewWindow', key: 'ctrl+k o', mac: 'cmd+k o' },
]

/** Must be called before the workbench starts. */
export function registerOwnExtension(version: string, contributions: readonly Contributions[]): void {
  const actions = contributions.flatMap((contribution) => contribution.actions ?? [])
  const settings = contributions.map((contribution) => contribution.settings ?? {})
  registerExtension(
    {
      name: 'openspace',
      publisher: 'openspace',
      version,
      engines: { vscode: '*' },
      contributes: {
        commands: actions.map(({ id, title, category = strings.product, icon }) => ({
          command: id, title, category, icon,
        })),
        submenus: contributions.flatMap(({ submenus }) =>
          Object.entries(submenus ?? {}).map(([id, label]) => ({ id, label }))) as never,
        menus: menusOf(contributions) as never,
        colors: contributions.flatMap(({ colors }) => colors ?? []) as never,
        keybindings: [...actions.flatMap(keyOf), ...TAKEN_AWAY] as never,
        configuration: {
          title: strings.product,
          properties: Object.fromEntries(
            [...settings, NOTICE_SETTINGS].flatMap((some) => Object.entries(some ?? {})).map(ofPerson),
          ),
        } as never,
      },
    },
    undefined,
    { system: true },
  )
}

function keyOf({ id, key, when }: Action): object[] {
  return key ? [{ command: id, key, when }] : []
}

/** What is ours to set is the person's: settings of the workspace, which agents write, do not count for it. */
function ofPerson([name, schema]: [string, object]): [string, object] {
  return [name, name.startsWith('openspace.') ? { ...schema, scope: 'application' } : schema]
}

/** Several features may have entries in one menu. */
function menusOf(contributions: readonly Contributions[]): Record<string, MenuEntry[]> {
  const menus: Record<string, MenuEntry[]> = {}
  for (const [menu, entries] of contributions.flatMap((contribution) => Object.entries(contribution.menus ?? {}))) {
    menus[menu] = [...(menus[menu] ?? []), ...entries]
  }
  return menus
}
