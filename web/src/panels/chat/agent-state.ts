// How the agent is: a line when something is to be known about it, and a page when it cannot be talked to.
import type { AgentState } from '../../protocol/chat-words'
import { strings } from '../../strings'
import { capital, sentences } from '../../strings/chat'
import { advice, commandRow, type CommandHelp } from './advice'
import { button, icon, made } from './dom'

const words = strings.chat

export interface AgentHelp extends CommandHelp {
  startAgent(id: string): void
  /** Ends it and starts it again, with what is set now. */
  restartAgent(id: string): void
  reload(): void
  /** Shows where agents are set up. */
  setUp(): void
}

interface Saying {
  kind: 'busy' | 'warning' | 'error' | 'info'
  text: string
  /** What stands folded below, for who wants to know. */
  more?: string
  deed?: 'start' | 'restart'
}

export class StateStrip {
  readonly element = made('div', '', 'strip')

  constructor(private readonly help: AgentHelp) {
    this.element.setAttribute('role', 'status')
  }

  /** Nothing is said twice: `isFaced` means that the page in the place of messages says it. */
  show({ agent, isConnected, isFaced }: {
    agent: AgentState | undefined; isConnected: boolean; isFaced: boolean
  }): void {
    const ofAgent = agent && !isFaced ? sayingOf(agent) : undefined
    const said: Saying | undefined = isConnected ? ofAgent : { kind: 'warning', text: words.offline }
    const key = said ? `${said.kind} ${said.text} ${said.more} ${agent?.id}` : ''
    this.element.hidden = said === undefined
    if (this.element.dataset.key === key) return
    this.element.dataset.key = key
    this.element.replaceChildren()
    if (!said) return
    this.element.className = `strip ${said.kind}`
    const mark = said.kind === 'busy' ? 'loading codicon-modifier-spin' : said.kind
    this.element.append(icon(mark), said.more === undefined ? made('span', said.text) : folded(said.text, said.more))
    if (!isConnected || !agent) return
    if (said.deed === 'start') {
      this.element.append(button(words.startAgain, () => this.help.startAgent(agent.id), 'secondary'))
    } else if (said.deed === 'restart') {
      this.element.append(button(words.restart, () => this.help.restartAgent(agent.id), 'secondary'))
    }
  }
}

function folded(text: string, more: string): HTMLElement {
  const element = made('details')
  element.append(made('summary', text), made('p', more))
  return element
}

function sayingOf(agent: AgentState): Saying | undefined {
  const { name, state, why, hint, confined, needsRestart } = agent
  switch (state) {
    case 'starting':
      return { kind: 'busy', text: sentences(words.starting(name), why) }
    case 'failed':
      return { kind: 'error', text: sentences(words.failed(name), why, hint), deed: 'start' }
    case 'hidden':
      return { kind: 'error', text: sentences(words.hidden(name), why, hint), deed: 'start' }
    case 'unreachable':
      return { kind: 'warning', text: sentences(words.unreachable(name), words.comesBack, why, hint), deed: 'start' }
    case 'running':
      if (needsRestart) return { kind: 'info', text: words.needsRestart(name), deed: 'restart' }
      return confined.is ? undefined
        : { kind: 'info', text: words.notConfined(name), more: words.whyNotConfined(confined.why ?? '') }
    case 'stopped':
    case 'missing':
      return undefined
  }
}

/** Whether it cannot be talked to, for a reason that a person has to know. */
export function isInTrouble(agent: AgentState | undefined): boolean {
  return agent !== undefined && ['failed', 'hidden', 'unreachable'].includes(agent.state)
}

/** The agent cannot be talked to: why, and what to do. */
export function trouble(agent: AgentState, help: AgentHelp): HTMLElement[] {
  const { id, name, state, why, hint } = agent
  const title = state === 'hidden' ? words.hidden(name)
    : state === 'failed' ? words.failed(name) : words.unreachable(name)
  const deeds = made('div', '', 'row deeds')
  deeds.append(
    button(state === 'unreachable' ? words.again : words.startAgain, () => help.startAgent(id), 'primary'),
    button(words.setUp, () => help.setUp(), 'secondary'),
  )
  // One that was only just begun to be asked answers in a moment.
  const face = made('div', '', state === 'unreachable' ? 'face late' : 'face')
  face.setAttribute('role', 'alert')
  face.append(made('h2', title))
  if (state === 'unreachable') face.append(made('p', words.comesBack))
  if (why) face.append(made('p', sentences(capital(why)), 'why'))
  if (hint) face.append(advice(sentences(capital(hint)), help))
  face.append(deeds)
  return [face]
}

/** No agent is installed: which ones there are and how to get one. */
export function noAgent(agents: readonly AgentState[], agent: AgentState | undefined, help: AgentHelp): HTMLElement[] {
  const list = made('ul', '', 'known')
  for (const known of agents) {
    const { name, install, login, loginCommand } = known
    const item = made('li')
    item.append(made('strong', name))
    if (install) {
      const label = words.runInstall(name)
      item.append(commandRow(install, help, { label, title: label }))
    }
    if (login && login !== loginCommand) item.append(made('p', words.logInWith(login), 'note'))
    if (loginCommand) {
      const label = words.runLogIn(name)
      item.append(commandRow(loginCommand, help, { label, title: label }))
    }
    list.append(item)
  }
  const isAnyThere = agents.some(({ state }) => state !== 'missing')
  const title = isAnyThere && agent ? words.missing(agent.name) : words.noAgent
  const deeds = made('div', '', 'row deeds')
  deeds.append(
    button(words.lookAgain, () => help.reload(), 'secondary'), button(words.setUp, () => help.setUp(), 'secondary'),
  )
  return [made('h2', title), made('p', words.noAgentHint), list, deeds]
}
