// How agents are set up, as the server says it, and the commands that change it. A key is handed on and kept nowhere.
import type { AgentState } from './chat-words'
import { runAny } from './commands'
import type { Run } from './chat-commands'

/** Something that a provider asks for beside a key. */
export interface LogInAsk {
  name: string; message: string; example: string | null; choices: { value: string; label: string }[]
  onlyWhen: { name: string; is: boolean; value: string } | null
}
export interface LogInWay { label: string; isByKey: boolean; asks: LogInAsk[] }
export interface ProviderSetting {
  id: string; name: string; isConnected: boolean; source: string | null; hasKey: boolean; variables: string[]
  models: number; logIns: LogInWay[]
}
export interface AgentSetting {
  id: string; program: string; outside: boolean; ownTools: boolean; address: string | null; isAddressFixed: boolean
  model: string | null; smallModel: string | null; whyOwnTools: string | null; whyNoModels: string | null
}
export interface AgentsSettings { file: string; wrong: string[]; default: string | null; agents: AgentSetting[] }
/** What is changed about an agent; an empty text takes out what was set. */
export interface AgentChange {
  isDefault?: boolean; outside?: boolean; ownTools?: boolean; address?: string; model?: string; smallModel?: string
}
export interface SetUp { agent: string; provider: ProviderSetting; isInUse: boolean }
export interface LogInPage { url: string; instructions: string; givesCode: boolean }
export type Answers = Record<string, string>

export class SetupCommands {
  constructor(private readonly run: Run = runAny) {}

  agents(): Promise<{ agents: AgentState[]; defaultAgent: string | null }> {
    return this.ask('agents', {})
  }

  settings(): Promise<AgentsSettings> {
    return this.ask('settings', {})
  }

  async configure(agent: string, change: AgentChange): Promise<AgentState> {
    return (await this.ask<{ agent: AgentState }>('configure', { agent, ...change })).agent
  }

  async start(agent: string): Promise<void> {
    await this.ask('start_agent', { agent })
  }

  async stop(agent: string): Promise<void> {
    await this.ask('stop_agent', { agent })
  }

  async providers(agent: string): Promise<ProviderSetting[]> {
    return (await this.ask<{ providers: ProviderSetting[] }>('providers', { agent })).providers
  }

  logIn(agent: string, provider: string, key: string, answers: Answers): Promise<SetUp> {
    return this.ask('log_in', { agent, provider, key, ...given(answers) })
  }

  openLogIn(agent: string, provider: string, way: number, answers: Answers): Promise<LogInPage> {
    return this.ask('open_log_in', { agent, provider, way, ...given(answers) })
  }

  finishLogIn(agent: string, provider: string, way: number, code: string | undefined): Promise<SetUp> {
    return this.ask('finish_log_in', { agent, provider, way, ...(code === undefined ? {} : { code }) })
  }

  logOut(agent: string, provider: string): Promise<SetUp> {
    return this.ask('log_out', { agent, provider })
  }

  private async ask<Answer>(name: string, args: Record<string, unknown>): Promise<Answer> {
    return (await this.run(`openspace.chat.${name}`, args)) as Answer
  }
}

function given(answers: Answers): { answers?: { name: string; value: string }[] } {
  const all = Object.entries(answers).map(([name, value]) => ({ name, value }))
  return all.length === 0 ? {} : { answers: all }
}
