// The Timeline view: the commits that changed the file in front, page by page. Choosing one shows what it changed, as
// the list of the palette does (`file-history.ts`). It only looks.
import { ITimelineService, getService } from '@codingame/monaco-vscode-api'
import { Emitter, type Uri } from 'monaco-editor'
import { gitLog } from '../../protocol/git'
import type { CommitInfo } from '../../protocol/generated'
import { strings } from '../../strings'
import type { Timeline, TimelineChangeEvent, TimelineItem, TimelineOptions } from '../core/upstream'
import { pathOf } from '../core/uris'
import { SCM_ACTIONS } from './contributions'
import type { Repository } from './repository'

const SOURCE = 'openspace.git'
/** The most commits of one answer, and of a view that is read again as far as it was. */
const PAGE = 50
const FARTHEST = 1_000

export class FileTimeline {
  private readonly changed = new Emitter<TimelineChangeEvent>()
  private head: string | undefined

  private constructor(private readonly repository: Repository) {
    this.head = repository.status?.head ?? undefined
    repository.onStatus.on(() => this.moved())
  }

  static async start(repository: Repository): Promise<void> {
    const timeline = new FileTimeline(repository)
    const service = await getService(ITimelineService)
    service.registerTimelineProvider({
      id: SOURCE,
      label: strings.scm.name,
      scheme: 'file',
      onDidChange: timeline.changed.event,
      provideTimeline: (uri, options) => timeline.read(uri, options),
      dispose: () => undefined,
    })
  }

  private moved(): void {
    const head = this.repository.status?.head ?? undefined
    if (head === this.head) return
    this.head = head
    this.changed.fire({ id: SOURCE, uri: undefined, reset: true })
  }

  private async read(uri: Uri, { cursor, limit = PAGE }: TimelineOptions): Promise<Timeline> {
    const path = pathOf(uri)
    const items: TimelineItem[] = []
    // Before the first commit there is none.
    if (path === undefined || !this.head) return { source: SOURCE, items }
    const skip = Number(cursor ?? 0)
    const until = typeof limit === 'number' ? undefined : limit.id
    const most = typeof limit === 'number' ? Math.min(limit, PAGE) : FARTHEST
    while (items.length < most) {
      const answer = await this.repository.look(gitLog({ path, limit: PAGE, skip: skip + items.length }))
      if (!answer) return { source: SOURCE, items }
      items.push(...answer.commits.map((commit) => itemOf(uri, commit)))
      if (!answer.more) return { source: SOURCE, items }
      if (until !== undefined && items.some(({ id }) => id === until)) break
    }
    return { source: SOURCE, items, paging: { cursor: String(skip + items.length) } }
  }
}

function itemOf(uri: Uri, { oid, parents, short_oid, summary, author, authored }: CommitInfo): TimelineItem {
  const name = author.split(' <')[0] ?? author
  const shown = [uri, { oid, parent: parents[0] }]
  return {
    handle: oid,
    id: oid,
    source: SOURCE,
    label: summary,
    description: name,
    tooltip: `${short_oid} ${summary}\n${name}, ${new Date(authored).toLocaleString()}`,
    timestamp: Date.parse(authored),
    themeIcon: { id: 'git-commit' },
    command: { id: SCM_ACTIONS.showCommit, title: summary, arguments: shown },
  }
}
