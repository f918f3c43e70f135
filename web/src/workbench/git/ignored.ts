// Files and folders that git ignores are greyed in the explorer, and so is what lies in such a folder.
//
// What is ignored changes when files come and go or when the lists of what to ignore do; nothing else asks again.
import { Emitter } from 'monaco-editor'
import { Failure } from '../../protocol/failure'
import { gitIgnored } from '../../protocol/git'
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import type { Notices } from '../core/notices'
import { pathOf } from '../core/uris'

/** Git is asked once files have been quiet for so long. */
const QUIET_MS = 500
const LISTS = /(^|\/)(\.gitignore|info\/exclude)$/
const DECORATION = { tooltip: strings.scm.ignored, color: 'gitDecoration.ignoredResourceForeground' }

export class IgnoredFiles {
  private ignored = new Set<string>()
  private readonly changed = new Emitter<undefined>()
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    api: Api,
    private readonly notices: Notices,
    space: Space,
  ) {
    api.window.registerFileDecorationProvider({
      onDidChangeFileDecorations: this.changed.event,
      provideFileDecoration: (uri) => (this.isIgnored(pathOf(uri)) ? DECORATION : undefined),
    })
    space.on('files_changed', ({ changes, rescan }) => {
      if (rescan || changes.some(({ path, change }) => change !== 'changed' || LISTS.test(path))) this.askSoon()
    })
    space.onSnapshot.on(() => this.askSoon())
    void this.ask()
  }

  /** A path, or a folder that it lies in. */
  private isIgnored(path: string | undefined): boolean {
    if (!path || this.ignored.size === 0) return false
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (this.ignored.has(path.slice(0, end))) return true
    }
    return false
  }

  private askSoon(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.ask(), QUIET_MS)
  }

  private async ask(): Promise<void> {
    try {
      this.ignored = new Set(await gitIgnored())
      this.changed.fire(undefined)
    } catch (error) {
      // The banner says so, and when the connection is back git is asked again.
      if (error instanceof Failure && error.kind === 'unreachable') return
      this.notices.failure(strings.scm.notAsked, error)
    }
  }
}
