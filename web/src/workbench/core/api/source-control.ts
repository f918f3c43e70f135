// A repository in the Source Control view: groups of changed files, a box for the message, what the status bar
// says of it, and the earlier text of a file. What the rows mean and do is the feature's.
import {
  ILanguageService, IModelService, IQuickDiffService, ISCMService, IUriIdentityService, getService,
  type ICommandService,
} from '@codingame/monaco-vscode-api'
import { Emitter, Uri } from 'monaco-editor'
import {
  ResourceTree, observableValue, type IDisposable, type ISCMHistoryProvider, type ISCMProvider, type ISCMRepository,
  type ISCMActionButtonDescriptor, type ISCMResource, type ISCMResourceGroup, type WorkbenchCommand,
} from '../upstream'

export interface SourceControlApi {
  createSourceControl(id: string, name: string, root: Uri): SourceControl
}

/** One changed file, as a row. */
export interface ResourceState {
  resourceUri: Uri
  contextValue?: string
  decorations?: { tooltip?: string; strikeThrough?: boolean; faded?: boolean }
  /** What opening the row does; whether the keyboard stays in the view is handed over last. */
  command: { command: string; arguments: unknown[] }
}

/** The box for the message of a commit. */
export interface InputBox {
  value: string
  placeholder: string
}

/** The button beneath the box, and what else its list offers. */
export interface MainButton {
  command: string
  title: string
  isEnabled: boolean
  others: { command: string; title: string }[]
}

type Services = {
  commands: ICommandService
  languages: ILanguageService
  models: IModelService
  quickDiff: IQuickDiffService
  scm: ISCMService
  uris: IUriIdentityService
}

export class SourceControls implements SourceControlApi {
  private constructor(private readonly services: Services) {}

  static async start(commands: ICommandService): Promise<SourceControls> {
    return new SourceControls({
      commands,
      languages: await getService(ILanguageService),
      models: await getService(IModelService),
      quickDiff: await getService(IQuickDiffService),
      scm: await getService(ISCMService),
      uris: await getService(IUriIdentityService),
    })
  }

  createSourceControl(id: string, name: string, root: Uri): SourceControl {
    return new SourceControl(this.services, id, name, root)
  }
}

/** Menus hand their commands the rows and groups that the workbench knows; handlers want what they put there. */
export function rowsToStates(args: unknown[]): unknown[] {
  return args.map((arg) => (arg instanceof Row ? arg.state : arg instanceof Group ? arg.resourceStates : arg))
}

class Row implements ISCMResource {
  readonly sourceUri: Uri
  readonly decorations
  readonly contextValue: string | undefined
  readonly command = undefined
  readonly multiDiffEditorOriginalUri = undefined
  readonly multiDiffEditorModifiedUri = undefined

  constructor(
    private readonly commands: ICommandService,
    readonly resourceGroup: Group,
    readonly state: ResourceState,
  ) {
    this.sourceUri = state.resourceUri
    this.decorations = state.decorations ?? {}
    this.contextValue = state.contextValue
  }

  async open(preserveFocus: boolean): Promise<void> {
    const { command, arguments: args } = this.state.command
    await this.commands.executeCommand(command, ...args, preserveFocus)
  }
}

export class Group implements ISCMResourceGroup {
  hideWhenEmpty = false
  contextValue: string | undefined
  private title: string
  readonly multiDiffEditorEnableViewChanges = false
  resources: readonly Row[] = []
  private readonly changed = new Emitter<void>()
  readonly onDidChange = this.changed.event
  private readonly filled = new Emitter<void>()
  readonly onDidChangeResources = this.filled.event
  private tree: ResourceTree<ISCMResource, ISCMResourceGroup> | undefined

  constructor(
    private readonly services: Services,
    readonly provider: SourceControl,
    readonly id: string,
    label: string,
  ) {
    this.title = label
  }

  get label(): string {
    return this.title
  }

  set label(label: string) {
    if (label === this.title) return
    this.title = label
    this.changed.fire()
  }

  get resourceStates(): readonly ResourceState[] {
    return this.resources.map(({ state }) => state)
  }

  set resourceStates(states: readonly ResourceState[]) {
    // Another object would be another row: its menu would close, and its focus be lost.
    const rows = new Map(this.resources.map((row) => [row.state, row]))
    this.resources = states.map((state) => rows.get(state) ?? new Row(this.services.commands, this, state))
    this.tree = undefined
    this.filled.fire()
    this.provider.told()
  }

  get resourceTree(): ResourceTree<ISCMResource, ISCMResourceGroup> {
    if (!this.tree) {
      this.tree = new ResourceTree(this as ISCMResourceGroup, this.provider.rootUri, this.services.uris.extUri)
      for (const row of this.resources) this.tree.add(row.sourceUri, row)
    }
    return this.tree
  }
}

type Original = (uri: Uri) => Uri | undefined

/** The names that changes have from where they were found. */
export const QUICK_DIFFS = { primary: 'openspace.quickDiff', secondary: 'openspace.earlierQuickDiff' } as const

export class SourceControl implements ISCMProvider {
  readonly id: string
  readonly groups: Group[] = []
  readonly inputBoxTextModel
  readonly contextValue = observableValue<string | undefined>(this, undefined)
  readonly countValue = observableValue<number | undefined>(this, undefined)
  readonly count = this.countValue
  readonly commitTemplate = observableValue(this, '')
  readonly artifactProvider = observableValue<undefined>(this, undefined)
  readonly historyProvider = observableValue<ISCMHistoryProvider | undefined>(this, undefined)
  readonly actionButton = observableValue<ISCMActionButtonDescriptor | undefined>(this, undefined)
  readonly statusBarCommands = observableValue<undefined>(this, undefined)
  acceptInputCommand: WorkbenchCommand | undefined
  private readonly regrouped = new Emitter<void>()
  readonly onDidChangeResourceGroups = this.regrouped.event
  private readonly filled = new Emitter<void>()
  readonly onDidChangeResources = this.filled.event
  private readonly repository: ISCMRepository
  private readonly quickDiffs: IDisposable[] = []
  private original: Original | undefined

  constructor(
    private readonly services: Services,
    readonly providerId: string,
    readonly label: string,
    readonly rootUri: Uri,
  ) {
    this.id = `${providerId}:${rootUri.toString()}`
    const box = Uri.from({ scheme: 'vscode-scm', path: `/${providerId}/input` })
    const { languages, models, scm } = services
    this.inputBoxTextModel = models.getModel(box) ?? models.createModel('', languages.createById('scminput'), box)
    this.repository = scm.registerSCMProvider(this)
  }

  get name(): string {
    return this.rootUri.path.split('/').at(-1) || this.label
  }

  /** What is written in the box of the message, and what it says when it is empty. */
  get inputBox(): InputBox {
    const { input } = this.repository
    return {
      get value() {
        return input.value
      },
      set value(value: string) {
        input.setValue(value, false)
      },
      get placeholder() {
        return input.placeholder
      },
      set placeholder(placeholder: string) {
        input.placeholder = placeholder
      },
    }
  }

  createResourceGroup(id: string, label: string): Group {
    const group = new Group(this.services, this, id, label)
    this.groups.push(group)
    this.regrouped.fire()
    return group
  }

  setCount(count: number): void {
    this.countValue.set(count, undefined)
  }

  setButton({ command: id, title, isEnabled, others }: MainButton): void {
    const before = this.actionButton.get()
    if (before?.command.id === id && before.command.title === title && before.enabled === isEnabled) return
    const secondaryCommands = [others.map((other) => ({ id: other.command, title: other.title }))]
    this.actionButton.set({ command: { id, title }, secondaryCommands, enabled: isEnabled }, undefined)
  }

  /**
   * By which earlier texts of a file are found, for marks beside the lines that differ: the one that it is compared
   * with, and one before that. The changes that come of them are known by their `QUICK_DIFFS`.
   */
  setQuickDiff(original: Original, earlier: Original): void {
    this.original = original
    const add = (kind: 'primary' | 'secondary', find: Original) =>
      this.quickDiffs.push(this.services.quickDiff.addQuickDiffProvider({
        id: QUICK_DIFFS[kind],
        label: this.label,
        rootUri: this.rootUri,
        kind,
        getOriginalResource: async (uri) => find(uri) ?? null,
      }))
    add('primary', original)
    add('secondary', earlier)
  }

  async getOriginalResource(uri: Uri): Promise<Uri | null> {
    return this.original?.(uri) ?? null
  }

  /** Rows of some group are others. */
  told(): void {
    this.filled.fire()
  }

  dispose(): void {
    for (const quickDiff of this.quickDiffs) quickDiff.dispose()
    this.regrouped.dispose()
    this.filled.dispose()
    this.inputBoxTextModel.dispose()
  }

  /** Out of the view. */
  remove(): void {
    this.repository.dispose()
  }
}
