// The history of the repository for the workbench's graph: commits page by page with their parents, branches and
// tags, and the files that each changed. It is read with `workspace.git` when somebody looks.
import type * as vscode from 'vscode'
import type { CommitInfo, FileDiff } from '../../protocol/generated'
import { strings } from '../../strings'
import { uriOf } from '../core/uris'
import { gitUri } from './git-content'
import type { Repository } from './repository'

const words = strings.scm
/** The most commits of one answer, and the most places at which a log may start. */
const PAGE = 200
const MOST_STARTS = 100
/** How far it is read to reach a commit that the graph wants to show again. */
const FARTHEST = 5_000

/** A branch or a tag. */
type Ref = vscode.SourceControlHistoryItemRef
type Item = vscode.SourceControlHistoryItem
type ItemChange = vscode.SourceControlHistoryItemChange
type RefChanges = vscode.SourceControlHistoryItemRefsChangeEvent

export class History implements vscode.SourceControlHistoryProvider {
  readonly onDidChangeCurrentHistoryItemRefs: vscode.Event<void>
  readonly onDidChangeHistoryItemRefs: vscode.Event<RefChanges>
  private readonly api: typeof vscode
  private readonly currentChanged: vscode.EventEmitter<void>
  private readonly refsChanged: vscode.EventEmitter<RefChanges>
  /** What was told last; nothing before somebody looked. */
  private refs: Ref[] | undefined
  private place = ''

  constructor(private readonly repository: Repository) {
    this.api = repository.api
    this.currentChanged = new this.api.EventEmitter<void>()
    this.refsChanged = new this.api.EventEmitter<RefChanges>()
    this.onDidChangeCurrentHistoryItemRefs = this.currentChanged.event
    this.onDidChangeHistoryItemRefs = this.refsChanged.event
    repository.onStatus.on(() => void this.moved())
  }

  attach(control: vscode.SourceControl): void {
    control.historyProvider = this
    this.currentChanged.fire()
  }

  get currentHistoryItemRef(): Ref | undefined {
    const { branch, head } = this.repository.status ?? {}
    if (!head) return undefined
    return branch
      ? { id: `refs/heads/${branch}`, name: branch, revision: head, icon: this.icon('git-branch') }
      : { id: head, name: head.slice(0, 8), revision: head, icon: this.icon('git-commit') }
  }

  get currentHistoryItemRemoteRef(): Ref | undefined {
    const { upstream } = this.repository.status ?? {}
    if (!upstream) return undefined
    const id = `refs/remotes/${upstream}`
    return this.refs?.find((ref) => ref.id === id) ?? { id, name: upstream, icon: this.icon('cloud') }
  }

  readonly currentHistoryItemBaseRef = undefined

  async provideHistoryItemRefs(wanted: string[] | undefined): Promise<Ref[]> {
    this.refs = await this.readRefs()
    return wanted ? this.refs.filter(({ id, name }) => wanted.includes(id) || wanted.includes(name)) : this.refs
  }

  async provideHistoryItems(
    { skip = 0, limit = 50, historyItemRefs = [] }: vscode.SourceControlHistoryOptions,
  ): Promise<Item[]> {
    this.refs ??= await this.readRefs()
    const until = typeof limit === 'number' ? undefined : limit.id
    const most = typeof limit === 'number' ? limit : FARTHEST
    const starts = historyItemRefs.length === 0 || historyItemRefs.length > MOST_STARTS
      ? { all: true } : { revisions: [...historyItemRefs] }
    const items: Item[] = []
    while (items.length < most) {
      const page = Math.min(PAGE, most - items.length)
      const answer = await this.repository.look({ action: 'log', limit: page, skip: skip + items.length, ...starts })
      items.push(...(answer?.commits ?? []).map((commit) => this.item(commit)))
      if (!answer?.more || (until !== undefined && items.some(({ id }) => id === until))) break
    }
    return items
  }

  async provideHistoryItemChanges(id: string, parent: string | undefined): Promise<ItemChange[]> {
    const changes = parent
      ? (await this.repository.look({ action: 'diff', revision: `${parent}..${id}`, stat_only: true }))?.between
      : (await this.repository.look({ action: 'show', revision: id, stat_only: true }))?.changes
    if (!changes) return []
    const { files, totals } = changes
    if (files.length < totals.files) this.repository.notices.warning(words.changesCut(files.length, totals.files))
    return files.filter(({ lossy }) => !lossy).map((file) => this.change(file, id, parent))
  }

  async resolveHistoryItem(id: string): Promise<Item | undefined> {
    const shown = await this.repository.look({ action: 'show', revision: id, stat_only: true })
    return shown && this.item(shown.commit)
  }

  async resolveHistoryItemChatContext(): Promise<undefined> {
    return undefined
  }

  async resolveHistoryItemChangeRangeChatContext(): Promise<undefined> {
    return undefined
  }

  /** Where two lines of history parted: the one commit before all that only one of them has. */
  async resolveHistoryItemRefsCommonAncestor(refs: string[]): Promise<string | undefined> {
    const [first, second] = refs
    if (first === undefined || second === undefined) return undefined
    const answer = await this.repository.look({ action: 'log', revision: `${first}...${second}`, limit: PAGE })
    if (!answer || answer.more) return undefined
    if (answer.commits.length === 0) return this.repository.status?.head ?? undefined
    const own = new Set(answer.commits.map(({ oid }) => oid))
    const before = new Set(answer.commits.flatMap(({ parents }) => parents).filter((oid) => !own.has(oid)))
    return before.size === 1 ? [...before][0] : undefined
  }

  private icon(name: string): vscode.ThemeIcon {
    return new this.api.ThemeIcon(name)
  }

  private async readRefs(): Promise<Ref[]> {
    const [branches, tags] = await Promise.all([
      this.repository.look({ action: 'branch' }), this.repository.look({ action: 'tag' }),
    ])
    return [
      ...(branches?.branches.entries ?? []).map(({ name, remote, oid }) => remote
        ? this.ref(`refs/remotes/${name}`, name, oid, words.remoteBranches, 'cloud')
        : this.ref(`refs/heads/${name}`, name, oid, words.branches, 'git-branch')),
      ...(tags?.tags.entries ?? []).map(({ name, oid }) => this.ref(`refs/tags/${name}`, name, oid, words.tags, 'tag')),
    ]
  }

  private ref(id: string, name: string, revision: string, category: string, icon: string): Ref {
    return { id, name, revision, category, icon: this.icon(icon) }
  }

  private item({ oid, parents, summary, body, short_oid, author, authored }: CommitInfo): Item {
    const [name = author, address = ''] = author.split(' <')
    return {
      id: oid,
      parentIds: parents,
      subject: summary,
      message: body === '' ? summary : `${summary}\n\n${body}`,
      displayId: short_oid,
      author: name,
      authorEmail: address.replace(/>$/, ''),
      timestamp: Date.parse(authored),
      references: this.refs?.filter(({ revision }) => revision === oid) ?? [],
    }
  }

  private change({ path, old_path, change }: FileDiff, id: string, parent: string | undefined): ItemChange {
    const uri = uriOf(path)
    const isOutside = old_path?.startsWith('/') ?? false
    return {
      uri,
      originalUri: change === 'added' || !parent || isOutside
        ? undefined : gitUri(this.api, uriOf(old_path ?? path), parent),
      modifiedUri: change === 'deleted' ? undefined : gitUri(this.api, uri, id),
    }
  }

  /** Git moved on: the graph is told when it shows something else by that. */
  private async moved(): Promise<void> {
    const { branch, head, upstream, ahead, behind } = this.repository.status ?? {}
    const place = JSON.stringify([branch, head, upstream, ahead, behind])
    if (place === this.place) return
    this.place = place
    const before = this.refs
    if (before) {
      this.refs = await this.readRefs()
      this.refsChanged.fire(difference(before, this.refs))
    }
    this.currentChanged.fire()
  }
}

function difference(before: Ref[], now: Ref[]): RefChanges {
  const old = new Map(before.map((ref) => [ref.id, ref]))
  const ids = new Set(now.map(({ id }) => id))
  return {
    added: now.filter(({ id }) => !old.has(id)),
    removed: before.filter(({ id }) => !ids.has(id)),
    modified: now.filter(({ id, revision }) => old.has(id) && old.get(id)?.revision !== revision),
    silent: false,
  }
}
