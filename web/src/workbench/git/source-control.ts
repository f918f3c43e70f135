// The Source Control view, with git as the server sees it. Every change is the command `workspace.git`,
// the same that an agent uses; nothing is thrown away without the person's word.
import type * as vscode from 'vscode'
import { run } from '../../protocol/commands'
import { Failure } from '../../protocol/failure'
import type { WorkspaceGitArgs } from '../../protocol/generated'
import { gitStatus, type ChangeKind, type GitStatus } from '../../protocol/git'
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import type { Notices } from '../core/notices'
import { ContextKeyExpr, Registry, SCM_VIEW, ViewExtensions, type IViewsRegistry } from '../core/upstream'
import { folderUri, pathOf, uriOf } from '../core/uris'
import { SCM_ACTIONS } from './contributions'
import { GitContents, gitUri } from './git-content'

const words = strings.scm
/** After a change of files git is asked once they have been quiet for so long. */
const QUIET_MS = 250

type State = vscode.SourceControlResourceState & { path: string; kind: Kind; isUntracked?: boolean }
type Kind = 'conflict' | 'staged' | 'change'
/** One changed file, as it is opened. */
type Change = { path: string; kind: Kind; change: ChangeKind | 'untracked' }

const LETTERS: Record<ChangeKind | 'untracked', { letter: string; colour: string }> = {
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

export class SourceControl {
  private control: vscode.SourceControl | undefined
  private groups: Record<Kind, vscode.SourceControlResourceGroup> | undefined
  private status: GitStatus | undefined
  private readonly contents: GitContents
  private readonly marks = new Map<string, { letter: string; colour: string }>()
  private readonly marked: vscode.EventEmitter<vscode.Uri[]>
  private timer: ReturnType<typeof setTimeout> | undefined
  private asking: Promise<void> | undefined
  private isStale = false

  constructor(
    private readonly api: typeof vscode,
    private readonly notices: Notices,
    space: Space,
  ) {
    this.contents = new GitContents(api)
    this.marked = new api.EventEmitter<vscode.Uri[]>()
    api.window.registerFileDecorationProvider({
      onDidChangeFileDecorations: this.marked.event,
      provideFileDecoration: (uri) => {
        const mark = this.marks.get(pathOf(uri) ?? '')
        if (!mark) return undefined
        const decoration = new api.FileDecoration(mark.letter, undefined, new api.ThemeColor(mark.colour))
        // A folder has the colour of what changed in it. What is gone shows nowhere, so it points nowhere.
        decoration.propagate = mark !== LETTERS.deleted
        return decoration
      },
    })
    this.registerActions()
    void api.commands.executeCommand('setContext', HIDES_CHAT_SETUP, true)
    // What an extension's manifest says about empty views this workbench does not read.
    Registry.as<IViewsRegistry>(ViewExtensions.ViewsRegistry).registerViewWelcomeContent(SCM_VIEW, {
      content: words.noRepository,
      when: ContextKeyExpr.has(NO_REPOSITORY),
    })
    const soon = () => {
      clearTimeout(this.timer)
      this.timer = setTimeout(() => void this.refresh(), QUIET_MS)
    }
    space.on('files_changed', soon)
    space.onSnapshot.on(soon)
  }

  /** Ask git how things stand; asked again meanwhile, it asks once more afterwards. */
  refresh(): Promise<void> {
    if (this.asking) {
      this.isStale = true
      return this.asking
    }
    this.asking = this.ask().finally(() => {
      this.asking = undefined
      if (this.isStale) {
        this.isStale = false
        void this.refresh()
      }
    })
    return this.asking
  }

  private async ask(): Promise<void> {
    try {
      this.status = await gitStatus()
      this.show(this.status)
    } catch (error) {
      // The banner says so, and when the connection is back git is asked again.
      if (error instanceof Failure && error.kind === 'unreachable') return
      this.notices.failure(words.notAsked, error)
    }
  }

  private show(status: GitStatus | undefined): void {
    void this.api.commands.executeCommand('setContext', NO_REPOSITORY, status === undefined)
    void this.api.commands.executeCommand('setContext', 'openspace.gitOperation', status?.operation ?? '')
    const before = [...this.marks.keys()]
    this.marks.clear()
    if (!status) {
      this.control?.dispose()
      this.control = undefined
      this.groups = undefined
      this.tellMarks(before)
      return
    }
    const { control, groups } = this.opened()
    const unmerged = status.conflicts.entries.map(({ path }) => this.state('conflict', path, 'unmerged'))
    groups.conflict.resourceStates = unmerged
    groups.staged.resourceStates = status.staged.entries.map(({ path, change }) => this.state('staged', path, change))
    groups.change.resourceStates = [
      ...status.unstaged.entries.map(({ path, change }) => this.state('change', path, change)),
      ...status.untracked.entries.map(({ path }) => ({
        ...this.state('change', path, 'untracked'), isUntracked: true,
      })),
    ]
    const { conflicts, staged, unstaged, untracked } = status
    control.count = conflicts.total + staged.total + unstaged.total + untracked.total
    control.statusBarCommands = this.statusCommands(status)
    control.inputBox.placeholder = words.message(status.branch ?? words.detached)
    this.contents.refresh()
    this.tellMarks(before)
  }

  /** File by file: a folder learns of what is in it only from files that were named. */
  private tellMarks(before: readonly string[]): void {
    this.marked.fire([...new Set([...before, ...this.marks.keys()])].map((path) => uriOf(path)))
  }

  /** Whether there can be an earlier text of a file. What git ignores is only known to git. */
  private isCommitted(path: string | undefined): boolean {
    if (path === undefined || !this.status?.head) return false
    const { staged, untracked } = this.status
    const isAdded = staged.entries.some((entry) => entry.path === path && entry.change === 'added')
    return !isAdded && !untracked.entries.some((entry) => path === entry.path || path.startsWith(`${entry.path}/`))
  }

  private opened(): { control: vscode.SourceControl; groups: Record<Kind, vscode.SourceControlResourceGroup> } {
    if (this.control && this.groups) return { control: this.control, groups: this.groups }
    const control = this.api.scm.createSourceControl('git', strings.scm.name, folderUri())
    control.acceptInputCommand = { command: SCM_ACTIONS.commit, title: words.commit }
    control.quickDiffProvider = {
      provideOriginalResource: (uri) => (this.isCommitted(pathOf(uri)) ? gitUri(this.api, uri, 'HEAD') : undefined),
    }
    const groups = {
      conflict: control.createResourceGroup('conflict', words.groups.conflict),
      staged: control.createResourceGroup('staged', words.groups.staged),
      change: control.createResourceGroup('change', words.groups.change),
    }
    groups.conflict.hideWhenEmpty = true
    groups.staged.hideWhenEmpty = true
    this.control = control
    this.groups = groups
    return { control, groups }
  }

  private state(kind: Kind, path: string, change: ChangeKind | 'untracked'): State {
    const uri = uriOf(path)
    const mark = LETTERS[change]
    // What is not committed shows most where it is furthest from being so.
    this.marks.set(path, mark)
    const state: State = {
      path,
      kind,
      resourceUri: uri,
      contextValue: kind,
      decorations: { tooltip: words.changes[change], strikeThrough: change === 'deleted', faded: false },
      command: { command: SCM_ACTIONS.openChange, title: words.openChange, arguments: [{ path, kind, change }] },
    }
    return state
  }

  private statusCommands({ branch, head, ahead, behind, upstream, operation }: GitStatus): vscode.Command[] {
    const name = branch ?? head?.slice(0, 8) ?? words.detached
    const place = operation ? `$(git-branch) ${name} (${operation})` : `$(git-branch) ${name}`
    const commands: vscode.Command[] = [{ command: SCM_ACTIONS.checkout, title: place, tooltip: words.checkout }]
    if (upstream) {
      commands.push({ command: SCM_ACTIONS.pull, title: `$(arrow-down) ${behind ?? 0}`, tooltip: words.pull(upstream) })
      commands.push({ command: SCM_ACTIONS.push, title: `$(arrow-up) ${ahead ?? 0}`, tooltip: words.push(upstream) })
    }
    return commands
  }

  private registerActions(): void {
    const { registerCommand } = this.api.commands
    const paths = (states: State[]) => states.map(({ path }) => path)
    registerCommand(SCM_ACTIONS.refresh, () => this.refresh())
    registerCommand(SCM_ACTIONS.init, () => this.git({ action: 'init' }))
    registerCommand(SCM_ACTIONS.stage, (...states: State[]) => this.git({ action: 'add', files: paths(states) }))
    registerCommand(SCM_ACTIONS.unstage, (...states: State[]) =>
      this.git({ action: 'restore', files: paths(states), staged: true }))
    registerCommand(SCM_ACTIONS.discard, (...states: State[]) => this.discard(states))
    registerCommand(SCM_ACTIONS.stageAll, () => this.git({ action: 'add', files: paths(this.statesOf('change')) }))
    registerCommand(SCM_ACTIONS.unstageAll, () =>
      this.git({ action: 'restore', files: paths(this.statesOf('staged')), staged: true }))
    registerCommand(SCM_ACTIONS.discardAll, () => this.discard(this.statesOf('change')))
    registerCommand(SCM_ACTIONS.openFile, (...states: State[]) =>
      Promise.all(states.map(({ resourceUri }) => this.api.window.showTextDocument(resourceUri))))
    registerCommand(SCM_ACTIONS.openChange, (change: Change) => this.openChange(change))
    registerCommand(SCM_ACTIONS.commit, () => this.commit())
    registerCommand(SCM_ACTIONS.checkout, () => this.checkout())
    registerCommand(SCM_ACTIONS.push, () => this.git({ action: 'push' }))
    registerCommand(SCM_ACTIONS.pull, () => this.git({ action: 'pull' }))
    registerCommand(SCM_ACTIONS.proceed, () => this.git({ action: 'continue' }))
    registerCommand(SCM_ACTIONS.abort, async () => {
      if (await this.isSure(words.abortQuestion, words.abort)) await this.git({ action: 'abort' })
    })
  }

  private statesOf(kind: Kind): State[] {
    return (this.groups?.[kind].resourceStates ?? []) as State[]
  }

  /** Run git as the person; true when it did what was asked. */
  private async git(args: WorkspaceGitArgs): Promise<boolean> {
    if (args.files?.length === 0) return false
    try {
      await this.api.window.withProgress({ location: this.api.ProgressLocation.SourceControl }, () =>
        run('openspace.workspace.git', args))
      return true
    } catch (error) {
      this.notices.failure(words.failed(args.action), error)
      return false
    } finally {
      await this.refresh()
    }
  }

  private async discard(states: State[]): Promise<void> {
    if (states.length === 0) return
    const untracked = states.filter(({ isUntracked }) => isUntracked).length
    const question = states.length === 1 ? words.discardOne(states[0]?.path ?? '') : words.discardMany(states.length)
    const detail = untracked > 0 ? ` ${words.deletesUntracked(untracked)}` : ''
    if (!(await this.isSure(question + detail, words.discard))) return
    await this.git({ action: 'discard', files: states.map(({ path }) => path), include_untracked: untracked > 0 })
  }

  private async commit(): Promise<void> {
    const input = this.control?.inputBox
    const message = input?.value.trim() ?? ''
    if (!input || message === '') {
      this.notices.warning(words.noMessage)
      return
    }
    const isAll = this.statesOf('staged').length === 0
    if (isAll) {
      const files = this.statesOf('change').map(({ path }) => path)
      if (files.length === 0) return this.notices.warning(words.nothingToCommit)
      if (!(await this.isSure(words.commitAll(files.length), words.commitAllButton))) return
      if (!(await this.git({ action: 'add', files }))) return
    }
    if (await this.git({ action: 'commit', message })) input.value = ''
  }

  private async checkout(): Promise<void> {
    const create = `$(plus) ${words.newBranch}`
    try {
      const answer = await run('openspace.workspace.git', { action: 'branch' })
      const branches = answer.action === 'branch' ? answer.branches.entries : []
      const items = [create, ...branches.map(({ name }) => name)]
      const choice = await this.api.window.showQuickPick(items, { placeHolder: words.checkout })
      if (choice === undefined) return
      const branch = choice === create ? await this.api.window.showInputBox({ prompt: words.newBranch }) : choice
      if (branch) await this.git({ action: 'checkout', branch })
    } catch (error) {
      this.notices.failure(words.failed('branch'), error)
    }
  }

  private async openChange({ path, kind, change }: Change): Promise<void> {
    const uri = uriOf(path)
    if (change === 'untracked' || kind === 'conflict') {
      await this.api.window.showTextDocument(uri)
      return
    }
    const name = path.split('/').at(-1) ?? path
    const left = gitUri(this.api, uri, kind === 'staged' ? 'HEAD' : 'index')
    const right = kind === 'staged' ? gitUri(this.api, uri, 'index') : uri
    const title = `${name} (${kind === 'staged' ? words.groups.staged : words.groups.change})`
    const now = change === 'deleted' ? gitUri(this.api, uri, 'index') : right
    await this.api.commands.executeCommand('vscode.diff', left, now, title)
  }

  private async isSure(question: string, button: string): Promise<boolean> {
    return (await this.api.window.showWarningMessage(question, { modal: true }, button)) === button
  }
}
