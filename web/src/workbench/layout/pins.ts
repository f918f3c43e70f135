// A pinned pane shows its pin, and a person sets it where the pane is: in the title of its group.
//
// Which panes are pinned only the server's layout says; here it is shown and asked for.
import type { IEditorGroup } from '@codingame/monaco-vscode-api'
import type * as vscode from 'vscode'
import { run } from '../../protocol/commands'
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import { PINNED, VIEW_ACTIONS } from '../core/extension'
import { pinnedIn } from './shape'
import type { LayoutSync } from './sync'
import type { Notices } from '../core/notices'

/** What a title's button hands over beside the tab. */
interface GroupPlace {
  groupId?: number
}

export class Pins {
  constructor(
    private readonly api: typeof vscode,
    private readonly space: Space,
    private readonly layout: LayoutSync,
    private readonly notices: Notices,
  ) {
    const { registerCommand } = api.commands
    registerCommand(VIEW_ACTIONS.pin.id, (_tab: unknown, place?: GroupPlace) => this.pin(place, true))
    registerCommand(VIEW_ACTIONS.unpin.id, (_tab: unknown, place?: GroupPlace) => this.pin(place, false))
    layout.onApplied.on(() => this.show())
    space.onPart('layout', () => this.show())
    this.show()
  }

  private show(): void {
    const pinned = pinnedIn(this.space.part('layout'))
    const isPinned = (group: IEditorGroup) => pinned.has(this.layout.panes.paneOf(group) ?? '')
    const tabs = this.layout.panes.groupsInOrder().filter(isPinned).flatMap(({ editors }) => editors)
    const addresses = tabs.flatMap(({ resource }) => (resource ? [resource.toString()] : []))
    void this.api.commands.executeCommand('setContext', PINNED, addresses)
  }

  private async pin(place: GroupPlace | undefined, pinned: boolean): Promise<void> {
    const { panes } = this.layout
    const clicked = place?.groupId === undefined ? undefined : panes.groups.getGroup(place.groupId)
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
