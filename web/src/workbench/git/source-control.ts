// The Source Control view: what git says of the workspace as groups of rows, letters at files, and the status bar.
// It shows and changes nothing; what is done with rows is beside it.
import { Emitter, type Uri } from 'monaco-editor'
import type { ChangeKind, GitStatus } from '../../protocol/git'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import type { Group, MainButton, ResourceState, SourceControl as View } from '../core/api/source-control'
import type { StatusBarItem } from '../core/api/window'
import { ContextKeyExpr, Registry, SCM_VIEW, ViewExtensions, type IViewsRegistry } from '../core/upstream'
import { folderUri, pathOf, uriOf } from '../core/uris'
import { SCM_ACTIONS } from './contributions'
import { GitContents, gitUri, NOTHING } from './git-content'
import type { Repository } from './repository'

const words = strings.scm

export type Kind = 'conflict' | 'staged' | 'change'
/** How a row differs. */
export type RowChange = ChangeKind | 'untracked'
/** A row of the view. */
export type Row = ResourceState & { path: string; kind: Kind; change: RowChange }

const LETTERS: Record<RowChange, { letter: string; colour: string }> = {
  added: { letter: 'A', colour: 'gitDecoration.addedResourceForeground' },
  modified: { letter: 'M', colour: 'gitDecoration.modifiedResourceForeground' },
  deleted: { letter: 'D', colour: 'gitDecoration.deletedResourceForeground' },
  renamed: { letter: 'R', colour: 'gitDecoration.renamedResourceForeground' },
  copied: { letter: 'C', colour: 'gitDecoration.addedResourceForeground' },
  type_changed: { letter: 'T', colour: 'gitDecoration.modifiedResourceForeground' },
  unmerged: { letter: '!', colour: 'gitDecoration.conflictingResourceForeground' },
  untracked: { letter: 'U', colour: 'gitDecoration.untrackedResourceForeground' },
}

const NO_REPOSITORY = 'openspace.noRepository'
/** The workbench's own offer to have a commit message written, by a service that is not here. */
const HIDES_CHAT_SETUP = 'chatSetupHidden'

type Groups = Record<Kind, Group>

export class SourceControl {
  /** There is one while there is a repository. */
  control: View | undefined
  /** The next commit takes the place of the last one. */
  isAmending = false
  private groups: Groups | undefined
  private readonly api: Api
  private readonly contents: GitContents
  /** The rows that are shown, and those that will be, by what they say. */
  private rows = new Map<string, Row>()
  private newRows = new Map<string, Row>()
  private readonly marks = new Map<string, { letter: string; colour: string }>()
  private readonly marked = new Emitter<readonly Uri[]>()
  private readonly place: StatusBarItem
  private readonly sync: StatusBarItem
  private readonly amending: StatusBarItem

  constructor(
    private readonly repository: Repository,
    private readonly onControl: (control: View) => void,
  ) {
    const { api } = repository
    this.api = api
    this.contents = new GitContents(api)
    const item = (name: string, priority: number) => api.window.createStatusBarItem(`openspace.git.${name}`, priority)
    this.place = item('branch', 10_000)
    this.sync = item('sync', 9_999)
    this.amending = item('amending', 9_998)
    api.window.registerFileDecorationProvider({
      onDidChangeFileDecorations: this.marked.event,
      provideFileDecoration: (uri) => {
        const mark = this.marks.get(pathOf(uri) ?? '')
        // A folder has the colour of what changed in it. What is gone shows nowhere, so it points nowhere.
        return mark && { letter: mark.letter, color: mark.colour, bubble: mark !== LETTERS.deleted }
      },
    })
    void api.commands.executeCommand('setContext', HIDES_CHAT_SETUP, true)
    // What an extension's manifest says about empty views this workbench does not read.
    Registry.as<IViewsRegistry>(ViewExtensions.ViewsRegistry).registerViewWelcomeContent(SCM_VIEW, {
      content: words.noRepository,
      when: ContextKeyExpr.has(NO_REPOSITORY),
    })
    repository.onStatus.on(() => this.show(repository.status))
  }

  /** The rows of a group, as far as they are listed. */
  rowsOf(kind: Kind): Row[] {
    return (this.groups?.[kind].resourceStates ?? []) as Row[]
  }

  /** All rows of a file. */
  rowsAt(path: string): Row[] {
    return (['conflict', 'staged', 'change'] as const).flatMap((kind) => this.rowsOf(kind))
      .filter((row) => row.path === path)
  }

  private show(status: GitStatus | undefined): void {
    void this.api.commands.executeCommand('setContext', NO_REPOSITORY, status === undefined)
    void this.api.commands.executeCommand('setContext', 'openspace.gitOperation', status?.operation ?? '')
    const before = [...this.marks.keys()]
    this.marks.clear()
    if (!status) {
      for (const item of [this.place, this.sync, this.amending]) item.hide()
      this.control?.remove()
      this.control = undefined
      this.groups = undefined
      this.rows = new Map()
      this.tellMarks(before)
      return
    }
    const { control, groups } = this.opened()
    const { conflicts, staged, unstaged, untracked } = status
    this.fill(groups, 'conflict', conflicts.entries.map(({ path }) => this.row('conflict', path, 'unmerged')),
      conflicts.total)
    this.fill(groups, 'staged', staged.entries.map(({ path, change }) => this.row('staged', path, change)),
      staged.total)
    const changes = [
      ...unstaged.entries.map(({ path, change }) => this.row('change', path, change)),
      ...untracked.entries.map(({ path }) => this.row('change', path, 'untracked')),
    ]
    this.fill(groups, 'change', changes, unstaged.total + untracked.total)
    this.rows = this.newRows
    this.newRows = new Map()
    control.setCount(conflicts.total + staged.total + unstaged.total + untracked.total)
    this.showPlace(status)
    control.setButton(this.buttonFor(status))
    const branch = status.branch ?? words.detached
    control.inputBox.placeholder = this.isAmending ? words.amendMessage : words.message(branch)
    this.contents.refresh()
    this.tellMarks(before)
  }

  /** File by file: a folder learns of what is in it only from files that were named. */
  private tellMarks(before: readonly string[]): void {
    this.marked.fire([...new Set([...before, ...this.marks.keys()])].map((path) => uriOf(path)))
  }

  /** A long list is cut by the server; its title says so. */
  private fill(groups: Groups, kind: Kind, rows: Row[], total: number): void {
    groups[kind].resourceStates = rows
    const title = words.groups[kind]
    groups[kind].label = rows.length < total ? words.partOf(title, rows.length, total) : title
  }

  /** Whether git can have a text of a file. What it ignores is only known to git. */
  private isKnown(path: string | undefined): boolean {
    const status = this.repository.status
    if (path === undefined || !status?.head) return false
    return !status.untracked.entries.some((entry) => path === entry.path || path.startsWith(`${entry.path}/`))
  }

  /** A file as the last commit has it, where something of it is staged. */
  private beforeStaged(uri: Uri): Uri | undefined {
    const path = pathOf(uri)
    const staged = this.repository.status?.staged.entries.find((entry) => entry.path === path)
    if (!staged) return undefined
    const isNew = staged.change === 'added' || staged.old_path?.startsWith('/')
    return isNew ? gitUri(uri, NOTHING) : gitUri(uriOf(staged.old_path ?? staged.path), 'HEAD')
  }

  private isInConflict(path: string | undefined): boolean {
    return this.repository.status?.conflicts.entries.some((entry) => entry.path === path) ?? false
  }

  private opened(): { control: View; groups: Groups } {
    if (this.control && this.groups) return { control: this.control, groups: this.groups }
    const control = this.api.scm.createSourceControl('git', words.name, folderUri())
    control.acceptInputCommand = { id: SCM_ACTIONS.commit, title: words.commit }
    control.setQuickDiff((uri) => {
      const path = pathOf(uri)
      // A file in conflict is in the index three times over.
      return this.isKnown(path) ? gitUri(uri, this.isInConflict(path) ? 'HEAD' : 'index') : undefined
    }, (uri) => this.beforeStaged(uri))
    const groups = {
      conflict: control.createResourceGroup('conflict', words.groups.conflict),
      staged: control.createResourceGroup('staged', words.groups.staged),
      change: control.createResourceGroup('change', words.groups.change),
    }
    groups.conflict.hideWhenEmpty = true
    groups.staged.hideWhenEmpty = true
    this.control = control
    this.groups = groups
    this.onControl(control)
    return { control, groups }
  }

  private row(kind: Kind, path: string, change: RowChange): Row {
    // What is not committed shows most where it is furthest from being so.
    this.marks.set(path, LETTERS[change])
    // Another object would be another row: its menu would close and its focus be lost whenever git is asked.
    const before = this.rows.get(`${kind} ${change} ${path}`)
    const row = before ?? this.newRow(kind, path, change)
    this.newRows.set(`${kind} ${change} ${path}`, row)
    return row
  }

  private newRow(kind: Kind, path: string, change: RowChange): Row {
    // Without the row itself, which holds this.
    const asked = { path, kind, change }
    return {
      path,
      kind,
      change,
      resourceUri: uriOf(path),
      contextValue: change,
      decorations: { tooltip: words.changes[change], strikeThrough: change === 'deleted', faded: false },
      command: { command: SCM_ACTIONS.openChange, arguments: [asked] },
    }
  }

  /** Where one is and how it stands with the branch that is followed: always there, in this order, at the left. */
  private showPlace({ branch, head, ahead, behind, upstream, operation }: GitStatus): void {
    const name = branch ?? head?.slice(0, 8) ?? words.detached
    const place = operation ? `$(git-branch) ${name} (${operation})` : `$(git-branch) ${name}`
    this.place.set({ name: words.branchItem, text: place, tooltip: words.checkout, command: SCM_ACTIONS.checkout })
    const entry = (text: string, tooltip: string, command: string) => ({ name: words.syncItem, text, tooltip, command })
    const counts = countsOf(ahead, behind)
    if (upstream) this.sync.set(entry(`$(sync)${counts && ` ${counts}`}`, words.syncWith(upstream), SCM_ACTIONS.sync))
    else if (branch && head) this.sync.set(entry('$(cloud-upload)', words.remotes.publish, SCM_ACTIONS.publish))
    else this.sync.hide()
    const amending = { name: words.amending, tooltip: words.cancelAmend, command: SCM_ACTIONS.cancelAmend }
    if (this.isAmending) this.amending.set({ ...amending, text: `$(edit) ${words.amending}` })
    else this.amending.hide()
  }

  /** What is most likely wanted next: a commit, or what is committed to be exchanged. */
  private buttonFor(status: GitStatus): MainButton {
    const { staged, unstaged, untracked, conflicts, operation, upstream, ahead, behind } = status
    const changes = staged.total + unstaged.total + untracked.total + conflicts.total
    const others = [
      { command: SCM_ACTIONS.commitAll, title: words.commitAllTitle },
      { command: SCM_ACTIONS.amend, title: words.amend },
      { command: SCM_ACTIONS.undoCommit, title: words.undoCommit },
    ]
    const counts = countsOf(ahead, behind)
    if (changes === 0 && !operation && upstream && counts !== '') {
      return { command: SCM_ACTIONS.sync, title: `$(sync) ${words.sync} ${counts}`, isEnabled: true, others }
    }
    const title = `$(check) ${this.isAmending ? words.amend : words.commit}`
    const isEnabled = changes > 0 || this.isAmending || Boolean(operation)
    return { command: SCM_ACTIONS.commit, title, isEnabled, others }
  }
}

/** What is to be taken and to be sent, as far as there is any. */
function countsOf(ahead: number | null | undefined, behind: number | null | undefined): string {
  return [...(behind ? [`${behind}↓`] : []), ...(ahead ? [`${ahead}↑`] : [])].join(' ')
}
