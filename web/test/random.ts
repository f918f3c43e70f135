// Random numbers that are the same in each run: a test that failed fails again.
import type { TextEdit } from '../src/protocol/text-edits'

export class Random {
  constructor(private state: number) {}

  /** A number from 0 up to, but not including, 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  chance(likelihood: number): boolean {
    return this.next() < likelihood
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)]
    if (value === undefined) throw new Error('nothing to pick from')
    return value
  }

  /** A text of words, line ends and a character of two code units. */
  text(most: number): string {
    return Array.from({ length: this.below(most + 1) }, () => this.pick(['a', 'b', 'c', ' ', '\n', '😀'])).join('')
  }

  /** Some edits of a text, none of which cuts a character in two. */
  edits(text: string, most: number): TextEdit[] {
    const cuts = Array.from({ length: 2 * (1 + this.below(most)) }, () => whole(text, this.below(text.length + 1)))
    cuts.sort((left, right) => left - right)
    const edits: TextEdit[] = []
    for (let index = 0; index < cuts.length; index += 2) {
      const start = cuts[index] ?? 0
      const end = this.chance(0.5) ? start : Math.min(cuts[index + 1] ?? start, whole(text, start + 6))
      edits.push({ start, end, text: this.text(4) })
    }
    return edits
  }
}

function whole(text: string, offset: number): number {
  const code = text.charCodeAt(offset)
  return code >= 0xdc00 && code < 0xe000 ? offset - 1 : offset
}
