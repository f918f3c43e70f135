// Whether a click is meant for what is under it: not when that has only just come there.
//
// A person who clicks, or types, while something appears beneath the pointer has not decided about it. What counts is
// when the button was pressed, not when it was let go. Nothing here knows of elements; time is handed in.

/** How long what can be clicked must have been where it is, in milliseconds. */
export const CALM_MS = 500

export interface Point {
  x: number
  y: number
}

export class ClickGuard {
  private since = Number.NEGATIVE_INFINITY
  private pointer: Point | undefined
  private pressedAt: number | undefined

  /** `onMoved` hears when it begins anew. */
  constructor(
    private readonly now: () => number,
    private readonly onMoved: () => void = () => {},
  ) {}

  /** What can be clicked appeared, became something else, or moved. */
  moved(): void {
    this.since = this.now()
    this.onMoved()
  }

  /** The pointer was seen here. */
  seenAt({ x, y }: Point): void {
    this.pointer = { x, y }
  }

  /** The pointer is over a button now. If it has not moved itself, the button did, or what lay over it is gone. */
  entered({ x, y }: Point): void {
    if (this.pointer?.x === x && this.pointer.y === y) this.moved()
    this.seenAt({ x, y })
  }

  /** A button of the mouse, a finger or a key goes down. */
  pressed(at: number): void {
    this.pressedAt = at
  }

  /** Whether a click that ends now is meant. One without a press, such as that of a reader of the screen, is so too. */
  isMeant(at: number): boolean {
    const pressedAt = this.pressedAt ?? at
    this.pressedAt = undefined
    return pressedAt - this.since >= CALM_MS
  }
}
