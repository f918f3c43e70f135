// Changes put aside and taken back, from the view and the palette.
import { gitStashes } from '../../protocol/git'
import { strings } from '../../strings'
import { SCM_ACTIONS } from './contributions'
import type { Repository } from './repository'

const words = strings.scm

export class Stashes {
  constructor(private readonly repository: Repository) {
    const { registerCommand } = repository.api.commands
    registerCommand(SCM_ACTIONS.stash, () => this.push(false))
    registerCommand(SCM_ACTIONS.stashAll, () => this.push(true))
    registerCommand(SCM_ACTIONS.applyStash, () => this.take('apply', words.applyStash))
    registerCommand(SCM_ACTIONS.popStash, () => this.take('pop', words.popStash))
    registerCommand(SCM_ACTIONS.dropStash, () => this.take('drop', words.dropStash))
  }

  private async push(withUntracked: boolean): Promise<void> {
    const message = await this.repository.api.window.showInputBox({ prompt: words.stashMessage })
    if (message === undefined) return
    await this.repository.change({
      action: 'stash', operation: 'push', include_untracked: withUntracked, ...(message === '' ? {} : { message }),
    })
  }

  private async take(operation: 'apply' | 'pop' | 'drop', title: string): Promise<void> {
    const stashes = await this.repository.look(gitStashes())
    if (!stashes) return
    if (stashes.total === 0) return this.repository.notices.warning(words.noStash)
    const items = stashes.entries.map(({ index, message, created }) => ({
      label: `#${index} ${message}`, description: new Date(created).toLocaleString(), index, message,
    }))
    const choice = await this.repository.api.window.showQuickPick(items, { placeHolder: title })
    if (!choice) return
    if (operation === 'drop' && !(await this.repository.isSure(words.dropQuestion(choice.message), title))) return
    await this.repository.change({ action: 'stash', operation, index: choice.index })
  }
}
