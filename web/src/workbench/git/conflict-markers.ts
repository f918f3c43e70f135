// Where a text has conflicts that git wrote into it, by its markers alone.

/** A conflict; lines are counted from 0, and each part is the lines between its markers. */
export interface Conflict {
  /** The line of the first marker, and of the last. */
  first: number
  last: number
  current: Part
  incoming: Part
  /** What both sides come from, where git tells it. */
  base?: Part
}

export interface Part {
  /** What git calls it: a branch, a commit. */
  name: string
  /** The line of its own marker. */
  marker: number
  /** Its lines: `to` is not one of them. */
  from: number
  to: number
}

const CURRENT = '<<<<<<<'
const BASE = '|||||||'
const BETWEEN = '======='
const INCOMING = '>>>>>>>'

/** All conflicts that are whole. Markers that belong to none are plain text. */
export function conflictsIn(lines: readonly string[]): Conflict[] {
  const found: Conflict[] = []
  let current: Part | undefined
  let base: Part | undefined
  let between: number | undefined
  lines.forEach((line, at) => {
    const name = (marker: string) => line.slice(marker.length).trim()
    if (isMarker(line, CURRENT)) {
      current = { name: name(CURRENT), marker: at, from: at + 1, to: at + 1 }
      base = undefined
      between = undefined
    } else if (current && between === undefined && !base && isMarker(line, BASE)) {
      current.to = at
      base = { name: name(BASE), marker: at, from: at + 1, to: at + 1 }
    } else if (current && between === undefined && line.trimEnd() === BETWEEN) {
      between = at
      ;(base ?? current).to = at
    } else if (current && between !== undefined && isMarker(line, INCOMING)) {
      const incoming = { name: name(INCOMING), marker: at, from: between + 1, to: at }
      found.push({ first: current.marker, last: at, current, incoming, ...(base ? { base } : {}) })
      current = undefined
    }
  })
  return found
}

export function hasConflictMarkers(text: string): boolean {
  return conflictsIn(text.split('\n')).length > 0
}

function isMarker(line: string, marker: string): boolean {
  return line.startsWith(`${marker} `) || line.trimEnd() === marker
}
