// Bringing a copy of the space up to date with what the server said of a change. Pure: nothing that is
// handed in is changed, and nobody is told anything here.
import type { Parts, Patch, StateChanged } from './generated'

export type Patches = StateChanged['patches']

/** The parts after a change. A part that did not change is the same object as before, and so is each such entry. */
export function applyPatches(parts: Parts, patches: Patches): Parts {
  const before: Partial<Record<string, Record<string, unknown>>> = { ...parts }
  const changed = Object.entries<Patch>(patches).filter(([, { put = {}, removed = [] }]) =>
    Object.keys(put).length + removed.length > 0)
  const now = changed.map(([name, patch]) => [name, patched(before[name] ?? {}, patch)] as const)
  return { ...parts, ...Object.fromEntries(now) }
}

function patched(entries: Record<string, unknown>, { put = {}, removed = [] }: Patch): Record<string, unknown> {
  // A key can be any path, `__proto__` too: spreading makes an entry of it where an assignment would not.
  const next = { ...entries, ...put }
  for (const key of removed) delete next[key]
  const hasNew = Object.keys(put).some((key) => !Object.hasOwn(entries, key))
  // As a snapshot has them: what is listed must not depend on when the page was opened.
  return hasNew ? Object.fromEntries(Object.entries(next).sort(byKey)) : next
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0
}
