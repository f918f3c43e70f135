// Branches and tags: switching, making, joining, naming and removing them, from the status bar, the view and the
// palette. Commits that are in no other branch are not thrown away without the person's word.
import { Failure } from '../../protocol/failure'
import type { BranchInfo } from '../../protocol/generated'
import { gitRefs } from '../../protocol/git'
import { strings } from '../../strings'
import type { Choice, WindowApi } from '../core/api/window'
import { SCM_ACTIONS } from './contributions'
import { reasonOf } from './refusals'
import type { Repository } from './repository'

const words = strings.scm

type Item = Choice & { go?: (typed: string) => Promise<unknown> }

export class Branches {
  private readonly window: WindowApi

  constructor(private readonly repository: Repository) {
    const { commands, window } = repository.api
    this.window = window
    commands.registerCommand(SCM_ACTIONS.checkout, () => this.checkout())
    commands.registerCommand(SCM_ACTIONS.createBranch, () => this.create())
    commands.registerCommand(SCM_ACTIONS.mergeBranch, () => this.join('merge', words.mergeBranch))
    commands.registerCommand(SCM_ACTIONS.rebaseBranch, () => this.join('rebase', words.rebaseBranch))
    commands.registerCommand(SCM_ACTIONS.renameBranch, () => this.rename())
    commands.registerCommand(SCM_ACTIONS.deleteBranch, () => this.delete())
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
    // The first entry is the one that Enter takes, also over the name of a branch that there is.
    const make = (typed: string) => (own.some(({ name }) => name === typed) ? switchTo(typed)() : this.create(typed))
    const items: Item[] = [
      { label: `$(plus) ${words.newBranch}`, alwaysShow: true, go: make },
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
    const choice = await this.window.chooseOrType(items, placeHolder)
    await choice?.chosen.go?.(choice.typed)
  }

  private titled(label: string): Item {
    return { type: 'separator', label }
  }

  /** With the name that was typed already, if there is one. */
  async create(typed?: string, start?: string): Promise<void> {
    const branch = typed || (await this.window.showInputBox({ prompt: words.newBranch }))
    if (!branch) return
    await this.repository.change({ action: 'checkout', branch, create: true, ...(start && { start_point: start }) })
  }

  /** A branch of those that are meant. */
  private async choose(
    placeHolder: string, isMeant: (branch: BranchInfo) => boolean,
  ): Promise<BranchInfo | undefined> {
    const refs = await this.repository.look(gitRefs())
    if (!refs) return undefined
    const items = refs.branches.entries.filter(isMeant).map((branch) => ({
      label: `$(${branch.remote ? 'cloud' : branch.current ? 'check' : 'git-branch'}) ${branch.name}`,
      description: branch.current ? words.current : branch.summary,
      branch,
    }))
    if (items.every(({ branch }) => branch.current)) {
      this.repository.notices.warning(words.noOtherBranch)
      return undefined
    }
    return (await this.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))?.branch
  }

  private async join(action: 'merge' | 'rebase', title: string): Promise<void> {
    const branch = await this.choose(title, ({ current }) => !current)
    if (branch) await this.repository.change({ action, revision: branch.name })
  }

  private async rename(): Promise<void> {
    const name = this.repository.status?.branch
    if (!name) return this.repository.notices.warning(words.remotes.noBranch)
    const renamed = await this.window.showInputBox({ prompt: words.newName(name), value: name })
    if (!renamed || renamed === name) return
    await this.repository.change({ action: 'branch', operation: 'rename', name, new_name: renamed })
  }

  private async delete(): Promise<void> {
    const branch = await this.choose(words.deleteBranch, ({ remote }) => !remote)
    if (!branch) return
    const { name, current } = branch
    // It is listed so that whoever looks for it learns why not.
    if (current) return this.tellCurrent(name)
    const args = { action: 'branch', operation: 'delete', name } as const
    const answer = await this.repository.attempt(args)
    if (!(answer instanceof Failure)) return
    const isUnmerged = answer.kind === 'conflict'
    if (!isUnmerged) return this.repository.notices.error(reasonOf(args, answer))
    const isSure = await this.repository.isSure(words.deleteUnmerged(name), words.deleteBranch)
    if (isSure) await this.repository.change({ ...args, force: true })
  }

  private tellCurrent(name: string): void {
    const { api, notices } = this.repository
    const checkout = () => api.commands.executeCommand(SCM_ACTIONS.checkout)
    void notices.choose(words.deleteCurrent(name), [[words.switchBranch, checkout]])
  }

  async createTag(revision?: string): Promise<void> {
    const name = await this.window.showInputBox({ prompt: words.tagName })
    if (!name) return
    const message = await this.window.showInputBox({ prompt: words.tagMessage })
    if (message === undefined) return
    const made = await this.repository.change({
      action: 'tag', operation: 'create', name, ...(revision && { revision }), ...(message === '' ? {} : { message }),
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
