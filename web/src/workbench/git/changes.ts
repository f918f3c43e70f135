// Going from change to change in a file, looking at one, staging and reverting it: from its mark, from the small
// diff, and as actions on the selected lines. Staging is `workspace.git`; reverting is an edit like any other.
import {
  ICodeEditorService, IInstantiationService, IQuickDiffModelService, getService,
} from '@codingame/monaco-vscode-api'
import type { Uri } from 'monaco-editor'
import { strings } from '../../strings'
import { ACTIONS } from '../core/actions'
import type { SharedText } from '../core/shared-text'
import { GIT_SCHEME } from '../core/tab-kinds'
import { pathOf } from '../core/uris'
import { ChangeMarks, type CodeEditor } from './change-marks'
import { SCM_ACTIONS } from './contributions'
import { diffOf, linesForGit, linesOf, touches, undoing, type Hunk } from './hunks'
import { InlineDiff } from './inline-diff'
import type { Repository } from './repository'

const words = strings.scm
const SHOWS = 'openspace.inlineDiff'

export class Changes {
  private shown: { diff: InlineDiff; index: number } | undefined

  private constructor(
    private readonly repository: Repository,
    private readonly text: SharedText,
    private readonly marks: ChangeMarks,
    private readonly editors: ICodeEditorService,
    private readonly services: IInstantiationService,
  ) {
    const { registerCommand } = repository.api.commands
    registerCommand(SCM_ACTIONS.nextChange, () => this.go(1))
    registerCommand(SCM_ACTIONS.previousChange, () => this.go(-1))
    registerCommand(SCM_ACTIONS.showNextChange, () => this.look(1))
    registerCommand(SCM_ACTIONS.showPreviousChange, () => this.look(-1))
    registerCommand(SCM_ACTIONS.closeChange, () => this.close())
    registerCommand(SCM_ACTIONS.stageSelected, () => this.stageSelected())
    registerCommand(SCM_ACTIONS.unstageSelected, () => this.unstageSelected())
    registerCommand(SCM_ACTIONS.revertSelected, () => this.revertSelected())
    marks.onClick.on(({ editor, line }) => this.toggle(editor, line))
    marks.onChanges.on((editor) => this.changed(editor))
  }

  static async start(repository: Repository, text: SharedText): Promise<Changes> {
    const [differences, editors, services] = await Promise.all([
      getService(IQuickDiffModelService), getService(ICodeEditorService), getService(IInstantiationService),
    ])
    return new Changes(repository, text, new ChangeMarks(repository.api, differences), editors, services)
  }

  /** The editor that is meant: the one whose change is shown, while the keyboard is in it. */
  private get editor(): CodeEditor | undefined {
    if (this.shown?.diff.isFocused) return this.shown.diff.shownIn
    return (this.editors.getFocusedCodeEditor() ?? this.editors.getActiveCodeEditor() ?? undefined) as
      CodeEditor | undefined
  }

  private hunks(editor: CodeEditor): Hunk[] {
    return this.marks.differences(editor)?.changes.map(({ change }) => change) ?? []
  }

  /** The change after the caret, or before it; around the end of the file. */
  private beside(editor: CodeEditor, step: 1 | -1): number | undefined {
    const hunks = this.hunks(editor)
    if (hunks.length === 0) {
      this.repository.notices.warning(words.noChanges)
      return undefined
    }
    const line = editor.getPosition()?.lineNumber ?? 1
    const found = step > 0
      ? hunks.findIndex((hunk) => linesOf(hunk).first > line)
      : hunks.findLastIndex((hunk) => linesOf(hunk).last < line)
    if (found >= 0) return found
    return step > 0 ? 0 : hunks.length - 1
  }

  private go(step: 1 | -1): void {
    const { editor } = this
    const index = editor && this.beside(editor, step)
    const hunk = index === undefined || !editor ? undefined : this.hunks(editor)[index]
    if (!editor || !hunk) return
    const lineNumber = linesOf(hunk).first
    editor.setPosition({ lineNumber, column: 1 })
    editor.revealLineInCenterIfOutsideViewport(lineNumber)
    editor.focus()
  }

  private look(step: 1 | -1): void {
    const { editor } = this
    if (!editor) return
    if (this.shown?.diff.shownIn === editor) {
      const count = this.hunks(editor).length
      if (count > 0) this.show(editor, (this.shown.index + step + count) % count)
      return
    }
    const hunks = this.hunks(editor)
    const line = editor.getPosition()?.lineNumber ?? 1
    const here = hunks.findIndex((hunk) => touches(hunk, line, line))
    const index = here >= 0 ? here : this.beside(editor, step)
    if (index !== undefined) this.show(editor, index)
  }

  private toggle(editor: CodeEditor, line: number): void {
    const index = this.hunks(editor).findIndex((hunk) => touches(hunk, line, line))
    if (this.shown?.diff.shownIn === editor && this.shown.index === index) return this.close()
    this.show(editor, index)
  }

  private show(editor: CodeEditor, index: number): void {
    const differences = this.marks.differences(editor)
    const hunk = differences?.changes[index]?.change
    const path = pathOf(editor.getModel()?.uri)
    if (!differences || !hunk || path === undefined) return this.close()
    if (this.shown?.diff.shownIn !== editor) this.open(editor, path)
    if (!this.shown) return
    this.shown.index = index
    editor.setPosition({ lineNumber: linesOf(hunk).first, column: 1 })
    this.shown.diff.showChange(differences, index)
  }

  private open(editor: CodeEditor, path: string): void {
    this.close()
    const diff = new InlineDiff(editor, this.services, path.split('/').at(-1) ?? path, {
      previous: () => this.look(-1),
      next: () => this.look(1),
      stage: () => void this.stageShown(),
      revert: () => this.revertShown(),
      toChat: () => this.sendShown(),
    })
    diff.onDidClose(() => {
      if (this.shown?.diff !== diff) return
      this.shown = undefined
      this.tellContext(false)
      editor.focus()
    })
    this.shown = { diff, index: 0 }
    this.tellContext(true)
  }

  private close(): void {
    this.shown?.diff.dispose()
  }

  private tellContext(isShown: boolean): void {
    void this.repository.api.commands.executeCommand('setContext', SHOWS, isShown)
  }

  /** What is shown may be another change now, or none. */
  private changed(editor: CodeEditor): void {
    if (this.shown?.diff.shownIn !== editor) return
    const count = this.hunks(editor).length
    if (count === 0) return this.close()
    this.show(editor, Math.min(this.shown.index, count - 1))
  }

  private async stageShown(): Promise<void> {
    const { shown } = this
    const hunk = shown && this.hunks(shown.diff.shownIn)[shown.index]
    if (shown && hunk) await this.stage(shown.diff.shownIn, [linesOf(hunk)])
  }

  /** The change as lines of a diff, into the draft of the chat. */
  private sendShown(): void {
    const { shown } = this
    const editor = shown?.diff.shownIn
    const text = editor?.getModel()
    const path = pathOf(text?.uri)
    const change = editor && this.marks.differences(editor)?.changes[shown?.index ?? 0]
    const models = change && this.marks.differences(editor)?.getDiffEditorModel(change.original)
    if (!change || !text || !models || path === undefined) return
    const { first } = linesOf(change.change)
    const attachment = {
      type: 'text', title: words.hunkTitle(path, first), text: diffOf(change.change, models.original, text),
      language: 'diff', path,
    }
    void this.repository.api.commands.executeCommand(ACTIONS.attach, attachment)
  }

  private revertShown(): void {
    const { shown } = this
    const hunk = shown && this.hunks(shown.diff.shownIn)[shown.index]
    if (shown && hunk) this.revert(shown.diff.shownIn, [hunk])
  }

  private async stage(editor: CodeEditor, lines: { first: number; last: number }[]): Promise<void> {
    const path = pathOf(editor.getModel()?.uri)
    if (path === undefined) return
    await this.text.said(path)
    await this.repository.change({ action: 'add', files: [path], lines: linesForGit(lines) })
  }

  private revert(editor: CodeEditor, hunks: Hunk[]): void {
    const text = editor.getModel()
    const change = this.marks.differences(editor)
    const models = change?.changes[0] && change.getDiffEditorModel(change.changes[0].original)
    if (!text || !models) return
    editor.pushUndoStop()
    editor.executeEdits('openspace.revert', hunks.map((hunk) => undoing(hunk, models.original, text)))
    editor.pushUndoStop()
  }

  private selected(editor: CodeEditor): { first: number; last: number }[] {
    return (editor.getSelections() ?? []).map(({ startLineNumber, endLineNumber, endColumn }) => ({
      first: startLineNumber,
      // A selection that ends before the first letter of a line does not mean that line.
      last: endColumn === 1 && endLineNumber > startLineNumber ? endLineNumber - 1 : endLineNumber,
    }))
  }

  private async stageSelected(): Promise<void> {
    const { editor } = this
    if (editor) await this.stage(editor, this.selected(editor))
  }

  private revertSelected(): void {
    const { editor } = this
    if (!editor) return
    const lines = this.selected(editor)
    const hunks = this.hunks(editor).filter((hunk) => lines.some(({ first, last }) => touches(hunk, first, last)))
    if (hunks.length === 0) return this.repository.notices.warning(words.noChangeSelected)
    this.revert(editor, hunks)
  }

  /** In a diff of what is staged, whose right side is the index. */
  private async unstageSelected(): Promise<void> {
    const { editor } = this
    const uri = editor?.getModel()?.uri as Uri | undefined
    const isIndex = uri?.scheme === GIT_SCHEME && uri.query === 'index'
    const path = isIndex ? pathOf({ scheme: 'file', path: uri.path }) : undefined
    if (!editor || path === undefined) return this.repository.notices.warning(words.notStagedText)
    const lines = linesForGit(this.selected(editor))
    await this.repository.change({ action: 'restore', staged: true, files: [path], lines })
  }
}
