// Remotes: what is fetched from them and sent to them, and which there are.
import { run } from '../../protocol/commands'
import type { RemoteInfo } from '../../protocol/generated'
import { strings } from '../../strings'
import { SCM_ACTIONS } from './contributions'
import type { Repository } from './repository'

const words = strings.scm.remotes
const DEFAULT_NAME = 'origin'

export class Remotes {
  constructor(private readonly repository: Repository) {
    const { registerCommand } = repository.api.commands
    registerCommand(SCM_ACTIONS.push, () => this.push())
    registerCommand(SCM_ACTIONS.pull, () => repository.change({ action: 'pull' }))
    registerCommand(SCM_ACTIONS.pullRebase, () => repository.change({ action: 'pull', strategy: 'rebase' }))
    registerCommand(SCM_ACTIONS.pullMerge, () => repository.change({ action: 'pull', strategy: 'merge' }))
    registerCommand(SCM_ACTIONS.fetch, () => repository.change({ action: 'fetch', prune: true }))
    registerCommand(SCM_ACTIONS.sync, () => this.sync())
    registerCommand(SCM_ACTIONS.publish, () => this.publish())
    registerCommand(SCM_ACTIONS.addRemote, () => this.add())
    registerCommand(SCM_ACTIONS.removeRemote, () => this.remove())
  }

  /** A branch that follows none is published, which asks where. */
  private async push(): Promise<void> {
    if (this.repository.status?.upstream) await this.repository.change({ action: 'push' })
    else await this.publish()
  }

  /** Take what is there, then send what is here. What parted is the person's to join. */
  private async sync(): Promise<void> {
    if (!this.repository.status?.upstream) return this.publish()
    await this.repository.change({ action: 'pull' }, async () => {
      if ((this.repository.status?.ahead ?? 0) > 0) await this.repository.change({ action: 'push' })
    })
  }

  private async publish(): Promise<void> {
    const { branch } = this.repository.status ?? {}
    if (!branch) return this.repository.notices.warning(words.noBranch)
    const remotes = await this.listed()
    if (!remotes) return
    const remote = remotes.length === 0 ? await this.add() : await this.choose(remotes, words.publishTo(branch))
    if (remote) await this.repository.change({ action: 'push', remote, set_upstream: true })
  }

  /** The name of the remote that was added. */
  private async add(): Promise<string | undefined> {
    const { window } = this.repository.api
    const url = await window.showInputBox({ prompt: words.address })
    if (!url) return undefined
    const remotes = await this.listed()
    if (!remotes) return undefined
    const value = remotes.some(({ name }) => name === DEFAULT_NAME) ? '' : DEFAULT_NAME
    const name = await window.showInputBox({ prompt: words.name, value })
    if (!name) return undefined
    const added = await this.repository.change({ action: 'remote', operation: 'add', name, url })
    return added && name
  }

  private async remove(): Promise<void> {
    const remotes = await this.listed()
    if (!remotes) return
    if (remotes.length === 0) return this.repository.notices.warning(words.none)
    const { window } = this.repository.api
    const items = remotes.map(({ name, url }) => ({ label: name, description: url ?? '' }))
    const name = (await window.showQuickPick(items, { placeHolder: words.remove }))?.label
    if (name === undefined || !(await this.repository.isSure(words.removeQuestion(name), words.remove))) return
    await this.repository.change({ action: 'remote', operation: 'remove', name })
  }

  private async choose(remotes: RemoteInfo[], placeHolder: string): Promise<string | undefined> {
    if (remotes.length === 1) return remotes[0]?.name
    const items = remotes.map(({ name, url }) => ({ label: name, description: url ?? '' }))
    return (await this.repository.api.window.showQuickPick(items, { placeHolder }))?.label
  }

  private async listed(): Promise<RemoteInfo[] | undefined> {
    const answer = await this.repository.look(run('openspace.workspace.git', { action: 'remote' }))
    return answer?.action === 'remote' ? answer.remotes.entries : undefined
  }
}
