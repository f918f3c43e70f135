// What a person can do about language servers: see them all, restart, stop, install what is missing, and decide
// whether those of the project may run.
import { run } from '../../protocol/commands'
import type { AbsentServer, LanguageChannel, LanguageServer } from '../../protocol/languages'
import { strings } from '../../strings'
import type { Workbench } from '../core/feature'
import { plain } from '../core/plain-labels'
import { isUntrusted, lineOf, signOf } from './condition'
import { COMMANDS } from './contributions'

const words = strings.languages

export class ServerActions {
  constructor(
    private readonly workbench: Workbench,
    private readonly channel: LanguageChannel,
    private readonly nameOf: (language: string) => string,
  ) {
    const { registerCommand } = workbench.api.commands
    registerCommand(COMMANDS.show, () => this.show())
    registerCommand(COMMANDS.restart, (id?: string, root?: string) => this.over((one) => this.restart(one), id, root))
    registerCommand(COMMANDS.stop, (id?: string, root?: string) => this.over((one) => this.stop(one), id, root))
    registerCommand(COMMANDS.install, (language?: string) => this.install(language))
    registerCommand(COMMANDS.trust, (language?: string) => this.trust(language))
  }

  async install(language?: string): Promise<void> {
    const { showQuickPick } = this.workbench.api.window
    const missing = this.channel.servers.absent.filter((one) => language === undefined || one.language === language)
    const all = missing.flatMap((one) => one.servers.map((server) => ({ server, language: one.language })))
    const items = all.filter(({ server }) => !isUntrusted(server)).map(({ server, language: of }) => ({
      label: server.name,
      description: this.nameOf(of),
      detail: server.install ?? words.missing.byHand(server.name),
      server,
    }))
    if (items.length === 0) return this.tell(words.missing.nothing)
    const [first] = missing
    const placeHolder = words.missing.which(this.nameOf(language ?? first?.language ?? ''))
    const chosen = await showQuickPick(items, { placeHolder })
    if (chosen) await this.runInstall(chosen.server)
  }

  async trust(language?: string): Promise<void> {
    const missing = this.channel.servers.absent.filter((one) => language === undefined || one.language === language)
    const names = missing.flatMap(({ servers }) => servers.filter(isUntrusted).map(({ name }) => name))
    const { trustQuestion: message, trustDetail, trust, notTrusted } = words.missing
    const question = { message, detail: trustDetail([...new Set(names)].join(', ')) }
    if ((await this.workbench.api.window.ask(question, trust)) !== trust) return
    await this.did(notTrusted, () => run('openspace.code.trust', { allowed: true }))
  }

  private async show(): Promise<void> {
    const { servers } = this.channel.servers
    if (servers.length === 0) return this.tell(words.list.none)
    const server = await this.pick(servers, words.list.title)
    if (!server) return
    const { restart, stop, what } = words.list
    const chosen = await this.workbench.api.window.showQuickPick([restart, stop], { placeHolder: what(server.name) })
    if (chosen === restart) await this.restart(server)
    if (chosen === stop) await this.stop(server)
  }

  /** The server that is named, or the one that the person chooses. */
  private async over(act: (server: LanguageServer) => Promise<void>, id?: string, root?: string): Promise<void> {
    const { servers } = this.channel.servers
    if (servers.length === 0) return this.tell(words.list.none)
    const named = servers.find((server) => server.id === id && (root === undefined || server.root === root))
    const server = named ?? (servers.length === 1 ? servers[0] : await this.pick(servers, words.list.which))
    if (server) await act(server)
  }

  private async pick(servers: readonly LanguageServer[], placeHolder: string): Promise<LanguageServer | undefined> {
    const items = servers.map((server) => ({ label: signOf(server), detail: plain(lineOf(server)), server }))
    return (await this.workbench.api.window.showQuickPick(items, { placeHolder }))?.server
  }

  private async restart({ id, name, root }: LanguageServer): Promise<void> {
    const restart = () => run('openspace.code.restart', { server: id, root })
    if (await this.did(words.list.notRestarted(name), restart)) this.workbench.notices.done(words.list.restarted(name))
  }

  private async stop({ id, name, root }: LanguageServer): Promise<void> {
    const stop = () => run('openspace.code.stop', { server: id, root })
    if (await this.did(words.list.notStopped(name), stop)) this.workbench.notices.done(words.list.stopped(name))
  }

  async runInstall({ id, name, install }: AbsentServer): Promise<void> {
    if (!install) return this.tell(words.missing.byHand(name))
    await this.did(words.missing.notInstalled(name), () => run('openspace.code.install', { server: id }))
  }

  private tell(text: string): void {
    void this.workbench.api.window.showInformationMessage(text)
  }

  private async did(failed: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      this.workbench.notices.failure(failed, error)
      return false
    }
  }
}
