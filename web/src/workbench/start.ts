// What the page is made of: its features, in the order in which they start, and what they hand to each other.
import type { Space } from '../protocol/space'
import type { Welcome } from '../protocol/state'
import { strings } from '../strings'
import { register as registerAgents } from './agents/register'
import { register as registerApprovals } from './approvals/register'
import { register as registerChat } from './chat/register'
import { register as registerCommands } from './commands/register'
import type { Feature } from './core/feature'
import { openWorkbench } from './core/open'
import { loadRest, useRest } from './core/rest'
import { setFolder } from './core/uris'
import { register as registerEditorConfig } from './editorconfig/register'
import { register as registerEditors } from './editors/register'
import { register as registerEmmet } from './emmet/register'
import { register as registerFiles } from './files/register'
import { register as registerGit } from './git/register'
import { register as registerJson } from './json/register'
import { register as registerLayout } from './layout/register'
import { register as registerMarkup } from './markup/register'
import { register as registerMenus } from './menus/register'
import { register as registerPolicy } from './policy/register'
import { register as registerSearch } from './search/register'
import { register as registerStatus } from './status/register'
import { register as registerTasks } from './tasks/register'
import { register as registerTerminals } from './terminals/register'
import { register as registerText } from './text/register'

/** Gives what is left to do when the first text is on screen. */
export async function startWorkbench(
  element: HTMLElement, space: Space, welcome: Welcome,
): Promise<() => Promise<void>> {
  setFolder(welcome.workspace.folder)
  const page = { space, welcome }
  const files = registerFiles(page)
  const text = registerText(page, files)
  const terminals = registerTerminals(page)
  const tabs = { terminal: terminals.tabs }
  const layout = registerLayout(page, { panel: terminals.panel, tabs, text: text.moving })
  const agents = registerAgents(page, { layout: layout.arrangement, text: text.shared })
  const features: Feature[] = [
    files,
    registerStatus(page, agents),
    terminals,
    text,
    // Before the layout, which brings back diffs.
    registerGit(page, text.shared),
    // Before the layout, which may bring back a search.
    registerSearch(),
    // Before the layout, which brings back diffs of what sessions changed.
    registerChat(page, terminals),
    layout,
    agents,
    registerApprovals(page),
    registerPolicy(),
    registerTasks(page, terminals),
    registerCommands(page),
    registerMenus(page),
    registerJson(page),
    registerEditorConfig(page),
    registerMarkup(),
    registerEmmet(),
    // Last: the welcome page shows the keys of all the others.
    registerEditors(page, layout),
  ]
  const contributions = features.flatMap(({ contributes }) => contributes ?? [])
  const workbench = await openWorkbench(element, page, contributions, terminals.backend)
  for (const feature of features) await feature.start?.(workbench)
  useRest()
  return async () => {
    const rest = [loadRest, ...features.map((feature) => () => feature.later?.(workbench))]
    for (const load of rest) {
      // One that cannot be loaded keeps no other away.
      try {
        await load()
      } catch (error) {
        workbench.notices.failure(strings.boot.notAll, error)
      }
    }
  }
}
