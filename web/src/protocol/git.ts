// What git says about the workspace, for looking at. Changing it goes through commands.
import { strings } from '../strings'
import { Failure, query, request } from './failure'
import type {
  BlameReply, Changes, GitBlame, GitChangeKind, GitIgnored, GitRefs, GitStashes, GitStatus as ToldStatus, LogReply,
  ShowReply, StatusReply,
} from './generated'

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

/** Which commits: those of a file or folder, from a revision or a range on, from several, or all. */
export interface WantedLog {
  path?: string
  revision?: string
  starts?: string[]
  all?: boolean
  skip?: number
  limit?: number
}

/** A page of commits. */
export function gitLog({ starts, ...wanted }: WantedLog): Promise<LogReply> {
  return look<LogReply>('log', { ...wanted, starts: starts?.join(' ') })
}

/** Which commits lines of a saved file come from; `undefined` when there is no telling. */
export async function gitBlame(
  path: string, first: number, last: number, signal: AbortSignal,
): Promise<BlameReply | undefined> {
  const { blame } = await look<GitBlame>('blame', { path, lines: `${first}-${last}` }, signal)
  return blame ?? undefined
}

/** Branches and tags. */
export function gitRefs(): Promise<GitRefs> {
  return look<GitRefs>('refs')
}

/** A commit, the current one when none is named, and which files it changed. */
export function gitCommit(revision?: string): Promise<ShowReply> {
  return look<ShowReply>('commit', { revision })
}

/** Which files differ between two commits. */
export function gitChanges(from: string, to: string): Promise<Changes> {
  return look<Changes>('changes', { from, to })
}

/** What was put aside. */
export async function gitStashes(): Promise<GitStashes['stashes']> {
  return (await look<GitStashes>('stashes')).stashes
}

async function look<T>(
  what: string, values: Record<string, string | number | boolean | undefined> = {}, signal?: AbortSignal,
): Promise<T> {
  const response = await request(`/api/git/${what}?${query(values)}`, signal ? { signal } : {})
  return (await response.json()) as T
}
