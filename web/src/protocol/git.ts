// What git says about the workspace, for looking at. Changing it goes through commands.
import { strings } from '../strings'
import { Failure, request } from './failure'

export type ChangeKind = 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'type_changed' | 'unmerged'

export interface GitChange {
  path: string
  change: ChangeKind
  old_path?: string | null
}

export interface GitConflict {
  path: string
  conflict: string
}

interface Bounded<T> {
  entries: T[]
  total: number
}

export interface GitStatus {
  branch: string | null
  head: string | null
  detached: boolean
  upstream: string | null
  ahead: number | null
  behind: number | null
  operation: 'merge' | 'rebase' | 'cherry_pick' | 'revert' | 'bisect' | 'apply' | null
  clean: boolean
  staged: Bounded<GitChange>
  unstaged: Bounded<GitChange>
  untracked: Bounded<{ path: string }>
  conflicts: Bounded<GitConflict>
}

/** The status; `undefined` when the workspace is in no repository. */
export async function gitStatus(): Promise<GitStatus | undefined> {
  const response = await request('/api/git/status')
  const body = (await response.json()) as { repository: GitStatus | null } | null
  if (!body) throw new Failure('internal', strings.failures.gitUnanswered)
  return body.repository ?? undefined
}
