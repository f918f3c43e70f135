// Questions to the person: calls that wait for a yes, and how they are answered.
import { run } from './commands'
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

/** The questions by their ids, open and settled. */
export function questionsIn(space: Space): Record<string, Approval> {
  return space.part('approvals')
}

export function onQuestions(space: Space, listener: () => void): Subscription {
  return space.onPart('approvals', listener)
}
