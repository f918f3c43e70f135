// A block of code in an answer: its language, its text with colours, and what can be done with it.
import { strings } from '../../strings'
import { iconButton, made, setText } from './dom'

const words = strings.chat

/** A piece of a line and the class that colours it. */
export interface Token {
  text: string
  className: string
}

export interface CodeHelp {
  /** The lines of a code with their colours; nothing where the language is not known. */
  highlight(code: string, language: string): Promise<Token[][] | undefined>
  copy(text: string): void
  /** Put it into a file; where, is asked. */
  applyCode(code: string, language: string): void
}

/** What is longer keeps one colour. */
const MOST_COLOURED = 40_000

export class CodeBlock {
  readonly element = made('figure', '', 'code')
  private readonly language = made('span', '', 'language')
  private readonly code = made('code')
  private text = ''
  private isColoured = false

  constructor(private readonly help: CodeHelp) {
    const head = made('figcaption')
    head.append(
      this.language,
      iconButton('copy', words.copyCode, () => help.copy(this.text)),
      iconButton('go-to-file', words.applyCode, () => help.applyCode(this.text, this.language.textContent ?? '')),
    )
    const pre = made('pre')
    pre.tabIndex = 0
    pre.append(this.code)
    this.element.append(head, pre)
  }

  show({ language, code, isClosed }: { language: string; code: string; isClosed: boolean }): void {
    setText(this.language, language)
    if (code !== this.text || !this.isColoured) this.showText(code)
    if (isClosed && language && !this.isColoured && code.length <= MOST_COLOURED) void this.colour(code, language)
  }

  /** Text that is only longer is added, so that a selection in it stays. */
  private showText(code: string): void {
    const last = this.code.lastChild
    const isLonger = !this.isColoured && this.text !== '' && code.startsWith(this.text)
    if (isLonger && last instanceof Text) last.appendData(code.slice(this.text.length))
    else if (code !== this.code.textContent) this.code.replaceChildren(document.createTextNode(code))
    this.text = code
    this.isColoured = false
  }

  private async colour(code: string, language: string): Promise<void> {
    this.isColoured = true
    try {
      const lines = await this.help.highlight(code, language)
      if (!lines || this.text !== code) return
      this.code.replaceChildren(...lines.flatMap((tokens, index) => {
        const pieces: Node[] = tokens.map(({ text, className }) => made('span', text, className))
        return index === 0 ? pieces : [document.createTextNode('\n'), ...pieces]
      }))
    } catch (error) {
      // Without colours it reads as well.
      console.warn('a code could not be coloured', error)
    }
  }
}
