// Section names of `.editorconfig`, by the published rules: `*` and `?` stop at a slash, `**` does not, `[name]` and
// `[!name]` are one character, `{a,b}` one of several (within each other too), `{1..9}` a whole number between two.
// What is not closed means itself.
//
// A name is no regular expression: whoever wrote the file may be anybody, and some of those take for ever. Here all
// ways to go on are followed at once, so that it takes time with the length of the name and the square of the path.

/** Tells whether a path, relative to the folder of the file with the section, belongs to it. */
export type Matches = (path: string) => boolean

type Part =
  | { is: 'text'; text: string }
  | { is: 'any'; crosses: boolean }
  /** Nothing, or folders with the slash behind them. */
  | { is: 'folders' }
  | { is: 'one'; fits: (letter: string) => boolean }
  | { is: 'choice'; of: Part[][] }
  | { is: 'number'; least: number; most: number }

/** Longest name of a section. */
const MOST = 4_096

export function glob(name: string): Matches {
  if (name.length > MOST) return () => false
  // With a slash it begins in the folder, without one it is a name at any depth.
  const isPlaced = name.includes('/')
  const read = parse(isPlaced ? name.replace(/^\//, '') : name)
  const parts: Part[] = isPlaced ? read : [{ is: 'folders' }, ...read]
  return (path) => follow(parts, path, new Set([0])).has(path.length)
}

/** Where one may be in the path behind the parts, coming from these places. */
function follow(parts: readonly Part[], path: string, from: ReadonlySet<number>): Set<number> {
  let places = new Set(from)
  for (const part of parts) {
    const next = new Set<number>()
    if (part.is === 'choice') {
      for (const one of part.of) for (const place of follow(one, path, places)) next.add(place)
    } else {
      for (const place of places) for (const end of ends(part, path, place, places)) next.add(end)
    }
    if (next.size === 0) return next
    places = next
  }
  return places
}

function* ends(
  part: Exclude<Part, { is: 'choice' }>, path: string, from: number, others: ReadonlySet<number>,
): Generator<number> {
  if (part.is === 'text') {
    if (path.startsWith(part.text, from)) yield from + part.text.length
  } else if (part.is === 'one') {
    if (from < path.length && part.fits(path.charAt(from))) yield from + 1
  } else if (part.is === 'number') {
    const [digits = ''] = /^[+-]?(?:0|[1-9]\d*)/.exec(path.slice(from)) ?? []
    for (let length = 1; length <= digits.length; length++) {
      const number = /\d$/.test(digits.slice(0, length)) ? Number(digits.slice(0, length)) : Number.NaN
      if (number >= part.least && number <= part.most) yield from + length
    }
  } else {
    yield from
    for (let at = from; at < path.length; at++) {
      if (part.is === 'any' && !part.crosses && path[at] === '/') return
      if (part.is === 'any' || path[at] === '/') yield at + 1
      // Whoever stands there goes the rest of the way.
      if (part.is === 'any' && others.has(at + 1)) return
    }
  }
}

function parse(name: string): Part[] {
  const parts: Part[] = []
  const text = (letters: string) => {
    const last = parts.at(-1)
    if (last?.is === 'text') last.text += letters
    else parts.push({ is: 'text', text: letters })
  }
  for (let at = 0; at < name.length; at++) {
    const letter = name.charAt(at)
    if (letter === '\\' && at + 1 < name.length) text(name.charAt(++at))
    else if (letter === '*' && name[at + 1] === '*') {
      at++
      const last = parts.at(-1)
      // Between two slashes it may be nothing, with one of them.
      if (last?.is === 'text' && last.text.endsWith('/') && name[at + 1] === '/') {
        at++
        parts.push({ is: 'folders' })
      } else parts.push({ is: 'any', crosses: true })
    } else if (letter === '*') parts.push({ is: 'any', crosses: false })
    else if (letter === '?') parts.push({ is: 'one', fits: (one) => one !== '/' })
    else {
      const end = letter === '[' ? endOfClass(name, at) : letter === '{' ? endOfBraces(name, at) : undefined
      if (end === undefined) text(letter)
      else {
        const inside = name.slice(at + 1, end)
        parts.push(...(letter === '[' ? [classOf(inside)] : bracesOf(inside)))
        at = end
      }
    }
  }
  return parts
}

/** Where the class ends that begins here; one with a slash in it is none. */
function endOfClass(name: string, start: number): number | undefined {
  for (let at = start + 1; at < name.length; at++) {
    if (name[at] === '\\') at++
    else if (name[at] === '/') return undefined
    else if (name[at] === ']' && at > start + 1) return at
  }
  return undefined
}

function classOf(text: string): Part {
  const isNot = text.startsWith('!')
  const letters = (isNot ? text.slice(1) : text).replaceAll(/\\(.)/g, '$1')
  const ranges: [string, string][] = []
  for (let at = 0; at < letters.length; at++) {
    const [from, to] = [letters.charAt(at), letters.charAt(at + 2)]
    // A hyphen is one between two letters only.
    if (letters.charAt(at + 1) === '-' && to !== '') {
      ranges.push([from, to])
      at += 2
    } else ranges.push([from, from])
  }
  const has = (letter: string) => ranges.some(([from, to]) => letter >= from && letter <= to)
  return { is: 'one', fits: (letter) => letter !== '/' && has(letter) !== isNot }
}

function endOfBraces(name: string, start: number): number | undefined {
  let depth = 0
  for (let at = start; at < name.length; at++) {
    if (name[at] === '\\') at++
    else if (name[at] === '{') depth++
    else if (name[at] === '}' && --depth === 0) return at
  }
  return undefined
}

function bracesOf(text: string): Part[] {
  const [, from, to] = /^([+-]?\d+)\.\.([+-]?\d+)$/.exec(text) ?? []
  if (from !== undefined && to !== undefined) {
    return [{ is: 'number', least: Math.min(Number(from), Number(to)), most: Math.max(Number(from), Number(to)) }]
  }
  const words = split(text)
  // A single word is no choice: its braces mean themselves.
  if (words.length === 1) return [{ is: 'text', text: '{' }, ...parse(text), { is: 'text', text: '}' }]
  return [{ is: 'choice', of: words.map(parse) }]
}

/** At the commas that are in no braces of their own. */
function split(text: string): string[] {
  const words = ['']
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at)
    if (letter === '\\') {
      words[words.length - 1] += letter + (text[++at] ?? '')
      continue
    }
    if (letter === '{') depth++
    if (letter === '}') depth--
    if (letter === ',' && depth === 0) words.push('')
    else words[words.length - 1] += letter
  }
  return words
}
