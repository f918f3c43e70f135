// Says what the server had saved earlier and could not read when it was started: once for each start, however
// often the page is loaded. Nothing can be done about it here.
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import type { Notices } from '../core/notices'

/** Where the browser keeps the last start that the person was told of. */
const TOLD = 'openspace.aside'

export function tellAside(space: Space, notices: Notices): void {
  const tell = () => {
    if (space.aside.length === 0 || localStorage.getItem(TOLD) === space.bootId) return
    localStorage.setItem(TOLD, space.bootId)
    notices.warning(strings.connection.aside([...new Set(space.aside.map(({ part }) => part))].sort()))
  }
  space.onSnapshot.on(tell)
  tell()
}
