// Which view beside the editors has the keyboard, and giving it to that again after a reload. Not in the panel: what is
// there comes with the terminals, and may be another one by then.
import type { IPaneCompositePartService, IWorkbenchLayoutService } from '@codingame/monaco-vscode-api'
import { heldKeys } from '../core/held-keys'
import { IN_FRONT, restHasCome } from '../core/rest'
import { Parts } from '../core/upstream'

const BARS = IN_FRONT.filter(({ part }) => part !== Parts.PANEL_PART)

export interface FocusedView {
  id: string
  bar: Parts
}

export class ViewFocus {
  constructor(
    private readonly parts: IWorkbenchLayoutService,
    private readonly views: IPaneCompositePartService,
  ) {}

  /** The view that has the keyboard. */
  view(): FocusedView | undefined {
    const bar = BARS.find(({ part }) => this.parts.hasFocus(part))
    const id = bar && this.views.getActivePaneComposite(bar.location)?.getId()
    return bar && id !== undefined ? { id, bar: bar.part } : undefined
  }

  /** Whether the view has the keyboard again, or will have it: one that is loaded after the first text gets it then. */
  giveTo({ id, bar: name }: FocusedView): boolean {
    const bar = BARS.find(({ part }) => part === name)
    if (!bar || !this.parts.isVisible(bar.part, window)) return false
    void heldKeys.during(async () => {
      const before = document.activeElement
      if (!this.views.getPaneCompositeIds(bar.location).includes(id)) await restHasCome()
      // Unless the person has put it elsewhere meanwhile.
      if (document.activeElement === before) await this.views.openPaneComposite(id, bar.location, true)
    })
    return true
  }
}
