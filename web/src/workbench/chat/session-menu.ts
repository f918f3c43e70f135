// What can be done with a session, in the workbench's own list, and as commands that are typed in the prompt.
import type { Ability, Session } from '../../protocol/chat-words'
import { Failure } from '../../protocol/failure'
import { strings } from '../../strings'
import type { Workbench } from '../core/feature'
import type { Chats } from './chats'

const words = strings.chat
const { menu } = words

interface Deed {
  label: string
  ability?: Ability
  run(address: string, session: Session): Promise<unknown>
}

export class SessionMenu {
  constructor(
    private readonly chats: Chats,
    private readonly workbench: Workbench,
  ) {}

  async open(session: Session): Promise<void> {
    const { chats } = this
    const address = `${chats.agent?.id ?? ''}/${session.id}`
    const deeds = this.deeds(session).map((deed) => {
      const why = deed.ability && chats.whyNot(deed.ability)
      return { label: deed.label, ...(why === undefined ? {} : { description: words.cannotNow(why) }), deed, why }
    })
    // What can be done comes first.
    deeds.sort((one, other) => Number(one.why !== undefined) - Number(other.why !== undefined))
    const options = { placeHolder: session.title || words.untitled }
    const chosen = await this.workbench.api.window.showQuickPick(deeds, options)
    if (chosen && chosen.why === undefined) await chosen.deed.run(address, session)
  }

  async fork(address: string): Promise<void> {
    const { address: forked } = await this.chats.commands.fork(address, undefined)
    await this.chats.open(forked)
  }

  async compact(address: string): Promise<void> {
    await this.chats.commands.compact(address)
  }

  async rename(address: string, session: Session, given = ''): Promise<void> {
    const ask = () => this.workbench.api.window.showInputBox({ prompt: words.newTitle, value: session.title })
    const title = given.trim() || await ask()
    if (title?.trim()) await this.chats.commands.rename(address, title.trim())
  }

  async share(address: string): Promise<void> {
    const { api, notices } = this.workbench
    const answer = await api.window.ask({ message: words.share, detail: words.surelyShare }, words.share)
    if (answer !== words.share) return
    const { session } = await this.chats.commands.share(address)
    if (!session.sharedAt) return
    await api.window.copy(session.sharedAt)
    notices.done(words.shared(session.sharedAt))
  }

  private deeds(session: Session): Deed[] {
    const { commands } = this.chats
    const sharing: Deed = session.sharedAt
      ? { label: menu.unshare, ability: 'unshare', run: (address) => commands.unshare(address) }
      : { label: menu.share, ability: 'share', run: (address) => this.share(address) }
    return [
      { label: menu.rename, ability: 'rename', run: (address, it) => this.rename(address, it) },
      { label: menu.fork, ability: 'fork', run: (address) => this.fork(address) },
      { label: menu.compact, ability: 'compact', run: (address) => this.compact(address) },
      sharing,
      { label: menu.copyId, run: (address) => this.workbench.api.window.copy(address) },
      { label: menu.remove, ability: 'delete', run: (address, it) => this.remove(address, it) },
    ]
  }

  private async remove(address: string, { title }: Session): Promise<void> {
    const message = words.surelyDelete(title || words.untitled)
    if ((await this.workbench.api.window.ask({ message }, words.delete)) !== words.delete) return
    await this.chats.commands.remove(address)
    if (this.chats.address === address) this.chats.leave()
  }
}

interface OwnCommand {
  name: string
  about: string
  ability?: Ability
  /** With what stands behind it. */
  run(menu: SessionMenu, chats: Chats, given: string): Promise<unknown> | void
}

/** Commands of the prompt that are ours and not the agent's. */
export const OWN_COMMANDS: readonly OwnCommand[] = [
  { name: 'new', about: words.newSession, run: (_, chats) => chats.leave() },
  ofSession('compact', menu.compact, 'compact', (it, address) => it.compact(address)),
  ofSession('fork', menu.fork, 'fork', (it, address) => it.fork(address)),
  ofSession('rename', menu.rename, 'rename', (it, address, session, given) => it.rename(address, session, given)),
  ofSession('share', menu.share, 'share', (it, address) => it.share(address)),
]

function ofSession(
  name: string, about: string, ability: Ability,
  work: (menu: SessionMenu, address: string, session: Session, given: string) => Promise<unknown>,
): OwnCommand {
  return {
    name, about, ability,
    run: async (it, { address, conversation }, given) => {
      const session = conversation?.session
      if (address === undefined || !session) throw new Failure('not_found', words.noSessionYet)
      await work(it, address, session, given)
    },
  }
}
