// What git says about the workspace, for looking at. Changing it goes through commands.
import { strings } from '../strings'
import { Failure, request } from './failure'
import type { GitStatus as ToldStatus, StatusReply, GitChangeKind } from './generated'

export type ChangeKind = GitChangeKind
export type GitStatus = StatusReply

/** The status; `undefined` when the workspace is in no repository. */
export async function gitStatus(): Promise<GitStatus | undefined> {
  const response = await request('/api/git/status')
  const body = (await response.json()) as ToldStatus | null
  if (!body) throw new Failure('internal', strings.failures.gitUnanswered)
  return body.repository ?? undefined
}
