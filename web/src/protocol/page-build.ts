// Whether the page that the server gives out is still the one that runs here. It only tells: who reloads, and
// when, is decided elsewhere.
import { request } from './failure'
import type { Listeners } from './listeners'
import type { ConnectionState } from './space'

/** What this page was loaded from. The names say which content they have. */
const scripts = [...document.querySelectorAll<HTMLScriptElement>('script[type="module"][src]')]
const loaded = scripts.map((script) => script.getAttribute('src') ?? '')

/** Whether the server has another page by now than the one that was loaded. */
export async function isOutdated(): Promise<boolean> {
  const text = await (await request('/')).text()
  return !loaded.every((name) => text.includes(`"${name}"`))
}

/** Hear of every new build of the page. Only a server that was built for debugging tells; ask no other. */
export function onBuilt(connection: Listeners<ConnectionState>, built: () => void): void {
  let events: EventSource | undefined
  const follow = () => {
    if (events) return
    events = new EventSource('/api/dev/reload')
    events.addEventListener('reload', built)
  }
  connection.on(({ is }) => {
    if (is === 'live') {
      follow()
      return
    }
    // It would ask again and again by itself, and say so each time.
    events?.close()
    events = undefined
  })
  follow()
}
