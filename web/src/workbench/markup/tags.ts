// The tags of an HTML text, in one pass: where their names stand, and which belongs to which. No tree is made, and what
// cannot be read as a tag is text.
import { isVoid } from '../core/html-tags'

/** The name of a tag in the text. */
export interface Name {
  start: number
  end: number
}

export interface Element {
  name: string
  opens: Name
  /** Behind the tag that opens it. */
  inner: number
  closes?: Name
}

/** Longer texts are not read. */
export const MOST_CHARACTERS = 500_000

/** Elements that an end may be looked for in. */
const MOST_DEPTH = 500

const TAG = /<!--[^]*?(?:-->|$)|<(\/?)([a-zA-Z][\w:.-]*)((?:"[^"]*"|'[^']*'|[^"'<>])*)(>?)/g

/** The elements, in the order in which they open. */
export function elementsOf(text: string): Element[] {
  const elements: Element[] = []
  const open: Element[] = []
  TAG.lastIndex = 0
  for (let found = TAG.exec(text); found; found = TAG.exec(text)) {
    const [whole, slash, name, rest = '', end] = found
    if (name === undefined) continue
    const start = found.index + 1 + (slash ?? '').length
    const place = { start, end: start + name.length }
    if (slash) {
      close(open, name, place)
    } else if (end && !rest.endsWith('/') && !isVoid(name)) {
      const element = { name, opens: place, inner: found.index + whole.length }
      elements.push(element)
      open.push(element)
      if (/^(script|style|textarea|title)$/i.test(name)) skipTo(text, name)
    }
  }
  return elements
}

/** What was opened within and is still open has no end. */
function close(open: Element[], name: string, place: Name): void {
  const least = Math.max(0, open.length - MOST_DEPTH)
  let at = open.length - 1
  while (at >= least && open[at]?.name.toLowerCase() !== name.toLowerCase()) at--
  if (at < least) return
  const [element] = open.splice(at)
  if (element) element.closes = place
}

/** Such a tag holds text until its end. */
function skipTo(text: string, name: string): void {
  const rest = new RegExp(`</${name}\\b`, 'gi')
  rest.lastIndex = TAG.lastIndex
  const end = rest.exec(text)
  TAG.lastIndex = end ? end.index : text.length
}

/** The two names of the element with one of them at an offset. */
export function namesAt(text: string, offset: number): [Name, Name] | undefined {
  const isAt = ({ start, end }: Name) => offset >= start && offset <= end
  const element = elementsOf(text).find(({ opens, closes }) => closes && (isAt(opens) || isAt(closes)))
  return element?.closes && [element.opens, element.closes]
}

/** What to write behind a `>` that was just typed, so that the tag has its end. */
export function endAfter(text: string, offset: number): string | undefined {
  const element = elementsOf(text).find(({ inner }) => inner === offset)
  return element && !element.closes ? `</${element.name}>` : undefined
}

/** The name to write behind a `</` that was just typed: that of what is open there. */
export function nameAfter(text: string, offset: number): string | undefined {
  const open = elementsOf(text.slice(0, offset - 2)).filter(({ closes }) => !closes)
  const rest = /^[\w:.-]*\s*>/.test(text.slice(offset))
  return rest ? undefined : open.at(-1)?.name
}
