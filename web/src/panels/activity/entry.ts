// One thing that happened, as the activity list shows it.
import { strings } from '../../strings'

export interface ActivityEntry {
  /** The same for the same thing, however it was heard of. */
  key: string
  at: number
  who: string
  kind: 'person' | 'agent' | 'script' | 'bridge'
  command: string
  summary: string
  /** By what it was let in, where somebody or a rule had to decide. */
  letIn: string | null
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
  const all = `${entry.who} ${entry.command} ${entry.summary} ${entry.letIn ?? ''} ${entry.error ?? ''}`.toLowerCase()
  return words.every((word) => all.includes(word))
}

/** A time span as people read it. */
export function duration(micros: number): string {
  if (micros < 1_000) return `${micros} µs`
  if (micros < 1_000_000) return `${(micros / 1_000).toFixed(micros < 10_000 ? 1 : 0)} ms`
  // What would be rounded to 60 s is a minute.
  if (micros < 59_950_000) return `${(micros / 1_000_000).toFixed(1)} s`
  const seconds = Math.round(micros / 1_000_000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** All of an entry in words, for those who hear it. */
export function sentence(entry: ActivityEntry): string {
  const { at, who, command, summary, letIn, outcome, error, micros } = entry
  const time = new Date(at).toLocaleTimeString()
  const admission = letIn ? strings.activity.letIn(letIn) : ''
  const ended = strings.activity.outcome(outcome)
  const parts = [time, who, summary || command, admission, ended, error, duration(micros)]
  return parts.filter(Boolean).join(', ')
}
