// The workbench's editor with three panes for a file in conflict: both sides, and what becomes of them.
//
// The result is the file itself, a text like any other that agents see too. Completing the merge saves and stages
// it, on whichever way the person asks for it; what is not completed stays in conflict.
import { getService, IContextKeyService, IEditorService } from '@codingame/monaco-vscode-api'
import { strings } from '../../strings'
import { loadRest } from '../core/rest'
import { ContextKeyExpr, CommandsRegistry, MenuId, MenuRegistry } from '../core/upstream'
import { pathOf, uriOf } from '../core/uris'
import { SCM_ACTIONS } from './contributions'
import { gitUri } from './git-content'
import type { Repository } from './repository'

const words = strings.scm.merge
/** The workbench's own, which saves and closes. */
const COMPLETE = 'mergeEditor.acceptMerge'
/** The files in conflict, by which a title finds out about its own. */
export const IN_CONFLICT = 'openspace.inConflict'

export class MergeEditors {
  private constructor(
    private readonly repository: Repository,
    private readonly editors: IEditorService,
  ) {}

  static async start(repository: Repository): Promise<MergeEditors> {
    const [editors, keys] = await Promise.all([getService(IEditorService), getService(IContextKeyService)])
    const merges = new MergeEditors(repository, editors)
    const inConflict = keys.createKey<string[]>(IN_CONFLICT, [])
    repository.onStatus.on(() => {
      const files = repository.status?.conflicts.entries ?? []
      inConflict.set(files.map(({ path }) => uriOf(path).toString()))
    })
    merges.offerOverText()
    return merges
  }

  async open(path: string): Promise<void> {
    await loadRest()
    const file = uriOf(path)
    const at = (stage: 1 | 2 | 3) => gitUri(file, `:${stage}`)
    await this.editors.openEditor({
      base: { resource: at(1) },
      input1: { resource: at(2), label: words.current },
      input2: { resource: at(3), label: words.incoming },
      result: { resource: file },
      options: { pinned: true },
    })
  }

  /** The workbench, which has its part of this by now, leaves it to git's extension, which is not here. */
  stageWhatIsCompleted(): void {
    const own = CommandsRegistry.getCommand(COMPLETE)
    if (!own) throw new Error(`the workbench has no ${COMPLETE}`)
    // The types say that a command answers nothing; this one answers whether it was done.
    const complete = own.handler as (...given: unknown[]) => Promise<{ successful: boolean } | undefined>
    const completeAndStage = async (...given: unknown[]) => {
      const path = pathOf(this.editors.activeEditor?.resource)
      const answer = await complete(...given)
      // The person was asked about conflicts that are left.
      const add = { action: 'add', force: true } as const
      if (answer?.successful && path !== undefined) await this.repository.change({ ...add, files: [path] })
      return answer
    }
    CommandsRegistry.registerCommand(COMPLETE, completeAndStage as typeof own.handler)
  }

  /** Buttons over the text, where they are looked for. */
  private offerOverText(): void {
    const add = (id: string, title: string, when: string) =>
      MenuRegistry.appendMenuItem(MenuId.EditorContent, {
        command: { id, title }, when: ContextKeyExpr.deserialize(when), group: 'navigation',
      })
    add(SCM_ACTIONS.mergeEditor, words.resolve, `resource in ${IN_CONFLICT} && !isMergeResultEditor && !isMergeEditor`)
    add(COMPLETE, words.complete, 'isMergeResultEditor')
  }
}
