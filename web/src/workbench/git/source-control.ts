// The Source Control view: what git says of the workspace as groups of rows, letters at files, and the status bar.
// It shows and changes nothing; what is done with rows is beside it.
import { Emitter, type Uri } from 'monaco-editor'
import type { ChangeKind, GitStatus } from '../../protocol/git'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import type { Group, ResourceState, SourceControl as View, StatusCommand } from '../core/api/source-control'
import { ContextKeyExpr, Registry, SCM_VIEW, ViewExtensions, type IViewsRegistry } from '../core/upstream'
import { folderUri, pathOf, uriOf } from '../core/uris'
import { SCM_ACTIONS } from './contributions'
import { GitContents, gitUri } from './git-content'
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

  constructor(
    private readonly repository: Repository,
    private readonly onControl: (control: View) => void,
  ) {
    const { api } = repository
    this.api = api
    this.contents = new GitContents(api)
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
    control.setStatusCommands(this.statusCommands(status))
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
    })
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

  private statusCommands({ branch, head, ahead, behind, upstream, operation }: GitStatus): StatusCommand[] {
    const name = branch ?? head?.slice(0, 8) ?? words.detached
    const place = operation ? `$(git-branch) ${name} (${operation})` : `$(git-branch) ${name}`
    const commands: StatusCommand[] = [{ command: SCM_ACTIONS.checkout, title: place, tooltip: words.checkout }]
    if (this.isAmending) {
      const title = `$(edit) ${words.amending}`
      commands.push({ command: SCM_ACTIONS.cancelAmend, title, tooltip: words.cancelAmend })
    }
    if (upstream) {
      commands.push({ command: SCM_ACTIONS.pull, title: `$(arrow-down) ${behind ?? 0}`, tooltip: words.pull(upstream) })
      commands.push({ command: SCM_ACTIONS.push, title: `$(arrow-up) ${ahead ?? 0}`, tooltip: words.push(upstream) })
    }
    return commands
  }
}
