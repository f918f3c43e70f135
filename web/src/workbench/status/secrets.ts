// Tells the person which secrets agents may know by now, so that they can make new ones. Each once for each start
// of the server, however often the page is loaded.
import type { SeenSecret } from '../../protocol/generated'
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import type { Notices } from '../core/notices'

const words = strings.status.secrets
/** Where the browser keeps what the person was told of, and since which start. */
const TOLD = 'openspace.seen-secrets'

interface Told {
  bootId: string
  keys: string[]
}

export function tellSeenSecrets(space: Space, notices: Notices): void {
  const tell = () => {
    const secrets: Record<string, SeenSecret> = space.part('seen-secrets')
    const told = read(space.bootId)
    const news = Object.entries(secrets).filter(([key]) => !told.keys.includes(key))
    if (news.length === 0) return
    const keys = [...told.keys, ...news.map(([key]) => key)]
    localStorage.setItem(TOLD, JSON.stringify({ bootId: space.bootId, keys } satisfies Told))
    const paths = (how: SeenSecret['how']) =>
      news.map(([, secret]) => secret).filter((secret) => secret.how === how).map(({ path }) => path)
    for (const [seen, text] of [['opened', words.opened], ['committed', words.committed]] as const) {
      const found = paths(seen)
      if (found.length > 0) notices.warning(text(found))
    }
  }
  space.onPart('seen-secrets', tell)
  tell()
}

function read(bootId: string): Told {
  const kept = localStorage.getItem(TOLD)
  const told = kept === null ? undefined : (JSON.parse(kept) as Told)
  return told?.bootId === bootId ? told : { bootId, keys: [] }
}
