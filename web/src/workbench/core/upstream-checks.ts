// Compares `upstream.ts` with the workbench that is really there, entry by entry.
//
// The types cannot say it: private parts are behind casts, and a module may keep its names and change what they
// do. Only a page from a server that was built for debugging offers it (`open.ts`), for `e2e/upstream.spec.ts`;
// nothing of it is loaded before. It changes nothing but a text of its own.
import {
  getService, GroupDirection, ICommandService, IContextKeyService, IEditorGroupsService, IExplorerService,
  IInstantiationService, IKeybindingService, INotificationService, IStorageService,
  ITerminalService, ITextFileService, IUndoRedoService, IWorkbenchLayoutService,
} from '@codingame/monaco-vscode-api'
import { AbstractResourceEditorInput, Parts } from '@codingame/monaco-vscode-workbench-service-override'
import { editor as monacoEditor, Uri } from 'monaco-editor'
import * as upstream from './upstream'

/** What is wrong with an entry; `undefined`: nothing. */
export type Findings = Record<keyof typeof upstream, string | undefined>

type Check = () => void | Promise<void>

function must(isSo: boolean, flaw: string): asserts isSo {
  if (!isSo) throw new Error(flaw)
}

const { EditorExtensions, Registry, TAB_TYPES } = upstream

/** That it is there and a class or a function. */
const callable = (name: keyof typeof upstream): Check => () =>
  must(typeof upstream[name] === 'function', `is ${typeof upstream[name]}, not a class or a function`)

/** That an enumeration still has what is used of it. */
const members = (name: keyof typeof upstream, ...used: string[]): Check => () => {
  const missing = used.filter((key) => !Object.hasOwn(upstream[name] as object, key))
  must(missing.length === 0, `has no ${missing.join(', ')}`)
}

const text = (name: keyof typeof upstream): Check => () =>
  must(typeof upstream[name] === 'string' && upstream[name] !== '', `is ${typeof upstream[name]}, not a name`)

/** A text of which the last change can be undone. */
async function edited<T>(work: (past: readonly unknown[], events: object[]) => T): Promise<T> {
  const model = monacoEditor.createModel('one\n', 'plaintext', Uri.from({ scheme: 'openspace-check', path: '/text' }))
  const events: object[] = []
  model.onDidChangeContent((event) => events.push(event))
  try {
    const range = { startLineNumber: 1, startColumn: 1, endLineNumber: 1, endColumn: 4 }
    model.pushEditOperations(null, [{ range, text: 'two' }], () => null)
    return work((await getService(IUndoRedoService)).getElements(model.uri).past, events)
  } finally {
    model.dispose()
  }
}

const step: Check = () => edited((past) => {
  const [element] = past
  must(element instanceof upstream.SingleModelEditStackElement, 'a change of a text is no step of this class any more')
  const open = upstream.stepDataOf(element)
  must(open instanceof upstream.SingleModelEditStackData, 'an open step does not hold its data in `_data`')
  must(open.changes[0] instanceof upstream.TextChange, 'a step does not hold its changes as such objects')
  const [{ oldPosition, oldText, newPosition, newText }] = open.changes as [InstanceType<typeof upstream.TextChange>]
  const change = JSON.stringify([oldPosition, oldText, newPosition, newText])
  must(change === '[0,"one",0,"two"]', `a change of “one” to “two” reads as ${change}`)
  element.close()
  const closed = upstream.stepDataOf(element)
  must(closed instanceof ArrayBuffer, 'a closed step does not hold bytes in `_data`')
  const read = upstream.SingleModelEditStackData.deserialize(closed)
  must(read.changes[0]?.newText === 'two', 'the bytes of a closed step do not read as its data')
  upstream.setStepData(element, open)
  must(upstream.stepDataOf(element) === open, 'a step does not take other data')
})

const reasons: Check = () => edited((_, events) => {
  const [event] = events
  must(event !== undefined, 'a change of a text was not told')
  const { detailedReasons, detailedReasonsChangeLengths } = upstream.withReasons(event)
  must(Array.isArray(detailedReasons), 'a change does not say why it came (`detailedReasons`)')
  must(Array.isArray(detailedReasonsChangeLengths), 'a change does not say which changes belong together')
  must(!upstream.isReload(event), 'an edit passes for something that was read from the disk')
})

async function group() {
  return (await getService(IEditorGroupsService)).mainPart.activeGroup
}

/** A terminal that the test has made, with a command that ended and one that runs. */
async function terminal() {
  const [instance] = (await getService(ITerminalService)).instances
  must(instance?.xterm !== undefined, 'cannot be checked: the page shows no terminal')
  const commands = instance.capabilities.get(upstream.TerminalCapability.CommandDetection)
  must(commands !== undefined, 'a terminal does not know its commands')
  return { screen: instance.xterm.raw, commands }
}

async function endedCommand() {
  const { commands } = await terminal()
  const command = commands.commands.find((candidate) => candidate.command.includes('sleep'))
  const known = commands.commands.map((candidate) => candidate.command)
  must(command !== undefined, `cannot be checked: the terminal knows no command that slept: ${JSON.stringify(known)}`)
  return command
}

const CHECKS: Record<keyof typeof upstream, Check> = {
  CHECKED: text('CHECKED'),
  isCancellationError: () => {
    const given = Object.assign(new Error('Canceled'), { name: 'Canceled' })
    must(upstream.isCancellationError(given), 'does not know an error named “Canceled”')
    must(!upstream.isCancellationError(new Error('no')), 'takes any error for a cancellation')
  },
  DisposableStore: () => {
    let isDisposed = false
    const store = new upstream.DisposableStore()
    store.add({ dispose: () => (isDisposed = true) })
    store.dispose()
    must(isDisposed, 'does not dispose of what was added')
  },
  getCodeEditor: () => must(upstream.getCodeEditor({}) === null, 'takes anything for a text'),
  isCodeEditor: () => must(!upstream.isCodeEditor({}), 'takes anything for a text'),
  EndOfLinePreference: members('EndOfLinePreference', 'LF'),
  EndOfLineSequence: members('EndOfLineSequence', 'LF', 'CRLF'),
  TextChange: step,
  MultiModelEditStackElement: () => {
    const { prototype } = upstream.MultiModelEditStackElement
    must(typeof prototype.split === 'function', 'cannot be split into the steps of its files')
  },
  SingleModelEditStackData: step,
  SingleModelEditStackElement: step,
  stepDataOf: step,
  setStepData: step,
  withReasons: reasons,
  isReload: reasons,
  ContextKeyExpr: () => must(upstream.ContextKeyExpr.has('a').serialize() === 'a', '`has` does not ask for a key'),
  Registry: () => must(Registry.knows(EditorExtensions.EditorFactory), 'does not know the serializers of tabs'),
  ViewExtensions: () => {
    const views = Registry.as<upstream.IViewsRegistry>(upstream.ViewExtensions.ViewsRegistry)
    must(typeof views.registerViewWelcomeContent === 'function', 'views cannot be given a welcome text')
  },
  SEARCH_VIEW: () => {
    const views = Registry.as<upstream.IViewsRegistry>(upstream.ViewExtensions.ViewsRegistry)
    must(views.getView(upstream.SEARCH_VIEW) !== null, 'is the name of no view')
  },
  Markers: () => {
    const views = Registry.as<upstream.IViewsRegistry>(upstream.ViewExtensions.ViewsRegistry)
    must(views.getView(upstream.Markers.MARKERS_VIEW_ID) !== null, 'is the name of no view')
  },
  SCM_VIEW: () => {
    const views = Registry.as<upstream.IViewsRegistry>(upstream.ViewExtensions.ViewsRegistry)
    must(views.getView(upstream.SCM_VIEW) !== null, 'is the name of no view')
  },
  MenuId: () => must(upstream.MenuId.CommandPalette.id === 'CommandPalette', 'does not name the palette'),
  MenuRegistry: () => {
    const entries = upstream.MenuRegistry.getMenuItems(upstream.MenuId.CommandPalette)
    must(entries.some(upstream.isIMenuItem), 'has no command in the palette')
  },
  isIMenuItem: () => must(upstream.isIMenuItem({ command: { id: 'a', title: 'a' } }), 'does not know a command'),
  isISubmenuItem: () => {
    must(upstream.isISubmenuItem({ title: 'a', submenu: upstream.MenuId.CommandPalette }), 'does not know a submenu')
  },
  JsonExtensions: () => {
    const registry = Registry.as<upstream.IJSONContributionRegistry>(upstream.JsonExtensions.JSONContribution)
    const { schemas } = registry.getSchemaContributions()
    must('vscode://schemas/settings/user' in schemas, 'does not have the schema of the settings')
  },
  settingSections: () => {
    must(upstream.settingSections.children?.some(({ id }) => id === 'chat') === true, 'has no section “chat”')
  },
  allMenus: () => must(upstream.allMenus().has('CommandPalette'), '`MenuId._instances` does not have the palette'),
  EditorActivation: members('EditorActivation', 'PRESERVE'),
  createTextBufferFactory: () => {
    const factory = upstream.createTextBufferFactory('one\ntwo')
    must(factory.getFirstLineText(10) === 'one', 'does not make a text of a text')
  },
  TextFileOperationError: () => {
    const binary = upstream.TextFileOperationResult.FILE_IS_BINARY
    const error = new upstream.TextFileOperationError('no', binary)
    must(error.textFileOperationResult === binary, 'does not keep why a text was not read')
  },
  wrapReadStream: async () => {
    const texts = await getService(ITextFileService)
    const inClass = Object.getPrototypeOf(texts) as ITextFileService
    must(typeof inClass.readStream === 'function', 'the service of text files has no `readStream` in its class')
  },
  TextFileOperationResult: members('TextFileOperationResult', 'FILE_IS_BINARY'),
  FileOperation: members('FileOperation', 'CREATE'),
  ViewContainerLocation: members('ViewContainerLocation', 'Sidebar', 'Panel', 'AuxiliaryBar'),
  Parts: members('Parts', 'SIDEBAR_PART', 'PANEL_PART', 'AUXILIARYBAR_PART'),
  KeybindingsRegistry: () => {
    const id = 'openspace.check'
    const has = () => upstream.KeybindingsRegistry.getDefaultKeybindings().some(({ command }) => command === id)
    const rule = upstream.KeybindingsRegistry.registerKeybindingRule({ id, primary: 1, weight: 1, when: undefined })
    must(has(), 'does not take a key')
    rule.dispose()
    must(!has(), 'does not give a key back')
  },
  TokenizationRegistry: async () => {
    const grammar = await upstream.TokenizationRegistry.getOrCreate('json')
    const tokens = grammar?.tokenizeEncoded('{"a": 1}', true, grammar.getInitialState()).tokens
    must((tokens?.length ?? 0) > 2, 'a line of JSON has no tokens')
  },
  CommandsRegistry: () => {
    const used = ['_setContext', '_workbench.open', '_workbench.diff']
    const missing = used.filter((id) => !upstream.CommandsRegistry.getCommand(id))
    must(missing.length === 0, `has no ${missing.join(', ')}`)
    const known = upstream.CommandsRegistry.getCommand('workbench.action.showCommands')
    must(typeof known?.handler === 'function', 'does not have what a command runs')
  },
  QuickAccessExtensions: async () => {
    const registry = Registry.as<upstream.IQuickAccessRegistry>(upstream.QuickAccessExtensions.Quickaccess)
    const places = registry.getQuickAccessProviders(await getService(IContextKeyService))
    const palette = places.find(({ prefix }) => prefix === '>')
    must(palette !== undefined && palette.helpEntries.length > 0, 'does not have the palette')
  },
  ConfigurationScope: members('ConfigurationScope', 'APPLICATION'),
  ConfigurationExtensions: () => {
    const registry = Registry.as<upstream.IConfigurationRegistry>(upstream.ConfigurationExtensions.Configuration)
    const known = Object.hasOwn(registry.getConfigurationProperties(), 'editor.minimap.enabled')
    must(known, 'has no setting for the minimap')
  },
  NotificationSeverity: members('NotificationSeverity', 'Info', 'Warning', 'Error'),
  ProgressLocation: members('ProgressLocation', 'Scm'),
  StatusbarAlignment: members('StatusbarAlignment', 'LEFT'),
  ResourceTree: callable('ResourceTree'),
  observableFromEvent: () => {
    const value = upstream.observableFromEvent({}, () => ({ dispose() {} }), () => 1)
    must(value.get() === 1, 'does not ask for its value')
  },
  observableValue: () => {
    const value = upstream.observableValue<number>({}, 1)
    value.set(2, undefined)
    must(value.get() === 2, 'does not keep what was set')
  },
  MarkerSeverity: members('MarkerSeverity', 'Error', 'Warning', 'Info', 'Hint'),
  FileOperationError: () => {
    const error = new upstream.FileOperationError('no', upstream.FileOperationResult.FILE_MODIFIED_SINCE)
    const { fileOperationResult: result } = error
    must(result === upstream.FileOperationResult.FILE_MODIFIED_SINCE, 'does not keep why an operation failed')
  },
  FileOperationResult: members('FileOperationResult', 'FILE_MODIFIED_SINCE', 'FILE_NOT_FOUND'),
  ExplorerItem: async () => {
    const { roots } = await getService(IExplorerService)
    const [root] = roots
    must(root instanceof upstream.ExplorerItem && root.isRoot, 'the folder of the explorer is none of these')
    must(!Object.hasOwn(root, 'fetchChildren'), 'a folder has its own way to fetch what is in it')
    must(typeof upstream.ExplorerItem.prototype.fetchChildren === 'function', 'has no `fetchChildren`')
  },
  ProcessPropertyType: members(
    'ProcessPropertyType', 'Cwd', 'HasChildProcesses', 'OverrideDimensions', 'ResolvedShellLaunchConfig',
  ),
  TerminalExitReason: members('TerminalExitReason', 'Unknown', 'User', 'Extension'),
  TitleEventSource: members('TitleEventSource', 'Api'),
  ConfigurationModelParser: () =>
    must('parse' in upstream.ConfigurationModelParser.prototype, 'has no `parse`'),
  parseJson: () => {
    const errors: Parameters<typeof upstream.parseJson>[1] = []
    upstream.parseJson('{"a": [1,], // words\n}', errors)
    must(errors?.length === 0, 'takes commas at the end or comments for errors')
    upstream.parseJson('{"a" 1}', errors)
    must(errors?.length !== 0, 'tells no errors')
  },
  TerminalEditorInput: callable('TerminalEditorInput'),
  TerminalCapability: members('TerminalCapability', 'CwdDetection', 'CommandDetection'),
  deserializeVSCodeOscMessage: () => {
    const read = upstream.deserializeVSCodeOscMessage('a\\x3bb')
    must(read === 'a;b', `reads the mark a\\x3bb as ${read}`)
  },
  EditorExtensions: () => must(typeof EditorExtensions.EditorFactory === 'string', 'has no `EditorFactory`'),
  isDiffEditorInput: () => must(!upstream.isDiffEditorInput({}), 'takes anything for a diff'),
  overviewRulerAddedForeground: text('overviewRulerAddedForeground'),
  overviewRulerDeletedForeground: text('overviewRulerDeletedForeground'),
  overviewRulerModifiedForeground: text('overviewRulerModifiedForeground'),
  PeekViewWidget: () => {
    const { prototype } = upstream.PeekViewWidget
    for (const name of ['create', 'show', 'setTitle', '_fillHead', '_doLayoutBody'] as const) {
      must(typeof (prototype as unknown as Record<string, unknown>)[name] === 'function', `has no \`${name}\``)
    }
  },
  innerEditorOf: () => {
    const [editor] = monacoEditor.getEditors()
    must(editor === undefined || upstream.isCodeEditor(editor), 'an editor is no editor for the widgets')
  },
  EmbeddedDiffEditorWidget: callable('EmbeddedDiffEditorWidget'),
  MarkdownString: callable('MarkdownString'),
  SearchProviderType: members('SearchProviderType', 'file', 'text'),
  WorkspaceSymbolProviderRegistry: () => {
    const { WorkspaceSymbolProviderRegistry: registry } = upstream
    must(typeof registry.register === 'function', 'has no `register`')
  },
  CallHierarchyProviderRegistry: () =>
    must(typeof upstream.CallHierarchyProviderRegistry.register === 'function', 'has no `register`'),
  TypeHierarchyProviderRegistry: () =>
    must(typeof upstream.TypeHierarchyProviderRegistry.register === 'function', 'has no `register`'),
  MarkerTag: members('MarkerTag', 'Unnecessary', 'Deprecated'),
  ExtensionIdentifier: callable('ExtensionIdentifier'),
  TextFileEditorModel: () => {
    const { prototype } = upstream.TextFileEditorModel
    for (const name of ['setDirty', 'revert', 'save', 'hasState'] as const) {
      must(typeof prototype[name] === 'function', `has no \`${name}\``)
    }
  },
  TextFileEditorModelState: members('TextFileEditorModelState', 'PENDING_SAVE', 'CONFLICT'),
  TAB_TYPES: () => {
    const registry = Registry.as<upstream.IEditorFactoryRegistry>(EditorExtensions.EditorFactory)
    const unknown = Object.values(TAB_TYPES).filter((type) => !registry.getEditorSerializer(type))
    must(unknown.length === 0, `no tabs are written down by the names ${unknown.join(', ')}`)
  },
  MERGE_BEGINS: text('MERGE_BEGINS'),
  mergeMakerOf: async () => {
    const registry = Registry.as<upstream.IEditorFactoryRegistry>(EditorExtensions.EditorFactory)
    const side = { uri: Uri.parse('openspace-check:/side') }
    const editor = registry.getEditorSerializer(TAB_TYPES.merge)?.deserialize(await getService(IInstantiationService),
      JSON.stringify({ base: side.uri, input1: side, input2: side, result: side.uri }))
    must(editor !== undefined, 'no merge editor is made of what one wrote down')
    const files = upstream.mergeMakerOf(editor)?.textFileService.files
    editor.dispose()
    must(Array.isArray(files?.models), 'a merge editor has no `mergeEditorModeFactory` with a `textFileService`')
  },
  // A model without what it asks for throws at the first choice (`e2e/merge-editor.spec.ts`).
  isCompared: () => must(upstream.isCompared({}), 'waits for a pane that compares nothing'),
  FILE_TYPES: () => must(TAB_TYPES.file.startsWith(upstream.FILE_TYPES), 'the tab of a file is named in another way'),
  BINARY_TYPE: text('BINARY_TYPE'),
  SIDE_BY_SIDE_TYPE: () => {
    const registry = Registry.as<upstream.IEditorFactoryRegistry>(EditorExtensions.EditorFactory)
    must(registry.getEditorSerializer(upstream.SIDE_BY_SIDE_TYPE) !== undefined, 'is the name of no kind of tab')
  },
  UNTITLED_TYPE: () => {
    const registry = Registry.as<upstream.IEditorFactoryRegistry>(EditorExtensions.EditorFactory)
    must(registry.getEditorSerializer(upstream.UNTITLED_TYPE) !== undefined, 'is the name of no kind of tab')
  },
  fileDownloads: () =>
    must(typeof upstream.fileDownloads.downloadFileBrowser === 'function', 'files are downloaded in another way'),
  elementOf: async () => {
    const element = upstream.elementOf(await group())
    must(element instanceof HTMLElement, 'a group has no `element`')
    must(element.isConnected && element.classList.contains('editor-group-container'), '`element` is no group on screen')
  },
  gridOf: async () => {
    const groups = await getService(IEditorGroupsService)
    const grid = upstream.gridOf(groups)
    must(typeof grid?.maximizeView === 'function', 'the groups have no `gridWidget` that can give one all of the room')
    must(typeof grid.exitMaximizedView === 'function', 'the `gridWidget` of the groups cannot take the room back')
    must(!grid.isViewMaximized(groups.mainPart.activeGroup), 'a group has all of the room that nobody gave it')
  },
  numbering: async () => {
    const { mainPart } = await getService(IEditorGroupsService)
    const number = 1_000
    const made = upstream.numbering(number, () => mainPart.addGroup(mainPart.activeGroup, GroupDirection.RIGHT))
    const { id } = made
    mainPart.removeGroup(made)
    must(id === number, `a group that was to have the number ${number} has ${id}`)
  },
  saveStateNow: async () => {
    const storage = await getService(IStorageService)
    let isTold = false
    const listener = storage.onWillSaveState(() => (isTold = true))
    upstream.saveStateNow(storage)
    listener.dispose()
    must(isTold, 'nobody is asked to write their state')
  },
  cachedSizeOf: async () => {
    const layout = await getService(IWorkbenchLayoutService)
    const bar = Parts.AUXILIARYBAR_PART
    must(!layout.isVisible(bar, window), 'cannot be checked: the secondary side bar is shown')
    must((upstream.cachedSizeOf(layout, bar) ?? 0) > 0, 'a hidden side bar has no size that it comes back with')
  },
  isZenMode: async () => {
    const layout = await getService(IWorkbenchLayoutService)
    must(!upstream.isZenMode(layout), 'zen mode is on before anybody wants it')
  },
  wrapLeastWidth: async () => {
    let asked = 0
    upstream.wrapLeastWidth(await getService(IWorkbenchLayoutService), Parts.PANEL_PART, (least) => {
      asked = least
      return least
    })
    ;(await getService(IWorkbenchLayoutService)).layout()
    must(asked > 0, 'a part has no `minimumWidth` that the layout asks for')
  },
  isHorizontal: () => must(upstream.isHorizontal(2) && !upstream.isHorizontal(0), 'knows no panel at the bottom'),
  keepText: async () => {
    const shown = await group()
    const before = Object.hasOwn(shown.activeEditorPane ?? {}, 'clearInput')
    upstream.keepText(shown).dispose()
    must(Object.hasOwn(shown.activeEditorPane ?? {}, 'clearInput') === before, 'an editor is not as it was afterwards')
  },
  outputQueueOf: async () => {
    const { screen } = await terminal()
    must(upstream.outputQueueOf(screen) !== undefined, 'the emulator has no such queue in `_core._writeBuffer`')
  },
  commandsIn: async () => {
    const { commands } = await terminal()
    const list = upstream.commandsIn(commands)
    must(Array.isArray(list) && list === commands.commands, 'is made anew with every look, so it cannot be emptied')
  },
  commandTimesOf: async () => {
    const command = await endedCommand()
    const times = upstream.commandTimesOf(command)
    must(typeof times?.duration === 'number' && typeof times.timestamp === 'number', 'a command has no `_properties`')
    const before = times.duration
    times.duration = 123_456
    const { duration } = command
    times.duration = before
    must(duration === 123_456, 'how long a command took is not read from `_properties`')
  },
  BEGAN: async () => {
    const { commands } = await terminal()
    must(commands.currentCommand?.commandExecutedMarker !== undefined, 'cannot be checked: no command runs')
    must(upstream.BEGAN in commands.currentCommand, 'a running command does not note when it began')
  },
  setBegan: async () => {
    const began = {}
    upstream.setBegan(began, 1)
    must(JSON.stringify(began) === '{"commandExecutedTimestamp":1}', 'sets something else')
  },
  readColoursAnew: () => {
    upstream.readColoursAnew()
    const style = getComputedStyle(document.querySelector('.monaco-workbench') ?? document.body)
    must(style.getPropertyValue('--vscode-scmGraph-foreground1') !== '', 'what is registered late has no colour')
  },
  showWhole: async () => {
    const told = (await getService(INotificationService)).notify({ severity: 1, message: 'Told to be checked' })
    const { item } = told as { item?: { expand?: unknown; expanded?: unknown } }
    must(typeof item?.expand === 'function', 'a notice has no `item` that expands')
    upstream.showWhole(told)
    const { expanded } = item
    told.close()
    must(expanded === true, 'a notice without buttons does not expand')
  },
  wrapExecuteCommand: async () => {
    const commands = await getService(ICommandService)
    const ran: string[] = []
    const wrapped = upstream.wrapExecuteCommand(commands, (execute) => (id, ...args) => {
      ran.push(id)
      return execute(id, ...args)
    })
    const run = () => commands.executeCommand('_setContext', 'openspace.check', true)
    await run()
    wrapped.dispose()
    await run()
    must(ran.length === 1, `was asked ${ran.length} times for the first of two commands`)
  },
  readKeysAnew: async () => {
    const keys = await getService(IKeybindingService)
    upstream.readKeysAnew(keys)
    const known = keys.lookupKeybinding('workbench.action.openSettings')
    must(known !== null && known !== undefined, 'what is registered late has no key')
  },
  createResourceInput: async () => {
    class Input extends AbstractResourceEditorInput {
      override get typeId(): string {
        return 'openspace.check'
      }
    }
    const resource = Uri.file('/check')
    const input = upstream.createResourceInput(await getService(IInstantiationService), Input, resource)
    must(input.resource.toString() === resource.toString(), 'a tab does not get its file')
    input.dispose()
  },
}

export async function checkUpstream(): Promise<Findings> {
  const found: [string, string | undefined][] = []
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      await check()
      found.push([name, undefined])
    } catch (error) {
      found.push([name, error instanceof Error ? error.message : String(error)])
    }
  }
  return Object.fromEntries(found) as Findings
}
