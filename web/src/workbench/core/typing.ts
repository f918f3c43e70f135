// Where a person's hands are, so that nobody else puts something there.
//
// A quick input (the palette, a question) stands over what the person was in and gives the keyboard back to
// it: until then that is as much in use as if they typed there. So do an agent's question (`panels/approvals`), and
// what keeps keys for a moment.
import type { IEditorGroup } from '@codingame/monaco-vscode-api'
import { HELD_KEYS } from './held-keys'
import { WELCOME_TYPE } from './tab-kinds'
import { elementOf } from './upstream'

const OVERLAY = `.quick-input-widget, .openspace-approvals, .${HELD_KEYS}`

/** What had the keyboard last, apart from what stands over everything. */
let beneath: Element | null = null

window.addEventListener('focusin', ({ target }) => {
  if (target instanceof Element && !target.closest(OVERLAY)) beneath = target
}, { capture: true, passive: true })

/** Whether the person's keyboard is in an element, or in a quick input that gives it back to it. */
export function isInUse(element: Element | null | undefined): boolean {
  if (!element || !document.hasFocus()) return false
  const { activeElement } = document
  const place = activeElement?.closest(OVERLAY) ? beneath : activeElement
  return element.contains(place)
}

/** Whether the person's keyboard is in this group, in something that can be typed in. */
export function isTypedIn(group: IEditorGroup): boolean {
  return group.activeEditor?.typeId !== WELCOME_TYPE && isInUse(elementOf(group))
}
