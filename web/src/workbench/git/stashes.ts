// Changes put aside, looked at and taken back, from the view and the palette.
import { gitCommit, gitStashes } from '../../protocol/git'
import { strings } from '../../strings'
import { uriOf } from '../core/uris'
import { SCM_ACTIONS } from './contributions'
import { gitUri, NOTHING } from './git-content'
import type { Repository } from './repository'

const words = strings.scm

export class Stashes {
  constructor(private readonly repository: Repository) {
    const { registerCommand } = repository.api.commands
    registerCommand(SCM_ACTIONS.stash, () => this.push(false))
    registerCommand(SCM_ACTIONS.stashAll, () => this.push(true))
    registerCommand(SCM_ACTIONS.applyStash, () => this.take('apply', words.applyStash))
    registerCommand(SCM_ACTIONS.popStash, () => this.take('pop', words.popStash))
    registerCommand(SCM_ACTIONS.viewStash, () => this.view())
    registerCommand(SCM_ACTIONS.dropStash, () => this.take('drop', words.dropStash))
  }

  private async push(withUntracked: boolean): Promise<void> {
    const message = await this.repository.api.window.showInputBox({ prompt: words.stashMessage })
    if (message === undefined) return
    await this.repository.change({
      action: 'stash', operation: 'push', include_untracked: withUntracked, ...(message === '' ? {} : { message }),
    })
  }

  private async choose(title: string): Promise<{ index: number; message: string } | undefined> {
    const stashes = await this.repository.look(gitStashes())
    if (!stashes) return undefined
    if (stashes.total === 0) this.repository.notices.warning(words.noStash)
    if (stashes.total === 0) return undefined
    const items = stashes.entries.map(({ index, message, created }) => ({
      label: `#${index} ${message}`, description: new Date(created).toLocaleString(), index, message,
    }))
    return this.repository.api.window.showQuickPick(items, { placeHolder: title })
  }

  /** What it changed in files that git knew, all in one tab. */
  private async view(): Promise<void> {
    const choice = await this.choose(words.viewStash)
    const shown = choice && (await this.repository.look(gitCommit(`stash@{${choice.index}}`)))
    if (!shown) return
    const { oid, parents: [parent = NOTHING] } = shown.commit
    const resources = shown.changes.files.filter(({ lossy }) => !lossy).map(({ path, old_path, change }) => ({
      originalUri: change === 'added' ? undefined : gitUri(uriOf(old_path ?? path), parent),
      modifiedUri: change === 'deleted' ? undefined : gitUri(uriOf(path), oid),
    }))
    const title = words.stashTitle(choice.index, choice.message)
    await this.repository.api.commands.executeCommand('_workbench.openMultiDiffEditor', { title, resources })
  }

  private async take(operation: 'apply' | 'pop' | 'drop', title: string): Promise<void> {
    const choice = await this.choose(title)
    if (!choice) return
    if (operation === 'drop' && !(await this.repository.isSure(words.dropQuestion(choice.message), title))) return
    await this.repository.change({ action: 'stash', operation, index: choice.index })
  }
}
