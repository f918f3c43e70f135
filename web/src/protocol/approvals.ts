// Questions to the person: calls that wait for a yes, and how they are answered.
import { run } from './commands'
import { request } from './failure'
import type { Approval, ApprovalAnswerArgs } from './generated'
import type { Subscription } from './listeners'
import type { Space } from './space'

export type {
  Answered, Approval, ApprovalChannel, ApprovalScope, ShownArgument, ShownLine, ShownPart, Site, SuggestedRule,
} from './generated'

export type ApprovalAnswer = ApprovalAnswerArgs['answer']

/** Answer a question; the first answer counts, and whoever comes later is refused with what it was. */
export async function answerQuestion(approvalId: string, answer: ApprovalAnswer, message?: string): Promise<void> {
  await run('openspace.approval.answer', { approvalId, answer, ...(message ? { message } : {}) })
}

/** A link to a page on which one question is answered once, on another device. */
export interface PhoneLink {
  link: string
  /** The same as a QR code: `1` (dark) and `0`, a row for each of its rows. */
  picture: readonly string[]
  /** Whether the server listens where another device may reach it. */
  reachable: boolean
}

export async function linkToQuestion(approvalId: string): Promise<PhoneLink> {
  const response = await request(`/api/approvals/${encodeURIComponent(approvalId)}/link`, { method: 'POST' })
  return (await response.json()) as PhoneLink
}

/** The questions by their ids, open and settled. */
export function questionsIn(space: Space): Record<string, Approval> {
  return space.part('approvals')
}

export function onQuestions(space: Space, listener: () => void): Subscription {
  return space.onPart('approvals', listener)
}
