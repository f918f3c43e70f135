// Who decides how large a shared terminal is.
//
// Several browsers may show one terminal, and it has one size. The view in which somebody works
// decides; every other one shows exactly that size. This module holds the rules and no connection:
// it hears what the workbench wants and what the server says, and tells both what to do.
import type { TerminalSize } from '../../protocol/terminals'

/** What a size is told to. */
export interface SizeTargets {
  /** Ask the server for a size; whether it could be asked. */
  ask(size: TerminalSize): boolean
  /** Show this size whatever room there is; `undefined`: as large as there is room. */
  impose(size: TerminalSize | undefined): void
  isVisible(): boolean
}

/** The size of a terminal that no view has resized yet: somebody must, so any view may. */
const UNTOUCHED: TerminalSize = { rows: 24, cols: 80 }
/** Sizes that were asked for and not yet confirmed; a drag asks for many. */
const MOST_ASKED = 64

export class Sizing {
  private server: TerminalSize | undefined
  private imposed: TerminalSize | undefined
  private asked: TerminalSize[] = []
  private isPainting = false
  private decides: boolean | undefined

  constructor(private readonly targets: SizeTargets) {}

  /** A repaint for a screen of this size comes. The screen must have the size before the bytes arrive. */
  beginRepaint(size: TerminalSize): void {
    this.decides ??= document.hasFocus() || equal(size, UNTOUCHED)
    this.server = size
    this.asked = []
    this.isPainting = true
    this.show(size)
  }

  /** The bytes of the repaint are on the screen. */
  endRepaint(): void {
    this.isPainting = false
    this.takeRoom()
  }

  /** Somebody works in this view. */
  take(): void {
    this.decides = true
    this.takeRoom()
  }

  /** Be as large as there is room, where this view decides: it is shown, or was moved. */
  takeRoom(): void {
    if (this.isPainting || !this.decides || !this.imposed || !this.targets.isVisible()) return
    this.imposed = undefined
    // The workbench answers with the size that there is room for.
    this.targets.impose(undefined)
  }

  /** The workbench has given the screen this size. */
  wanted(size: TerminalSize): void {
    // With an imposed size this is only its echo.
    if (this.imposed || this.isPainting || !this.decides || !this.targets.isVisible()) return
    if (size.cols < 2 || size.rows < 1 || !this.server) return
    if (equal(size, this.asked.at(-1) ?? this.server)) return
    if (!this.targets.ask(size)) return
    this.asked.push(size)
    if (this.asked.length > MOST_ASKED) this.asked.shift()
  }

  /** The server's terminal has this size now; called in order with its output. */
  resized(size: TerminalSize): void {
    this.server = size
    const answered = this.asked.findIndex((asked) => equal(asked, size))
    if (answered >= 0) {
      this.asked.splice(0, answered + 1)
      if (this.decides) return
    } else {
      this.decides = false
      this.asked = []
    }
    this.show(size)
  }

  private show(size: TerminalSize): void {
    this.imposed = size
    this.targets.impose(size)
  }
}

function equal(one: TerminalSize, other: TerminalSize): boolean {
  return one.rows === other.rows && one.cols === other.cols
}
