// The history of the repository for the workbench's graph: commits page by page with their parents, branches and
// tags, and the files that each changed. It is read when somebody looks.
import type { CommitInfo, WorkspaceFileDiff } from '../../protocol/generated'
import { gitChanges, gitCommit, gitLog, gitRefs } from '../../protocol/git'
import { strings } from '../../strings'
import type { SourceControl } from '../core/api/source-control'
import {
  MarkdownString, observableFromEvent, observableValue, type ISCMHistoryItem, type ISCMHistoryItemChange,
  type ISCMHistoryItemRef, type ISCMHistoryItemRefsChangeEvent, type ISCMHistoryOptions, type ISCMHistoryProvider,
} from '../core/upstream'
import { uriOf } from '../core/uris'
import { ago } from './ago'
import { messageOf } from './commit-actions'
import { gitUri } from './git-content'
import type { Repository } from './repository'

const words = strings.scm
/** The most commits of one answer, and the most places at which a log may start. */
const PAGE = 200
const MOST_STARTS = 100
/** How far it is read to reach a commit that the graph wants to show again. */
const FARTHEST = 5_000

/** A branch or a tag. */
type Ref = ISCMHistoryItemRef
/** As the workbench colours where one is, and where the branch that it follows is. */
const HERE = 'scmGraph.historyItemRefColor'
const THERE = 'scmGraph.historyItemRemoteRefColor'
const TAG = 'refs/tags/'
const UNCHANGED: ISCMHistoryItemRefsChangeEvent = { added: [], removed: [], modified: [], silent: false }

export class History implements ISCMHistoryProvider {
  readonly historyItemRef = observableValue<Ref | undefined>(this, undefined)
  readonly historyItemRemoteRef = observableValue<Ref | undefined>(this, undefined)
  readonly historyItemBaseRef = observableValue<Ref | undefined>(this, undefined)
  readonly historyItemRefChanges = observableFromEvent<ISCMHistoryItemRefsChangeEvent>(
    this, (listener) => this.listen(() => void listener(undefined)), () => this.changes,
  )
  private changes = UNCHANGED
  private listener: (() => void) | undefined
  /** Where the commits start that the graph was given. */
  private shown: readonly string[] | undefined
  /** Nobody is told of what nobody looked at. */
  private isLookedAt = false
  private refs: Ref[] | undefined
  private place = ''

  constructor(private readonly repository: Repository) {
    repository.onStatus.on(() => void this.moved())
    repository.onChanged.on(() => void this.moved({ mayBeSame: false }))
  }

  attach(control: SourceControl): void {
    this.tellPlace()
    control.historyProvider.set(this, undefined)
  }

  private tellPlace(): void {
    const { branch, head, upstream } = this.repository.status ?? {}
    this.historyItemRef.set(head ? here(branch ?? undefined, head) : undefined, undefined)
    const id = `refs/remotes/${upstream ?? ''}`
    const known = this.refs?.find((ref) => ref.id === id)
    const there = known ?? { id, name: upstream ?? '', icon: { id: 'cloud' } }
    this.historyItemRemoteRef.set(upstream ? { ...there, color: THERE } : undefined, undefined)
  }

  async provideHistoryItemRefs(wanted?: string[]): Promise<Ref[]> {
    this.isLookedAt = true
    this.refs = await this.readRefs()
    return wanted ? this.refs.filter(({ id, name }) => wanted.includes(id) || wanted.includes(name)) : this.refs
  }

  async provideHistoryItems(
    { skip = 0, limit = 50, historyItemRefs = [] }: ISCMHistoryOptions,
  ): Promise<ISCMHistoryItem[]> {
    this.isLookedAt = true
    if (skip === 0) this.shown = historyItemRefs
    if (!this.refs) {
      this.refs = await this.readRefs()
      // Only now it is known where the branch that is followed is.
      this.tellPlace()
    }
    const until = typeof limit === 'number' ? undefined : limit.id
    const most = typeof limit === 'number' ? limit : FARTHEST
    const starts = historyItemRefs.length === 0 || historyItemRefs.length > MOST_STARTS
      ? { all: true } : { starts: [...historyItemRefs] }
    const items: ISCMHistoryItem[] = []
    while (items.length < most) {
      const page = Math.min(PAGE, most - items.length)
      const answer = await this.repository.look(gitLog({ limit: page, skip: skip + items.length, ...starts }))
      items.push(...(answer?.commits ?? []).map((commit) => this.item(commit)))
      if (!answer?.more || (until !== undefined && items.some(({ id }) => id === until))) break
    }
    return items
  }

  async provideHistoryItemChanges(id: string, parent: string | undefined): Promise<ISCMHistoryItemChange[]> {
    const changes = parent
      ? await this.repository.look(gitChanges(parent, id))
      : (await this.repository.look(gitCommit(id)))?.changes
    if (!changes) return []
    const { files, totals } = changes
    if (files.length < totals.files) this.repository.notices.warning(words.changesCut(files.length, totals.files))
    return files.filter(({ lossy }) => !lossy).map((file) => this.change(file, id, parent))
  }

  async resolveHistoryItem(id: string): Promise<ISCMHistoryItem | undefined> {
    const shown = await this.repository.look(gitCommit(id))
    return shown && this.item(shown.commit)
  }

  async resolveHistoryItemChatContext(): Promise<undefined> {
    return undefined
  }

  async resolveHistoryItemChangeRangeChatContext(): Promise<undefined> {
    return undefined
  }

  /** Where two lines of history parted. */
  async resolveHistoryItemRefsCommonAncestor(refs: string[]): Promise<string | undefined> {
    const [first, second] = refs
    if (first === undefined || second === undefined) return undefined
    const answer = await this.repository.look(gitLog({ revision: `${first}...${second}`, limit: 1 }))
    return answer?.base ?? undefined
  }

  private async readRefs(): Promise<Ref[]> {
    const refs = await this.repository.look(gitRefs())
    return [
      ...(refs?.branches.entries ?? []).map(({ name, remote, oid }) => remote
        ? this.ref(`refs/remotes/${name}`, name, oid, words.remoteBranches, 'cloud')
        : this.ref(`refs/heads/${name}`, name, oid, words.branches, 'git-branch')),
      ...(refs?.tags.entries ?? []).map(({ name, oid }) => this.ref(`${TAG}${name}`, name, oid, words.tags, 'tag')),
    ]
  }

  private ref(id: string, name: string, revision: string, category: string, icon: string): Ref {
    return { id, name, revision, category, icon: { id: icon } }
  }

  private item(commit: CommitInfo): ISCMHistoryItem {
    const { oid, parents, summary, short_oid, author, authored } = commit
    const [name = author, address = ''] = author.split(' <')
    const references = this.refs?.filter(({ revision }) => revision === oid) ?? []
    // The graph writes out the name of one branch at most; what a commit is called is to be read, not only pointed at.
    const tags = references.filter(({ id }) => id.startsWith(TAG)).map((tag) => tag.name)
    return {
      id: oid,
      parentIds: parents,
      subject: summary,
      message: messageOf(commit),
      displayId: short_oid,
      author: [name, ...tags].join(' • '),
      authorEmail: address.replace(/>$/, ''),
      timestamp: Date.parse(authored),
      references,
      tooltip: tooltipOf(commit, name),
    }
  }

  private change(
    { path, old_path, change }: WorkspaceFileDiff,
    id: string,
    parent: string | undefined,
  ): ISCMHistoryItemChange {
    const uri = uriOf(path)
    const isOutside = old_path?.startsWith('/') ?? false
    const isNew = change === 'added' || !parent || isOutside
    return {
      uri,
      ...(!isNew && { originalUri: gitUri(uriOf(old_path ?? path), parent) }),
      ...(change !== 'deleted' && { modifiedUri: gitUri(uri, id) }),
    }
  }

  private tell(changes: ISCMHistoryItemRefsChangeEvent): void {
    this.changes = changes
    this.listener?.()
  }

  /** The graph begins to listen when it has its first commits: what moved while it read them it has not heard of. */
  private listen(listener: () => void): { dispose(): void } {
    this.listener = listener
    const { head } = this.repository.status ?? {}
    if (head && this.shown?.includes(head) === false) queueMicrotask(() => this.tell({ ...UNCHANGED }))
    return { dispose: () => (this.listener = undefined) }
  }

  /** Git moved on: the graph is told when it shows something else by that. */
  private async moved({ mayBeSame } = { mayBeSame: true }): Promise<void> {
    const { branch, head, upstream, ahead, behind } = this.repository.status ?? {}
    const place = JSON.stringify([branch, head, upstream, ahead, behind])
    // Branches and tags come and go where nothing else moves.
    if (place === this.place && (mayBeSame || !this.isLookedAt)) return
    this.place = place
    const before = this.refs ?? []
    if (this.isLookedAt) this.refs = await this.readRefs()
    // It moved again meanwhile: then that is told.
    if (this.place !== place) return
    this.tellPlace()
    // The graph looks again when it hears of this, and begins at the place that it was told before.
    const changes = this.refs && difference(before, this.refs)
    if (changes && (!isNone(changes) || mayBeSame)) this.tell(changes)
  }
}

function here(branch: string | undefined, head: string): Ref {
  return branch
    ? { id: `refs/heads/${branch}`, name: branch, revision: head, icon: { id: 'git-branch' }, color: HERE }
    : { id: head, name: head.slice(0, 8), revision: head, icon: { id: 'git-commit' }, color: HERE }
}

const isNone = ({ added, removed, modified }: ISCMHistoryItemRefsChangeEvent): boolean =>
  added.length + removed.length + modified.length === 0

/** Who, when, what and which; the names of the commit go before the last part. */
function tooltipOf(commit: CommitInfo, name: string): MarkdownString[] {
  const time = Date.parse(commit.authored)
  const icons = { supportThemeIcons: true }
  const who = new MarkdownString('$(account) ', icons).appendText(name)
  const when = `${ago(time, Date.now()) ?? words.now} (${new Date(time).toLocaleString()})`
  who.appendMarkdown(', $(history) ').appendText(when)
  const message = new MarkdownString().appendText(messageOf(commit)).appendMarkdown('\n\n---\n\n')
  const id = new MarkdownString('$(git-commit) ', icons).appendText(commit.oid)
  return [who, message, id]
}

function difference(before: Ref[], now: Ref[]): ISCMHistoryItemRefsChangeEvent {
  const old = new Map(before.map((ref) => [ref.id, ref]))
  const ids = new Set(now.map(({ id }) => id))
  return {
    added: now.filter(({ id }) => !old.has(id)),
    removed: before.filter(({ id }) => !ids.has(id)),
    modified: now.filter(({ id, revision }) => old.has(id) && old.get(id)?.revision !== revision),
    silent: false,
  }
}
