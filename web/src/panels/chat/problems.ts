// What went wrong in the chat, said above the prompt: one line for each thing, the newest few, each with a way to try
// again where there is one. Nothing lies over the prompt.
import { strings } from '../../strings'
import { button, icon, iconButton, made } from './dom'

const words = strings.chat
/** More are forgotten, the oldest first: what counts is what happened last. */
const MOST = 3

export interface Problem {
  /** What failed: the same again takes its place. */
  what: string
  why: string
  again?: () => void
}

export class Problems {
  readonly element = made('div', '', 'problems')
  private readonly all = new Map<string, Problem>()

  constructor() {
    this.element.setAttribute('role', 'alert')
    this.element.hidden = true
  }

  add(problem: Problem): void {
    this.all.delete(problem.what)
    this.all.set(problem.what, problem)
    const [oldest] = this.all.keys()
    if (this.all.size > MOST && oldest !== undefined) this.all.delete(oldest)
    this.draw()
  }

  /** It does not fail any more. */
  solve(what: string): void {
    if (this.all.delete(what)) this.draw()
  }

  private draw(): void {
    this.element.hidden = this.all.size === 0
    this.element.replaceChildren(...[...this.all.values()].toReversed().map((problem) => this.row(problem)))
  }

  private row({ what, why, again }: Problem): HTMLElement {
    const row = made('div', '', 'failure')
    const said = made('div')
    said.append(made('strong', what))
    if (why) said.append(made('p', why))
    if (again) {
      said.append(button(words.again, () => {
        this.solve(what)
        again()
      }, 'secondary'))
    }
    row.append(icon('error'), said, iconButton('close', words.close, () => this.solve(what)))
    return row
  }
}
