// The words of a conversation with an agent, as the server says them (`crates/agents/src/model`).

export interface LongText { text: string; leftOut?: number }
export interface ModelChoice { provider: string; model: string; variant: string | null }
export interface Model {
  id: string; name: string; context: number | null; output: number | null; hasReasoning: boolean; hasTools: boolean
  takesImages: boolean; variants: string[]; costInput: number | null; costOutput: number | null; stage: string | null
}
export interface Provider { id: string; name: string; models: Model[] }
export interface Models { providers: Provider[]; default: ModelChoice | null }
export interface Mode {
  id: string; name: string; description: string | null; usable: 'session' | 'sub_agent' | 'both'
  model: ModelChoice | null
}
export interface SlashCommand { name: string; description: string | null; hint: string | null; source: string | null }
export interface Lines { first: number; last: number | null }
export type FilePlace =
  | { type: 'path'; path: string; lines: Lines | null }
  | { type: 'data'; base64: string }
  | { type: 'link'; url: string }
  | { type: 'left_out'; bytes: number }
export interface FileReference { name: string | null; mime: string; place: FilePlace }
export type DiffText =
  | { form: 'untold' }
  | { form: 'patch'; patch: LongText }
  | { form: 'texts'; before: LongText | null; after: LongText }
export interface FileDiff {
  path: string; change: 'added' | 'deleted' | 'modified' | null; additions: number | null; deletions: number | null
  text: DiffText
}
export interface Usage { input: number; output: number; reasoning: number; cacheRead: number; cacheWrite: number }
export type FailureKind =
  | 'aborted' | 'log_in' | 'rate_limit' | 'provider' | 'context_full' | 'output_length' | 'content_filter' | 'other'
export interface Failure {
  kind: FailureKind; name: string; message: string; status: number | null; isRetryable: boolean
}
export interface MessageInfo {
  id: string; sessionId: string; role: 'user' | 'assistant'; created: number; completed: number | null
  answers: string | null; mode: string | null; model: ModelChoice | null; usage: Usage | null; cost: number | null
  finish: string | null; failure: Failure | null; isSummary: boolean; diffs: FileDiff[]
}
export interface Location { path: string; line: number | null }
export type ToolState = 'pending' | 'running' | 'completed' | 'failed'
export interface ToolCall {
  callId: string; tool: string; title: string | null; state: ToolState; input: unknown; inputLeftOut: number
  output: LongText | null; error: LongText | null; started: number | null; ended: number | null
  attachments: FileReference[]; diffs: FileDiff[]; locations: Location[]; childSession: string | null
}
export type PartContent =
  | { type: 'text'; text: LongText; isSynthetic: boolean; started: number | null; ended: number | null }
  | { type: 'reasoning'; text: LongText; started: number | null; ended: number | null }
  | { type: 'tool'; call: ToolCall }
  | { type: 'file'; file: FileReference }
  | { type: 'mention'; agent: string }
  | { type: 'subtask'; agent: string; description: string; prompt: LongText }
  | { type: 'step_start' }
  | { type: 'step_finish'; reason: string; usage: Usage; cost: number | null }
  | { type: 'patch'; files: string[] }
  | { type: 'compaction'; isAutomatic: boolean }
  | { type: 'retry'; attempt: number; failure: Failure; at: number | null }
  | { type: 'other'; name: string }
export interface Part { id: string; messageId: string; sessionId: string; content: PartContent }
export interface Message { info: MessageInfo; parts: Part[]; partsLeftOut: number }
export interface Totals { usage: Usage; cost: number }
export interface Reverted { messageId: string; partId: string | null; diff: LongText | null }
export interface Session {
  id: string; title: string; parentId: string | null; directory: string | null; created: number | null
  updated: number | null; archived: number | null; sharedAt: string | null; reverted: Reverted | null
  mode: string | null; model: ModelChoice | null; totals: Totals | null
}
export type SessionStatus =
  | { state: 'idle' } | { state: 'busy' } | { state: 'retry'; attempt: number; message: string; next: number | null }
export type PermissionReply = 'once' | 'always' | 'reject'
export interface ToolReference { messageId: string | null; callId: string }
export interface PermissionRequest {
  id: string; sessionId: string; permission: string; title: string | null; patterns: string[]; always: string[]
  replies: PermissionReply[]; diffs: FileDiff[]; details: unknown; tool: ToolReference | null
}
export interface Question {
  question: string; header: string; choices: { label: string; description: string }[]; isMultiple: boolean
  takesOwnWords: boolean
}
export interface QuestionRequest { id: string; sessionId: string; questions: Question[]; tool: ToolReference | null }
export interface Todo {
  content: string; state: 'pending' | 'in_progress' | 'completed' | 'cancelled' | 'unknown'; priority: string
}
export type ChatEvent =
  | { type: 'gap'; why: string }
  | { type: 'connection'; connected: boolean; why: string | null }
  | { type: 'session_created' | 'session_updated'; session: Session }
  | { type: 'session_deleted'; sessionId: string }
  | { type: 'status'; sessionId: string; status: SessionStatus }
  | { type: 'message_updated'; message: MessageInfo }
  | { type: 'message_removed'; sessionId: string; messageId: string }
  | { type: 'part_updated'; part: Part }
  | {
    type: 'text_delta'; sessionId: string; messageId: string; partId: string; field: 'text' | 'output'; delta: string
  }
  | { type: 'part_removed'; sessionId: string; messageId: string; partId: string }
  | { type: 'permission_asked'; request: PermissionRequest }
  | { type: 'permission_answered'; sessionId: string; permissionId: string; reply: PermissionReply | null }
  | { type: 'question_asked'; request: QuestionRequest }
  | { type: 'question_answered'; sessionId: string; questionId: string; answers: string[][] | null }
  | { type: 'todos'; sessionId: string; todos: Todo[] }
  | { type: 'diff'; sessionId: string; diffs: FileDiff[] }
  | { type: 'compacted'; sessionId: string }
  | { type: 'error'; sessionId: string | null; failure: Failure }
  | { type: 'catalogue_changed'; what: string }
  | { type: 'other'; name: string; sessionId: string | null }

export type Ability =
  | 'list' | 'history' | 'rename' | 'delete' | 'fork' | 'revert' | 'unrevert' | 'compact' | 'share' | 'unshare'
  | 'todos' | 'questions' | 'sub_agents' | 'diff' | 'models' | 'modes' | 'variants' | 'commands' | 'images' | 'queue'
  | 'reject_with_message' | 'providers'
export interface AgentState {
  id: string; name: string
  state: 'missing' | 'hidden' | 'stopped' | 'starting' | 'running' | 'failed' | 'unreachable'
  why: string | null; hint: string | null; install: string | null; login: string | null; loginCommand: string | null
  needsRestart: boolean
  confined: { is: boolean; why: string | null }; abilities: { ability: Ability; can: boolean; why: string | null }[]
}

export interface Span { text: string; start: number; end: number }
/** What goes with the words of a prompt. */
export type Attachment =
  | { type: 'file'; path: string; line?: number | null; endLine?: number | null; mention?: Span | null }
  | { type: 'text'; title: string; text: string; language?: string | null; path?: string | null }
  | { type: 'image'; mime: string; base64: string; name?: string | null }
  | { type: 'agent'; name: string; mention?: Span | null }
/** A session as it is listed. */
export interface ListedSession {
  address: string; agent: string; session: Session; status: SessionStatus; unread: boolean
}
