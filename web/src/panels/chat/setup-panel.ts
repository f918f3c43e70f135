// Where a person sets agents up: those that are installed with all that can be set, and those that can be installed.
//
// Plain DOM. It is told what there is, asks others for everything, and knows of no key longer than it is typed.
import { strings } from '../../strings'
import { AgentCard, type AgentCardHelp, type SetAgent } from './agent-card'
import { button, icon, KeyedList, made, setText } from './dom'
import { Problems, type Problem } from './problems'

const words = strings.setup

export interface SetupState {
  /** Nothing until it was read. */
  agents: readonly SetAgent[] | undefined
  file: string
  wrong: readonly string[]
  /** Why it could not be read. */
  failure: string | undefined
  isConnected: boolean
  /** What came of what was done last. */
  said: string
}

export interface SetupHelp extends AgentCardHelp {
  reload(): void
}

export class SetupPanel {
  readonly element = made('div', '', 'openspace-chat openspace-setup')
  private readonly offline = made('p', strings.chat.offline, 'strip warning')
  private readonly wrong = made('div', '', 'failure')
  private readonly said = made('p', '', 'said-last')
  private readonly empty = made('div', '', 'note')
  private readonly there: KeyedList<SetAgent, AgentCard>
  private readonly others: KeyedList<SetAgent, AgentCard>
  private readonly thereTitle = made('h2', words.installed)
  private readonly othersTitle = made('h2', words.notInstalled)
  private readonly kept = made('p', '', 'note')
  private readonly problems = new Problems()

  constructor(private readonly help: SetupHelp) {
    const cards = (parent: HTMLElement) => new KeyedList<SetAgent, AgentCard>(
      parent, ({ agent }) => agent.id, ({ agent }) => new AgentCard(agent.id, help), (card, agent) => card.show(agent),
    )
    const [there, others] = [made('div', '', 'cards'), made('div', '', 'cards')]
    this.there = cards(there)
    this.others = cards(others)
    this.said.setAttribute('role', 'status')
    this.wrong.setAttribute('role', 'alert')
    const body = made('div', '', 'body')
    body.append(
      made('h1', words.title), this.offline, this.wrong, this.problems.element, this.said, this.empty,
      this.thereTitle, there, this.othersTitle, others, this.kept,
    )
    this.element.append(body)
  }

  show({ agents, file, wrong, failure, isConnected, said }: SetupState): void {
    this.offline.hidden = isConnected
    this.drawWrong(wrong)
    setText(this.said, said)
    this.said.hidden = said === ''
    const there = agents?.filter(({ agent }) => agent.state !== 'missing') ?? []
    const others = agents?.filter(({ agent }) => agent.state === 'missing') ?? []
    this.drawEmpty(agents === undefined, failure, there.length)
    this.thereTitle.hidden = there.length === 0
    this.othersTitle.hidden = others.length === 0
    this.there.show(there)
    this.others.show(others)
    setText(this.kept, file === '' ? '' : words.kept(file))
  }

  fail(problem: Problem): void {
    this.problems.add(problem)
  }

  solve(what: string): void {
    this.problems.solve(what)
  }

  focus(): void {
    this.element.querySelector<HTMLElement>('button:not([hidden]), input, select')?.focus()
  }

  private drawWrong(wrong: readonly string[]): void {
    this.wrong.hidden = wrong.length === 0
    const key = wrong.join('\n')
    if (this.wrong.dataset.key === key) return
    this.wrong.dataset.key = key
    const text = made('div')
    text.append(made('strong', words.wrong), ...wrong.map((one) => made('p', one)))
    this.wrong.replaceChildren(icon('warning'), text)
  }

  private drawEmpty(isLoading: boolean, failure: string | undefined, there: number): void {
    const why = failure === undefined ? (isLoading ? 'loading' : there === 0 ? 'none' : '') : `failed ${failure}`
    this.empty.hidden = why === ''
    if (this.empty.dataset.why === why) return
    this.empty.dataset.why = why
    if (failure !== undefined) {
      this.empty.replaceChildren(
        made('p', `${words.notLoaded}: ${failure}`), button(words.again, () => this.help.reload(), 'secondary'),
      )
    } else this.empty.replaceChildren(made('p', isLoading ? words.loading : words.none))
  }
}
