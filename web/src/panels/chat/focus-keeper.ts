// The keyboard in a panel whose parts come and go: what had it and is gone, or can do nothing any more, hands it on to
// where one goes on. Who left the panel, or clicked beside everything, is not followed.

/** Until it is ended. */
export function keepFocus(element: HTMLElement, goOn: () => void): { dispose(): void } {
  let held: HTMLElement | undefined
  const isUsable = (one: HTMLElement) =>
    one.isConnected && one.getClientRects().length > 0 && !(one as HTMLButtonElement).disabled
  const come = ({ target }: FocusEvent) => {
    held = target as HTMLElement
  }
  const go = ({ relatedTarget }: FocusEvent) => {
    const left = held
    if (relatedTarget) held = undefined
    // What is taken away loses the keyboard too, a moment before it is gone.
    else setTimeout(() => {
      if (left === held && left && isUsable(left) && document.activeElement !== left) held = undefined
    })
  }
  const look = () => {
    const active = document.activeElement
    const isNowhere = active === null || active === document.body || active === held
    if (!held || !isNowhere || isUsable(held)) return
    held = undefined
    goOn()
  }
  element.addEventListener('focusin', come)
  element.addEventListener('focusout', go)
  const changed = new MutationObserver(look)
  changed.observe(element, { childList: true, subtree: true, attributeFilter: ['hidden', 'disabled'] })
  return {
    dispose: () => {
      changed.disconnect()
      element.removeEventListener('focusin', come)
      element.removeEventListener('focusout', go)
    },
  }
}
