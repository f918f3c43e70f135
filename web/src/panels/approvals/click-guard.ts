// Whether a click is meant for what is under it: not when that has only just come there.
//
// A person who clicks, or types, while something appears beneath the pointer has not decided about it. What counts is
// when the button was pressed, not when it was let go. A key goes to what has the keyboard, wherever that is drawn: for
// it counts how long the question is what it is. Nothing here knows of elements; time is handed in.

/** How long what can be clicked must have been where it is, in milliseconds. */
export const CALM_MS = 500

export interface Point {
  x: number
  y: number
}

export class ClickGuard {
  private movedAt = Number.NEGATIVE_INFINITY
  private changedAt = Number.NEGATIVE_INFINITY
  private pointer: Point | undefined
  /** How long what was pressed had been as it was. */
  private calmBefore: number | undefined

  /** `onMoved` hears when it begins anew. */
  constructor(
    private readonly now: () => number,
    private readonly onMoved: () => void = () => {},
  ) {}

  /** What can be clicked appeared, or became something else. */
  changed(): void {
    this.changedAt = this.now()
    this.moved()
  }

  /** What can be clicked is elsewhere. */
  moved(): void {
    this.movedAt = this.now()
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

  /** A button of the mouse, or a finger, goes down. */
  pressed(at: number): void {
    this.calmBefore = at - this.movedAt
  }

  /** A key goes down on a button that the person went to. */
  keyed(at: number): void {
    this.calmBefore = at - this.changedAt
  }

  /** Whether a click that ends now is meant. One without a press, such as that of a reader of the screen, is so too. */
  isMeant(at: number): boolean {
    const calmBefore = this.calmBefore ?? at - this.movedAt
    this.calmBefore = undefined
    return calmBefore >= CALM_MS
  }
}
