// The past of one file: the commits that changed it as a list, and what each changed as a diff.
import type { Uri } from 'monaco-editor'
import { gitLog } from '../../protocol/git'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import type { IQuickPickItem } from '../core/upstream'
import { pathOf } from '../core/uris'
import { SCM_ACTIONS } from './contributions'
import { gitUri, NOTHING } from './git-content'
import type { Repository } from './repository'

const words = strings.scm
const PAGE = 100

/** A commit, and the one before it if there is any. */
interface Step {
  oid: string
  parent: string | undefined
}

type Choice = IQuickPickItem & { step?: Step }

export class FileHistory {
  private readonly api: Api

  constructor(private readonly repository: Repository) {
    this.api = repository.api
    const { registerCommand } = this.api.commands
    registerCommand(SCM_ACTIONS.fileHistory, () => this.show())
    registerCommand(SCM_ACTIONS.showCommit, (uri: Uri, step: Step) => this.open(uri, step))
  }

  private get document(): { uri: Uri; path: string } | undefined {
    const uri = this.api.window.activeText()?.uri
    const path = pathOf(uri)
    return uri && path !== undefined ? { uri, path } : undefined
  }

  /** One list at a time, with a last entry that goes on. */
  private async show(skip = 0): Promise<void> {
    const { uri, path } = this.document ?? {}
    if (!uri || path === undefined) return this.repository.notices.warning(words.noFileInFront)
    const answer = await this.repository.look(gitLog({ path, limit: PAGE, skip }))
    if (!answer) return
    const items: Choice[] = answer.commits.map(({ oid, parents, summary, author, authored, short_oid }) => ({
      label: summary,
      description: `${short_oid}, ${author.split(' <')[0] ?? author}, ${new Date(authored).toLocaleString()}`,
      step: { oid, parent: parents[0] },
    }))
    if (items.length === 0) return this.repository.notices.warning(words.noHistory(path))
    if (answer.more) items.push({ label: words.older })
    const placeHolder = words.fileHistoryOf(path)
    const choice = await this.api.window.showQuickPick(items, { placeHolder, matchOnDescription: true })
    if (!choice) return
    return choice.step ? this.open(uri, choice.step) : this.show(skip + PAGE)
  }

  /** What a commit changed in a file. */
  private async open(uri: Uri, { oid, parent = NOTHING }: Step): Promise<void> {
    const title = `${uri.path.split('/').at(-1) ?? uri.path} (${oid.slice(0, 8)})`
    await this.api.window.showDiff(gitUri(uri, parent), gitUri(uri, oid), title)
  }
}
