// The space as the server tells it, under the names that the page uses. Plain data, no behaviour.
import type {
  AgentRecord, Aside, CallRecord as ToldRecord, Caller, FileChange, Highlight, Layout, OpenEditor, Parts, Problem,
  ProblemsPart, Range, RevealMode, RevealTarget, SequencedEvent, Snapshot, SocketMessage, SpaceNode, Tab, TabKey,
  TerminalRecord,
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

export type Reveal = RevealTarget
export type SpaceEvent = SequencedEvent

/** `done`, or the kind of the failure. */
export function outcomeOf({ outcome }: CallRecord): string {
  return typeof outcome === 'string' ? outcome : outcome.failed
}
