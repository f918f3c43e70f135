// What has the keyboard if it is not an editor, a view or a terminal, and giving it to that again after a reload. Not
// to another view of the panel: what is in front there comes with the terminals.
import type { IPaneCompositePartService, IWorkbenchLayoutService } from '@codingame/monaco-vscode-api'
import { heldKeys } from '../core/held-keys'
import { IN_FRONT, restHasCome } from '../core/rest'
import type { TerminalPanel } from '../core/terminal-panel'
import { Parts } from '../core/upstream'

const BARS = IN_FRONT.filter(({ part }) => part !== Parts.PANEL_PART)

interface FocusedView {
  id: string
  bar: Parts
}

export type Focused = FocusedView | { terminal: string }

export class ViewFocus {
  constructor(
    private readonly parts: IWorkbenchLayoutService,
    private readonly views: IPaneCompositePartService,
    private readonly terminals: TerminalPanel,
  ) {}

  /** The view or terminal that has the keyboard. */
  focused(): Focused | undefined {
    const terminal = this.terminals.focused()
    if (terminal !== undefined) return { terminal }
    const bar = BARS.find(({ part }) => this.parts.hasFocus(part))
    const id = bar && this.views.getActivePaneComposite(bar.location)?.getId()
    return bar && id !== undefined ? { id, bar: bar.part } : undefined
  }

  /** Whether it has the keyboard again, or will have it once it is there for that. */
  giveTo(focused: Focused): boolean {
    return 'terminal' in focused ? this.giveToTerminal(focused.terminal) : this.giveToView(focused)
  }

  private giveToTerminal(id: string): boolean {
    const isInPanel = this.terminals.panel().ids.includes(id)
    if (isInPanel && !this.parts.isVisible(Parts.PANEL_PART, window)) return false
    const isFocused = this.terminals.focus(id)
    if (isFocused) void heldKeys.during(() => isFocused)
    return isFocused !== undefined
  }

  /** One that is loaded after the first text gets it then. */
  private giveToView({ id, bar: name }: FocusedView): boolean {
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
