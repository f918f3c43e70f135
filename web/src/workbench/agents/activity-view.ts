// The activity list as a view of the workbench: the record's newest page, then every call as it ends.
import { IViewsService, getService } from '@codingame/monaco-vscode-api'
import { registerCustomView, ViewContainerLocation } from '@codingame/monaco-vscode-workbench-service-override'
import type { ActivityEntry } from '../../panels/activity/entry'
import { ActivityList } from '../../panels/activity/list'
import { run } from '../../protocol/commands'
import type { Logged } from '../../protocol/generated'
import type { Space } from '../../protocol/space'
import { outcomeOf, type CallRecord } from '../../protocol/state'
import { strings } from '../../strings'

const ACTIVITY_VIEW = 'openspace.activity'
/** What pages do by themselves all the time, in their person's name, is no news. */
const UNTOLD = new Set([
  'openspace.view.report', 'openspace.audit.list', 'openspace.layout.propose', 'openspace.terminal.resize',
  'openspace.agent.list', 'openspace.consent.list',
])
const isTold = ({ kind, command }: ActivityEntry) => kind !== 'person' || !UNTOLD.has(command)
/** A page has at least so many rows, if they are found in so many attempts. */
const ENOUGH = 25
const ATTEMPTS = [100, 1_000, 1_000, 1_000]

export interface ActivityHelp {
  openFile: (path: string) => void
  failed: (error: unknown) => void
}

/** Must be called before the workbench starts; answers with the way to bring the view up. */
export function registerActivityView(space: Space, help: ActivityHelp): { show(): Promise<void> } {
  let shown: ActivityList | undefined
  registerCustomView({
    id: ACTIVITY_VIEW,
    name: strings.activity.title,
    location: ViewContainerLocation.Panel,
    icon: new URL('./activity.svg', import.meta.url).toString(),
    order: 20,
    renderBody: (container) => {
      const feed = new Feed(help)
      shown = feed.list
      container.append(feed.list.element)
      const subscriptions = [
        space.on('call_ended', ({ record }) => feed.hear(record)),
        // What happened while the page was away was not heard.
        space.onSnapshot.on(() => void feed.loadNewest()),
      ]
      void feed.loadNewest()
      return { dispose: () => subscriptions.forEach((subscription) => subscription.dispose()) }
    },
  })
  return {
    show: async () => {
      const views = await getService(IViewsService)
      await views.openView(ACTIVITY_VIEW, true)
      // The workbench's own view around it does not know what in it wants the keyboard.
      shown?.focus()
    },
  }
}

/** Brings together what the log has and what is heard. */
class Feed {
  readonly list: ActivityList
  private oldest: number | undefined
  /** What ended while the log was asked: the answer may lack it. */
  private heard: ActivityEntry[] | undefined

  constructor(private readonly help: ActivityHelp) {
    this.list = new ActivityList({ openFile: help.openFile, loadOlder: () => void this.loadOlder() })
  }

  hear(record: CallRecord): void {
    const entry = ofEvent(record)
    if (!isTold(entry)) return
    this.heard?.unshift(entry)
    this.list.add(entry)
  }

  async loadNewest(): Promise<void> {
    const heard: ActivityEntry[] = []
    this.heard = heard
    await this.load(undefined, (entries, hasOlder) => this.list.replace([...heard, ...entries], hasOlder))
    if (this.heard === heard) this.heard = undefined
  }

  private async loadOlder(): Promise<void> {
    await this.load(this.oldest, (entries, hasOlder) => this.list.append(entries, hasOlder))
  }

  private async load(
    before: number | undefined, show: (entries: ActivityEntry[], hasOlder: boolean) => void,
  ): Promise<void> {
    try {
      const found: ActivityEntry[] = []
      let next = before
      let more = true
      for (const limit of ATTEMPTS) {
        const page = await run('openspace.audit.list', { limit, ...(next === undefined ? {} : { before: next }) })
        found.push(...page.records.map(ofLog).filter(isTold))
        next = page.records.at(-1)?.id ?? next
        more = page.more
        if (!more || found.length >= ENOUGH) break
      }
      this.oldest = next
      show(found, more)
    } catch (error) {
      this.list.fail()
      this.help.failed(error)
    }
  }
}

function ofLog({ caller, callerKind, outcome, error, ...same }: Logged): ActivityEntry {
  // The log says `ok` where an event says `done`.
  const ended = outcome === 'ok' ? 'done' : outcome
  return keyed({ ...same, who: caller, kind: callerKind, outcome: ended, error: error ?? null })
}

function ofEvent(record: CallRecord): ActivityEntry {
  const { caller, let_in: letIn, ...same } = record
  return keyed({ ...same, letIn, who: caller.id, kind: caller.kind, outcome: outcomeOf(record) })
}

/** A call has no id before it is in the log; its time to the microsecond is one. */
function keyed(entry: Omit<ActivityEntry, 'key'>): ActivityEntry {
  return { ...entry, key: `${entry.at} ${entry.micros} ${entry.who} ${entry.command}` }
}
