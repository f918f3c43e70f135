// The space as the server tells it, under the names that the page uses. Plain data, no behaviour.
import type {
  AgentRecord, Aside, CallRecord as ToldRecord, Caller, FileChange, Highlight, Layout, OpenEditor, Parts, Problem,
  ProblemsPart, Range, RevealMode, SequencedEvent, Snapshot, SocketMessage, SpaceNode, Tab, TabKey, TerminalRecord,
} from './generated'

export type {
  Aside, Caller, FileChange, Highlight, Layout, OpenEditor, Parts, Problem, ProblemsPart, RevealMode, Snapshot, Tab,
  TabKey, TerminalRecord,
}
export type Agent = AgentRecord
export type LayoutNode = SpaceNode
export type TextRange = Range
export type CallRecord = ToldRecord
export type Welcome = Extract<SocketMessage, { type: 'welcome' }>

/** What an agent wants to be seen; the stream leaves the target open. */
export interface Reveal {
  path: string
  range: TextRange | null
  mode: RevealMode | null
  by: Caller
}

type Plain = Exclude<SequencedEvent, { type: 'reveal' }>
export type SpaceEvent = Plain | ({ seq: number; revision: number } & { type: 'reveal'; target: Reveal })

/** `done`, or the kind of the failure. */
export function outcomeOf({ outcome }: CallRecord): string {
  return typeof outcome === 'string' ? outcome : outcome.failed
}
