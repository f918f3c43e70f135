// Edits of a text as plain data: apply, compose, transform, compare. No state, no network.
//
// A list of edits is ascending, does not overlap and speaks of the text before all of them, in UTF-16
// code units. Transforming never drops what somebody inserted: text that was put into a range that
// somebody else deleted stays.
import type { TextEdit } from './generated'

export type { TextEdit }
export type TextEdits = readonly TextEdit[]

/** The text after the edits. */
export function apply(text: string, edits: TextEdits): string {
  let result = ''
  let position = 0
  for (const edit of edits) {
    result += text.slice(position, edit.start) + edit.text
    position = edit.end
  }
  return result + text.slice(position)
}

/** Why a list is not a list of edits of a text of this length; nothing when it is one. */
export function flawOf(edits: TextEdits, length: number): string | undefined {
  let position = 0
  for (const { start, end } of edits) {
    if (!Number.isInteger(start) || !Number.isInteger(end)) return 'an edit has no whole offsets'
    if (start < position || end < start) return 'edits overlap or are not ascending'
    position = end
  }
  return position > length ? 'an edit is beyond the end of the text' : undefined
}

/** The same edits with as few entries as possible: touching ones are one, empty ones are none. */
export function normalise(edits: TextEdits): TextEdit[] {
  const result: TextEdit[] = []
  for (const edit of edits) {
    if (edit.start === edit.end && edit.text === '') continue
    const last = result.at(-1)
    if (last?.end === edit.start) {
      last.end = edit.end
      last.text += edit.text
    } else {
      result.push({ ...edit })
    }
  }
  return result
}

/** Where the last edit ends in the text after all of them. */
export function endOf(edits: TextEdits): number {
  const last = edits.at(-1)
  const growth = edits.reduce((sum, { start, end, text }) => sum + text.length - (end - start), 0)
  return last ? last.end + growth : 0
}

/** One edit that spans all of them; `text` is the text before. */
export function span(text: string, edits: TextEdits): TextEdit[] {
  const first = edits[0]
  const last = edits.at(-1)
  if (!first || !last) return []
  const shifted = edits.map((edit) => ({ ...edit, start: edit.start - first.start, end: edit.end - first.start }))
  return [{ start: first.start, end: last.end, text: apply(text.slice(first.start, last.end), shifted) }]
}

/** A piece of a text after edits: from the text before, or new. */
type Piece = { from: number; to: number } | string

function pieces(edits: TextEdits): Piece[] {
  const result: Piece[] = []
  let position = 0
  for (const { start, end, text } of edits) {
    if (start > position) result.push({ from: position, to: start })
    if (text !== '') result.push(text)
    position = end
  }
  result.push({ from: position, to: Infinity })
  return result
}

const lengthOf = (piece: Piece) => (typeof piece === 'string' ? piece.length : piece.to - piece.from)

function cut(piece: Piece, from: number, to: number): Piece {
  if (typeof piece === 'string') return piece.slice(from, to)
  return { from: piece.from + from, to: piece.from + to }
}

/** The edits that do what `first` and then `second` do. */
export function compose(first: TextEdits, second: TextEdits): TextEdit[] {
  const result: Piece[] = []
  const middle = pieces(first)
  let index = 0
  let offset = 0
  /** Go `length` on in the text between the two, and keep or leave out what is there. */
  const go = (length: number, keep: boolean) => {
    let left = length
    while (left > 0) {
      const piece = middle[index]
      if (piece === undefined) return
      const step = Math.min(left, lengthOf(piece) - offset)
      if (keep && step > 0) result.push(cut(piece, offset, offset + step))
      left -= step
      offset += step
      if (offset >= lengthOf(piece)) {
        index += 1
        offset = 0
      }
    }
  }
  let position = 0
  for (const { start, end, text } of second) {
    go(start - position, true)
    if (text !== '') result.push(text)
    go(end - start, false)
    position = end
  }
  go(Infinity, true)
  return fromPieces(result)
}

function fromPieces(all: Piece[]): TextEdit[] {
  const edits: TextEdit[] = []
  let position = 0
  let text = ''
  for (const piece of all) {
    if (typeof piece === 'string') {
      text += piece
      continue
    }
    if (piece.from > position || text !== '') edits.push({ start: position, end: piece.from, text })
    position = piece.to
    text = ''
  }
  return edits
}

/** A piece of a transformed edit; `from` and `to` are what it deletes of the text before both sides. */
export interface MovedEdit extends TextEdit {
  from: number
  to: number
}

/** Whose text comes first where both sides insert in the same place. */
export type Priority = 'first' | 'second'

/** `mine` after `theirs`, in pieces that each delete one row of what was there before. */
export function move(mine: TextEdits, theirs: TextEdits, priority: Priority): MovedEdit[] {
  const result: MovedEdit[] = []
  let passed = 0
  let shift = 0
  /** Leave behind each of their edits that lies wholly before `position`. */
  const pass = (position: number) => {
    for (let next = theirs[passed]; next && next.end <= position && next.start < position; next = theirs[passed]) {
      shift += next.text.length - (next.end - next.start)
      passed += 1
    }
  }
  for (const { start, end, text } of mine) {
    pass(start)
    if (text !== '') {
      const at = insertionPoint(start, shift, theirs[passed], priority)
      result.push({ start: at, end: at, text, from: start, to: start })
    }
    let position = start
    while (position < end) {
      const next = theirs[passed]
      if (!next || next.start >= end) {
        result.push({ start: position + shift, end: end + shift, text: '', from: position, to: end })
        break
      }
      if (next.start > position) {
        result.push({ start: position + shift, end: next.start + shift, text: '', from: position, to: next.start })
      }
      // Their text stands at the start of what they deleted; mine goes on behind it.
      position = Math.max(position, next.end)
      if (next.end > end) break
      shift += next.text.length - (next.end - next.start)
      passed += 1
    }
  }
  return result
}

function insertionPoint(position: number, shift: number, next: TextEdit | undefined, priority: Priority): number {
  if (!next || next.start > position) return position + shift
  if (next.start === position) return position + shift + (priority === 'first' ? 0 : next.text.length)
  return next.start + shift + next.text.length
}

/**
 * `mine` as edits of the text after `theirs`; both speak of the same text. With the other priority for
 * the other side, both orders lead to the same text.
 */
export function transform(mine: TextEdits, theirs: TextEdits, priority: Priority): TextEdit[] {
  const moved = move(normalise(mine), normalise(theirs), priority)
  return normalise(moved.map(({ start, end, text }) => ({ start, end, text })))
}

/** Whether an offset is in the middle of a character that takes two code units. */
function splits(text: string, offset: number): boolean {
  const before = text.charCodeAt(offset - 1)
  const after = text.charCodeAt(offset)
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000
}

function commonPrefix(left: string, right: string): number {
  const most = Math.min(left.length, right.length)
  let length = 0
  while (length < most && left.charCodeAt(length) === right.charCodeAt(length)) length += 1
  return length > 0 && (splits(left, length) || splits(right, length)) ? length - 1 : length
}

function commonSuffix(left: string, right: string, most: number): number {
  let length = 0
  while (length < most && left.charCodeAt(left.length - length - 1) === right.charCodeAt(right.length - length - 1)) {
    length += 1
  }
  const isSplit = splits(left, left.length - length) || splits(right, right.length - length)
  return length > 0 && isSplit ? length - 1 : length
}

/** The one place where two texts differ. */
function difference(old: string, now: string, start: number): TextEdit[] {
  if (old === now) return []
  const prefix = commonPrefix(old, now)
  const suffix = commonSuffix(old, now, Math.min(old.length, now.length) - prefix)
  return [{ start: start + prefix, end: start + old.length - suffix, text: now.slice(prefix, now.length - suffix) }]
}

/** Lines that may differ before the whole middle counts as one change. */
const MOST_STEPS = 400

/** Edits from one text to another: few and small, but not always the fewest. */
export function diff(old: string, now: string): TextEdit[] {
  const [middle] = difference(old, now, 0)
  if (!middle) return []
  // Whole lines are compared, so the place where they differ grows to whole lines.
  const start = middle.start === 0 ? 0 : old.lastIndexOf('\n', middle.start - 1) + 1
  const lineEnd = old.indexOf('\n', middle.end)
  const end = lineEnd < 0 ? old.length : lineEnd + 1
  const growth = now.length - old.length
  const hunks = hunksOf(linesOf(old.slice(start, end)), linesOf(now.slice(start, end + growth)))
  if (!hunks) return [middle]
  const edits: TextEdit[] = []
  let position = start
  for (const { kept, removed, added } of hunks) {
    position += lengthOfAll(kept)
    edits.push(...within(removed, added, position))
    position += lengthOfAll(removed)
  }
  return normalise(edits)
}

/** Lines of the same number are compared one by one, others as a whole. */
function within(removed: string[], added: string[], start: number): TextEdit[] {
  if (removed.length !== added.length) return difference(removed.join(''), added.join(''), start)
  let position = start
  return removed.flatMap((line, index) => {
    const edits = difference(line, added[index] ?? '', position)
    position += line.length
    return edits
  })
}

const linesOf = (text: string) => text.match(/[^\n]*\n|[^\n]+/g) ?? []
const lengthOfAll = (lines: string[]) => lines.reduce((sum, line) => sum + line.length, 0)

interface Hunk {
  /** The lines before it that both have. */
  kept: string[]
  removed: string[]
  added: string[]
}

/** The shortest way from one list of lines to another (Myers); nothing when it is too long. */
function hunksOf(old: string[], now: string[]): Hunk[] | undefined {
  const reached = new Map<number, number>([[1, 0]])
  const trace: Map<number, number>[] = []
  for (let steps = 0; steps <= MOST_STEPS; steps += 1) {
    trace.push(new Map(reached))
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      let x = goesDown(reached, diagonal, steps) ? at(reached, diagonal + 1) : at(reached, diagonal - 1) + 1
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x += 1
      reached.set(diagonal, x)
      if (x >= old.length && x - diagonal >= now.length) return walkBack(old, now, trace, steps)
    }
  }
  return undefined
}

const at = (reached: Map<number, number>, diagonal: number) => reached.get(diagonal) ?? -1

function goesDown(reached: Map<number, number>, diagonal: number, steps: number): boolean {
  return diagonal === -steps || (diagonal !== steps && at(reached, diagonal - 1) < at(reached, diagonal + 1))
}

function walkBack(old: string[], now: string[], trace: Map<number, number>[], steps: number): Hunk[] {
  const same: [number, number][] = []
  let x = old.length
  let y = now.length
  for (let step = steps; step >= 0; step -= 1) {
    const reached = trace[step] ?? new Map<number, number>()
    const diagonal = x - y
    const down = goesDown(reached, diagonal, step)
    const previousX = step === 0 ? 0 : at(reached, down ? diagonal + 1 : diagonal - 1)
    const previousY = step === 0 ? 0 : previousX - (down ? diagonal + 1 : diagonal - 1)
    const [stopX, stopY] = step === 0 ? [0, 0] : down ? [previousX, previousY + 1] : [previousX + 1, previousY]
    while (x > stopX && y > stopY) {
      x -= 1
      y -= 1
      same.push([x, y])
    }
    x = previousX
    y = previousY
  }
  return gather(old, now, same.reverse())
}

function gather(old: string[], now: string[], same: [number, number][]): Hunk[] {
  const hunks: Hunk[] = []
  let kept: string[] = []
  let x = 0
  let y = 0
  for (const [nextX, nextY] of [...same, [old.length, now.length] as [number, number]]) {
    if (nextX > x || nextY > y) {
      hunks.push({ kept, removed: old.slice(x, nextX), added: now.slice(y, nextY) })
      kept = []
    }
    kept.push(...old.slice(nextX, nextX + 1))
    x = nextX + 1
    y = nextY + 1
  }
  return hunks
}
