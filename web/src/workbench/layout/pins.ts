// A pinned pane shows its pin, and a person sets it where the pane is: in the title of its group.
//
// Which panes are pinned only the server's layout says; here it is shown and asked for.
import type { IEditorGroup } from '@codingame/monaco-vscode-api'
import { run } from '../../protocol/commands'
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import type { Contributions } from '../core/feature'
import type { Notices } from '../core/notices'
import { pinnedIn } from './shape'
import type { LayoutSync } from './sync'

const PIN = 'openspace.view.pin'
const UNPIN = 'openspace.view.unpin'
/** Set in each group: a file may be in a pinned pane and in another one. */
const PINNED = 'openspace.pinned'
const IN_PANE = 'resourceScheme =~ /^(file|vscode-terminal)$/'

export const PIN_CONTRIBUTIONS: Contributions = {
  actions: [
    { id: PIN, title: strings.actions.pin, icon: '$(pin)' },
    { id: UNPIN, title: strings.actions.unpin, icon: '$(pinned)' },
  ],
  menus: {
    'editor/title': [
      // A pinned pane shows its pin; another one has it in its menu.
      { command: UNPIN, group: 'navigation@100', when: PINNED },
      { command: PIN, group: '9_openspace', when: `${IN_PANE} && !${PINNED}` },
    ],
  },
}

/** What a title's button hands over beside the tab. */
interface TitleContext {
  groupId?: number
}

const pinnedKey = (group: IEditorGroup) => group.scopedContextKeyService.createKey<boolean>(PINNED, false)

export class Pins {
  private readonly keys = new WeakMap<IEditorGroup, ReturnType<typeof pinnedKey>>()

  constructor(
    api: Api,
    private readonly space: Space,
    private readonly layout: LayoutSync,
    private readonly notices: Notices,
  ) {
    const { registerCommand } = api.commands
    registerCommand(PIN, (_tab: unknown, title?: TitleContext) => this.pin(title, true))
    registerCommand(UNPIN, (_tab: unknown, title?: TitleContext) => this.pin(title, false))
    layout.onApplied.on(() => this.show())
    space.onPart('layout', () => this.show())
    this.show()
  }

  private show(): void {
    const pinned = pinnedIn(this.space.layout())
    for (const group of this.layout.panes.groupsInOrder()) {
      const key = this.keys.get(group) ?? pinnedKey(group)
      this.keys.set(group, key)
      key.set(pinned.has(this.layout.panes.paneOf(group) ?? ''))
    }
  }

  private async pin(title: TitleContext | undefined, pinned: boolean): Promise<void> {
    const { panes } = this.layout
    const clicked = title?.groupId === undefined ? undefined : panes.groups.getGroup(title.groupId)
    const paneId = panes.paneOf(clicked ?? panes.groups.mainPart.activeGroup)
    try {
      // Tabs that are the page's own are in no pane.
      if (paneId === undefined) this.notices.warning(strings.layout.noPane)
      else await run('openspace.pane.pin', { paneId, pinned })
    } catch (error) {
      this.notices.failure(strings.layout.notPinned, error)
    }
  }
}
