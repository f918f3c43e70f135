// What git says about the workspace, for looking at. Changing it goes through commands.
import { strings } from '../strings'
import { Failure, request } from './failure'
import type { GitIgnored, GitStatus as ToldStatus, StatusReply, GitChangeKind } from './generated'

export type ChangeKind = GitChangeKind
export type GitStatus = StatusReply

/** The status; `undefined` when the workspace is in no repository. */
export async function gitStatus(): Promise<GitStatus | undefined> {
  const response = await request('/api/git/status')
  const body = (await response.json()) as ToldStatus | null
  if (!body) throw new Failure('internal', strings.failures.gitUnanswered)
  return body.repository ?? undefined
}

/** Paths that git ignores; of a folder that is ignored as a whole only its own. */
export async function gitIgnored(): Promise<string[]> {
  const response = await request('/api/git/ignored')
  const { ignored } = (await response.json()) as GitIgnored
  return ignored.entries.map(({ path }) => path)
}
