// The commands of the chat, as this page uses them.
import type { Left, Reviewed } from './chat-review'
import { runAny } from './commands'
import type {
  AgentState, Attachment, ListedSession, Message, Mode, ModelChoice, Models, SlashCommand, Todo,
} from './chat-words'

/** Runs a command by its id; in tests another does. */
export type Run = (id: string, args: Record<string, unknown>) => Promise<unknown>

/** A session, or the next new one of an agent. */
export type Subject = { session: string } | { agent: string }

const MESSAGES_AT_ONCE = 40
const SESSIONS_AT_ONCE = 50

export interface MessagesRead {
  messages: Message[]
  older: string | null
  number: number
}

export class ChatCommands {
  constructor(private readonly run: Run = runAny) {}

  agents(): Promise<{ agents: AgentState[]; defaultAgent: string | null }> {
    return this.ask('agents', {})
  }

  async startAgent(agent: string): Promise<void> {
    await this.ask('start_agent', { agent })
  }

  async stopAgent(agent: string): Promise<void> {
    await this.ask('stop_agent', { agent })
  }

  sessions(agent: string, search: string, after: string | undefined): Promise<{
    sessions: ListedSession[]; next: string | null
  }> {
    return this.ask('sessions', {
      agent, limit: SESSIONS_AT_ONCE, all: true, ...(search === '' ? {} : { search }),
      ...(after === undefined ? {} : { after }),
    })
  }

  /** A new session where none is named; the address of the one that it was said in. */
  send(to: Subject, text: string, attachments: readonly Attachment[]): Promise<{
    address: string
  }> {
    return this.ask('send', { ...to, text, attachments })
  }

  async slash(session: string, name: string, words: string): Promise<void> {
    await this.ask('run', { session, name, arguments: words })
  }

  create(agent: string): Promise<ListedSession> {
    return this.ask('create', { agent })
  }

  messages(session: string, before?: string): Promise<MessagesRead> {
    return this.ask('messages', { session, limit: MESSAGES_AT_ONCE, ...(before === undefined ? {} : { before }) })
  }

  async todos(session: string): Promise<Todo[]> {
    return (await this.ask<{ todos: Todo[] }>('todos', { session })).todos
  }

  models(agent: string): Promise<Models> {
    return this.ask('models', { agent })
  }

  async modes(agent: string): Promise<Mode[]> {
    return (await this.ask<{ modes: Mode[] }>('modes', { agent })).modes
  }

  async slashCommands(agent: string): Promise<SlashCommand[]> {
    return (await this.ask<{ commands: SlashCommand[] }>('commands', { agent })).commands
  }

  async select(of: Subject, model: ModelChoice | undefined, mode: string | undefined): Promise<void> {
    await this.ask('select', { ...of, model: model ? writtenModel(model) : '', mode: mode ?? '' })
  }

  async draft(of: Subject, text: string, attachments: readonly Attachment[]): Promise<void> {
    await this.ask('draft', { ...of, text, attachments })
  }

  async seen(session: string, at: number): Promise<void> {
    await this.ask('seen', { session, at })
  }

  /** Refused when something of it may not go to an agent. */
  async mayAttach(attachments: readonly Attachment[]): Promise<void> {
    await this.ask('may_attach', { attachments })
  }

  review(session: string, path?: string): Promise<Reviewed> {
    return this.ask('review', { session, ...(path === undefined ? {} : { path }) })
  }

  /** The text of a file without what the session changed; nothing when there would be no file. */
  async original(session: string, path: string): Promise<string | null> {
    return (await this.ask<{ text: string | null }>('original', { session, path })).text
  }

  accept(session: string, path: string | undefined, hunks: readonly string[], undone = false): Promise<Left> {
    return this.ask('accept', { session, ...(path === undefined ? {} : { path, hunks }), undone })
  }

  undoChanges(session: string, path: string, hunks: readonly string[]): Promise<Left> {
    return this.ask('undo', { session, path, hunks })
  }

  async abort(session: string): Promise<void> {
    await this.ask('abort', { session })
  }

  fork(session: string, before: string | undefined): Promise<ListedSession> {
    return this.ask('fork', { session, ...(before === undefined ? {} : { before }) })
  }

  async revert(session: string, messageId: string): Promise<void> {
    await this.ask('revert', { session, messageId })
  }

  async unrevert(session: string): Promise<void> {
    await this.ask('unrevert', { session })
  }

  async compact(session: string): Promise<void> {
    await this.ask('compact', { session })
  }

  share(session: string): Promise<ListedSession> {
    return this.ask('share', { session })
  }

  async unshare(session: string): Promise<void> {
    await this.ask('unshare', { session })
  }

  async rename(session: string, title: string): Promise<void> {
    await this.ask('rename', { session, title })
  }

  async remove(session: string): Promise<void> {
    await this.ask('delete', { session })
  }

  async answer(agent: string, request: string, answers: readonly string[][] | undefined): Promise<void> {
    await this.ask('answer', { agent, request, ...(answers === undefined ? {} : { answers }) })
  }

  /** Answer a request for permission that nobody judges but the person. */
  async permit(agent: string, request: string, permission: 'once' | 'no'): Promise<void> {
    await this.ask('answer', { agent, request, permission })
  }

  private async ask<Answer>(name: string, args: Record<string, unknown>): Promise<Answer> {
    return (await this.run(`openspace.chat.${name}`, args)) as Answer
  }
}

function writtenModel({ provider, model, variant }: ModelChoice): string {
  return `${provider}/${model}${variant ? `#${variant}` : ''}`
}
