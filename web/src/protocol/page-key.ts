// What proves to the server that a page of its own asks.
//
// Browsers send a cookie to every port of a host, so whatever an agent serves beside the space gets it. What a page
// keeps is for its own port alone: the link that let this browser in left a word there, and all that is asked for goes
// with it. At one address several spaces may have been served; the page does not know whose cookie it has.
const KEPT = 'openspace-pages'
const HEADER = 'x-openspace-page'
/** The server looks at no more. */
const MOST_KEYS = 8

/** What was left here, the newest first; nothing where the browser keeps nothing. */
function keys(): string {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT) ?? '[]')
    return Array.isArray(kept) ? kept.slice(0, MOST_KEYS).join('.') : ''
  } catch {
    // It is told by the server, which refuses.
    return ''
  }
}

/** Headers of a request, with what proves whose it is. */
export function signed(headers?: HeadersInit): Headers {
  const all = new Headers(headers)
  all.set(HEADER, keys())
  return all
}

/** The address of a socket; browsers add no header to those. */
export function socketAddress(path: string): URL {
  const address = new URL(path, location.href)
  address.protocol = address.protocol.replace('http', 'ws')
  address.searchParams.set('page', keys())
  return address
}
