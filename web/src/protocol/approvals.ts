// Questions to the person: calls that wait for a yes, under the names that the page uses, and how they are answered.
import { runAny } from './commands'
import type { Subscription } from './listeners'
import type { Space } from './space'
import type { Parts } from './state'

/** Where the programs run that a call starts or types into. */
export type Site = 'space' | 'confined' | 'outside' | 'unconfined'
export type ApprovalScope = 'once' | 'session' | 'always'
export type ApprovalChannel = 'browser' | 'command_line' | 'page' | 'client'
export type ApprovalAnswer = 'once' | 'session' | 'always' | 'no'

export interface SuggestedRule {
  about: string
  text: string
}

export interface ShownArgument {
  name: string
  value: string
}

export interface ShownPart {
  text: string
  decision: string
  rule: string
  dangers: string[]
}

export interface ShownLine {
  text: string
  parts: ShownPart[]
  doubts: string[]
}

export interface Answered {
  channel: ApprovalChannel
  by: string
  message: string | null
  answeredAt: number
  usedAt: number | null
}

export type ApprovalState =
  | { state: 'open' }
  | { state: 'approved'; scope: ApprovalScope; answered: Answered }
  | { state: 'denied'; answered: Answered }
  | { state: 'expired'; at: number }
  | { state: 'taken_back'; at: number }

export interface ApprovalQuestion {
  command: string
  summary: string
  arguments: ShownArgument[]
  digest: string
  line: ShownLine | null
  folder: string | null
  caller: { kind: 'person' | 'agent' | 'script' | 'bridge'; id: string; session: string | null }
  site: Site
  reason: string | null
  theirs: string | null
  rule: string
  why: string
  always: SuggestedRule | null
}

export type Approval = ApprovalQuestion & { askedAt: number; waiting: boolean; until: number | null } & ApprovalState

/** Answer a question; the first answer counts, and whoever comes later is refused with what it was. */
export async function answerQuestion(approvalId: string, answer: ApprovalAnswer, message?: string): Promise<void> {
  await runAny('openspace.approval.answer', { approvalId, answer, ...(message ? { message } : {}) })
}

const PART = 'approvals' as keyof Parts

/** The questions by their ids, open and settled. */
export function questionsIn(space: Space): Record<string, Approval> {
  return space.part(PART) as unknown as Record<string, Approval>
}

export function onQuestions(space: Space, listener: () => void): Subscription {
  return space.onPart(PART, listener)
}
