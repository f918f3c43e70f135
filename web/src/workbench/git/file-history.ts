// The past of one file: the commits that changed it as a list, what each changed as a diff, and who wrote the line
// at the caret.
import type * as vscode from 'vscode'
import type { BlamedCommit } from '../../protocol/generated'
import { strings } from '../../strings'
import { pathOf } from '../core/uris'
import { BLAME, SCM_ACTIONS } from './contributions'
import { gitUri, NOTHING } from './git-content'
import type { Repository } from './repository'

const words = strings.scm
const PAGE = 100

type Choice = vscode.QuickPickItem & { oid?: string; parent?: string | undefined }

export class FileHistory {
  private readonly api: typeof vscode
  private readonly status: vscode.StatusBarItem
  private blamed: { path: string; head: string | undefined; commits: (BlamedCommit | undefined)[] } | undefined

  constructor(private readonly repository: Repository) {
    this.api = repository.api
    const { commands, window, workspace, StatusBarAlignment } = this.api
    this.status = window.createStatusBarItem('openspace.blame', StatusBarAlignment.Right, 200)
    this.status.name = words.blame
    this.status.command = SCM_ACTIONS.fileHistory
    commands.registerCommand(SCM_ACTIONS.fileHistory, () => this.show())
    commands.registerCommand(SCM_ACTIONS.toggleBlame, () =>
      workspace.getConfiguration().update(BLAME, !this.isWanted, this.api.ConfigurationTarget.Global))
    window.onDidChangeTextEditorSelection(() => this.tell())
    window.onDidChangeActiveTextEditor(() => void this.look())
    workspace.onDidSaveTextDocument(() => void this.look(true))
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(BLAME)) void this.look()
    })
    repository.onStatus.on(() => void this.look())
  }

  private get isWanted(): boolean {
    return this.api.workspace.getConfiguration().get<boolean>(BLAME, false)
  }

  private get document(): { document: vscode.TextDocument; path: string } | undefined {
    const document = this.api.window.activeTextEditor?.document
    const path = pathOf(document?.uri)
    return document && path !== undefined ? { document, path } : undefined
  }

  /** One list at a time, with a last entry that goes on. */
  private async show(skip = 0): Promise<void> {
    const { document, path } = this.document ?? {}
    if (!document || path === undefined) return this.repository.notices.warning(words.noFileInFront)
    const answer = await this.repository.look({ action: 'log', path, limit: PAGE, skip })
    if (!answer) return
    const items: Choice[] = answer.commits.map(({ oid, parents, summary, author, authored, short_oid }) => ({
      label: summary,
      description: `${short_oid}, ${author.split(' <')[0] ?? author}, ${new Date(authored).toLocaleString()}`,
      oid,
      parent: parents[0],
    }))
    if (items.length === 0) return this.repository.notices.warning(words.noHistory(path))
    if (answer.more) items.push({ label: words.older })
    const placeHolder = words.fileHistoryOf(path)
    const choice = await this.api.window.showQuickPick(items, { placeHolder, matchOnDescription: true })
    if (!choice) return
    if (choice.oid === undefined) return this.show(skip + PAGE)
    const side = (revision: string) => gitUri(this.api, document.uri, revision)
    const title = `${path.split('/').at(-1) ?? path} (${choice.oid.slice(0, 8)})`
    const left = choice.parent === undefined ? side(NOTHING) : side(choice.parent)
    await this.api.commands.executeCommand('vscode.diff', left, side(choice.oid), title)
  }

  /** Ask once for a file, and again when it is saved or the branch moved. */
  private async look(isAnew = false): Promise<void> {
    const { document, path } = this.document ?? {}
    const head = this.repository.status?.head ?? undefined
    const isKnown = this.blamed?.path === path && this.blamed?.head === head && !isAnew
    if (this.isWanted && document && path !== undefined && head && !document.isDirty && !isKnown) {
      this.blamed = { path, head, commits: [] }
      this.blamed.commits = await this.lines(path)
    }
    this.tell()
  }

  private async lines(path: string): Promise<(BlamedCommit | undefined)[]> {
    const { status } = this.repository
    if (status?.untracked.entries.some((entry) => entry.path === path)) return []
    const answer = await this.repository.look({ action: 'blame', path })
    const commits = new Map(answer?.commits.map((commit) => [commit.oid, commit]))
    const told: (BlamedCommit | undefined)[] = []
    for (const { first, last, oid } of answer?.lines ?? []) {
      for (let line = first; line <= last; line += 1) told[line - 1] = oid ? commits.get(oid) : undefined
    }
    return told
  }

  /** Unsaved lines are nobody's yet, and move those below them: nothing is told then. */
  private tell(): void {
    const { document, path } = this.document ?? {}
    const line = this.api.window.activeTextEditor?.selection.active.line ?? 0
    const isTold = this.isWanted && document && !document.isDirty && this.blamed?.path === path
    const commit = isTold ? this.blamed?.commits[line] : undefined
    if (!commit) return this.status.hide()
    const name = commit.author.split(' <')[0] ?? commit.author
    this.status.text = `$(git-commit) ${name}, ${new Date(commit.authored).toLocaleDateString()}`
    this.status.tooltip = `${commit.short_oid} ${commit.summary}`
    this.status.show()
  }
}
