// Markdown as elements: blocks that did not change keep theirs, so that a text that grows costs what is new of it.
//
// Made of nodes, never of HTML. Links lead to the web or to files of the workspace; a picture is a link to it.
import { strings } from '../../strings'
import { placedBlocks, type Block, type ListItem, type PlacedBlock } from './blocks'
import { CodeBlock, type CodeHelp } from './code-block'
import { made } from './dom'
import { inlines, type Inline } from './inline'
import { targetOf, type Target } from './places'

const words = strings.chat

export interface MarkdownHelp extends CodeHelp {
  /** The folder of the workspace, which agents name paths with. */
  readonly folder: string
  open(target: Target): void
}

interface Drawn {
  source: string
  element: HTMLElement
  code: CodeBlock | undefined
}

export class MarkdownView {
  readonly element = made('div', '', 'markdown')
  private text = ''
  private placed: PlacedBlock[] = []
  private drawn: Drawn[] = []

  constructor(private readonly help: MarkdownHelp) {}

  show(text: string): void {
    if (text === this.text) return
    const isLonger = this.text !== '' && text.startsWith(this.text)
    this.placed = placedBlocks(text, isLonger ? this.placed : [])
    this.text = text
    this.draw()
  }

  private draw(): void {
    const { placed, element } = this
    const next = placed.map(({ source, block }, index) => {
      const before = this.drawn[index]
      if (before?.source === source) return before
      // A block of code that grows keeps where it is scrolled, and what is selected in it.
      if (before?.code && block.kind === 'code') {
        before.code.show(block)
        return { ...before, source }
      }
      return this.drawOne(source, block)
    })
    for (const [index, { element: wanted }] of next.entries()) {
      const there = element.children[index]
      if (!there) element.append(wanted)
      else if (there !== wanted) there.replaceWith(wanted)
    }
    while (element.children.length > next.length) element.lastElementChild?.remove()
    this.drawn = next
  }

  private drawOne(source: string, block: Block): Drawn {
    const drawer = new Drawer(this.help)
    const element = drawer.block(block)
    return { source, element, code: block.kind === 'code' ? drawer.code : undefined }
  }
}

class Drawer {
  /** The block of code that was drawn last. */
  code: CodeBlock | undefined

  constructor(private readonly help: MarkdownHelp) {}

  block(block: Block): HTMLElement {
    switch (block.kind) {
      case 'paragraph':
        return this.words('p', block.text)
      case 'heading':
        return this.heading(block.level, block.text)
      case 'code':
        this.code = new CodeBlock(this.help)
        this.code.show(block)
        return this.code.element
      case 'quote': {
        const quote = made('blockquote')
        quote.append(...block.blocks.map((inner) => this.block(inner)))
        return quote
      }
      case 'list':
        return this.list(block.first, block.items)
      case 'table':
        return this.table(block)
      case 'rule':
        return made('hr')
    }
  }

  /** Headings of an answer stand below those of the page. */
  private heading(level: number, text: string): HTMLElement {
    const element = this.words('div', text)
    element.className = `heading level${level}`
    element.setAttribute('role', 'heading')
    element.setAttribute('aria-level', String(Math.min(level + 2, 6)))
    return element
  }

  private list(first: number | undefined, items: readonly ListItem[]): HTMLElement {
    const list = made(first === undefined ? 'ul' : 'ol')
    if (list instanceof HTMLOListElement && first !== undefined && first !== 1) list.start = first
    list.append(...items.map(({ blocks, done }) => {
      const item = made('li')
      if (done !== undefined) item.append(this.box(done))
      // The words of a short item stand in it without a paragraph around.
      const [only] = blocks
      if (only?.kind === 'paragraph') item.append(...this.inlines(inlines(only.text)))
      const rest = only?.kind === 'paragraph' ? blocks.slice(1) : blocks
      item.append(...rest.map((inner) => this.block(inner)))
      return item
    }))
    return list
  }

  private box(isDone: boolean): HTMLElement {
    const box = made('input')
    box.type = 'checkbox'
    box.checked = isDone
    box.disabled = true
    box.setAttribute('aria-label', isDone ? words.done : words.notDone)
    return box
  }

  private table({ aligns, head, rows }: Extract<Block, { kind: 'table' }>): HTMLElement {
    const table = made('table')
    const row = (name: 'th' | 'td', cells: readonly string[]) => {
      const element = made('tr')
      element.append(...cells.map((text, index) => {
        const cell = this.words(name, text)
        const align = aligns[index]
        if (align) cell.style.textAlign = align
        return cell
      }))
      return element
    }
    const top = made('thead')
    top.append(row('th', head))
    const body = made('tbody')
    body.append(...rows.map((cells) => row('td', cells)))
    table.append(top, body)
    const scroller = made('div', '', 'table')
    scroller.tabIndex = 0
    scroller.setAttribute('role', 'group')
    scroller.setAttribute('aria-label', words.table)
    scroller.append(table)
    return scroller
  }

  private words(name: 'p' | 'div' | 'th' | 'td', text: string): HTMLElement {
    const element = made(name)
    element.append(...this.inlines(inlines(text)))
    return element
  }

  private inlines(list: readonly Inline[]): Node[] {
    return list.map((inline) => this.inline(inline))
  }

  private inline(inline: Inline): Node {
    switch (inline.kind) {
      case 'text':
        return document.createTextNode(inline.text)
      case 'break':
        return made('br')
      case 'code':
        return this.codeWord(inline.text)
      case 'link':
        return linked(this.help, inline.href, this.inlines(inline.children))
      default: {
        const element = made(inline.kind)
        element.append(...this.inlines(inline.children))
        return element
      }
    }
  }

  /** A path in code is a link too. */
  private codeWord(text: string): HTMLElement {
    const code = made('code', text)
    const isPlace = /^[\p{L}\p{N}_./@+-]+\.\w+(?:[:#][L\d:-]+)?$/u.test(text) && /[/:#]/.test(text)
    return isPlace ? linked(this.help, text, [code]) : code
  }
}

/** What a link leads to, around these nodes; without one they stand alone. */
export function linked(help: MarkdownHelp, href: string, nodes: readonly Node[]): HTMLElement {
  const target = targetOf(href, help.folder)
  if (!target) {
    const plain = made('span')
    plain.append(...nodes)
    // Whoever reads it can still see where it would have led.
    if (plain.textContent !== href) plain.title = words.noLink(href)
    return plain
  }
  const link = made('a')
  link.append(...nodes)
  link.title = target.kind === 'web' ? target.url : words.opens(target.path, target.line)
  link.href = target.kind === 'web' ? target.url : '#'
  if (target.kind === 'web') {
    link.target = '_blank'
    link.rel = 'noopener noreferrer'
  }
  link.onclick = (event) => {
    event.preventDefault()
    event.stopPropagation()
    help.open(target)
  }
  return link
}
