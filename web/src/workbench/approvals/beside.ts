// Where the card of a question stands: at the right, and beside the secondary side bar, so that it does not lie over
// the chat from which it came. Where there is no room beside it, it lies over it all the same: a question is not
// hidden.

const BAR = '.part.auxiliarybar'
/** The card and what is left free around it. */
const NEEDED = 484
const MARGIN = 12

export function keepBeside(card: HTMLElement, container: HTMLElement): void {
  const bar = container.querySelector(BAR)
  if (!bar) return
  const place = () => {
    const all = container.getBoundingClientRect()
    const { left, width } = bar.getBoundingClientRect()
    const isAtRight = width > 0 && left > all.left + all.width / 2 - width / 2
    const isRoom = isAtRight && left - all.left >= NEEDED
    card.style.right = isRoom ? `${all.right - left + MARGIN}px` : ''
  }
  const moved = new ResizeObserver(place)
  moved.observe(bar)
  moved.observe(container)
}
