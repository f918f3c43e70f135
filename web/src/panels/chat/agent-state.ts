// How the agent is: a line when something is to be known about it, and a page when there is none.
import type { AgentState } from '../../protocol/chat-words'
import { strings } from '../../strings'
import { button, icon, made } from './dom'

const words = strings.chat

export interface AgentHelp {
  startAgent(id: string): void
  copy(text: string): void
  reload(): void
}

export class StateStrip {
  readonly element = made('div', '', 'strip')

  constructor(private readonly help: AgentHelp) {
    this.element.setAttribute('role', 'status')
  }

  show({ agent, isConnected }: { agent: AgentState | undefined; isConnected: boolean }): void {
    const said = isConnected ? (agent ? sayingOf(agent) : undefined) : { kind: 'warning', text: words.offline }
    const key = said ? `${said.kind} ${said.text} ${agent?.id}` : ''
    this.element.hidden = said === undefined
    if (this.element.dataset.key === key) return
    this.element.dataset.key = key
    this.element.replaceChildren()
    if (!said) return
    this.element.className = `strip ${said.kind}`
    const mark = said.kind === 'busy' ? 'loading codicon-modifier-spin' : said.kind
    this.element.append(icon(mark), made('span', said.text))
    if (isConnected && agent && (agent.state === 'failed' || agent.state === 'unreachable')) {
      this.element.append(button(words.startAgain, () => this.help.startAgent(agent.id), 'secondary'))
    }
  }
}

function sayingOf(agent: AgentState): { kind: 'busy' | 'warning' | 'error' | 'info'; text: string } | undefined {
  const { name, state, why, hint, confined } = agent
  const more = [why, hint].filter(Boolean).join(' ')
  switch (state) {
    case 'starting':
      return { kind: 'busy', text: words.starting(name) }
    case 'failed':
      return { kind: 'error', text: words.failed(name, more) }
    case 'unreachable':
      return { kind: 'warning', text: words.unreachable(name, more) }
    case 'running':
      return confined.is ? undefined : { kind: 'info', text: words.notConfined(name, confined.why ?? '') }
    case 'stopped':
    case 'missing':
      return undefined
  }
}

/** No agent is installed: which ones there are and how to get one. */
export function noAgent(agents: readonly AgentState[], help: AgentHelp): HTMLElement[] {
  const list = made('ul', '', 'known')
  for (const agent of agents) {
    const item = made('li')
    item.append(made('strong', agent.name))
    if (agent.install) item.append(command(agent.install, agent.name, help))
    if (agent.login) item.append(made('p', words.logInWith(agent.login), 'note'))
    list.append(item)
  }
  return [
    made('h2', words.noAgent), made('p', words.noAgentHint), list,
    button(words.lookAgain, () => help.reload(), 'secondary'),
  ]
}

function command(text: string, name: string, help: AgentHelp): HTMLElement {
  const row = made('div', '', 'row')
  const code = made('code', text)
  const copy = button(words.copy, () => help.copy(text), 'secondary')
  copy.setAttribute('aria-label', words.copyInstall(name))
  row.append(code, copy)
  return row
}
