// One step of an undo stack moved behind edits that somebody else made. Pure.
import { move, normalise, transform, type TextEdit, type TextEdits } from '../../protocol/text-edits'

/** A replacement with both sides, as an undo stack has it. */
export interface StepChange {
  oldPosition: number
  oldText: string
  newPosition: number
  newText: string
}

export interface MovedStep {
  changes: StepChange[]
  /** The same edits by others, for the step after this one. */
  next: TextEdit[]
  /** The step lies wholly before what others changed. */
  isBefore: boolean
}

/** `theirs` speaks of the text in which the step can be undone or redone. */
export function moveStep(changes: readonly StepChange[], theirs: TextEdits, direction: 'undo' | 'redo'): MovedStep {
  const removals = joined(
    changes.map(({ oldPosition, oldText, newPosition, newText }) =>
      direction === 'undo'
        ? { start: newPosition, removed: newText, text: oldText }
        : { start: oldPosition, removed: oldText, text: newText },
    ),
  )
  const mine = removals.map(({ start, removed, text }) => ({ start, end: start + removed.length, text }))
  const others = normalise(theirs)
  const pieces = move(mine, others, 'first').map(({ start, text, from, to }) => {
    const source = removals.find((removal) => from >= removal.start && to <= removal.start + removal.removed.length)
    return { start, text, removed: source?.removed.slice(from - source.start, to - source.start) ?? '' }
  })
  let growth = 0
  const moved = joined(pieces).map(({ start, removed, text }) => {
    const here = start
    const there = start + growth
    growth += text.length - removed.length
    return direction === 'undo'
      ? { oldPosition: there, oldText: text, newPosition: here, newText: removed }
      : { oldPosition: here, oldText: removed, newPosition: there, newText: text }
  })
  const lastEnd = Math.max(0, ...mine.map(({ end }) => end))
  return {
    changes: moved,
    next: transform(theirs, mine, 'second'),
    isBefore: others.every(({ start }) => start > lastEnd),
  }
}

interface Piece {
  start: number
  removed: string
  text: string
}

/** Pieces that touch are one change. */
function joined(pieces: Piece[]): Piece[] {
  const result: Piece[] = []
  for (const piece of pieces) {
    if (piece.removed === '' && piece.text === '') continue
    const last = result.at(-1)
    if (last && last.start + last.removed.length === piece.start) {
      last.removed += piece.removed
      last.text += piece.text
    } else {
      result.push({ ...piece })
    }
  }
  return result
}
