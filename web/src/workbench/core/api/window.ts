// What is said to the person and asked of them: messages, questions, pickers, the status bar, marks of files.
import {
  IClipboardService, IDecorationsService, IDialogService, IEditorService, INotificationService, IProgressService,
  IQuickInputService, IStatusbarService, getService,
} from '@codingame/monaco-vscode-api'
import { editor as monacoEditor, type IDisposable, type IEvent, type Selection, type Uri } from 'monaco-editor'
import { strings } from '../../../strings'
import {
  NotificationSeverity, ProgressLocation, getCodeEditor, showWhole, StatusbarAlignment, type IDecorationData,
  type IInputOptions, type IPickOptions, type IQuickPickItem, type IQuickPickSeparator, type IStatusbarEntry,
  type ITextEditorOptions,
} from '../upstream'

type Show = (text: string, ...choices: string[]) => Promise<string | undefined>

export interface WindowApi {
  showInformationMessage: Show
  showWarningMessage: Show
  showErrorMessage: Show
  /** A notice that stays until somebody closes it: its buttons do not, and time does not. */
  showLasting: (
    text: string, buttons: readonly [label: string, run: () => void][], closed: () => void, isNews?: boolean,
  ) => LastingNotice
  /** A question over everything; `undefined` when the person does none of it. */
  ask: (question: Question, ...buttons: string[]) => Promise<string | undefined>
  showQuickPick: <T extends string | Choice>(
    items: readonly T[] | Promise<readonly T[]>, options?: IPickOptions<IQuickPickItem>,
  ) => Promise<T | undefined>
  /** A list to choose from, and what was typed over it. */
  chooseOrType: <T extends Choice>(items: readonly T[], placeHolder: string) =>
    Promise<{ chosen: T; typed: string } | undefined>
  showInputBox: (options?: InputBox) => Promise<string | undefined>
  createStatusBarItem: (id: string, priority: number, side?: 'left' | 'right') => StatusBarItem
  setStatusBarMessage: (text: string, forMs: number) => void
  registerFileDecorationProvider: (provider: FileDecorationProvider) => IDisposable
  /** The text at hand, of a diff the right one, and what is selected in it. */
  activeText: () => ActiveText | undefined
  /** Another text is at hand, it reads otherwise, or its caret is elsewhere. */
  onActiveText: (listener: (what: 'other' | 'text' | 'caret') => void) => void
  showTextDocument: (uri: Uri, options?: ITextEditorOptions) => Promise<void>
  showDiff: (left: Uri, right: Uri, title: string, options?: ITextEditorOptions) => Promise<void>
  copy: (text: string) => Promise<void>
  /** Shows in the Source Control view that work is under way. */
  withSourceControlProgress: <T>(work: () => Promise<T>) => Promise<T>
}

export interface LastingNotice {
  close: () => void
}

export interface Question {
  message: string
  detail?: string
  /** It tells rather than warns. */
  isNews?: boolean
}

/** An entry of a list, or the title of those that follow. */
export type Choice = IQuickPickItem | IQuickPickSeparator

export interface ActiveText {
  editor: monacoEditor.ICodeEditor
  text: monacoEditor.ITextModel
  uri: Uri
  selection: Selection
}

/** Where the text typed is not taken, why not. */
export type InputBox = Omit<IInputOptions, 'validateInput'> & {
  validateInput?: (text: string) => string | undefined
}

export interface FileDecorationProvider {
  /** Of which files they changed; `undefined`: of any. */
  onDidChangeFileDecorations: IEvent<readonly Uri[] | undefined>
  provideFileDecoration: (uri: Uri) => IDecorationData | undefined
}

export class StatusBarItem {
  private shown: ReturnType<IStatusbarService['addEntry']> | undefined

  constructor(
    private readonly bar: IStatusbarService,
    private readonly id: string,
    private readonly priority: number,
    private readonly side: StatusbarAlignment,
  ) {}

  /** All that it shows, at once. */
  set(entry: Omit<IStatusbarEntry, 'name' | 'ariaLabel'> & { name?: string }): void {
    const named = { name: strings.product, ...entry }
    // What is only a picture is called by its name.
    const whole = { ...named, ariaLabel: entry.text.replaceAll(/\$\([^)]*\)/g, '').trim() || named.name }
    if (this.shown) this.shown.update(whole)
    else this.shown = this.bar.addEntry(whole, this.id, this.side, this.priority)
  }

  hide(): void {
    this.shown?.dispose()
    this.shown = undefined
  }
}

export async function startWindow(): Promise<WindowApi> {
  const notifications = await getService(INotificationService)
  const dialogs = await getService(IDialogService)
  const input = await getService(IQuickInputService)
  const bar = await getService(IStatusbarService)
  const decorations = await getService(IDecorationsService)
  const editors = await getService(IEditorService)
  const progress = await getService(IProgressService)
  const clipboard = await getService(IClipboardService)
  const activeEditor = (): monacoEditor.ICodeEditor | undefined => {
    const shown: unknown = getCodeEditor(editors.activeTextEditorControl)
    return monacoEditor.getEditors().find((editor) => editor === shown)
  }
  const say = (severity: NotificationSeverity): Show => (text, ...choices) =>
    new Promise((resolve) => {
      const buttons = choices.map((label) => ({ label, run: () => resolve(label) }))
      const handle = notifications.prompt(severity, text, buttons, { onCancel: () => resolve(undefined) })
      handle.onDidClose(() => resolve(undefined))
      // With buttons it is so already; one line stays one.
      if (choices.length === 0) showWhole(handle)
    })
  return {
    showInformationMessage: say(NotificationSeverity.Info),
    showWarningMessage: say(NotificationSeverity.Warning),
    showErrorMessage: say(NotificationSeverity.Error),
    showLasting: (text, buttons, closed, isNews = false) => {
      const choices = buttons.map(([label, act]) => ({ label, run: act, keepOpen: true }))
      const severity = isNews ? NotificationSeverity.Info : NotificationSeverity.Warning
      const handle = notifications.prompt(severity, text, choices, { sticky: true })
      handle.onDidClose(closed)
      return { close: () => handle.close() }
    },
    ask: async ({ message, detail, isNews = false }, ...labels) => {
      const buttons = labels.map((label) => ({ label, run: () => label }))
      const { result } = await dialogs.prompt<string | undefined>({
        type: isNews ? NotificationSeverity.Info : NotificationSeverity.Warning,
        message,
        ...(detail !== undefined && { detail }),
        buttons,
        cancelButton: { label: strings.cancel, run: () => undefined },
      })
      return result
    },
    showQuickPick: async <T extends string | Choice>(
      items: readonly T[] | Promise<readonly T[]>, options: IPickOptions<IQuickPickItem> = {},
    ) => {
      const all = await items
      const entries = all.map((chosen) => {
        const item: Choice = typeof chosen === 'string' ? { label: chosen } : chosen
        return { ...item, chosen }
      })
      return (await input.pick(entries, options as never) as { chosen: T } | undefined)?.chosen
    },
    chooseOrType: <T extends Choice>(
      items: readonly T[], placeholder: string,
    ) => new Promise<{ chosen: T; typed: string } | undefined>((resolve) => {
      const pick = input.createQuickPick<IQuickPickItem & { chosen: T }>({ useSeparators: true })
      pick.items = items.map((chosen) => ({ ...chosen, chosen })) as never
      pick.placeholder = placeholder
      pick.matchOnDescription = true
      pick.onDidAccept(() => {
        const [selected] = pick.selectedItems
        resolve(selected && { chosen: selected.chosen, typed: pick.value.trim() })
        pick.hide()
      })
      pick.onDidHide(() => {
        resolve(undefined)
        pick.dispose()
      })
      pick.show()
    }),
    showInputBox: ({ validateInput, ...options } = {}) =>
      input.input({ ...options, ...(validateInput && { validateInput: async (text) => validateInput(text) }) }),
    createStatusBarItem: (id, priority, side = 'left') =>
      new StatusBarItem(bar, id, priority, side === 'left' ? StatusbarAlignment.LEFT : StatusbarAlignment.RIGHT),
    setStatusBarMessage: (text, hideAfter) => {
      notifications.status(text, { hideAfter })
    },
    registerFileDecorationProvider: ({ onDidChangeFileDecorations, provideFileDecoration }) =>
      decorations.registerDecorationsProvider({
        label: strings.product,
        // Its type leaves out that nothing named is everything.
        onDidChange: onDidChangeFileDecorations as IEvent<readonly Uri[]>,
        provideDecorations: provideFileDecoration,
      }),
    activeText: () => {
      const editor = activeEditor()
      const text = editor?.getModel()
      const selection = editor?.getSelection()
      return editor && text && selection ? { editor, text, uri: text.uri, selection } : undefined
    },
    onActiveText: (listener) => {
      let followed: IDisposable[] = []
      const follow = () => {
        for (const listening of followed) listening.dispose()
        const editor = activeEditor()
        followed = editor
          ? [
              editor.onDidChangeCursorPosition(() => listener('caret')),
              editor.onDidChangeModelContent(() => listener('text')),
              editor.onDidChangeModel(() => listener('other')),
            ]
          : []
        listener('other')
      }
      editors.onDidActiveEditorChange(follow)
      follow()
    },
    showTextDocument: async (resource, options = {}) => {
      await editors.openEditor({ resource, options })
    },
    showDiff: async (left, right, label, options = {}) => {
      await editors.openEditor({ original: { resource: left }, modified: { resource: right }, label, options })
    },
    copy: (text) => clipboard.writeText(text),
    withSourceControlProgress: (work) => progress.withProgress({ location: ProgressLocation.Scm }, work),
  }
}
