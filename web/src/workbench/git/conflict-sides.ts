// What is left of a text with conflicts when sides of them are chosen. Pure.
import { conflictsIn, type Conflict } from './conflict-markers'

export type Side = 'current' | 'incoming' | 'both'

/** The lines that stand in place of a conflict. */
export function resolvedLines(lines: readonly string[], { current, incoming }: Conflict, side: Side): string[] {
  const parts = { current: [current], incoming: [incoming], both: [current, incoming] }[side]
  return parts.flatMap(({ from, to }) => lines.slice(from, to))
}

/** A whole text with one side of every conflict. */
export function sideOf(text: string, side: Side): string {
  const lines = text.split('\n')
  let at = 0
  const kept: string[] = []
  for (const conflict of conflictsIn(lines)) {
    kept.push(...lines.slice(at, conflict.first), ...resolvedLines(lines, conflict, side))
    at = conflict.last + 1
  }
  return [...kept, ...lines.slice(at)].join('\n')
}
