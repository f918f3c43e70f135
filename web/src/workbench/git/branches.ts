// Branches and tags: switching, making and removing them, from the status bar, the view and the palette.
import { gitRefs } from '../../protocol/git'
import { strings } from '../../strings'
import type { Choice, WindowApi } from '../core/api/window'
import { SCM_ACTIONS } from './contributions'
import type { Repository } from './repository'

const words = strings.scm

type Item = Choice & { go?: () => Promise<unknown> }

export class Branches {
  private readonly window: WindowApi

  constructor(private readonly repository: Repository) {
    const { commands, window } = repository.api
    this.window = window
    commands.registerCommand(SCM_ACTIONS.checkout, () => this.checkout())
    commands.registerCommand(SCM_ACTIONS.createTag, () => this.createTag())
    commands.registerCommand(SCM_ACTIONS.deleteTag, () => this.deleteTag())
  }

  private async checkout(): Promise<void> {
    const refs = await this.repository.look(gitRefs())
    if (!refs) return
    const { branches, tags } = refs
    const own = branches.entries.filter(({ remote }) => !remote)
    const remotes = branches.entries.filter(({ remote }) => remote)
    const switchTo = (branch: string) => () => this.repository.change({ action: 'checkout', branch })
    const items: Item[] = [
      { label: `$(plus) ${words.newBranch}`, alwaysShow: true, go: () => this.create() },
      this.titled(words.branches),
      ...own.map(({ name, current, summary }) => ({
        label: `$(${current ? 'check' : 'git-branch'}) ${name}`,
        description: current ? words.current : summary,
        go: switchTo(name),
      })),
      this.titled(words.remoteBranches),
      ...remotes.map(({ name, summary }) => ({
        label: `$(cloud) ${name}`,
        description: summary,
        // Its own branch of that name, which follows it, is made when it is missing.
        go: switchTo(name.slice(name.indexOf('/') + 1)),
      })),
      this.titled(words.tags),
      ...tags.entries.map(({ name, summary }) => ({
        label: `$(tag) ${name}`,
        description: summary,
        go: () => this.repository.change({ action: 'checkout', revision: `refs/tags/${name}` }),
      })),
    ]
    const shown = own.length + remotes.length
    const placeHolder = shown < branches.total ? words.partOf(words.checkout, shown, branches.total) : words.checkout
    await (await this.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))?.go?.()
  }

  private titled(label: string): Item {
    return { type: 'separator', label }
  }

  private async create(): Promise<void> {
    const branch = await this.window.showInputBox({ prompt: words.newBranch })
    if (branch) await this.repository.change({ action: 'checkout', branch })
  }

  private async createTag(): Promise<void> {
    const name = await this.window.showInputBox({ prompt: words.tagName })
    if (!name) return
    const message = await this.window.showInputBox({ prompt: words.tagMessage })
    if (message === undefined) return
    const made = await this.repository.change({
      action: 'tag', operation: 'create', name, ...(message === '' ? {} : { message }),
    })
    if (made) this.repository.notices.done(words.tagMade(name))
  }

  private async deleteTag(): Promise<void> {
    const refs = await this.repository.look(gitRefs())
    if (!refs) return
    if (refs.tags.total === 0) return this.repository.notices.warning(words.noTags)
    const items = refs.tags.entries.map(({ name, summary }) => ({ label: name, description: summary }))
    const choice = await this.window.showQuickPick(items, { placeHolder: words.deleteTag })
    if (!choice || !(await this.repository.isSure(words.deleteTagQuestion(choice.label), words.deleteTag))) return
    await this.repository.change({ action: 'tag', operation: 'delete', name: choice.label })
  }
}
