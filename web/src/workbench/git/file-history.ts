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

type Choice = IQuickPickItem & { oid?: string; parent?: string | undefined }

export class FileHistory {
  private readonly api: Api

  constructor(private readonly repository: Repository) {
    this.api = repository.api
    this.api.commands.registerCommand(SCM_ACTIONS.fileHistory, () => this.show())
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
      oid,
      parent: parents[0],
    }))
    if (items.length === 0) return this.repository.notices.warning(words.noHistory(path))
    if (answer.more) items.push({ label: words.older })
    const placeHolder = words.fileHistoryOf(path)
    const choice = await this.api.window.showQuickPick(items, { placeHolder, matchOnDescription: true })
    if (!choice) return
    if (choice.oid === undefined) return this.show(skip + PAGE)
    const side = (revision: string) => gitUri(uri, revision)
    const title = `${path.split('/').at(-1) ?? path} (${choice.oid.slice(0, 8)})`
    const left = choice.parent === undefined ? side(NOTHING) : side(choice.parent)
    await this.api.window.showDiff(left, side(choice.oid), title)
  }
}
