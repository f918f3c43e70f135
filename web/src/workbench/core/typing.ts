// Whether a person's hands are in a group of tabs, so that nobody else may put something before it.
import type { IEditorGroup } from '@codingame/monaco-vscode-api'
import { WELCOME_TYPE } from './tab-kinds'
import { elementOf } from './upstream'

/** Whether the person's keyboard is in this group, in something that can be typed in. */
export function isTypedIn(group: IEditorGroup): boolean {
  if (!document.hasFocus() || group.activeEditor?.typeId === WELCOME_TYPE) return false
  return elementOf(group).contains(document.activeElement)
}
