// What happens when the server has another page than the one that runs: the person is told and may reload.
//
// Nothing reloads by itself, but on a server that was built for debugging: who works on the page wants to see
// it. Unsaved text is the server's to keep, and what it does not have yet makes the browser ask first.
import { isOutdated, onBuilt } from '../../protocol/page-build'
import type { Space } from '../../protocol/space'
import type { Welcome } from '../../protocol/state'
import { strings } from '../../strings'
import type { Notices } from '../core/notices'

const words = strings.connection

export function watchPage(space: Space, { debug }: Welcome, notices: Notices): void {
  const reload = () => location.reload()
  const compare = async () => {
    try {
      if (!(await isOutdated())) return
      if (debug) reload()
      else await notices.offer(words.newVersion, words.reload, reload)
    } catch (error) {
      notices.failure(words.notCompared, error)
    }
  }
  space.onRestart.on(() => {
    notices.warning(words.restarted)
    void compare()
  })
  if (debug) onBuilt(space.onConnection, reload)
}
