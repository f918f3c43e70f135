// The keyboard stays where it is while groups and bars are moved, which takes it from them.

/** Groups that are moved in the page lose the focus, and the workbench gives it back to the text alone. */
export function keepingFocus(work: () => void): void {
  const before = document.activeElement as HTMLElement | null
  work()
  const after = document.activeElement as HTMLElement | null
  if (before === after) return
  if (!before || before === document.body) after?.blur()
  else if (before.isConnected) before.focus({ preventScroll: true })
}

/** A group that closes with its last tab has its neighbours put elsewhere in the page, which takes their focus. */
export function giveBack(focused: Element | null): void {
  const isLost = document.activeElement === null || document.activeElement === document.body
  if (isLost && focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true })
}
