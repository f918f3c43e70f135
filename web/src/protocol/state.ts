// The parts of the space as the server tells them. Plain data, no behaviour.

export type TabKind = 'editor' | 'terminal' | 'presentation' | 'whiteboard' | 'chat'

export interface TabKey {
  type: TabKind
  contentId: string
}

export interface Tab extends TabKey {
  title: string
  dirty: boolean
  missing: boolean
}

export interface PaneNode {
  pane: { id: string; tabs: Tab[]; activeTab: number | null; pinned: boolean }
}

export interface SplitNode {
  split: { split: 'horizontal' | 'vertical'; fractions: number[]; children: LayoutNode[] }
}

export type LayoutNode = PaneNode | SplitNode

export interface Grid {
  root: LayoutNode
  active: string
}

export interface Layout {
  main: Grid
  bottom: { fraction: number; grid: Grid | null }
  right: { fraction: number; grid: Grid | null }
  activeArea: 'main' | 'bottom' | 'right'
  nextPane: number
}

export interface TextRange {
  startLine: number
  endLine: number
  startColumn?: number | null
  endColumn?: number | null
}

export type RevealMode = 'auto-focus' | 'suggest-only' | 'disabled'

export interface OpenEditor {
  reveal: TextRange | null
  mode: RevealMode | null
  reveals: number
}

export interface Highlight {
  path: string
  ranges: TextRange[]
  color: string
  note: string | null
  by: string
}

export interface TerminalRecord {
  title: string
  cwd: string
  shell: string
  state: 'running' | 'exited' | 'ended_with_server' | 'lost'
  /** While it runs. */
  pid?: number
  /** When it has exited: one of the two. */
  code?: number | null
  signal?: number | null
  /** `browser` for a person, else the name of the agent or script. */
  createdBy: string
}

export interface Agent {
  name: string
  transport: string
  connectedAt: number
  lastCallAt: number | null
  calls: number
  running: { callId: string; command: string; summary: string; startedAt: number }[]
}

export interface Problem {
  path: string
  startLine: number
  startColumn?: number | null
  endLine?: number | null
  endColumn?: number | null
  severity: 'error' | 'warning' | 'info' | 'hint'
  message: string
  code?: string | null
}

export interface Parts {
  layout: Layout
  layouts: Record<string, unknown>
  editors: Record<string, OpenEditor>
  highlights: Record<string, Highlight>
  terminals: Record<string, TerminalRecord>
  workspaces: Record<string, unknown>
  views: Record<string, unknown>
  buffers: Record<string, { conflicted: boolean }>
  agents: Record<string, Agent>
  problems: Record<string, Problem[]>
}

export interface Snapshot {
  boot: string
  seq: number
  revision: number
  parts: Parts
}

export interface Caller {
  kind: 'person' | 'agent' | 'script' | 'bridge'
  id: string
  session: string
}

export interface Reveal {
  path: string
  range: TextRange | null
  mode: RevealMode | null
  by: Caller
}

export interface CallRecord {
  at: number
  caller: Caller
  command: string
  workspace: string | null
  summary: string
  paths: string[]
  outcome: string
  error: string | null
  micros: number
}

export interface FileChange {
  path: string
  change: 'created' | 'changed' | 'deleted'
}

export type SpaceEvent = { seq: number; revision: number } & (
  | { type: 'changed'; part: keyof Parts; value: Parts[keyof Parts] }
  | { type: 'files_changed'; changes: FileChange[]; rescan: boolean }
  | { type: 'reveal'; target: Reveal }
  | { type: 'catalogue_changed'; version: number }
  | { type: 'call_ended'; record: CallRecord }
  | { type: 'user_data_changed'; name: string }
)

export interface Welcome {
  viewId: string
  boot: string
  workspace: { name: string; folder: string }
  version: string
}
