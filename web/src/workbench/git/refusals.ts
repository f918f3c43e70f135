// What a person can do when git refuses. The hints of the server are for whoever calls its commands; here stands what
// to click instead, where one step is the obvious one.
//
// Which it is follows from how the repository stands afterwards: words of a refusal are shown and never read.
import type { Failure } from '../../protocol/failure'
import type { GitAction, WorkspaceGitArgs } from '../../protocol/generated'
import { strings } from '../../strings'
import { SCM_ACTIONS } from './contributions'
import type { Repository } from './repository'

const words = strings.scm.refusals
const SHOW_CHANGES = 'workbench.view.scm'
const TERMINAL = 'workbench.action.terminal.focus'
/** What stops in the middle where both sides changed the same lines, or cannot go on before that is settled. */
const JOINS: ReadonlySet<GitAction> =
  new Set(['merge', 'rebase', 'cherry_pick', 'revert', 'pull', 'stash', 'continue', 'skip', 'commit'])

/** A button and what it does. */
type Step = [label: string, run: () => unknown]

export function tellRefusal(repository: Repository, args: WorkspaceGitArgs, failure: Failure): void {
  const { api, notices, status } = repository
  const show = (command: string) => api.commands.executeCommand(command)
  const told = strings.scm.failed(args.action)
  // All that a repository refuses for how it stands is of this kind.
  if (failure.kind !== 'conflict' || !status) return notices.failure(told, failure)
  const conflicts = status.conflicts.total
  if (conflicts > 0 && JOINS.has(args.action)) {
    return void notices.offer(words.conflicts(conflicts), words.showConflicts, () => void show(SHOW_CHANGES))
  }
  const steps = status.operation === null ? stepsAfter(repository, args) : []
  if (steps.length > 0) return void notices.choose(`${told}: ${failure.message}`, steps)
  // Its next step is in a terminal, as for a name that git has to be told. With a button all of it is seen.
  if (args.action === 'commit') {
    return void notices.choose(`${told}: ${failure.advice}`, [[words.terminal, () => show(TERMINAL)]])
  }
  notices.failure(told, failure)
}

function stepsAfter(repository: Repository, args: WorkspaceGitArgs): Step[] {
  const { api, status } = repository
  if (!status) return []
  const { ahead, behind, staged, unstaged, untracked } = status
  if (args.action === 'pull' && !args.strategy && (ahead ?? 0) > 0 && (behind ?? 0) > 0) {
    return [
      [strings.scm.remotes.pullRebase, () => api.commands.executeCommand(SCM_ACTIONS.pullRebase)],
      [strings.scm.remotes.pullMerge, () => api.commands.executeCommand(SCM_ACTIONS.pullMerge)],
    ]
  }
  const changes = staged.total + unstaged.total
  if (args.action === 'checkout' && !args.create && changes + untracked.total > 0) {
    return [[words.stashAndCheckout, async () => {
      // Files that git does not know are put aside only where nothing else can be in the way.
      const put = { action: 'stash', operation: 'push', include_untracked: changes === 0 } as const
      if (await repository.change(put)) await repository.change(args)
    }]]
  }
  return []
}
