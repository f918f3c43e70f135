// The chat as a person sees it: which agent and which session, its messages, and the prompt; or why there is none.
//
// Plain DOM. It is told what there is and asks others for everything; drawing waits for the next frame, so that many
// words that come at once are drawn once.
import type { Conversation } from '../../protocol/chat-conversation'
import type { Review } from '../../protocol/chat-review'
import type { AgentState, Failure, Message, Mode, Models, Usage } from '../../protocol/chat-words'
import { strings } from '../../strings'
import { Docks, type DockHelp } from './docks'
import { button, icon, iconButton, made, setText } from './dom'
import { keepFocus } from './focus-keeper'
import { isInTrouble, noAgent, StateStrip, trouble, type AgentHelp } from './agent-state'
import type { MessageHelp } from './message-view'
import { drawFailure } from './part-view'
import { Problems, type Problem } from './problems'
import { PromptBox, type Chosen, type PromptHelp } from './prompt-box'
import { QuietNote } from './quiet'
import { Sessions, type ListedSession, type SessionsHelp } from './sessions'
import { Said, Timeline } from './timeline'

const words = strings.chat

export interface PanelState {
  agents: readonly AgentState[] | undefined
  agent: AgentState | undefined
  isConnected: boolean
  sessions: readonly ListedSession[]
  hasMoreSessions: boolean
  isLoadingSessions: boolean
  conversation: Conversation | undefined
  isLoading: boolean
  /** What was said first and is on its way: an agent may have to be started for it. */
  sending: string | undefined
  /** Why the open session cannot be shown. */
  failure: string | undefined
  models: Models | undefined
  modes: readonly Mode[]
  chosen: Chosen
  /** What the person said in other sessions, oldest first. */
  earlier: readonly string[]
  /** What the open session changed in files. */
  review: Review | undefined
}

export interface PanelHelp extends MessageHelp, DockHelp, SessionsHelp, PromptHelp, AgentHelp {
  loadOlder(): void
  chooseAgent(id: string): void
}

export class ChatPanel {
  readonly element = made('div', '', 'openspace-chat')
  readonly prompt: PromptBox
  private readonly timeline: Timeline
  private readonly docks: Docks
  private readonly sessions: Sessions
  private readonly strip: StateStrip
  private readonly said = new Said()
  private readonly toggle: HTMLButtonElement
  private readonly title = made('span', '', 'title')
  private readonly agents = made('select', '', 'agents')
  private readonly menu: HTMLButtonElement
  private readonly main = made('div', '', 'main')
  private readonly empty = made('div', '', 'empty')
  private readonly meter = made('div', '', 'meter')
  private readonly failures = made('div', '', 'failures')
  private readonly quiet = new QuietNote()
  private readonly problems = new Problems()
  private readonly keeper: { dispose(): void }
  private state: PanelState | undefined
  private of: Conversation | undefined
  private frame = 0
  private isListed = false
  private wasBusy = false
  private remembered = ''
  private drawnFailures: readonly Failure[] = []
  private offered: { models: Models | undefined; modes: readonly Mode[]; key: string } | undefined

  constructor(private readonly help: PanelHelp) {
    // Who says something wants to see what becomes of it, wherever they read.
    this.prompt = new PromptBox({ ...help, send: (draft) => {
      this.timeline.goToEnd()
      help.send(draft)
    } })
    this.timeline = new Timeline({ ...help, again: (message) => this.sayAgain(message) })
    this.docks = new Docks(help)
    this.sessions = new Sessions({
      openSession: (id) => this.leaveList(() => help.openSession(id)),
      create: () => this.leaveList(() => help.create()),
      search: (text) => help.search(text), more: () => help.more(), menu: (session, at) => help.menu(session, at),
    })
    this.strip = new StateStrip(help)
    this.toggle = button('', () => this.showList(!this.isListed), 'toggle')
    this.toggle.append(icon('list-unordered'), this.title)
    this.agents.setAttribute('aria-label', words.agent)
    this.agents.onchange = () => help.chooseAgent(this.agents.value)
    this.menu = iconButton('ellipsis', words.sessionMenu, () => {
      const session = this.state?.conversation?.session
      if (session) help.menu(session, this.menu)
    })
    const head = made('header', '', 'bar')
    head.append(
      this.toggle, this.agents, iconButton('add', words.newSession, () => this.leaveList(() => help.create())),
      iconButton('settings-gear', words.setUp, () => help.setUp()), this.menu,
    )
    this.main.append(
      this.empty, this.timeline.element, this.failures, this.quiet.element, this.docks.element, this.problems.element,
      this.prompt.element, this.meter,
    )
    this.element.append(head, this.strip.element, this.sessions.element, this.main, this.said.element)
    this.element.onkeydown = (event) => this.press(event)
    this.keeper = keepFocus(this.element, () => this.focus())
    this.showList(false)
  }

  /** Something is another: it is drawn with the next frame. */
  show(state: PanelState): void {
    this.state = state
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0
      this.draw()
    })
  }

  /** Something that was asked for failed. */
  fail(problem: Problem): void {
    this.problems.add(problem)
  }

  /** It does not any more. */
  solve(what: string): void {
    this.problems.solve(what)
  }

  focus(): void {
    if (this.isListed) this.sessions.focus()
    else this.prompt.focus()
  }

  /** Show the sessions, or the open one. */
  showList(isListed: boolean): void {
    this.isListed = isListed
    this.sessions.element.hidden = !isListed
    this.main.hidden = isListed
    this.toggle.setAttribute('aria-expanded', String(isListed))
    if (this.element.contains(document.activeElement)) this.focus()
  }

  dispose(): void {
    cancelAnimationFrame(this.frame)
    this.keeper.dispose()
    this.timeline.dispose()
    this.quiet.dispose()
  }

  private sayAgain(message: Message): void {
    this.timeline.goToEnd()
    this.help.again(message)
  }

  private leaveList(act: () => void): void {
    this.showList(false)
    act()
    this.prompt.focus()
  }

  private draw(): void {
    const { state } = this
    if (!state) return
    const { conversation, agent, agents } = state
    if (conversation !== this.of) {
      this.of = conversation
      this.timeline.restart()
      this.wasBusy = conversation?.isBusy ?? false
    }
    setText(this.title, conversation?.session?.title || (conversation ? words.untitled : words.newSession))
    this.toggle.title = `${words.sessions}: ${this.title.textContent}`
    this.drawAgents(agents ?? [], agent)
    this.strip.show({ ...state, isFaced: isInTrouble(agent) && (conversation?.messages.length ?? 0) === 0 })
    this.menu.disabled = conversation?.session === undefined
    this.sessions.show({
      sessions: state.sessions, open: conversation?.id, hasMore: state.hasMoreSessions,
      isLoading: state.isLoadingSessions,
    })
    const name = agent?.name ?? words.agentItself
    this.timeline.show({
      messages: conversation?.shown ?? [], hasOlder: conversation?.older !== undefined,
      isBusy: conversation?.isBusy ?? false, isWorking: isWorking(conversation), agent: name, models: state.models,
    })
    this.drawEmpty(state)
    this.docks.show({
      permissions: conversation?.permissions ?? [], questions: conversation?.questions ?? [],
      todos: conversation?.todos ?? [], undone: conversation?.undone ?? 0, review: state.review,
    })
    this.drawFailures(conversation)
    this.quiet.show(state.isConnected && !isInTrouble(agent) ? conversation : undefined, name)
    this.rememberSaid(conversation?.messages ?? [], state.earlier)
    const isThere = agent !== undefined && agent.state !== 'missing' && agent.state !== 'hidden'
    const isDeleted = conversation?.isDeleted ?? false
    this.prompt.update({
      isBusy: conversation?.isBusy ?? false, canSend: state.isConnected && isThere && !isDeleted, mayWait: !isDeleted,
    })
    this.offer(state)
    setText(this.meter, meterOf(state))
    this.tell(name)
  }

  private rememberSaid(messages: readonly Message[], earlier: readonly string[]): void {
    const last = messages.at(-1)
    const key = `${messages.length} ${last?.info.id} ${last?.parts.length} ${earlier.length} ${earlier.at(-1)}`
    if (key === this.remembered) return
    this.remembered = key
    const here = historyOf(messages)
    this.prompt.setHistory([...earlier.filter((text) => !here.includes(text)), ...here])
  }

  /** Those who do not see the messages hear when an answer begins, and its words when it is there. */
  private tell(name: string): void {
    const isBusy = this.of?.isBusy ?? false
    if (isBusy && !this.wasBusy) this.said.say(words.works(name))
    if (!isBusy && this.wasBusy) this.said.say(words.answered(name, lastWords(this.of?.messages ?? [])))
    this.wasBusy = isBusy
  }

  private drawAgents(agents: readonly AgentState[], agent: AgentState | undefined): void {
    const there = agents.filter(({ id, state }) => state !== 'missing' || id === agent?.id)
    const names = there.map(({ id, name }) => `${id} ${name}`).join('\n')
    if (this.agents.dataset.names !== names) {
      this.agents.dataset.names = names
      this.agents.replaceChildren(...there.map(({ id, name }) => {
        const option = made('option', name)
        option.value = id
        return option
      }))
    }
    this.agents.value = agent?.id ?? ''
    this.agents.hidden = there.length < 2
  }

  private offer({ models, modes, chosen }: PanelState): void {
    const before = this.offered
    const key = JSON.stringify(chosen)
    if (before?.models === models && before?.modes === modes && before?.key === key) return
    this.offered = { models, modes, key }
    this.prompt.offer(models, modes, chosen)
  }

  private drawEmpty(state: PanelState): void {
    const { conversation, agents, agent, failure, isLoading, sending } = state
    const hasMessages = (conversation?.messages.length ?? 0) > 0
    const why =
      sending !== undefined && !hasMessages ? `sending ${sending}`
      : agents !== undefined && agent && !hasMessages && isInTrouble(agent)
        ? `trouble ${agent.id} ${agent.state} ${agent.why} ${agent.hint}`
      : failure !== undefined ? `failed ${failure}`
      : agents === undefined || (isLoading && !hasMessages) ? 'loading'
      : agent === undefined || agent.state === 'missing' ? `none ${agents.map(({ id, state: is }) => id + is).join()}`
      : hasMessages ? '' : `ready ${agent.name}`
    this.empty.hidden = why === ''
    this.timeline.element.hidden = why !== '' && !hasMessages
    if (this.empty.dataset.why === why) return
    this.empty.dataset.why = why
    if (sending !== undefined && why !== '') this.empty.replaceChildren(onItsWay(sending))
    else if (why.startsWith('trouble') && agent) this.empty.replaceChildren(...trouble(agent, this.help))
    else if (failure !== undefined) {
      const said = made('div', '', 'failure')
      const text = made('div')
      text.append(made('p', failure), button(words.again, () => this.help.reload(), 'secondary'))
      said.append(icon('error'), text)
      this.empty.replaceChildren(said)
    } else if (why === 'loading') this.empty.replaceChildren(made('p', words.loading, 'note'))
    else if (why.startsWith('none')) this.empty.replaceChildren(...noAgent(agents ?? [], agent, this.help))
    else if (agent) this.empty.replaceChildren(made('h2', words.ask(agent.name)), made('p', words.askHint, 'note'))
  }

  private drawFailures(conversation: Conversation | undefined): void {
    const { status, failures = [] } = conversation ?? {}
    const waits = status?.state === 'retry' ? words.waitsToRetry(status.attempt, status.message, status.next) : ''
    if (this.drawnFailures !== failures) {
      this.drawnFailures = failures
      const said = conversation?.messages.findLast(({ info }) => info.role === 'user')
      const again = said && (() => this.sayAgain(said))
      this.failures.replaceChildren(...failures.map((failure, index) => {
        const isLast = index === failures.length - 1
        return drawFailure(failure, { ...(isLast && again ? { again } : {}), setUp: () => this.help.setUp() })
      }))
    }
    let strip = this.failures.querySelector<HTMLElement>('.retry')
    if (waits === '') strip?.remove()
    else {
      strip ??= made('p', '', 'retry note')
      setText(strip, waits)
      this.failures.append(strip)
    }
  }

  private press(event: KeyboardEvent): void {
    if (event.defaultPrevented) return
    if (event.key === 'ArrowUp' && event.altKey && !this.isListed) {
      this.timeline.focus()
      event.preventDefault()
    }
    if (event.key !== 'Escape') return
    if (this.isListed) this.showList(false)
    this.prompt.focus()
    event.preventDefault()
  }
}

/** Whether more is to come without anybody's answer. */
function isWorking(conversation: Conversation | undefined): boolean {
  if (!conversation?.isBusy || conversation.status?.state === 'retry') return false
  return conversation.permissions.length + conversation.questions.length === 0
}

/** Words that nobody has taken yet. */
function onItsWay(text: string): HTMLElement {
  const element = made('div', '', 'on-its-way')
  const head = made('header')
  head.append(icon('account'), made('span', words.you, 'who'), made('span', words.onItsWay, 'about'))
  element.append(head, made('div', text, 'said'))
  return element
}

/** What the person said in this session, oldest first. */
function historyOf(messages: readonly Message[]): string[] {
  const said = messages.filter(({ info }) => info.role === 'user').map(({ parts }) =>
    parts.flatMap(({ content }) => (content.type === 'text' && !content.isSynthetic ? [content.text.text] : []))
      .join('\n').trim())
  return said.filter((text, index) => text !== '' && text !== said[index - 1])
}

const LONGEST_SAID = 400

function lastWords(messages: readonly Message[]): string {
  const texts = (messages.at(-1)?.parts ?? []).flatMap(({ content }) =>
    (content.type === 'text' && !content.isSynthetic ? [content.text.text] : []))
  return texts.join(' ').slice(0, LONGEST_SAID)
}

/** How full the context is, and what the session came to. */
function meterOf({ conversation, models, chosen }: PanelState): string {
  const shown = conversation?.shown ?? []
  const last = shown.findLast(({ info }) => info.usage !== null && total(info.usage) > 0)?.info
  if (!last?.usage) return ''
  const model = last.model ?? chosen.model
  const context = models?.providers.find(({ id }) => id === model?.provider)?.models
    .find(({ id }) => id === model?.model)?.context
  const cost = conversation?.session?.totals?.cost ?? shown.reduce((sum, { info }) => sum + (info.cost ?? 0), 0)
  return words.meter(total(last.usage), context ?? undefined, cost)
}

function total({ input, output, reasoning, cacheRead, cacheWrite }: Usage): number {
  return input + output + reasoning + cacheRead + cacheWrite
}
