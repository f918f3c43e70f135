// What a person can do when git refuses. The hints of the server are for whoever calls its commands; here stands what
// to click instead, where a step is the obvious one. Where none is, git's own reason is told, and nothing else.
//
// Which step it is follows from what was asked for and how the repository stands afterwards: words of a refusal are
// shown and never read.
import { Failure, type FailureKind } from '../../protocol/failure'
import type { GitAction, Operation, WorkspaceGitArgs } from '../../protocol/generated'
import type { GitStatus } from '../../protocol/git'
import { strings } from '../../strings'
import { adviceOf } from '../core/notices'
import { SCM_ACTIONS } from './contributions'
import type { Next, Repository } from './repository'

const words = strings.scm.refusals
const SHOW_CHANGES = 'workbench.view.scm'
const TERMINAL = 'workbench.action.terminal.focus'

/** What stops in the middle where both sides changed the same lines, or cannot go on before that is settled. */
const JOINS: ReadonlySet<GitAction> =
  new Set(['merge', 'rebase', 'cherry_pick', 'revert', 'pull', 'stash', 'continue', 'skip', 'commit'])
/** What cannot begin while something is under way, or files are in conflict. */
const BEGINS: ReadonlySet<GitAction> =
  new Set(['checkout', 'merge', 'rebase', 'cherry_pick', 'revert', 'pull', 'undo'])
/** What makes commits: for those git needs a name, and hooks of the repository are asked. */
const COMMITS: ReadonlySet<GitAction> =
  new Set(['commit', 'merge', 'rebase', 'cherry_pick', 'revert', 'continue', 'skip'])
/** What takes files along. */
const TAKES_FILES: ReadonlySet<GitAction> = new Set(['add', 'commit', 'stash'])
const EXCHANGES: ReadonlySet<GitAction> = new Set(['fetch', 'pull', 'push'])
/** Kinds whose hints name arguments of commands. */
const HINTS_FOR_CALLERS: ReadonlySet<FailureKind> = new Set(['conflict', 'not_found', 'invalid_args', 'timed_out'])

/** A button and what it does. */
type Step = [label: string, run: () => unknown]

/** What the person is told. */
interface Advice {
  text: string
  steps: Step[]
}

/** What git did not do. */
export interface Refusal {
  args: WorkspaceGitArgs
  failure: Failure
  /** What was under way before. */
  wasUnderWay: Operation | null
  /** What was to follow, and does when a step mends it. */
  next: Next | undefined
}

/** Tell the person; what they do about it is not waited for. */
export async function tellRefusal(repository: Repository, refusal: Refusal): Promise<void> {
  const { failure, args } = refusal
  const { notices } = repository
  if (failure.kind === 'cancelled') return
  if (args.action === 'push' && failure.kind === 'conflict' && isUpToDate(repository.status)) {
    // What the remote has that is lacking here is only known when it is asked; if it cannot be, git's reason is told.
    await repository.attempt({ action: 'fetch' })
  }
  const conflicts = repository.status?.conflicts.total ?? 0
  if (conflicts > 0 && failure.kind === 'conflict' && isForConflicts(repository, refusal)) {
    const show = () => void repository.api.commands.executeCommand(SHOW_CHANGES)
    return void notices.offer(words.conflicts(conflicts), words.showConflicts, show)
  }
  const { text, steps } = adviceOn(repository, refusal)
  void notices.choose(text, steps)
}

/** A failure without what only a caller can do about it. */
export function forPeople(error: unknown): unknown {
  const isForCallers = error instanceof Failure && HINTS_FOR_CALLERS.has(error.kind)
  return isForCallers ? new Failure(error.kind, error.message) : error
}

/** Git's reason, after what was asked for. */
export function reasonOf(args: WorkspaceGitArgs, failure: Failure): string {
  return told(args, adviceOf(forPeople(failure)))
}

function told({ action, operation }: WorkspaceGitArgs, reason: string): string {
  // Where the server has no reason of its own it begins with the same words.
  const beginning = `${strings.scm.failed(action)}: `
  const why = reason.startsWith(beginning) ? reason.slice(beginning.length) : reason
  return `${strings.scm.failed([action.replace('_', '-'), ...(operation ? [operation] : [])].join(' '))}: ${why}`
}

const isUpToDate = (status: GitStatus | undefined): boolean =>
  Boolean(status?.branch && status.upstream) && (status?.behind ?? 0) === 0

function isForConflicts({ status }: Repository, { args, wasUnderWay }: Refusal): boolean {
  if (wasUnderWay && BEGINS.has(args.action)) return false
  return JOINS.has(args.action) || (status?.operation === null && BEGINS.has(args.action))
}

function adviceOn(repository: Repository, refusal: Refusal): Advice {
  const { args, failure, wasUnderWay } = refusal
  const { api, status } = repository
  const run = (command: string) => () => api.commands.executeCommand(command)
  const plainly = (...steps: Step[]): Advice => ({ text: reasonOf(args, failure), steps })
  if (EXCHANGES.has(args.action) && failure.kind === 'denied') {
    // A shell has the person's own credentials.
    return { text: told(args, failure.message), steps: [[words.terminal, run(TERMINAL)]] }
  }
  if (TAKES_FILES.has(args.action) && failure.kind === 'denied' && !args.force) {
    // Secrets that are in no commit yet; who can read the repository can read them from then on.
    const take = () => repository.change({ ...args, force: true }, refusal.next)
    return { text: told(args, failure.message), steps: [[words.takeSecrets, take]] }
  }
  if (failure.kind === 'not_found') return plainly(...stepsToFind(repository, refusal))
  // All that a repository refuses for how it stands is of this kind.
  if (failure.kind !== 'conflict' || !status) return plainly()
  if (wasUnderWay && status.operation && BEGINS.has(args.action)) {
    return { text: words.underWay[status.operation], steps: stepsOutOf(repository, status) }
  }
  const exchange = EXCHANGES.has(args.action) && status.operation === null && exchanged(repository, status, refusal)
  if (exchange) return exchange
  const { untracked, operation } = status
  const changes = known(status)
  const showChanges: Step = [words.showChanges, run(SHOW_CHANGES)]
  if (isInTheWay(args, status)) {
    return plainly(...(args.action === 'stash' ? [] : [aside(repository, refusal, status)]), showChanges)
  }
  if (!COMMITS.has(args.action) && !(args.action === 'pull' && args.strategy)) return plainly()
  if (operation !== null && operation !== 'merge' && changes === 0) {
    const skip = () => repository.change({ action: 'skip' })
    return plainly([words.skip, skip], [strings.scm.abort, run(SCM_ACTIONS.abort)])
  }
  const terminal: Step = [words.terminal, run(TERMINAL)]
  const isOverFiles = operation === null && args.action !== 'commit' && changes + untracked.total > 0
  if (isOverFiles && changes > 0) return plainly(showChanges, terminal)
  // Its next step is in a terminal, and what that is the server says: a name that git has to be told, a hook.
  return { text: told(args, failure.advice), steps: [...(isOverFiles ? [showChanges] : []), terminal] }
}

/** What was looked for can be made. */
function stepsToFind(repository: Repository, { args, next }: Refusal): Step[] {
  const { api, status } = repository
  if (!status) return [[strings.scm.init, () => api.commands.executeCommand(SCM_ACTIONS.init)]]
  if (!EXCHANGES.has(args.action) || status.upstream || args.remote) return []
  return [[strings.scm.remotes.add, async () => {
    const remote = await api.commands.executeCommand<string>(SCM_ACTIONS.addRemote)
    // A branch that follows none is taken from the one of its name.
    const branch = args.action === 'pull' && status.branch
    if (remote) await repository.change({ ...args, remote, ...(branch && { branch }) }, next)
  }]]
}

/** Ways to end what is under way. */
function stepsOutOf({ api }: Repository, { conflicts, operation }: GitStatus): Step[] {
  const run = (command: string) => () => api.commands.executeCommand(command)
  const abort: Step = [strings.scm.abort, run(SCM_ACTIONS.abort)]
  if (conflicts.total > 0) return [[words.showConflicts, run(SHOW_CHANGES)], abort]
  // A bisection ends when the person has found what they look for.
  return operation === 'bisect' ? [abort] : [[strings.scm.continueTitle, run(SCM_ACTIONS.proceed)], abort]
}

/** What a branch and the one that it follows have to do with it. */
function exchanged(repository: Repository, status: GitStatus, refusal: Refusal): Advice | undefined {
  const { args, failure, next } = refusal
  const { ahead, behind, branch, upstream } = status
  const run = (command: string) => () => repository.api.commands.executeCommand(command)
  const text = reasonOf(args, failure)
  if (args.action === 'fetch') return undefined
  if (!branch) return { text, steps: [[strings.scm.switchBranch, run(SCM_ACTIONS.checkout)]] }
  const isPush = args.action === 'push'
  if (!upstream) {
    const publish: Step = [strings.scm.remotes.publish, run(SCM_ACTIONS.publish)]
    return isPush || args.remote ? undefined : { text, steps: [publish] }
  }
  if ((behind ?? 0) === 0 || (!isPush && ((ahead ?? 0) === 0 || args.strategy))) return undefined
  // A push that was refused for this is done again.
  const after = isPush ? () => repository.change(args, next) : next
  const pull = (label: string, strategy?: string): Step =>
    [label, () => repository.change({ action: 'pull', ...(strategy && { strategy }) }, after)]
  const { pullRebase, pullMerge } = strings.scm.remotes
  return {
    text: isPush ? words.behind(upstream, behind ?? 0) : text,
    steps: (ahead ?? 0) === 0
      ? [pull(strings.scm.remotes.pull)]
      : [pull(pullRebase, 'rebase'), pull(pullMerge, 'merge')],
  }
}

/** Changes of files that git knows. */
const known = ({ staged, unstaged }: GitStatus): number => staged.total + unstaged.total

/** Whether changes that are not committed can be the reason, and the only one. */
function isInTheWay({ action, create, strategy, operation, remote }: WorkspaceGitArgs, status: GitStatus): boolean {
  const changes = known(status)
  if (changes + status.untracked.total === 0) return false
  if (action === 'stash') return operation === 'pop' || operation === 'apply'
  if (action === 'checkout') return !create
  // A pull has asked the remote by then, if it could. A rebase begins over no change, and a merge may lack a name.
  const isBehind = (status.behind ?? 0) > 0 || remote !== undefined
  return action === 'pull' && isBehind && (!strategy || (strategy === 'rebase' && changes > 0))
}

/** Put changes aside, then do what was asked for. */
function aside(repository: Repository, { args, next }: Refusal, status: GitStatus): Step {
  const { api, notices } = repository
  // Files that git does not know are put aside only where nothing else can be in the way.
  const put = { action: 'stash', operation: 'push', include_untracked: known(status) === 0 } as const
  const afterwards = (then?: Next) => () => repository.change(put, () => repository.change(args, then))
  if (args.action === 'checkout') return [words.stashAndCheckout, afterwards(next)]
  const pop = () => void api.commands.executeCommand(SCM_ACTIONS.popStash)
  return [words.stashAndPull, afterwards(async () => {
    void notices.offer(words.putAside, strings.scm.popStash, pop)
    await next?.()
  })]
}
