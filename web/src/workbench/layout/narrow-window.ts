// Whether the window is too narrow for several panes and side bars, as a phone's is.
//
// Only tells. What follows from it is the page's own (`one-pane.ts`, `folded-bars.ts`, `narrow-details.ts`): the
// layout of the space is everybody's and stays as it is.
import { Listeners } from '../../protocol/listeners'

/** A window of less has room for one pane, in pixels. */
const LEAST_WIDTH = 600

export class NarrowWindow {
  /** Told while everything still has its sizes of before. */
  readonly onNarrow = new Listeners<void>()
  /** Told when the workbench has its new width. */
  readonly onWide = new Listeners<void>()
  /** Whether the workbench was first shown so, and never had the sizes of a wide window. */
  readonly beganNarrow = window.innerWidth < LEAST_WIDTH
  private state = this.beganNarrow

  constructor() {
    // The workbench listens too and makes side bars smaller until they fit. This comes before it.
    window.addEventListener('resize', () => window.innerWidth < LEAST_WIDTH && this.become(true), { capture: true })
    // Browsers tell this after the size.
    const query = matchMedia(`(max-width: ${LEAST_WIDTH - 0.02}px)`)
    query.addEventListener('change', ({ matches }) => this.become(matches))
  }

  get isNarrow(): boolean {
    return this.state
  }

  private become(isNarrow: boolean): void {
    if (isNarrow === this.state) return
    if (isNarrow) this.onNarrow.tell()
    this.state = isNarrow
    if (!isNarrow) this.onWide.tell()
  }
}
