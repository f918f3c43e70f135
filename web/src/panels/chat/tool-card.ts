// A call of a tool: what it is about and how far, in a line; its arguments, what it put out and what it did to files,
// folded below.
import type { FileReference, ToolCall } from '../../protocol/chat-words'
import { strings } from '../../strings'
import { countsOf, drawDiff } from './diff'
import { button, icon, made, nameIt, setText } from './dom'
import type { MarkdownHelp } from './markdown'
import { withinFolder } from './places'
import { factsOf, PATHS, plainOutput, record, type ToolLink } from './tool-facts'
import { drawWords } from './tool-words'

const words = strings.chat

/** Of an output, this is drawn at first; of a long line no more than its share. */
const FIRST_LINES = 12
const FIRST_CHARACTERS = 4_000
const MOST_CHARACTERS = 200_000

export interface ToolHelp extends MarkdownHelp {
  showTerminal(terminal: string): void
  showSession(session: string): void
}

const STATE_ICONS: Record<ToolCall['state'], string> = {
  pending: 'circle-large-outline', running: 'loading codicon-modifier-spin', completed: 'check', failed: 'error',
}

export class ToolCard {
  readonly element = made('div', '', 'tool')
  private readonly head = made('div', '', 'head')
  private readonly fold: HTMLButtonElement
  private readonly state = made('span', '', 'state')
  private readonly icon = made('span', '', 'kind')
  private readonly name = made('span', '', 'name')
  /** What it is about: words, or the way to the one file that it is about. */
  private readonly detail = made('span', '', 'detail')
  private readonly way: HTMLButtonElement
  private readonly chevron = icon('chevron-right')
  private readonly counts = made('span', '', 'counts')
  private readonly links = made('div', '', 'links')
  private readonly body = made('div', '', 'tool-body')
  private shown: ToolCall | undefined
  private drawn: ToolCall | undefined
  /** Once the person folded or unfolded it, it stays so. */
  private isTheirs = false
  private isWhole = false
  private only: Extract<ToolLink, { kind: 'file' }> | undefined

  constructor(private readonly help: ToolHelp) {
    this.way = button('', () => this.only && help.open(this.only), 'detail')
    this.fold = button('', () => undefined, 'fold')
    this.fold.append(this.state, this.icon, this.name)
    this.head.append(this.fold, this.detail, this.way, this.counts, this.chevron)
    // All of the line folds and unfolds, but for the way to the file.
    this.head.onclick = ({ target }) => {
      if (target === this.way) return
      this.isTheirs = true
      this.unfold(!this.isOpen)
    }
    this.element.append(this.head, this.body, this.links)
    this.unfold(false)
  }

  private get isOpen(): boolean {
    return !this.body.hidden
  }

  private unfold(isOpen: boolean): void {
    this.body.hidden = !isOpen
    this.fold.setAttribute('aria-expanded', String(isOpen))
    this.chevron.className = `codicon codicon-chevron-${isOpen ? 'down' : 'right'}`
    this.drawBody()
  }

  show(call: ToolCall): void {
    if (call === this.shown) return
    const before = this.shown
    this.shown = call
    const facts = factsOf(call, this.help.folder)
    if (before?.state !== call.state) {
      this.state.replaceChildren(icon(STATE_ICONS[call.state]))
      this.element.dataset.state = call.state
    }
    if (before?.tool !== call.tool) this.icon.replaceChildren(icon(facts.icon))
    setText(this.name, facts.name)
    for (const detail of [this.detail, this.way]) setText(detail, facts.detail)
    this.showCounts(call)
    this.fold.setAttribute('aria-label', words.toolLabel(facts.name, facts.detail, words.toolStates[call.state]))
    this.showLinks(facts.links)
    // A failure says why at once, and what is done to a file is seen while it is done.
    const isTelling = call.state === 'failed' || (call.diffs.length > 0 && call.diffs.length < 4)
    this.unfold(this.isTheirs ? this.isOpen : isTelling)
  }

  /** One file is opened by its name in the line; more of them, and other things, stand below. */
  private showLinks(links: readonly ToolLink[]): void {
    const [first] = links
    this.only = links.length === 1 && first?.kind === 'file' ? first : undefined
    const { only } = this
    this.way.hidden = only === undefined
    this.detail.hidden = only !== undefined
    if (only) this.way.title = words.opens(only.path, only.line)
    this.detail.title = this.detail.textContent ?? ''
    const rest = this.only ? [] : links
    const key = JSON.stringify(rest)
    if (this.links.dataset.key !== key) {
      this.links.dataset.key = key
      this.links.replaceChildren(...rest.map((link) => this.link(link)))
    }
    this.links.hidden = rest.length === 0
  }

  private showCounts({ diffs, started, ended }: ToolCall): void {
    const counts = diffs.flatMap((diff) => countsOf(diff) ?? [])
    const sum = (which: 'additions' | 'deletions') => counts.reduce((all, count) => all + count[which], 0)
    const span = started !== null && ended !== null ? words.seconds(ended - started) : ''
    const changed = counts.length === 0 ? [] : [
      made('span', `+${sum('additions')}`, 'added'), made('span', `−${sum('deletions')}`, 'deleted'),
    ]
    this.counts.replaceChildren(...changed, ...(span ? [made('span', span, 'span')] : []))
  }

  private link(link: ToolLink): HTMLButtonElement {
    switch (link.kind) {
      case 'file': {
        const { path, line } = link
        const element = button(line === undefined ? path : `${path}:${line}`, () => this.help.open(link), 'link')
        nameIt(element, words.opens(path, line))
        return element
      }
      case 'terminal':
        return button(words.terminal(link.terminal), () => this.help.showTerminal(link.terminal), 'link')
      case 'session':
        return button(words.subAgent, () => this.help.showSession(link.session), 'link')
    }
  }

  /** What is folded is not drawn. */
  private drawBody(): void {
    const call = this.shown
    if (!call || !this.isOpen || call === this.drawn) return
    this.drawn = call
    const isAtEnd = this.body.scrollHeight - this.body.scrollTop - this.body.clientHeight < 8
    const parts: HTMLElement[] = []
    const command = record(call.input).command
    const inWords = drawWords(call.tool, call.input)
    if (inWords) parts.push(...inWords)
    else if (typeof command === 'string') parts.push(this.text('command', `$ ${command}`))
    else if (call.diffs.length === 0) parts.push(...this.arguments(call))
    for (const diff of call.diffs) {
      if (call.diffs.length > 1) parts.push(made('div', diff.path, 'diff-name'))
      parts.push(drawDiff(diff))
    }
    if (call.error) parts.push(this.text('tool-error', call.error.text, call.error.leftOut))
    const { output } = call
    // What was planned comes back as it was given.
    const isTold = inWords !== undefined && call.tool === 'todowrite'
    if (output && output.text !== '' && call.diffs.length === 0 && !isTold) {
      parts.push(...this.output(output.text, output.leftOut))
    }
    parts.push(...call.attachments.map((file) => drawFile(file, this.help)))
    this.body.replaceChildren(...parts)
    if (isAtEnd) this.body.scrollTop = this.body.scrollHeight
  }

  private arguments({ input, inputLeftOut }: ToolCall): HTMLElement[] {
    const entries = Object.entries(record(input))
    if (entries.length === 0) return []
    const list = made('dl', '', 'arguments')
    for (const [name, value] of entries) {
      const path = typeof value === 'string' && PATHS.includes(name) ? withinFolder(value, this.help.folder) : undefined
      const text = path ?? (typeof value === 'string' ? value : JSON.stringify(value))
      list.append(made('dt', name), made('dd', short(plainOutput(text ?? ''))))
    }
    return inputLeftOut > 0 ? [list, made('p', words.leftOut(inputLeftOut), 'note')] : [list]
  }

  private output(text: string, leftOut = 0): HTMLElement[] {
    const plain = plainOutput(text).slice(0, MOST_CHARACTERS)
    const lines = plain.split('\n')
    const first = short(lines.slice(0, FIRST_LINES).join('\n'))
    if (this.isWhole || first === plain) return [this.text('output', plain, leftOut)]
    const whole = button(words.allLines(lines.length), () => {
      this.isWhole = true
      this.drawn = undefined
      this.drawBody()
    }, 'link')
    return [this.text('output', first), whole]
  }

  private text(className: string, text: string, leftOut = 0): HTMLElement {
    const pre = made('pre', plainOutput(text), className)
    pre.tabIndex = 0
    if (leftOut > 0) pre.append(made('span', `\n${words.leftOut(leftOut)}`, 'note'))
    return pre
  }
}

function short(text: string): string {
  return text.length > FIRST_CHARACTERS ? `${text.slice(0, FIRST_CHARACTERS)} …` : text
}

/** Kinds of pictures that a browser draws and that run nothing. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'])

/** A file of a message: a picture is shown, another one is named. */
export function drawFile({ name, mime, place }: FileReference, help: MarkdownHelp): HTMLElement {
  const title = name ?? (place.type === 'path' ? place.path : mime)
  if (place.type === 'data' && PICTURES.has(mime)) {
    const picture = made('img', '', 'picture')
    picture.src = `data:${mime};base64,${place.base64}`
    picture.alt = name ?? words.picture
    picture.loading = 'lazy'
    return picture
  }
  if (place.type !== 'path') {
    return made('span', place.type === 'left_out' ? words.tooLarge(title, place.bytes) : title, 'chip')
  }
  const lines = place.lines ? `:${place.lines.first}${place.lines.last === null ? '' : `-${place.lines.last}`}` : ''
  const path = withinFolder(place.path, help.folder)
  if (path === undefined) return made('span', `${title}${lines}`, 'chip')
  const line = place.lines?.first
  const open = () => help.open({ kind: 'file', path, ...(line === undefined ? {} : { line }) })
  const chip = button(`${title}${lines}`, open, 'chip')
  chip.prepend(icon(mime.startsWith('image/') ? 'file-media' : 'file'))
  return chip
}
