// Notices to the person: failures always, warnings if they want them, plain news never (S4).
//
// What fails again and again is one notice, and a flood of failures is a few and a pointer to the
// activity: notices must not bury what the person is doing.
import { Failure } from '../../protocol/failure'
import type { Space } from '../../protocol/space'
import { outcomeOf } from '../../protocol/state'
import { strings } from '../../strings'
import { ACTIONS } from './actions'
import type { Api } from './api'

const words = strings.notices
/** The same words within this time are one notice. */
const QUIET_MS = 5_000
/**
 * Notices of failures of others within that time, the last of which leads to the activity. The workbench has room for
 * as many, and of what comes with them only the bell knows.
 */
const MOST_OF_OTHERS = 3
const WARNINGS = 'noticeWarnings'

export const NOTICE_SETTINGS = {
  [`openspace.${WARNINGS}`]: { type: 'boolean', default: false, description: words.warningsSetting },
}

export class Notices {
  /** What was said lately, and when. */
  private readonly said = new Map<string, number>()
  private ofOthers: number[] = []
  /** The person was led to the activity, which has what fails until then. */
  private untilNext = 0

  constructor(private readonly api: Api) {}

  /** Calls of others that failed for a reason that the person may have to see to. */
  watch(space: Space): void {
    space.on('call_ended', ({ record }) => {
      const outcome = outcomeOf(record)
      if (record.caller.kind === 'person' || outcome === 'done') return
      const isServers = outcome === 'internal' || outcome === 'lost'
      if (!isServers && !this.wantsWarnings()) return
      const why = record.error ?? outcome
      // A command that runs another fails with it, for the same reason.
      if (!this.isNew(`${record.caller.id}: ${why}`)) return
      void this.ofOther(words.failed(record.caller.id, record.summary || record.command, why), isServers)
    })
  }

  failure(what: string, error: unknown): void {
    if (error instanceof Failure && error.kind === 'cancelled') return
    this.error(`${what}: ${adviceOf(error)}`)
  }

  error(text: string): void {
    if (this.isNew(text)) void this.api.window.showErrorMessage(text)
  }

  warning(text: string): void {
    if (this.isNew(text)) void this.api.window.showWarningMessage(text)
  }

  /** A word that the person can act on. */
  async offer(text: string, label: string, action: () => void): Promise<void> {
    if (this.isNew(text) && (await this.api.window.showInformationMessage(text, label)) === label) action()
  }

  /** A failure of what the person did, told each time, with what they can do about it. */
  async choose(text: string, steps: [label: string, run: () => unknown][]): Promise<void> {
    const chosen = await this.api.window.showErrorMessage(text, ...steps.map(([label]) => label))
    await steps.find(([label]) => label === chosen)?.[1]()
  }

  /** A quiet word in the status bar. */
  done(text: string): void {
    this.api.window.setStatusBarMessage(text, QUIET_MS)
  }

  private async ofOther(text: string, isError: boolean): Promise<void> {
    const now = Date.now()
    if (now < this.untilNext) return
    this.ofOthers = [...this.ofOthers.filter((at) => now - at < QUIET_MS), now]
    const isFlood = this.ofOthers.length === MOST_OF_OTHERS
    if (isFlood) {
      this.ofOthers = []
      this.untilNext = now + QUIET_MS
    }
    const { showErrorMessage, showWarningMessage } = this.api.window
    const show = isError ? showErrorMessage : showWarningMessage
    const choice = await show(isFlood ? words.many : text, words.showActivity)
    if (choice) await this.api.commands.executeCommand(ACTIONS.activity)
  }

  private wantsWarnings(): boolean {
    return this.api.workspace.getConfiguration('openspace').get<boolean>(WARNINGS, false)
  }

  private isNew(text: string): boolean {
    const now = Date.now()
    for (const [said, at] of this.said) if (now - at > QUIET_MS) this.said.delete(said)
    const isNew = !this.said.has(text)
    this.said.set(text, now)
    return isNew
  }
}

/** Why something failed, with what to do where that is known. */
export function adviceOf(error: unknown): string {
  return error instanceof Failure ? error.advice : error instanceof Error ? error.message : String(error)
}
