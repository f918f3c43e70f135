// The workbench's editor with three panes for a file in conflict: both sides, and what becomes of them.
//
// The result is the file itself, a text like any other that agents see too. It begins with what git could merge by
// itself, which is not saved; a merge that was begun is gone on with. Nothing but the person's word writes the file:
// completing the merge saves and stages it, on whichever way they ask for it; what is not completed stays in conflict.
import {
  getService, IContextKeyService, IEditorGroupsService, IEditorService, type EditorInput, type ITextFileService,
} from '@codingame/monaco-vscode-api'
import { strings } from '../../strings'
import { loadRest } from '../core/rest'
import type { SharedText } from '../core/shared-text'
import {
  ContextKeyExpr, CommandsRegistry, isCompared, MenuId, MenuRegistry, MERGE_BEGINS, mergeMakerOf, TAB_TYPES,
} from '../core/upstream'
import { pathOf, uriOf } from '../core/uris'
import { hasConflictMarkers } from './conflict-markers'
import { SCM_ACTIONS } from './contributions'
import { gitUri } from './git-content'
import type { Repository } from './repository'

const words = strings.scm.merge
/** The workbench's own: it saves and closes, and it gives the result what git could merge by itself. */
const COMPLETE = 'mergeEditor.acceptMerge'
const RESET = 'mergeEditor.resetResultToBaseAndAutoMerge'
/** What stands over a conflict in a merge editor. */
const CHOICES = '.merge-editor-conflict-actions'
/** How long a choice waits for the texts to be compared. */
const MOST_COMPARING_MS = 5_000
/** The files in conflict, by which a title finds out about its own. */
export const IN_CONFLICT = 'openspace.inConflict'

export class MergeEditors {
  private constructor(
    private readonly repository: Repository,
    private readonly editors: IEditorService,
    private readonly groups: IEditorGroupsService,
  ) {}

  static async start(repository: Repository, text: SharedText): Promise<MergeEditors> {
    const [editors, groups, keys] = await Promise.all([
      getService(IEditorService), getService(IEditorGroupsService), getService(IContextKeyService),
    ])
    const merges = new MergeEditors(repository, editors, groups)
    const inConflict = keys.createKey<string[]>(IN_CONFLICT, [])
    repository.onStatus.on(() => {
      const files = repository.status?.conflicts.entries ?? []
      inConflict.set(files.map(({ path }) => uriOf(path).toString()))
    })
    editors.onWillOpenEditor(({ editor }) => beginUnsaved(editor, text))
    // Before the choice itself hears of it, and is gone.
    document.addEventListener('click', (event) => merges.choose(event), { capture: true })
    merges.offerOverText()
    return merges
  }

  async open(path: string): Promise<void> {
    await loadRest()
    const file = uriOf(path)
    if (!(await this.mayBegin(path))) return
    const at = (stage: 1 | 2 | 3) => gitUri(file, `:${stage}`)
    await this.editors.openEditor({
      base: { resource: at(1) },
      input1: { resource: at(2), label: words.current },
      input2: { resource: at(3), label: words.incoming },
      result: { resource: file },
      options: { pinned: true },
    })
  }

  /** Back to the conflicts as git found them. In a merge editor that is a step that can be undone. */
  async restart(path: string): Promise<void> {
    const file = uriOf(path)
    const open = this.editors.findEditors(file).find(({ editor }) => editor.typeId === TAB_TYPES.merge)
    const { commands, workspace } = this.repository.api
    if (open) {
      await this.groups.getGroup(open.groupId)?.openEditor(open.editor)
      await commands.executeCommand(RESET)
      return
    }
    if (!(await this.repository.isSure(words.restartQuestion(path), words.restart))) return
    if (workspace.isUnsaved(file)) await workspace.revert(file)
    await this.repository.change({ action: 'restore', files: [path] })
  }

  /** Whether a merge editor may begin: what is typed between markers would make way for it. */
  private async mayBegin(path: string): Promise<boolean> {
    const { workspace } = this.repository.api
    const file = uriOf(path)
    if (!workspace.isUnsaved(file) || !hasConflictMarkers(await workspace.readText(file))) return true
    return this.repository.isSure(words.replaceQuestion(path), words.resolve)
  }

  private choose(event: MouseEvent): void {
    const { target, clientX, clientY } = event
    const pane = this.editors.activeEditorPane
    if (!(target instanceof Element) || !target.closest(CHOICES) || pane?.input?.typeId !== TAB_TYPES.merge) return
    // What is clicked over a conflict goes with it, and the keyboard would go too.
    pane.focus()
    if (isCompared(pane)) return
    // The texts are still being compared, and the choice would throw: it is made when it can be.
    event.preventDefault()
    event.stopImmediatePropagation()
    const until = event.timeStamp + MOST_COMPARING_MS
    const again = (now: number) => {
      if (now > until || this.editors.activeEditorPane !== pane) return
      if (!isCompared(pane)) return void requestAnimationFrame(again)
      const there = document.elementFromPoint(clientX, clientY)
      if (there instanceof HTMLElement && there.textContent === target.textContent) there.click()
    }
    requestAnimationFrame(again)
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

type FileModel = ITextFileService['files']['models'][number]

/**
 * The workbench saves a file before it merges it, for its local history, which is not here. What it needs instead is
 * the text as it stands with everybody: the disk may have another, with markers, and a merge would begin anew.
 */
function beginUnsaved(editor: EditorInput, text: SharedText): void {
  const maker = editor.typeId === TAB_TYPES.merge ? mergeMakerOf(editor) : undefined
  if (!maker) return
  const { files } = maker.textFileService
  const models = () => files.models.map((model) => notSavedAtFirst(model, text))
  maker.textFileService = { files: { get models() { return models() } } }
}

function notSavedAtFirst(model: FileModel, text: SharedText): FileModel {
  const save: FileModel['save'] = async (options) => {
    if (options?.source !== MERGE_BEGINS) return model.save(options)
    await text.said(pathOf(model.resource) ?? '')
    return true
  }
  return new Proxy(model, {
    get: (_, name) => {
      if (name === 'save') return save
      const value: unknown = Reflect.get(model, name)
      return typeof value === 'function' ? value.bind(model) as unknown : value
    },
  })
}
