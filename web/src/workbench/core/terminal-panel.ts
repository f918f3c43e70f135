// The workbench's panel of terminals, as the layout sees and arranges it.
import type { Listeners } from '../../protocol/listeners'

export interface PanelState {
  ids: string[]
  active: string | undefined
}

export interface TerminalPanel {
  onPanelChanged: Listeners<void>
  /** The server has made what the person opened: `panel` and the tab's key know it from now on. */
  onIdentified: Listeners<string>
  /** The terminals in the panel as the person has them now, in order. */
  panel(): PanelState
  /**
   * Make the panel show exactly these, in this order. Views of others go, their terminals stay. The
   * panel itself is opened only with `reveal`. Nothing takes the focus, and a terminal that somebody
   * types in stays in front, also when it is not among them: then it is true. Must be called once at the
   * start, if only with nothing: no terminal of a person starts before.
   */
  showInPanel(ids: string[], active?: string, options?: { reveal?: boolean }): Promise<boolean>
  /** The terminal that has the keyboard, in the panel or as a tab. */
  focused(): string | undefined
  /** Puts the keyboard into a terminal: what is to be waited for, or nothing when the terminal is not in sight. */
  focus(id: string): Promise<void> | undefined
}
