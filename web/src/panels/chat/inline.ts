// Markdown within a line: emphasis, code, links, and places in files that are named in plain words.
//
// HTML is text like any other. Nothing here takes longer than a few looks at each character, whatever the text is.
import { placesIn } from './places'

export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'em' | 'del'; children: Inline[] }
  | { kind: 'link'; href: string; children: Inline[] }
  | { kind: 'break' }

/** Emphasis within emphasis, and links, are followed so deep. */
const DEEPEST = 6
/** Places that may end an emphasis are looked at. */
const MOST_ENDS = 16
/** Characters of an address, and of the words of a link. */
const LONGEST_LINK = 2_000

const ESCAPABLE = /[!-/:-@[-`{-~]/
const ADDRESS = /^https?:\/\/[^\s<>"'`]+/i
const SPACE = /\s/
const WORD = /[\p{L}\p{N}]/u

export function inlines(text: string, depth = 0): Inline[] {
  return new Inlines(text, depth).parse()
}

class Inlines {
  private readonly found: Inline[] = []
  private plain = ''
  private at = 0
  /** Signs of which there is none further on. */
  private readonly gone = new Set<string>()

  constructor(
    private readonly text: string,
    private readonly depth: number,
  ) {}

  parse(): Inline[] {
    while (this.at < this.text.length) this.step()
    this.flush()
    return this.found
  }

  private step(): void {
    const { text, at } = this
    const sign = text[at] ?? ''
    switch (sign) {
      case '\\':
        return this.escape()
      case '`':
        return this.code()
      case '*':
      case '_':
      case '~':
        return this.emphasis(sign)
      case '!':
        // A picture is a link to it: nothing is loaded because a text names it.
        if (text[at + 1] === '[' && this.link(at + 1)) return
        break
      case '[':
        if (this.link(at)) return
        break
      case '<':
        if (this.bracketed()) return
        break
      case 'h':
      case 'H':
        if (this.address()) return
        break
      case '\n':
        return this.newLine()
    }
    this.take(1)
  }

  private take(count: number): void {
    this.plain += this.text.slice(this.at, this.at + count)
    this.at += count
  }

  private flush(): void {
    if (this.plain === '') return
    this.found.push(...(this.depth < DEEPEST ? placesIn(this.plain) : [{ kind: 'text', text: this.plain } as const]))
    this.plain = ''
  }

  private push(inline: Inline, end: number): void {
    this.flush()
    this.found.push(inline)
    this.at = end
  }

  private escape(): void {
    const next = this.text[this.at + 1] ?? ''
    if (next === '\n') this.push({ kind: 'break' }, this.at + 2)
    else if (ESCAPABLE.test(next)) {
      this.at += 1
      this.take(1)
    } else this.take(1)
  }

  private newLine(): void {
    const isBreak = this.plain.endsWith('  ')
    this.plain = this.plain.trimEnd()
    if (isBreak) this.push({ kind: 'break' }, this.at + 1)
    else this.take(1)
  }

  private indexOf(sign: string, from: number): number {
    if (this.gone.has(sign)) return -1
    const index = this.text.indexOf(sign, from)
    if (index < 0) this.gone.add(sign)
    return index
  }

  private run(sign: string, from: number): number {
    let end = from
    while (this.text[end] === sign) end += 1
    return end - from
  }

  private code(): void {
    const { at } = this
    const length = this.run('`', at)
    const fence = '`'.repeat(length)
    let from = at + length
    for (let tries = 0; tries < MOST_ENDS; tries += 1) {
      const end = this.indexOf(fence, from)
      if (end < 0) break
      const run = this.run('`', end)
      if (run === length) {
        const code = this.text.slice(at + length, end).replaceAll('\n', ' ')
        const isPadded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== ''
        return this.push({ kind: 'code', text: isPadded ? code.slice(1, -1) : code }, end + length)
      }
      from = end + run
    }
    this.take(length)
  }

  private emphasis(sign: string): void {
    const { text, at } = this
    const run = this.run(sign, at)
    const length = Math.min(run, 2)
    const isOpening = !SPACE.test(text[at + run] ?? ' ') && !(sign === '_' && WORD.test(text[at - 1] ?? ' '))
    const isKind = sign !== '~' || run === 2
    if (!isOpening || !isKind || run > 3 || this.depth >= DEEPEST) return this.take(run)
    const mark = sign.repeat(length)
    let from = at + length
    for (let tries = 0; tries < MOST_ENDS; tries += 1) {
      const end = this.indexOf(mark, from)
      if (end < 0) break
      const whole = this.run(sign, end)
      const isEnd = !SPACE.test(text[end - 1] ?? ' ') && !(sign === '_' && WORD.test(text[end + whole] ?? ' '))
      // The signs of another emphasis within this one are not its end.
      const isSame = length === 1 ? whole !== 2 : true
      if (isEnd && isSame && end > at + length) {
        const inner = end + (whole > length ? whole - length : 0)
        const children = inlines(text.slice(at + length, inner), this.depth + 1)
        return this.push({ kind: kindOf(sign, length), children }, inner + length)
      }
      from = end + whole
    }
    this.take(run)
  }

  /** `[words](address)` at this place. */
  private link(at: number): boolean {
    if (this.depth >= DEEPEST) return false
    const close = this.closing(at, '[', ']')
    if (close === undefined || this.text[close + 1] !== '(') return false
    const end = this.closing(close + 1, '(', ')')
    if (end === undefined) return false
    const inside = this.text.slice(close + 2, end).trim()
    const [, bracketed, bare] = /^(?:<([^<>\n]*)>|([^\s]*))(?:\s+["'(].*)?$/s.exec(inside) ?? []
    const href = bracketed ?? bare
    if (href === undefined) return false
    const words = this.text.slice(at + 1, close)
    const children = words === '' ? [{ kind: 'text', text: href } as const] : plainly(inlines(words, DEEPEST))
    this.push({ kind: 'link', href, children }, end + 1)
    return true
  }

  private closing(from: number, open: string, close: string): number | undefined {
    if (this.indexOf(close, from) < 0) return undefined
    let depth = 0
    const last = Math.min(this.text.length, from + LONGEST_LINK)
    for (let index = from; index < last; index += 1) {
      const sign = this.text[index]
      if (sign === '\\') index += 1
      else if (sign === open) depth += 1
      else if (sign === close) {
        depth -= 1
        if (depth === 0) return index
      } else if (sign === '\n' && this.text[index + 1] === '\n') return undefined
      // As many as nobody means: a text of brackets only must not be gone through for each of them.
      if (depth > MOST_ENDS) return undefined
    }
    return undefined
  }

  /** `<https://…>`. */
  private bracketed(): boolean {
    const end = this.indexOf('>', this.at)
    if (end < 0 || end - this.at > LONGEST_LINK) return false
    const href = this.text.slice(this.at + 1, end)
    if (ADDRESS.exec(href)?.[0] !== href) return false
    this.push({ kind: 'link', href, children: [{ kind: 'text', text: href }] }, end + 1)
    return true
  }

  /** An address that stands there as it is; the sign of its sentence is not its own. */
  private address(): boolean {
    if (WORD.test(this.text[this.at - 1] ?? ' ')) return false
    const [found] = ADDRESS.exec(this.text.slice(this.at, this.at + LONGEST_LINK)) ?? []
    if (found === undefined) return false
    let href = found.replace(/[.,:;!?*_~\]]+$/, '')
    if (href.endsWith(')') && !href.includes('(')) href = href.slice(0, -1)
    this.push({ kind: 'link', href, children: [{ kind: 'text', text: href }] }, this.at + href.length)
    return true
  }
}

function kindOf(sign: string, length: number): 'strong' | 'em' | 'del' {
  return sign === '~' ? 'del' : length === 2 ? 'strong' : 'em'
}

/** Words of a link have no links. */
function plainly(children: Inline[]): Inline[] {
  return children.flatMap((child) => (child.kind === 'link' ? child.children : [child]))
}
