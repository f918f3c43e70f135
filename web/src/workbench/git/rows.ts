// What is done with rows of the Source Control view and with whole groups of them; without a row, with the file in
// front. Nothing is thrown away without the person's word.
import { Range } from 'monaco-editor'
import { Failure } from '../../protocol/failure'
import { content } from '../../protocol/files'
import type { WorkspaceGitArgs } from '../../protocol/generated'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import { pathOf, uriOf } from '../core/uris'
import { hasConflictMarkers } from './conflict-markers'
import { SCM_ACTIONS } from './contributions'
import { gitUri } from './git-content'
import { escapedForIgnore } from './ignore-line'
import type { MergeEditors } from './merge-editor'
import type { Repository } from './repository'
import type { Kind, Row, SourceControl } from './source-control'

const words = strings.scm
/** The most files that git takes at once, and the most that the trash keeps. */
const MOST_NAMED = 1000
const MOST_TRASHED = 200
const IGNORE_FILE = '.gitignore'

/** What is known of a row when it is opened. */
type Opened = Pick<Row, 'path' | 'kind' | 'change'>

export class Rows {
  private readonly api: Api

  constructor(
    private readonly repository: Repository,
    private readonly view: SourceControl,
    merges: MergeEditors,
  ) {
    this.api = repository.api
    const { registerCommand } = this.api.commands
    const onRows = (id: string, kinds: Kind[], work: (rows: Row[]) => unknown) =>
      registerCommand(id, (...given: unknown[]) => work(this.rows(given, kinds)))
    onRows(SCM_ACTIONS.stage, ['conflict', 'change'], (rows) => this.stage(rows))
    onRows(SCM_ACTIONS.unstage, ['staged'], (rows) => this.unstage(rows))
    onRows(SCM_ACTIONS.discard, ['change'], (rows) => this.discard(rows, rows.length))
    onRows(SCM_ACTIONS.openFile, ['conflict', 'staged', 'change'], (rows) =>
      Promise.all(rows.map(({ resourceUri }) => this.api.window.showTextDocument(resourceUri, { pinned: true }))))
    // A click on a row names what the row says, and whether the keyboard stays in the view; a menu names rows.
    registerCommand(SCM_ACTIONS.openChange, (...given: unknown[]) =>
      this.openChanges(this.rows(given, ['change', 'staged', 'conflict']), given.includes(true)))
    onRows(SCM_ACTIONS.ignore, ['change'], (rows) => this.ignore(rows.filter(({ change }) => change === 'untracked')))
    onRows(SCM_ACTIONS.reveal, ['conflict', 'staged', 'change'], ([row]) =>
      row && this.api.commands.executeCommand('revealInExplorer', row.resourceUri))
    onRows(SCM_ACTIONS.copyPath, ['conflict', 'staged', 'change'], (rows) =>
      this.copy(rows.map(({ resourceUri }) => resourceUri.fsPath)))
    onRows(SCM_ACTIONS.copyRelativePath, ['conflict', 'staged', 'change'], (rows) =>
      this.copy(rows.map(({ path }) => path)))
    onRows(SCM_ACTIONS.mergeEditor, ['conflict'], ([row]) => row && merges.open(row.path))
    onRows(SCM_ACTIONS.restartMerge, ['conflict'], ([row]) => row && merges.restart(row.path))
    const onGroup = (id: string, kind: Kind, work: () => unknown, otherwise = () => this.tellEmpty(kind)) =>
      registerCommand(id, () => (this.total(kind) > 0 ? work() : otherwise()))
    onGroup(SCM_ACTIONS.stageAll, 'change', () => this.stageAll(), () => this.offerConflicts())
    onGroup(SCM_ACTIONS.stageAllConflicts, 'conflict', () => this.repeat('conflict', (rows) => this.stage(rows)))
    onGroup(SCM_ACTIONS.unstageAll, 'staged', () => this.repeat('staged', (rows) => this.unstage(rows)))
    onGroup(SCM_ACTIONS.discardAll, 'change', () => this.discardAll())
  }

  /**
   * Stage what is changed in all files for something that git does. Where it does not, what was not staged before is
   * so again; of a file that was staged in part all stays staged, for nobody kept the part.
   */
  async withAllStaged(work: () => Promise<boolean>): Promise<void> {
    const before = new Set(this.view.rowsOf('staged').map(({ path }) => path))
    const isKnown = before.size >= this.total('staged')
    if (((await this.stageAll()) && (await work())) || !isKnown) return
    await this.repeat('staged', (rows) => this.unstage(rows.filter(({ path }) => !before.has(path))))
  }

  /** Stage what is changed in all files; false when something was not. */
  private stageAll(): Promise<boolean> {
    return this.repeat('change', (rows) => this.stage(rows))
  }

  private tellEmpty(kind: Kind): void {
    this.repository.notices.warning(words.emptyGroups[kind])
  }

  /** Staging says of what is in conflict that it is resolved: that has a word of its own. */
  private offerConflicts(): void {
    if (this.total('conflict') === 0) return this.tellEmpty('change')
    const stage = () => void this.api.commands.executeCommand(SCM_ACTIONS.stageAllConflicts)
    void this.repository.notices.offer(words.onlyConflicts, words.stageAllConflicts, stage)
  }

  /** The rows that a menu named, or those of the file in front. */
  private rows(given: unknown[], kinds: Kind[]): Row[] {
    // An address, which a button over a text names, has a path too.
    const rows = given.flat().filter((row): row is Row => typeof (row as Row | undefined)?.kind === 'string')
    if (rows.length > 0) return rows
    const path = pathOf(this.api.window.activeText()?.uri)
    const found = path === undefined ? [] : this.view.rowsAt(path).filter(({ kind }) => kinds.includes(kind))
    if (found.length === 0) this.repository.notices.warning(words.noChangeInFront)
    return found
  }

  private async stage(rows: Row[]): Promise<boolean> {
    await this.save(rows)
    let args: WorkspaceGitArgs = { action: 'add' }
    const marked = await this.withMarkers(rows.filter(({ kind }) => kind === 'conflict'))
    if (marked.length > 0) {
      if (!(await this.repository.isSure(words.markersLeft(marked), words.stageAnyway))) return false
      args = { ...args, force: true }
    }
    return this.inPieces(rows, MOST_NAMED, args)
  }

  private unstage(rows: Row[]): Promise<boolean> {
    return this.inPieces(rows, MOST_NAMED, { action: 'restore', staged: true })
  }

  /** What is typed and not saved is what the person means. */
  private async save(rows: Row[]): Promise<void> {
    const { workspace } = this.api
    const unsaved = rows.filter(({ resourceUri }) => workspace.isUnsaved(resourceUri))
    await Promise.all(unsaved.map(({ resourceUri }) => workspace.save(resourceUri)))
  }

  private async withMarkers(rows: Row[]): Promise<string[]> {
    const marked = await Promise.all(rows.map(async ({ path }) => {
      try {
        return hasConflictMarkers(new TextDecoder().decode((await content(path)).bytes)) ? [path] : []
      } catch (error) {
        // One side deleted it: then it has no markers.
        if (error instanceof Failure && error.kind === 'not_found') return []
        throw error
      }
    }))
    return marked.flat()
  }

  private async inPieces(rows: Row[], most: number, args: WorkspaceGitArgs): Promise<boolean> {
    const files = [...new Set(rows.map(({ path }) => path))]
    for (let at = 0; at < files.length; at += most) {
      if (!(await this.repository.change({ ...args, files: files.slice(at, at + most) }))) return false
    }
    return files.length > 0
  }

  /** A long group is listed in parts: go on while there was more than is listed. What came meanwhile is not meant. */
  private async repeat(kind: Kind, work: (rows: Row[]) => Promise<boolean>): Promise<boolean> {
    for (let total = Infinity; this.total(kind) < total;) {
      total = this.total(kind)
      const rows = this.view.rowsOf(kind)
      if (rows.length > 0 && !(await work(rows))) return false
      if (rows.length >= total) break
    }
    return true
  }

  private total(kind: Kind): number {
    const { conflicts, staged, unstaged, untracked } = this.repository.status ?? {}
    if (kind === 'conflict') return conflicts?.total ?? 0
    return kind === 'staged' ? (staged?.total ?? 0) : (unstaged?.total ?? 0) + (untracked?.total ?? 0)
  }

  private async discardAll(): Promise<void> {
    const total = this.total('change')
    const untracked = this.repository.status?.untracked.total ?? 0
    if (!(await this.mayDiscard(undefined, total, untracked))) return
    await this.repeat('change', (rows) => this.throwAway(rows))
  }

  private async discard(rows: Row[], count: number): Promise<void> {
    if (count === 0) return
    const untracked = rows.filter(({ change }) => change === 'untracked').length
    const only = rows.length === 1 ? rows[0] : undefined
    if (await this.mayDiscard(only, count, untracked)) await this.throwAway(rows)
  }

  private mayDiscard(only: Row | undefined, count: number, untracked: number): Promise<boolean> {
    const tracked = count - untracked
    const question = only && tracked === 1 ? words.discardOne(only.path) : words.discardMany(tracked)
    const deletion = only && untracked === 1 ? words.deletesOne(only.path) : words.deletesUntracked(untracked)
    const parts = [
      ...(tracked > 0 ? [question] : []),
      ...(untracked > 0 ? [deletion] : []),
      ...(untracked > MOST_TRASHED ? [words.trashKeeps(MOST_TRASHED)] : []),
    ]
    return this.repository.isSure(parts.join(' '), count === 1 ? words.discard : words.discardCount(count))
  }

  private async throwAway(rows: Row[]): Promise<boolean> {
    const untracked = rows.filter(({ change }) => change === 'untracked')
    const tracked = rows.filter(({ change }) => change !== 'untracked')
    return (tracked.length === 0 || (await this.inPieces(tracked, MOST_NAMED, { action: 'discard' })))
      && (untracked.length === 0
        || this.inPieces(untracked, MOST_TRASHED, { action: 'discard', include_untracked: true }))
  }

  /** Added at the end of the file as it is, unsaved text included. */
  private async ignore(rows: Row[]): Promise<void> {
    if (rows.length === 0) return
    const { workspace } = this.api
    const uri = uriOf(IGNORE_FILE)
    const lines = rows.map(({ path }) => `${escapedForIgnore(path)}\n`).join('')
    try {
      await workspace.createFile(uri)
      const before = (await workspace.readText(uri)).split(/\r?\n/)
      const last = before.at(-1) ?? ''
      const end = { lineNumber: before.length, column: last.length + 1 }
      const isAdded = await workspace.edit(uri, Range.fromPositions(end), last === '' ? lines : `\n${lines}`)
      if (!isAdded || !(await workspace.save(uri))) throw new Error(words.notWritten(IGNORE_FILE))
      await this.repository.refresh()
    } catch (error) {
      this.repository.notices.failure(words.ignoreFailed, error)
    }
  }

  private async copy(paths: string[]): Promise<void> {
    if (paths.length > 0) await this.api.window.copy(paths.join('\n'))
  }

  private async openChanges(rows: Opened[], preserveFocus: boolean): Promise<void> {
    for (const row of rows) await this.openChange(row, preserveFocus)
  }

  private async openChange({ path, kind, change }: Opened, preserveFocus: boolean): Promise<void> {
    const uri = uriOf(path)
    if (change === 'untracked' || kind === 'conflict') {
      await this.api.window.showTextDocument(uri, { preserveFocus })
      return
    }
    const name = path.split('/').at(-1) ?? path
    const left = gitUri(uri, kind === 'staged' ? 'HEAD' : 'index')
    const right = kind === 'staged' ? gitUri(uri, 'index') : uri
    const title = `${name} (${kind === 'staged' ? words.groups.staged : words.groups.change})`
    const now = change === 'deleted' ? gitUri(uri, 'index') : right
    await this.api.window.showDiff(left, now, title, { preserveFocus })
  }
}
