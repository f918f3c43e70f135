// The activity list as a view of the workbench: the record's newest page, then every call as it ends.
import { registerCustomView, ViewContainerLocation } from '@codingame/monaco-vscode-workbench-service-override'
import { ActivityList } from '../panels/activity/list'
import type { ActivityEntry } from '../panels/activity/entry'
import { run } from '../protocol/commands'
import type { Space } from '../protocol/space'
import type { CallRecord } from '../protocol/state'
import { strings } from '../strings'
import type { Notices } from './notices'

export const ACTIVITY_VIEW = 'openspace.activity'
const PAGE = 100
/** What the page does by itself all the time is no news. */
const UNTOLD = new Set(['openspace.view.report', 'openspace.audit.list'])

interface LoggedRecord extends Omit<CallRecord, 'caller'> {
  id: number
  caller: string
  callerKind: ActivityEntry['kind']
}

export interface ActivityHelp {
  openFile(path: string): void
  notices(): Notices | undefined
}

/** Must be called before the workbench starts. */
export function registerActivityView(space: Space, help: ActivityHelp): void {
  let live = 0
  registerCustomView({
    id: ACTIVITY_VIEW,
    name: strings.activity.title,
    location: ViewContainerLocation.Panel,
    icon: new URL('./activity.svg', import.meta.url).toString(),
    order: 20,
    renderBody: (container) => {
      const loaded: LoggedRecord[] = []
      const list = new ActivityList({
        openFile: help.openFile,
        loadOlder: () => void load(loaded.at(-1)?.id),
      })
      const load = async (before?: number) => {
        try {
          const page = await run('openspace.audit.list', { limit: PAGE, ...(before ? { before } : {}) })
          loaded.push(...(page.records as LoggedRecord[]))
          const told = loaded.filter(({ command }) => !UNTOLD.has(command))
          list.set(told.map(ofLog), page.more as boolean)
        } catch (error) {
          help.notices()?.failure(strings.activity.notLoaded, error)
        }
      }
      const heard = space.on('call_ended', ({ record }) => {
        if (!UNTOLD.has(record.command)) list.add(ofEvent(record, `live-${++live}`))
      })
      container.append(list.element)
      void load()
      return { dispose: () => heard.dispose() }
    },
  })
}

function ofLog(record: LoggedRecord): ActivityEntry {
  const { id, caller, callerKind, outcome, ...rest } = record
  return { ...rest, key: `log-${id}`, who: caller, kind: callerKind, outcome: plain(outcome) }
}

function ofEvent({ caller, outcome, ...rest }: CallRecord, key: string): ActivityEntry {
  return { ...rest, key, who: caller.id, kind: caller.kind, outcome: plain(outcome) }
}

/** The log says `ok` where an event says `done`. */
function plain(outcome: string): string {
  return outcome === 'ok' ? 'done' : outcome
}
