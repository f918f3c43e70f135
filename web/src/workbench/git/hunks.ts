// A change beside the lines of a text: which lines it is for git, and what undoes it in the text. Pure.

/** Lines that differ, counted from 1; a side that has none of them ends at 0 and starts at the line above. */
export interface Hunk {
  originalStartLineNumber: number
  originalEndLineNumber: number
  modifiedStartLineNumber: number
  modifiedEndLineNumber: number
}

export type HunkKind = 'added' | 'modified' | 'deleted'

export function kindOf({ originalEndLineNumber, modifiedEndLineNumber }: Hunk): HunkKind {
  if (originalEndLineNumber === 0) return 'added'
  return modifiedEndLineNumber === 0 ? 'deleted' : 'modified'
}

/** The lines of the text that stand for it. */
export function linesOf(hunk: Hunk): { first: number; last: number } {
  const first = Math.max(hunk.modifiedStartLineNumber, 1)
  return { first, last: Math.max(hunk.modifiedEndLineNumber, first) }
}

/** The same as git is told. */
export function linesForGit(hunks: readonly { first: number; last: number }[]): string {
  return hunks.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}

export function touches(hunk: Hunk, first: number, last: number): boolean {
  const lines = linesOf(hunk)
  return lines.first <= last && first <= lines.last
}

/** What of a text can be read. */
export interface Lines {
  getLineCount(): number
  getLineContent(line: number): string
  getLineMaxColumn(line: number): number
  getEOL(): string
}

export interface Edit {
  range: { startLineNumber: number; startColumn: number; endLineNumber: number; endColumn: number }
  text: string
}

/** What makes the lines of a change what they were. */
export function undoing(hunk: Hunk, original: Lines, text: Lines): Edit {
  const { modifiedStartLineNumber: start, modifiedEndLineNumber: end } = hunk
  const before: string[] = []
  for (let line = hunk.originalStartLineNumber; line <= hunk.originalEndLineNumber; line += 1) {
    before.push(original.getLineContent(line))
  }
  const at = (startLineNumber: number, startColumn: number, endLineNumber: number, endColumn: number) =>
    ({ startLineNumber, startColumn, endLineNumber, endColumn })
  const eol = text.getEOL()
  switch (kindOf(hunk)) {
    case 'modified':
      return { range: at(start, 1, end, text.getLineMaxColumn(end)), text: before.join(eol) }
    case 'added':
      if (end < text.getLineCount()) return { range: at(start, 1, end + 1, 1), text: '' }
      if (start === 1) return { range: at(1, 1, end, text.getLineMaxColumn(end)), text: '' }
      return { range: at(start - 1, text.getLineMaxColumn(start - 1), end, text.getLineMaxColumn(end)), text: '' }
    case 'deleted': {
      const column = start === 0 ? 1 : text.getLineMaxColumn(start)
      const lines = before.join(eol)
      return { range: at(Math.max(start, 1), column, Math.max(start, 1), column),
        text: start === 0 ? lines + eol : eol + lines }
    }
  }
}

/** The lines of a change as a diff shows them. */
export function diffOf(hunk: Hunk, original: Lines, text: Lines): string {
  const lines = (sign: string, from: Lines, start: number, end: number) => {
    const told: string[] = []
    for (let line = Math.max(1, start); line <= end; line += 1) told.push(sign + from.getLineContent(line))
    return told
  }
  return [
    ...lines('-', original, hunk.originalStartLineNumber, hunk.originalEndLineNumber),
    ...lines('+', text, hunk.modifiedStartLineNumber, hunk.modifiedEndLineNumber),
  ].join('\n')
}
