// Git as the page uses it: how it stands, asked for anew when files change, what is looked at, which is not on record,
// and the command `workspace.git`, which is the same that an agent has. What cannot be done is told to the person;
// nothing is decided here.
import { run } from '../../protocol/commands'
import { Failure } from '../../protocol/failure'
import type { WorkspaceGitArgs, WorkspaceGitResult } from '../../protocol/generated'
import { gitStatus, type GitStatus } from '../../protocol/git'
import { Listeners } from '../../protocol/listeners'
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import type { Notices } from '../core/notices'
import { forPeople, tellRefusal } from './refusals'

const words = strings.scm
/** After a change of files git is asked once they have been quiet for so long. */
const QUIET_MS = 250

/** What is done after something that git did. */
export type Next = () => Promise<unknown>

export class Repository {
  /** How it stands was told anew. */
  readonly onStatus = new Listeners<void>()
  /** Git did something for the person; how it stands by that is told before. */
  readonly onChanged = new Listeners<void>()
  /** `undefined` before the first answer and where there is no repository. */
  status: GitStatus | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private asking: Promise<void> | undefined
  private next: Promise<void> | undefined

  constructor(
    readonly api: Api,
    readonly notices: Notices,
    space: Space,
  ) {
    const soon = () => {
      clearTimeout(this.timer)
      this.timer = setTimeout(() => void this.refresh(), QUIET_MS)
    }
    space.on('files_changed', soon)
    space.onSnapshot.on(soon)
  }

  /** Ask git how things stand. Whoever waits gets what was asked after they came. */
  refresh(): Promise<void> {
    if (!this.asking) {
      this.asking = this.ask().finally(() => (this.asking = undefined))
      return this.asking
    }
    this.next ??= this.asking.then(() => {
      this.next = undefined
      return this.refresh()
    })
    return this.next
  }

  /**
   * Run git as the person; what it answered, or `undefined` when it did not do what was asked. What comes next is done
   * when it did, also when that took a step which the person chose after a refusal.
   */
  async change(args: WorkspaceGitArgs, next?: Next): Promise<WorkspaceGitResult | undefined> {
    const wasUnderWay = this.status?.operation ?? null
    const answer = await this.attempt(args)
    if (answer instanceof Failure) {
      await tellRefusal(this, { args, failure: answer, wasUnderWay, next })
      return undefined
    }
    if (answer) await next?.()
    return answer
  }

  /** The same for who knows what to do about a refusal. */
  async attempt(args: WorkspaceGitArgs): Promise<WorkspaceGitResult | Failure | undefined> {
    if (args.files?.length === 0) return undefined
    // A refusal is an answer to the workbench too: of a failure it would complain besides.
    const answer = () => run('openspace.workspace.git', args).catch((error: unknown) => {
      if (error instanceof Failure) return error
      throw error
    })
    try {
      return await this.api.window.withSourceControlProgress(answer)
    } finally {
      await this.refresh()
      this.onChanged.tell()
    }
  }

  /** What git was asked for to look at, or `undefined` when it did not tell; failures are told to the person. */
  async look<T>(asked: Promise<T>): Promise<T | undefined> {
    try {
      return await asked
    } catch (error) {
      this.notices.failure(words.notAsked, forPeople(error))
      return undefined
    }
  }

  async isSure(question: string, button: string): Promise<boolean> {
    return (await this.api.window.ask({ message: question }, button)) === button
  }

  private async ask(): Promise<void> {
    try {
      this.status = await gitStatus()
      this.onStatus.tell()
    } catch (error) {
      // The banner says so, and when the connection is back git is asked again.
      if (error instanceof Failure && error.kind === 'unreachable') return
      this.notices.failure(words.notAsked, error)
    }
  }
}
