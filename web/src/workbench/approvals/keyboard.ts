// Where the person's keyboard was before it came to a question, and giving it back there.
//
// What stands over everything for a moment, and the status bar that was clicked to come here, is no such place.
import { HELD_KEYS } from '../core/held-keys'

const PASSED_THROUGH = `.quick-input-widget, .part.statusbar, .${HELD_KEYS}`

export class KeyboardPlace {
  private before: HTMLElement | undefined

  constructor(own: Element) {
    window.addEventListener('focusin', ({ target }) => {
      if (!(target instanceof HTMLElement) || own.contains(target) || target.closest(PASSED_THROUGH)) return
      this.before = target
    }, { capture: true, passive: true })
    const { activeElement } = document
    if (activeElement instanceof HTMLElement && activeElement !== document.body) this.before = activeElement
  }

  /** Whether what had it is still there and has it again. */
  giveBack(): boolean {
    const { before } = this
    before?.focus({ preventScroll: true })
    return before !== undefined && document.activeElement === before
  }
}
