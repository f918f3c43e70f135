// Where a link may lead: to the web, to a file of the workspace, or nowhere.
//
// A text is written by an agent, which may have been told what to write: whatever is not one of the first two is no
// link, and a path that leads out of the workspace is none either.
import type { Inline } from './inline'

export type Target = { kind: 'web'; url: string } | { kind: 'file'; path: string; line?: number; lastLine?: number }

/** Folders and a name with an ending, and a line. */
const PLACE = new RegExp(
  [
    // Not in the middle of a word or of an address.
    /(?<![\p{L}\p{N}_/.@:~-])/u, /(?:\.{0,2}\/)?(?:[\p{L}\p{N}_.@+-]+\/)*[\p{L}\p{N}_.@+-]*\.[A-Za-z]\w{0,9}/u,
    /(?::\d{1,7}(?:[:-]\d{1,7})?|#L\d{1,7}(?:-L?\d{1,7})?)?(?![\p{L}\p{N}_/])/u,
  ].map(({ source }) => source).join(''),
  'gu',
)
/** More of them in one text are not looked for. */
const MOST_PLACES = 500
/** A run of letters longer than this names no file. */
const LONGEST_TEXT = 20_000

/** A text with the places that it names as links. */
export function placesIn(text: string): Inline[] {
  if (text.length > LONGEST_TEXT || !text.includes('.')) return [{ kind: 'text', text }]
  const found: Inline[] = []
  let from = 0
  let count = 0
  for (const match of text.matchAll(PLACE)) {
    const [place] = match
    if (!isNamed(place) || (count += 1) > MOST_PLACES) continue
    if (match.index > from) found.push({ kind: 'text', text: text.slice(from, match.index) })
    found.push({ kind: 'link', href: place, children: [{ kind: 'text', text: place }] })
    from = match.index + place.length
  }
  if (from < text.length) found.push({ kind: 'text', text: text.slice(from) })
  return found
}

/** Many words have a dot in them: only a folder or a line tells that a file is meant. */
export function isNamed(place: string): boolean {
  return /[:#]L?\d/.test(place) || /^[^:#]*\/[^/]*\.[A-Za-z]\w*$/.test(place)
}

/** Where an address leads, seen from the folder of the workspace; nothing when it must not be followed. */
export function targetOf(href: string, folder: string): Target | undefined {
  const address = href.trim()
  if (/^https?:\/\//i.test(address)) return webTarget(address)
  const whole = address.replace(/^file:\/\/(?=\/)/i, '')
  const [, file = '', anchor, colon] =
    /^([^#]*?)(?:#L?(\d{1,7}(?:-L?\d{1,7})?)|:(\d{1,7}(?:[:-]\d{1,7})?))?$/.exec(whole) ?? []
  if (file === '' || /^[a-z][a-z0-9+.-]*:/i.test(file) || file.startsWith('//') || file.includes('\\')) return undefined
  const path = withinFolder(decoded(file), folder)
  if (path === undefined) return undefined
  const [first, last] = linesOf(anchor, colon)
  return { kind: 'file', path, ...(first === undefined ? {} : { line: first }), ...(last ? { lastLine: last } : {}) }
}

/** A path as the agent names it, as one of the workspace; nothing when it leads elsewhere. */
export function withinFolder(path: string, folder: string): string | undefined {
  let rest = path
  if (path.startsWith('/')) {
    if (!path.startsWith(`${folder}/`)) return undefined
    rest = path.slice(folder.length + 1)
  }
  const parts: string[] = []
  for (const part of rest.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  const hasControls = /[\u0000-\u001f]/.test(rest)
  return parts.length === 0 || hasControls ? undefined : parts.join('/')
}

function linesOf(anchor: string | undefined, colon: string | undefined): [number?, number?] {
  if (anchor !== undefined) {
    const [first, last] = anchor.split(/-L?/).map(Number)
    return [first, last]
  }
  // After a second colon stands a column.
  const [first, last] = (colon ?? '').split('-')
  return first === '' ? [] : [Number.parseInt(first ?? '', 10), last === undefined ? undefined : Number(last)]
}

function webTarget(address: string): Target | undefined {
  try {
    return { kind: 'web', url: new URL(address).href }
  } catch {
    return undefined
  }
}

/** What is no valid escape stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
