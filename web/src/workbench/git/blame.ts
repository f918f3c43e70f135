// Who wrote the line at the caret, in the status bar. Git is asked for the lines around it, once for a file as it is
// saved and a commit; an answer that nobody waits for any more is called off. Unsaved lines are nobody's yet and move
// those below them, so nothing is told while there are some.
import { Failure } from '../../protocol/failure'
import type { BlamedCommit } from '../../protocol/generated'
import { gitBlame } from '../../protocol/git'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import type { StatusBarItem } from '../core/api/window'
import { pathOf } from '../core/uris'
import { ago } from './ago'
import { BLAME, SCM_ACTIONS } from './contributions'
import type { Repository } from './repository'

const words = strings.scm
/** Lines that are asked for at once: moving about in a screenful costs one question. */
const BLOCK = 200
/** As much of a commit's subject as the status bar has room for. */
const LONGEST = 50

/** What is known of one file, as it was saved on one commit. */
interface Known {
  path: string
  head: string
  /** By the number of their block; of one that is asked for, nothing yet. */
  blocks: Map<number, (BlamedCommit | undefined)[]>
}

export class Blame {
  private readonly api: Api
  private readonly item: StatusBarItem
  private known: Known | undefined
  private asking: AbortController | undefined

  constructor(private readonly repository: Repository) {
    this.api = repository.api
    const { commands, window, workspace } = this.api
    this.item = window.createStatusBarItem('openspace.blame', 200, 'right')
    commands.registerCommand(SCM_ACTIONS.toggleBlame, () => workspace.set(BLAME, !this.isWanted))
    const tell = () => void this.tell()
    repository.onStatus.on(tell)
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(BLAME)) tell()
    })
    window.onActiveText((what) => {
      // Also a file that somebody else wrote: its text changes and is not unsaved.
      if (what === 'text') this.known = undefined
      tell()
    })
    workspace.onDidSave((uri) => {
      if (pathOf(uri) !== this.known?.path) return
      this.known = undefined
      tell()
    })
  }

  private get isWanted(): boolean {
    return this.api.workspace.getConfiguration().get<boolean>(BLAME, true)
  }

  /** The line at the caret, if git can know it. */
  private get line(): { path: string; head: string; number: number; last: number } | undefined {
    const { text, uri, selection } = this.api.window.activeText() ?? {}
    const { head, untracked } = this.repository.status ?? {}
    const path = pathOf(uri)
    if (!this.isWanted || !text || !uri || path === undefined || !head) return undefined
    if (this.api.workspace.isUnsaved(uri)) return undefined
    if (untracked?.entries.some((entry) => entry.path === path)) return undefined
    const number = (selection?.positionLineNumber ?? 1) - 1
    const lines = text.getLineCount()
    // Behind the last end of a line is nothing that git counts.
    const last = text.getLineLength(lines) === 0 ? lines - 1 : lines
    return number < last ? { path, head, number, last } : undefined
  }

  private async tell(): Promise<void> {
    const { line } = this
    if (!line) return this.show(undefined)
    if (this.known?.path !== line.path || this.known.head !== line.head) {
      this.known = { path: line.path, head: line.head, blocks: new Map() }
    }
    const { blocks } = this.known
    const block = Math.floor(line.number / BLOCK)
    const found = blocks.get(block)
    this.show(found?.[line.number % BLOCK])
    if (found) return
    blocks.set(block, [])
    this.asking?.abort()
    this.asking = new AbortController()
    const { signal } = this.asking
    // It is asked for again when the caret comes back.
    signal.addEventListener('abort', () => blocks.delete(block))
    const told = await this.ask(line.path, block * BLOCK + 1, Math.min((block + 1) * BLOCK, line.last), signal)
    if (signal.aborted) return
    if (!told) return void blocks.delete(block)
    blocks.set(block, told)
    if (this.known?.blocks === blocks) await this.tell()
  }

  /** The commits of lines, one for each; `undefined` without an answer. */
  private async ask(
    path: string, first: number, last: number, signal: AbortSignal,
  ): Promise<(BlamedCommit | undefined)[] | undefined> {
    const told: (BlamedCommit | undefined)[] = []
    try {
      const answer = await gitBlame(path, first, last, signal)
      const commits = new Map(answer?.commits.map((commit) => [commit.oid, commit]))
      for (const lines of answer?.lines ?? []) {
        for (let line = lines.first; line <= lines.last; line += 1) {
          told[line - first] = lines.oid ? commits.get(lines.oid) : undefined
        }
      }
    } catch (error) {
      // A banner says that the server is away.
      if (signal.aborted || (error instanceof Failure && error.kind === 'unreachable')) return undefined
      this.repository.notices.failure(words.notAsked, error)
    }
    return told
  }

  private show(commit: BlamedCommit | undefined): void {
    if (!commit) return this.item.hide()
    const name = commit.author.split(' <')[0] ?? commit.author
    const time = Date.parse(commit.authored)
    const subject = commit.summary.length > LONGEST ? `${commit.summary.slice(0, LONGEST)}…` : commit.summary
    this.item.set({
      name: words.blame,
      text: `$(git-commit) ${name}, ${ago(time, Date.now()) ?? words.now} • ${subject.replaceAll('$(', '$\u200b(')}`,
      tooltip: `${commit.short_oid} ${commit.summary}\n${commit.author}, ${new Date(time).toLocaleString()}`,
      command: SCM_ACTIONS.fileHistory,
    })
  }
}
