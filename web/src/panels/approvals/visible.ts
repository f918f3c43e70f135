// A text as a person may believe it: what a screen would hide, reorder or push out of sight is named instead.
//
// What an agent writes is read by somebody who decides by it. Characters without a shape (controls, marks that turn
// the order of others around, blanks that are no spaces) are told by their number, and long stretches of nothing by
// their length. No text is cut here.
import { strings } from '../../strings'

const words = strings.approvals.unseen

/** A stretch of a text: as it is, or something named that would not be seen. */
export interface Piece {
  text: string
  isMark: boolean
}

/** So many spaces, or empty lines, are shown as they are. */
const MOST_SPACES = 16
const MOST_EMPTY_LINES = 2

/** Blanks that count as letters or symbols. */
const OTHER_BLANKS = String.raw`\u{2800}\u{1D159}\u{13441}-\u{13442}`
/**
 * All that has no shape of its own, or none that is known: controls, marks of order and of joining, separators of
 * lines, spaces of other widths, characters that are left out when drawn, private and unassigned ones, halves.
 */
const UNSEEN = new RegExp(
  String.raw`\r(?!\n)|(?![ \n\r\t])[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\p{DI}${OTHER_BLANKS}]`, 'u',
)
const LONG_BLANKS = new RegExp(String.raw`[ \t]{${MOST_SPACES + 1},}|\n(?:[ \t]*\r?\n){${MOST_EMPTY_LINES + 1},}`, 'u')
const TOLD = new RegExp(`(?:${LONG_BLANKS.source})|(?:${UNSEEN.source})`, 'gu')

/** The pieces of a text, in order; those that are no marks are exactly what was written. */
export function visible(text: string): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const { 0: found, index } of text.matchAll(TOLD)) {
    if (index > end) pieces.push({ text: text.slice(end, index), isMark: false })
    const mark = { text: markOf(found), isMark: true }
    // Empty lines stand between others.
    const lineEnd = { text: '\n', isMark: false }
    pieces.push(...(found.startsWith('\n') ? [lineEnd, mark, lineEnd] : [mark]))
    end = index + found.length
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isMark: false })
  return pieces
}

function markOf(found: string): string {
  if (found.startsWith('\n')) return words.emptyLines(found.split('\n').length - 2)
  if (found.length > MOST_SPACES) return words.blanks(found.length)
  const code = found.codePointAt(0) ?? 0
  return words.character(code.toString(16).toUpperCase().padStart(4, '0'))
}

/** The same as one text, for what only hears or lists it; line ends become spaces. */
export function inOneLine(text: string): string {
  return visible(text).map((piece) => piece.text).join('').replaceAll(/\s+/g, ' ').trim()
}

/** An element with a text in it of which nothing is hidden. */
export function drawn<Name extends keyof HTMLElementTagNameMap>(
  name: Name, text: string, className = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  if (className) element.className = className
  for (const piece of visible(text)) {
    if (!piece.isMark) {
      element.append(piece.text)
      continue
    }
    const mark = document.createElement('span')
    mark.className = 'openspace-unseen'
    mark.textContent = piece.text
    element.append(mark)
  }
  return element
}
