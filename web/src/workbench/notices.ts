// Notices to the person: failures always, warnings if they want them, plain news never (S4).
import type * as vscode from 'vscode'
import { Failure } from '../protocol/failure'
import type { Space } from '../protocol/space'
import { strings } from '../strings'

/** The same failure within this time is one notice. */
const QUIET_MS = 5_000

export class Notices {
  private last = { text: '', at: 0 }

  constructor(private readonly api: typeof vscode) {}

  /** Calls of others that failed for a reason that the person may have to see to. */
  watch(space: Space): void {
    space.on('call_ended', ({ record }) => {
      if (record.caller.kind === 'person' || record.outcome === 'done') return
      const isServers = record.outcome === 'internal' || record.outcome === 'lost'
      const text = strings.notices.failed(record.caller.id, record.summary || record.command, record.error ?? record.outcome)
      if (isServers) this.error(text)
      else if (this.wantsWarnings()) this.warning(text)
    })
  }

  failure(what: string, error: unknown): void {
    if (error instanceof Failure && error.kind === 'cancelled') return
    const why = error instanceof Failure ? error.advice : error instanceof Error ? error.message : String(error)
    this.error(`${what}: ${why}`)
  }

  error(text: string): void {
    if (this.isNew(text)) void this.api.window.showErrorMessage(text)
  }

  warning(text: string): void {
    if (this.isNew(text)) void this.api.window.showWarningMessage(text)
  }

  /** A quiet word in the status bar. */
  done(text: string): void {
    this.api.window.setStatusBarMessage(text, QUIET_MS)
  }

  private wantsWarnings(): boolean {
    return this.api.workspace.getConfiguration('openspace').get<boolean>('noticeWarnings', false)
  }

  private isNew(text: string): boolean {
    const now = Date.now()
    const isNew = text !== this.last.text || now - this.last.at > QUIET_MS
    this.last = { text, at: now }
    return isNew
  }
}
