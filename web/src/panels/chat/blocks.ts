// Markdown as blocks. A text that grows is read on from its last block only.
//
// HTML is text. Blocks within blocks are followed to a depth, and what is deeper is text too.

export type Align = 'left' | 'right' | 'center' | undefined

export interface ListItem {
  blocks: Block[]
  /** Whether it is done, where it can be. */
  done: boolean | undefined
}

export type Block =
  | { kind: 'paragraph'; text: string }
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code'; language: string; code: string; isClosed: boolean }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; first: number | undefined; items: ListItem[] }
  | { kind: 'table'; aligns: Align[]; head: string[]; rows: string[][] }
  | { kind: 'rule' }

/** A block with the place where it stands, and what it was made from. */
export interface PlacedBlock {
  start: number
  source: string
  block: Block
}

const DEEPEST = 8
/** Rows of a table that are drawn. */
const MOST_ROWS = 1_000

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/
const HEADING = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/
const QUOTE = /^ {0,3}> ?/
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4}|\t|$)(.*)$/
const TASK = /^\[([ xX])\] +(.*)$/s
const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/

/** All blocks of a text. `before` are those of a beginning of the same text: only the last of them is read again. */
export function placedBlocks(text: string, before: readonly PlacedBlock[] = []): PlacedBlock[] {
  const kept = before.slice(0, -1)
  const from = before.at(-1)?.start ?? 0
  const lines = text.slice(from).split('\n')
  const reader = new Reader(lines, 0)
  const placed = [...kept]
  let start = from
  let line = 0
  for (let block = reader.next(); block; block = reader.next()) {
    for (; line < reader.began; line += 1) start += (lines[line]?.length ?? 0) + 1
    const first = start
    for (; line < reader.at; line += 1) start += (lines[line]?.length ?? 0) + 1
    placed.push({ start: first, source: text.slice(first, start), block })
  }
  return placed
}

export function blocks(text: string, depth = 0): Block[] {
  const reader = new Reader(text.split('\n'), depth)
  const found: Block[] = []
  for (let block = reader.next(); block; block = reader.next()) found.push(block)
  return found
}

class Reader {
  at = 0
  /** The line at which the block began that was read last. */
  began = 0

  constructor(
    private readonly lines: readonly string[],
    private readonly depth: number,
  ) {}

  next(): Block | undefined {
    while (this.at < this.lines.length && isBlank(this.line)) this.at += 1
    if (this.at >= this.lines.length) return undefined
    this.began = this.at
    return this.fence() ?? this.heading() ?? this.rule() ?? this.quote() ?? this.list() ?? this.table()
      ?? this.indented() ?? this.paragraph()
  }

  private get line(): string {
    return this.lines[this.at] ?? ''
  }

  private fence(): Block | undefined {
    const [, mark, language = ''] = FENCE.exec(this.line) ?? []
    if (mark === undefined) return undefined
    const indent = this.line.indexOf(mark)
    const end = new RegExp(`^ {0,3}${mark[0] === '`' ? '`' : '~'}{${mark.length},}\\s*$`)
    const code: string[] = []
    for (this.at += 1; this.at < this.lines.length; this.at += 1) {
      if (end.test(this.line)) {
        this.at += 1
        return { kind: 'code', language, code: code.join('\n'), isClosed: true }
      }
      code.push(this.line.replace(new RegExp(`^ {0,${indent}}`), ''))
    }
    return { kind: 'code', language, code: code.join('\n'), isClosed: false }
  }

  private heading(): Block | undefined {
    const [, marks, text = ''] = HEADING.exec(this.line) ?? []
    if (marks === undefined) return undefined
    this.at += 1
    return { kind: 'heading', level: marks.length, text }
  }

  private rule(): Block | undefined {
    if (!RULE.test(this.line)) return undefined
    this.at += 1
    return { kind: 'rule' }
  }

  private quote(): Block | undefined {
    if (!QUOTE.test(this.line) || this.depth >= DEEPEST) return undefined
    const inside: string[] = []
    for (; this.at < this.lines.length; this.at += 1) {
      if (QUOTE.test(this.line)) inside.push(this.line.replace(QUOTE, ''))
      // A line of the same paragraph may go without the sign.
      else if (isBlank(this.line) || isBlank(inside.at(-1) ?? '') || this.beginsBlock()) break
      else inside.push(this.line)
    }
    return { kind: 'quote', blocks: blocks(inside.join('\n'), this.depth + 1) }
  }

  private list(): Block | undefined {
    const first = ITEM.exec(this.line)
    if (!first || this.depth >= DEEPEST) return undefined
    const sign = signOf(first[2] ?? '')
    const number = Number.parseInt(first[2] ?? '', 10)
    const items: ListItem[] = []
    while (this.at < this.lines.length) {
      const item = ITEM.exec(this.line)
      if (!item || signOf(item[2] ?? '') !== sign || RULE.test(this.line)) break
      items.push(this.item(item))
      let next = this.at
      while (next < this.lines.length && isBlank(this.lines[next] ?? '')) next += 1
      const after = ITEM.exec(this.lines[next] ?? '')
      if (!after || signOf(after[2] ?? '') !== sign) break
      this.at = next
    }
    return { kind: 'list', first: Number.isNaN(number) ? undefined : number, items }
  }

  private item([, lead = '', mark = '', gap = '', text = '']: RegExpExecArray): ListItem {
    const indent = lead.length + mark.length + (gap === '\t' ? 1 : Math.max(1, gap.length))
    const inside = [text]
    for (this.at += 1; this.at < this.lines.length; this.at += 1) {
      const { line } = this
      if (isBlank(line)) {
        const next = this.lines.slice(this.at + 1, this.at + 3).find((later) => !isBlank(later))
        if (next === undefined || indentOf(next) < Math.min(indent, 2)) break
        inside.push('')
      } else if (indentOf(line) >= Math.min(indent, 2)) inside.push(outdented(line, indent))
      else if (ITEM.test(line) || this.beginsBlock() || isBlank(inside.at(-1) ?? '')) break
      else inside.push(line)
    }
    const [, box, rest = ''] = TASK.exec(inside.join('\n')) ?? []
    const body = box === undefined ? inside.join('\n') : rest
    return { blocks: blocks(body, this.depth + 1), done: box === undefined ? undefined : box !== ' ' }
  }

  private table(): Block | undefined {
    const under = this.lines[this.at + 1] ?? ''
    if (!this.line.includes('|') || !DELIMITERS.test(under) || !under.includes('-')) return undefined
    const head = cells(this.line)
    const aligns = cells(under).map(alignOf)
    if (aligns.length !== head.length) return undefined
    const rows: string[][] = []
    for (this.at += 2; this.at < this.lines.length && !isBlank(this.line); this.at += 1) {
      if (!this.line.includes('|') && this.beginsBlock()) break
      if (rows.length < MOST_ROWS) rows.push(head.map((_, index) => cells(this.line)[index] ?? ''))
    }
    return { kind: 'table', aligns, head, rows }
  }

  private indented(): Block | undefined {
    if (!/^(?: {4}|\t)/.test(this.line)) return undefined
    const code: string[] = []
    for (; this.at < this.lines.length && (/^(?: {4}|\t)/.test(this.line) || isBlank(this.line)); this.at += 1) {
      code.push(this.line.replace(/^(?: {4}|\t)/, ''))
    }
    return { kind: 'code', language: '', code: code.join('\n').trimEnd(), isClosed: true }
  }

  private paragraph(): Block {
    const inside = [this.line]
    for (this.at += 1; this.at < this.lines.length; this.at += 1) {
      const [, under] = /^ {0,3}(=+|-+)\s*$/.exec(this.line) ?? []
      if (under !== undefined) {
        this.at += 1
        return { kind: 'heading', level: under.startsWith('=') ? 1 : 2, text: inside.join('\n').trim() }
      }
      if (isBlank(this.line) || this.beginsBlock()) break
      inside.push(this.line)
    }
    return { kind: 'paragraph', text: inside.map((line) => line.trimStart()).join('\n').trimEnd() }
  }

  /** Whether a line ends the paragraph before it. */
  private beginsBlock(): boolean {
    const { line } = this
    const [, , mark, , text = ''] = ITEM.exec(line) ?? []
    const isItem = mark !== undefined && text !== '' && (!/^\d/.test(mark) || /^1[.)]/.test(mark))
    return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || isItem
  }
}

function isBlank(line: string): boolean {
  return line.trim() === ''
}

function indentOf(line: string): number {
  return /^[ \t]*/.exec(line)?.[0].replaceAll('\t', '    ').length ?? 0
}

function outdented(line: string, by: number): string {
  return line.replace(/^\t/, '    ').replace(new RegExp(`^ {0,${by}}`), '')
}

/** Items belong together when they have the same sign. */
function signOf(mark: string): string {
  return mark.slice(-1)
}

function cells(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/(?<!\\)\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

function alignOf(cell: string): Align {
  const isLeft = cell.startsWith(':')
  if (cell.endsWith(':')) return isLeft ? 'center' : 'right'
  return isLeft ? 'left' : undefined
}
