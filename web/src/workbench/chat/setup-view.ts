// Setting agents up, in the workbench: what there is and what is set, read from the server, and what a person does
// about it.
//
// How agents are is told over the chat's own channel. What is set, models and providers are read when this is shown,
// after each change, and when an agent comes or reads its configuration again.
import '../../panels/chat/chat.css'
import '../../panels/chat/setup.css'
import type { AgentAbout, SetAgent } from '../../panels/chat/agent-card'
import { SetupPanel, type SetupHelp } from '../../panels/chat/setup-panel'
import type { AgentChange, AgentsSettings, ProviderSetting, SetUp, SetupCommands } from '../../protocol/chat-setup'
import type { AgentState } from '../../protocol/chat-words'
import { Failure } from '../../protocol/failure'
import { strings } from '../../strings'
import { sentences } from '../../strings/chat'
import type { Workbench } from '../core/feature'
import { adviceOf } from '../core/notices'
import type { TerminalPanel } from '../core/terminal-panel'
import type { Chats } from './chats'
import { runInTerminal } from './in-terminal'

const words = strings.setup
/** How often it is looked whether something was installed, while somebody looks. */
const LOOK_MS = 5_000

export class SetupView {
  private readonly panels = new Set<SetupPanel>()
  private settings: AgentsSettings | undefined
  private failure: string | undefined
  private said = ''
  private readonly about = new Map<string, AgentAbout>()
  /** How each agent was when it was asked about its models. */
  private readonly askedAt = new Map<string, string>()
  private looking: ReturnType<typeof setTimeout> | undefined
  private reading = 0

  constructor(
    private readonly workbench: Workbench,
    private readonly terminals: TerminalPanel,
    private readonly chats: Chats,
    private readonly commands: SetupCommands,
  ) {
    chats.onChange.on(() => this.show())
    chats.channel.onMessage.on((message) => {
      if (message.type !== 'told' || message.event.type !== 'catalogue_changed') return
      this.askedAt.delete(message.agent)
      this.show()
    })
    chats.channel.onConnection.on((isConnected) => {
      if (isConnected && this.panels.size > 0) void this.read()
      this.show()
    })
  }

  mount(container: HTMLElement): { dispose(): void } {
    const panel = new SetupPanel(this.help())
    this.panels.add(panel)
    container.append(panel.element)
    this.show()
    void this.read()
    return {
      dispose: () => {
        this.panels.delete(panel)
        panel.element.remove()
      },
    }
  }

  focus(): void {
    ;[...this.panels].at(-1)?.focus()
  }

  private help(): SetupHelp {
    const { api } = this.workbench
    const { commands } = this
    return {
      reload: () => void this.read(),
      copy: (text) => this.attempt(strings.chat.copy, () => api.window.copy(text)),
      runInTerminal: (title, command) =>
        this.attempt(strings.chat.notRun, () => runInTerminal(this.terminals, title, command)),
      set: (agent, change) => void this.set(agent, change),
      start: (agent) => this.attempt(strings.chat.startAgain, () => commands.start(agent)),
      stop: (agent) => this.attempt(words.stop, () => commands.stop(agent)),
      restart: (agent) => this.attempt(words.restart, async () => {
        await commands.stop(agent)
        await commands.start(agent)
      }),
      logIns: (agent) => ({
        logIn: (provider, key, answers) => this.logIn(() => commands.logIn(agent, provider.id, key, answers)),
        openLogIn: async (provider, way, answers) => {
          try {
            return await commands.openLogIn(agent, provider.id, way, answers)
          } catch (error) {
            return adviceOf(error)
          }
        },
        finishLogIn: (provider, way, code) => this.logIn(() => commands.finishLogIn(agent, provider.id, way, code)),
      }),
      logOut: (agent, provider) => void this.logOut(agent, provider),
    }
  }

  /** Do something about agents, and look how they are then. */
  private attempt(what: string, work: () => Promise<unknown>): void {
    const done = async (): Promise<void> => {
      try {
        await work()
        for (const panel of this.panels) panel.solve(what)
      } catch (error) {
        this.fail(what, error)
      }
      await this.read()
    }
    void done()
  }

  private fail(what: string, error: unknown): void {
    if (error instanceof Failure && error.kind === 'cancelled') return
    for (const panel of this.panels) panel.fail({ what, why: adviceOf(error) })
  }

  private async set(agent: string, change: AgentChange): Promise<void> {
    try {
      if (change.outside && !(await this.isSure(agent))) return
      await this.commands.configure(agent, change)
      for (const panel of this.panels) panel.solve(words.notSet)
    } catch (error) {
      this.fail(words.notSet, error)
    } finally {
      // What was typed or ticked and is not set goes back to what is.
      await this.read()
    }
  }

  private async isSure(agent: string): Promise<boolean> {
    const name = this.chats.agents?.find(({ id }) => id === agent)?.name ?? agent
    const question = { message: words.surelyOutside(name), detail: words.surelyOutsideDetail }
    return (await this.workbench.api.window.ask(question, words.allow)) === words.allow
  }

  /** Why a log-in failed; nothing when it did not. */
  private async logIn(work: () => Promise<SetUp>): Promise<string | undefined> {
    try {
      const { agent, provider, isInUse } = await work()
      this.say(words.loggedIn(provider.name, provider.models), isInUse)
      await this.readAbout(agent)
      return undefined
    } catch (error) {
      return adviceOf(error)
    }
  }

  private async logOut(agent: string, { id, name }: ProviderSetting): Promise<void> {
    const question = { message: words.surelyLogOut(name) }
    if ((await this.workbench.api.window.ask(question, words.logOutShort)) !== words.logOutShort) return
    try {
      const { provider, isInUse } = await this.commands.logOut(agent, id)
      this.say(words.loggedOut(name, provider.isConnected), isInUse)
      await this.readAbout(agent)
    } catch (error) {
      this.fail(words.logOutFailed, error)
    }
  }

  private say(text: string, isInUse: boolean): void {
    this.said = isInUse ? text : sentences(text, words.later)
    this.show()
  }

  private async read(): Promise<void> {
    this.reading += 1
    const { reading } = this
    try {
      const [settings] = await Promise.all([this.commands.settings(), this.chats.lookForAgents()])
      if (reading !== this.reading) return
      this.settings = settings
      this.failure = undefined
    } catch (error) {
      if (reading !== this.reading) return
      this.failure = adviceOf(error)
    }
    this.show()
  }

  /** What an agent that runs says of itself. What it does not offer is none. */
  private async readAbout(agent: string): Promise<void> {
    const { commands } = this.chats
    const [models, modes, providers] = await Promise.all([
      commands.models(agent).catch(() => undefined), commands.modes(agent).catch(() => []),
      this.can(agent, 'providers') ? this.readProviders(agent) : undefined,
    ])
    this.about.set(agent, { models, modes, providers })
    this.show()
  }

  private async readProviders(agent: string): Promise<ProviderSetting[] | undefined> {
    try {
      const providers = await this.commands.providers(agent)
      for (const panel of this.panels) panel.solve(words.providers)
      return providers
    } catch (error) {
      this.fail(words.providers, error)
      return this.about.get(agent)?.providers?.slice()
    }
  }

  private can(agent: string, ability: 'providers'): boolean {
    const state = this.chats.agents?.find(({ id }) => id === agent)
    return state?.abilities.some((it) => it.ability === ability && it.can) ?? false
  }

  private show(): void {
    if (this.panels.size === 0) return
    const { chats, settings } = this
    for (const agent of chats.agents ?? []) this.noticeRunning(agent)
    const state = {
      agents: settings && chats.agents?.flatMap((agent) => this.joined(agent, settings)),
      file: settings?.file ?? '', wrong: settings?.wrong ?? [], failure: this.failure,
      isConnected: chats.channel.isConnected, said: this.said,
    }
    for (const panel of this.panels) panel.show(state)
    this.lookLater()
  }

  /** One that came, or came again, is asked what it offers. */
  private noticeRunning({ id, state, needsRestart }: AgentState): void {
    const how = `${state} ${needsRestart}`
    if (this.askedAt.get(id) === how) return
    this.askedAt.set(id, how)
    if (state === 'running') void this.readAbout(id)
    else this.about.delete(id)
  }

  private joined(agent: AgentState, settings: AgentsSettings): SetAgent[] {
    const setting = settings.agents.find(({ id }) => id === agent.id)
    const isDefault = settings.default === agent.id
    return setting ? [{ agent, setting, isDefault, about: this.about.get(agent.id) }] : []
  }

  /** Somebody may install one in a terminal while this is open. */
  private lookLater(): void {
    if (this.looking !== undefined) return
    this.looking = setTimeout(() => {
      this.looking = undefined
      const isSeen = [...this.panels].some(({ element }) => element.offsetParent !== null)
      if (!isSeen || document.hidden || !this.chats.channel.isConnected) return
      this.chats.lookForAgents().catch((error: unknown) => {
        console.warn('it could not be looked which agents there are', error)
      }).finally(() => this.lookLater())
    }, LOOK_MS)
  }
}
