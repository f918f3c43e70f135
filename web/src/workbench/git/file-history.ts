// The past of one file: the commits that changed it as a list, what each changed as a diff, and who wrote the line
// at the caret.
import type { Uri } from 'monaco-editor'
import type { BlamedCommit } from '../../protocol/generated'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import type { StatusBarItem } from '../core/api/window'
import type { IQuickPickItem } from '../core/upstream'
import { pathOf } from '../core/uris'
import { BLAME, SCM_ACTIONS } from './contributions'
import { gitUri, NOTHING } from './git-content'
import type { Repository } from './repository'

const words = strings.scm
const PAGE = 100

type Choice = IQuickPickItem & { oid?: string; parent?: string | undefined }

export class FileHistory {
  private readonly api: Api
  private readonly status: StatusBarItem
  private blamed: { path: string; head: string | undefined; commits: (BlamedCommit | undefined)[] } | undefined

  constructor(private readonly repository: Repository) {
    this.api = repository.api
    const { commands, window, workspace } = this.api
    this.status = window.createStatusBarItem('openspace.blame', 200, 'right')
    commands.registerCommand(SCM_ACTIONS.fileHistory, () => this.show())
    commands.registerCommand(SCM_ACTIONS.toggleBlame, () => workspace.set(BLAME, !this.isWanted))
    window.onCaret((isOther) => (isOther ? void this.look() : this.tell()))
    workspace.onDidSave(() => void this.look(true))
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(BLAME)) void this.look()
    })
    repository.onStatus.on(() => void this.look())
  }

  private get isWanted(): boolean {
    return this.api.workspace.getConfiguration().get<boolean>(BLAME, false)
  }

  private get document(): { uri: Uri; path: string } | undefined {
    const uri = this.api.window.activeText()?.uri
    const path = pathOf(uri)
    return uri && path !== undefined ? { uri, path } : undefined
  }

  /** One list at a time, with a last entry that goes on. */
  private async show(skip = 0): Promise<void> {
    const { uri, path } = this.document ?? {}
    if (!uri || path === undefined) return this.repository.notices.warning(words.noFileInFront)
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
    const side = (revision: string) => gitUri(uri, revision)
    const title = `${path.split('/').at(-1) ?? path} (${choice.oid.slice(0, 8)})`
    const left = choice.parent === undefined ? side(NOTHING) : side(choice.parent)
    await this.api.window.showDiff(left, side(choice.oid), title)
  }

  /** Ask once for a file, and again when it is saved or the branch moved. */
  private async look(isAnew = false): Promise<void> {
    const { uri, path } = this.document ?? {}
    const head = this.repository.status?.head ?? undefined
    const isKnown = this.blamed?.path === path && this.blamed?.head === head && !isAnew
    if (this.isWanted && uri && path !== undefined && head && !this.api.workspace.isUnsaved(uri) && !isKnown) {
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
    const { uri, path } = this.document ?? {}
    const line = (this.api.window.activeText()?.selection.positionLineNumber ?? 1) - 1
    const isTold = this.isWanted && uri && !this.api.workspace.isUnsaved(uri) && this.blamed?.path === path
    const commit = isTold ? this.blamed?.commits[line] : undefined
    if (!commit) return this.status.hide()
    const name = commit.author.split(' <')[0] ?? commit.author
    this.status.set({
      text: `$(git-commit) ${name}, ${new Date(commit.authored).toLocaleDateString()}`,
      tooltip: `${commit.short_oid} ${commit.summary}`,
      command: SCM_ACTIONS.fileHistory,
    })
  }
}
