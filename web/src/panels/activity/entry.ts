// One thing that happened, as the activity list shows it.

export interface ActivityEntry {
  /** Unique and growing with time. */
  key: string
  at: number
  who: string
  kind: 'person' | 'agent' | 'script' | 'bridge'
  command: string
  summary: string
  outcome: string
  error: string | null
  micros: number
  paths: string[]
}

export interface ActivityFilter {
  text: string
  kind: ActivityEntry['kind'] | 'all'
  onlyFailures: boolean
}

export const everything: ActivityFilter = { text: '', kind: 'all', onlyFailures: false }

export function fits(entry: ActivityEntry, { text, kind, onlyFailures }: ActivityFilter): boolean {
  if (kind !== 'all' && entry.kind !== kind) return false
  if (onlyFailures && entry.outcome === 'done') return false
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const all = `${entry.who} ${entry.command} ${entry.summary} ${entry.error ?? ''}`.toLowerCase()
  return words.every((word) => all.includes(word))
}

/** A time span as people read it. */
export function duration(micros: number): string {
  if (micros < 1_000) return `${micros} µs`
  if (micros < 1_000_000) return `${(micros / 1_000).toFixed(micros < 10_000 ? 1 : 0)} ms`
  if (micros < 60_000_000) return `${(micros / 1_000_000).toFixed(1)} s`
  return `${Math.floor(micros / 60_000_000)} min ${Math.round((micros % 60_000_000) / 1_000_000)} s`
}
