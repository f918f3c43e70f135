// Commits, and what git has under way: from the box of the Source Control view, as the person.
import { gitCommit } from '../../protocol/git'
import { strings } from '../../strings'
import type { InputBox } from '../core/api/source-control'
import { messageOf } from './commit-actions'
import { SCM_ACTIONS } from './contributions'
import type { Repository } from './repository'
import type { Rows } from './rows'
import type { SourceControl } from './source-control'

const words = strings.scm

/** While the last commit is being amended. */
const AMENDING = 'openspace.amending'

export class Committing {
  /** The message that git prepared. */
  private prepared: string | undefined
  /** What was in the box before the last commit's message was put there. */
  private before: string | undefined

  constructor(
    private readonly repository: Repository,
    private readonly view: SourceControl,
    private readonly rows: Rows,
  ) {
    const { registerCommand } = repository.api.commands
    registerCommand(SCM_ACTIONS.refresh, () => repository.refresh())
    registerCommand(SCM_ACTIONS.init, () => repository.change({ action: 'init' }))
    registerCommand(SCM_ACTIONS.commit, () => this.commit())
    registerCommand(SCM_ACTIONS.amend, () => this.beginAmending())
    registerCommand(SCM_ACTIONS.cancelAmend, () => this.endAmending())
    registerCommand(SCM_ACTIONS.commitAll, () => this.commitAll())
    registerCommand(SCM_ACTIONS.undoCommit, () => this.undo())
    registerCommand(SCM_ACTIONS.proceed, () => repository.change({ action: 'continue' }))
    registerCommand(SCM_ACTIONS.abort, async () => {
      if (await repository.isSure(words.abortQuestion, words.abort)) await repository.change({ action: 'abort' })
    })
    repository.onStatus.on(() => this.offerPrepared())
  }

  /** Git's own message for what is under way is in an empty box; it goes with that, unless the person changed it. */
  private offerPrepared(): void {
    const prepared = this.repository.status?.message ?? undefined
    if (prepared === this.prepared || !this.input) return
    if ([this.prepared ?? '', ''].includes(this.input.value)) this.input.value = prepared ?? ''
    this.prepared = prepared
  }

  private get input(): InputBox | undefined {
    return this.view.control?.inputBox
  }

  /** Whatever is changed, staged or not. */
  private async commitAll(): Promise<void> {
    const { message } = this
    if (message === '') return this.repository.notices.warning(words.noMessage)
    await this.rows.withAllStaged(() => this.make(message))
  }

  /** The last commit's message goes back into the box, and its changes are staged. */
  private async undo(): Promise<void> {
    const shown = await this.repository.look(gitCommit())
    if (!shown || !(await this.mayReplace(words.undoPushed, words.undoCommit))) return
    if (!(await this.repository.change({ action: 'undo' }))) return
    if (this.input?.value === '' && !shown.commit.truncated) this.input.value = messageOf(shown.commit)
  }

  /** Others may have built on what is pushed. */
  private async mayReplace(question: (upstream: string) => string, button: string): Promise<boolean> {
    const { ahead, upstream } = this.repository.status ?? {}
    return !upstream || ahead !== 0 || this.repository.isSure(question(upstream), button)
  }

  private async commit(): Promise<void> {
    const { message } = this
    const { notices, status } = this.repository
    if (this.before === undefined && message === '') return notices.warning(words.noMessage)
    const count = (status?.unstaged.total ?? 0) + (status?.untracked.total ?? 0)
    if (this.before !== undefined || this.hasStaged || count === 0) return void (await this.make(message))
    // Nothing is staged, and the person may want all of it to be.
    if (!(await this.repository.isSure(words.commitAll(count), words.commitAllButton))) return
    await this.rows.withAllStaged(() => this.make(message))
  }

  /** Make a commit of what is staged, or the last one anew; false when there is none then. */
  private async make(message: string): Promise<boolean> {
    if (this.before !== undefined) return this.makeAmended(message)
    if (!this.hasStaged) {
      this.repository.notices.warning(words.nothingToCommit)
      return false
    }
    if (!(await this.repository.change({ action: 'commit', message }))) return false
    if (this.input) this.input.value = ''
    return true
  }

  private get message(): string {
    return this.input?.value.trim() ?? ''
  }

  /** A merge is a commit also where nothing of it is left to be staged. */
  private get hasStaged(): boolean {
    return this.view.rowsOf('staged').length > 0 || this.repository.status?.operation === 'merge'
  }

  /** Put the last commit's message into the box; the next commit takes its place. */
  private async beginAmending(): Promise<void> {
    if (!this.input || this.before !== undefined) return
    const shown = await this.repository.look(gitCommit())
    if (!shown) return
    if (!(await this.mayReplace(words.amendPushed, words.amend))) return
    const { truncated } = shown.commit
    this.before = this.input.value
    // A message that cannot be shown whole is kept by leaving the box empty.
    this.input.value = truncated ? '' : messageOf(shown.commit)
    if (truncated) this.repository.notices.warning(words.longMessage)
    this.tell(true)
    await this.repository.api.commands.executeCommand('workbench.scm.focus')
  }

  private async makeAmended(message: string): Promise<boolean> {
    const given = message === '' ? {} : { message }
    if (!(await this.repository.change({ action: 'commit', amend: true, ...given }))) return false
    this.endAmending()
    return true
  }

  private endAmending(): void {
    if (this.input && this.before !== undefined) this.input.value = this.before
    this.before = undefined
    this.tell(false)
  }

  private tell(isAmending: boolean): void {
    void this.repository.api.commands.executeCommand('setContext', AMENDING, isAmending)
    this.view.isAmending = isAmending
    void this.repository.refresh()
  }
}
