// What is done with one commit: from its menu in the graph, and from the palette with one that is chosen there.
import type { CommitInfo } from '../../protocol/generated'
import { gitLog } from '../../protocol/git'
import { strings } from '../../strings'
import { MenuId, MenuRegistry, type ISCMHistoryItem } from '../core/upstream'
import { SCM_ACTIONS } from './contributions'
import { ago } from './ago'
import type { Branches } from './branches'
import type { Repository } from './repository'

const words = strings.scm
/** As many as a person looks through. */
const LISTED = 100

/** What is known of a commit wherever it is chosen. */
interface Meant {
  oid: string
  message: string
}

export class CommitActions {
  constructor(
    private readonly repository: Repository,
    branches: Branches,
  ) {
    const { window } = repository.api
    this.offer(SCM_ACTIONS.checkoutCommit, words.commits.checkout, '1_place@1', ({ oid }) =>
      repository.change({ action: 'checkout', revision: oid }))
    this.offer(SCM_ACTIONS.branchCommit, words.commits.branch, '2_refs@1', ({ oid }) => branches.create(undefined, oid))
    this.offer(SCM_ACTIONS.tagCommit, words.commits.tag, '2_refs@2', ({ oid }) => branches.createTag(oid))
    this.offer(SCM_ACTIONS.cherryPick, words.commits.cherryPick, '3_apply@1', ({ oid }) =>
      repository.change({ action: 'cherry_pick', revision: oid }))
    this.offer(SCM_ACTIONS.revertCommit, words.commits.revert, '3_apply@2', ({ oid }) =>
      repository.change({ action: 'revert', revision: oid }))
    this.offer(SCM_ACTIONS.copyCommitId, words.commits.copyId, '9_copy@1', ({ oid }) => window.copy(oid))
    this.offer(SCM_ACTIONS.copyCommitMessage, words.commits.copyMessage, '9_copy@2', ({ message }) =>
      window.copy(message))
  }

  /** The graph hands over its repository and the row; the palette nothing. Its menu no manifest can fill. */
  private offer(id: string, title: string, place: string, work: (commit: Meant) => unknown): void {
    this.repository.api.commands.registerCommand(id, async (_provider?: unknown, item?: ISCMHistoryItem) => {
      const commit = item ? { oid: item.id, message: item.message } : await this.choose(title)
      if (commit) await work(commit)
    })
    const [group, order] = place.split('@')
    MenuRegistry.appendMenuItem(MenuId.SCMHistoryItemContext, {
      command: { id, title }, ...(group && { group }), order: Number(order),
    })
  }

  private async choose(title: string): Promise<Meant | undefined> {
    const log = await this.repository.look(gitLog({ all: true, limit: LISTED }))
    const items = (log?.commits ?? []).map((commit) => ({
      label: commit.summary, description: whoAndWhen(commit), detail: commit.refs.join(', '),
      commit: { oid: commit.oid, message: messageOf(commit) },
    }))
    if (!log) return undefined
    const { window } = this.repository.api
    const choice = await window.showQuickPick(items, { placeHolder: title, matchOnDescription: true })
    return choice?.commit
  }
}

export function messageOf({ summary, body }: CommitInfo): string {
  return body === '' ? summary : `${summary}\n\n${body}`
}

function whoAndWhen({ short_oid, author, authored }: CommitInfo): string {
  const name = author.split(' <')[0] ?? author
  return `${short_oid}, ${name}, ${ago(Date.parse(authored), Date.now()) ?? words.now}`
}
