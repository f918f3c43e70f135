// Everything of the workbench's insides that the page uses: modules that its packages do not offer, and private
// parts of its objects. Nobody else imports such a module or looks behind a type (`cargo xtask tidy`).
//
// Upgrading the packages: raise their version and `CHECKED`, have `tsc` name what is gone, and run
// `e2e/upstream.spec.ts`, which compares every entry of this file with what the workbench really has
// (`upstream-checks.ts`). What a private part is good for stands beside it, and so does what happens without it.
//
// This file only gives access. It decides nothing, and what it hands out is as the workbench made it.
import type {
  EditorInput, ICommandService, IEditorGroup, IEditorGroupsService, IInstantiationService, IKeybindingService,
  IStorageService, ITextFileService, IWorkbenchLayoutService,
} from '@codingame/monaco-vscode-api'
import { StorageScope } from '@codingame/monaco-vscode-api'
import { MenuId } from '@codingame/monaco-vscode-api/vscode/vs/platform/actions/common/actions'
import { registerThemingParticipant } from '@codingame/monaco-vscode-api/vscode/vs/platform/theme/common/themeService'
import { EditSources } from '@codingame/monaco-vscode-api/vscode/vs/editor/common/textModelEditSource'
import type { IModelContentChangedEvent } from '@codingame/monaco-vscode-api/vscode/vs/editor/common/textModelEvents'
import type {
  SingleModelEditStackData, SingleModelEditStackElement,
} from '@codingame/monaco-vscode-api/vscode/vs/editor/common/model/editStack'
import type {
  ICommandDetectionCapability, ITerminalCommand,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/terminal/common/capabilities/capabilities'
import type { PeekViewWidget } from '@codingame/monaco-vscode-api/vscode/vs/editor/contrib/peekView/browser/peekView'
import { WillSaveStateReason } from '@codingame/monaco-vscode-api/vscode/vs/platform/storage/common/storage'
import { EditorGroupModel } from '@codingame/monaco-vscode-api/vscode/vs/workbench/common/editor/editorGroupModel'
import {
  TextFileEditor,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/contrib/files/browser/editors/textFileEditor'
import { FileDownload } from '@codingame/monaco-vscode-api/vscode/vs/workbench/contrib/files/browser/fileImportExport'
import type { CancellationToken, Uri } from 'monaco-editor'

/** The version of the packages that all of this was compared with. */
export const CHECKED = '36.2.7'

// ---- Modules ----

/** What the workbench gave up by itself: no failure (`cancellations.ts`). */
export { isCancellationError } from '@codingame/monaco-vscode-api/vscode/vs/base/common/errors'

/** Ends the listeners of a terminal together. */
export { DisposableStore } from '@codingame/monaco-vscode-api/vscode/vs/base/common/lifecycle'

/** What a database for the state of the UI has to be (`storage.ts`). */
export type {
  IStorageDatabase, IUpdateRequest,
} from '@codingame/monaco-vscode-api/vscode/vs/base/parts/storage/common/storage'

/** Whether what a tab shows is a text, whose view can be noted and scrolled; and which one of a diff is meant. */
export { getCodeEditor, isCodeEditor } from '@codingame/monaco-vscode-api/vscode/vs/editor/browser/editorBrowser'

/** The text of a file as the workbench keeps it: `monaco-editor` has another type for the same object. */
export { EndOfLinePreference, EndOfLineSequence } from '@codingame/monaco-vscode-api/vscode/vs/editor/common/model'
export type { ITextModel } from '@codingame/monaco-vscode-api/vscode/vs/editor/common/model'
/** Has why a text changed, which the public event leaves out. */
export type { IModelContentChangedEvent }

/** The steps that can be undone, which are moved when others edit (`undo-steps.ts`). */
export { TextChange } from '@codingame/monaco-vscode-api/vscode/vs/editor/common/core/textChange'
export {
  MultiModelEditStackElement, SingleModelEditStackData, SingleModelEditStackElement,
} from '@codingame/monaco-vscode-api/vscode/vs/editor/common/model/editStack'

/** The welcome text of the Source Control view, which no manifest of an extension can give it. */
export { ContextKeyExpr } from '@codingame/monaco-vscode-api/vscode/vs/platform/contextkey/common/contextkey'
export { Registry } from '@codingame/monaco-vscode-api/vscode/vs/platform/registry/common/platform'
export {
  Extensions as ViewExtensions, ViewContainerLocation,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/common/views'
/** The parts of the window, for whether one is shown (`rest.ts`). */
export { Parts } from '@codingame/monaco-vscode-api/vscode/vs/workbench/services/layout/browser/layoutService'
export type { IViewsRegistry } from '@codingame/monaco-vscode-api/vscode/vs/workbench/common/views'
/** The views that a problem and what was found are sent from (`chat/sending.ts`). */
export { VIEW_ID as SEARCH_VIEW } from '@codingame/monaco-vscode-api/vscode/vs/workbench/services/search/common/search'
export { Markers } from '@codingame/monaco-vscode-api/vscode/vs/workbench/contrib/markers/common/markers'
export { VIEW_PANE_ID as SCM_VIEW } from '@codingame/monaco-vscode-api/vscode/vs/workbench/contrib/scm/common/scm'

/** Every entry of every menu and every command, to take away what does not belong here and to check the rest. */
export {
  isIMenuItem, isISubmenuItem, MenuId, MenuRegistry,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/actions/common/actions'
export type { IMenuItem, ISubmenuItem } from '@codingame/monaco-vscode-api/vscode/vs/platform/actions/common/actions'
/** Keys that hold until what they are for is there (`stand-ins.ts`). */
export {
  KeybindingsRegistry,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/keybinding/common/keybindingsRegistry'
/** Who knows the grammar of each language. */
export { TokenizationRegistry } from '@codingame/monaco-vscode-api/vscode/vs/editor/common/languages'
export { CommandsRegistry } from '@codingame/monaco-vscode-api/vscode/vs/platform/commands/common/commands'

/** What one can go to with a letter in the palette (`menus/absent.ts`). */
export {
  Extensions as QuickAccessExtensions,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/quickinput/common/quickAccess'
export type {
  IQuickAccessRegistry,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/quickinput/common/quickAccess'

/** For defaults that hold while the window is narrow (`layout/narrow-details.ts`). */
export {
  ConfigurationScope, Extensions as ConfigurationExtensions,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/configuration/common/configurationRegistry'
export type {
  IConfigurationRegistry,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/configuration/common/configurationRegistry'

/** What reads files of settings, to keep those in effect whose file is broken (`json/last-good-settings.ts`). */
export {
  ConfigurationModelParser,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/configuration/common/configurationModels'
export { parse as parseJson } from '@codingame/monaco-vscode-api/vscode/vs/base/common/json'

/** The schemas of settings, keys and snippets. */
export {
  Extensions as JsonExtensions,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/jsonschemas/common/jsonContributionRegistry'
export type {
  IJSONContributionRegistry,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/jsonschemas/common/jsonContributionRegistry'

/** The sections of the settings: some are of parts that are not here. */
export {
  tocData as settingSections,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/contrib/preferences/browser/settingsLayout'

/** Whether the panel is above or below the editors, and at which end of the status bar an entry is. */
export { isHorizontal } from '@codingame/monaco-vscode-api/vscode/vs/workbench/services/layout/browser/layoutService'
export {
  StatusbarAlignment,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/services/statusbar/browser/statusbar'

/** Opens a tab without making its group the active one. */
export { EditorActivation } from '@codingame/monaco-vscode-api/vscode/vs/platform/editor/common/editor'

/** Text that has no file yet (`untitled.ts`), and a text made of what the server has (`unsaved-tabs.ts`). */
export type {
  IUntitledTextEditorModel,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/services/untitled/common/untitledTextEditorModel'
export { createTextBufferFactory } from '@codingame/monaco-vscode-api/vscode/vs/editor/common/model/textModel'

/** Says that a file is binary (`not-text.ts`). */
export {
  TextFileOperationError, TextFileOperationResult,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/services/textfile/common/textfiles'

/** What the files service does not offer: conflicts, what is gone, copies made by the server, undone deletions. */
export {
  FileOperation, FileOperationError, FileOperationResult,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/files/common/files'
export type {
  IFileSystemProviderWithFileFolderCopyCapability,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/files/common/files'

/** A file or folder of the explorer, which asks a folder for what is in it (`gone-folders.ts`). */
export { ExplorerItem } from '@codingame/monaco-vscode-api/vscode/vs/workbench/contrib/files/common/explorerModel'

/** Terminals: what a process tells the workbench, and how a terminal ended or got its title. */
export {
  ProcessPropertyType, TerminalExitReason, TitleEventSource,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/terminal/common/terminal'
export type {
  IProcessProperty, IProcessPropertyMap, IProcessReadyEvent, IShellLaunchConfig, ITerminalLaunchError,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/terminal/common/terminal'
export type {
  ITerminalInstance,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/contrib/terminal/browser/terminal'
/** By which a tab is known to be a terminal. */
export {
  TerminalEditorInput,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/contrib/terminal/browser/terminalEditorInput'
/** The commands of a shell, as its marks told them. */
export {
  TerminalCapability,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/terminal/common/capabilities/capabilities'
export type { ICommandDetectionCapability, ITerminalCommand }
/** Reads the command line in a mark. */
export {
  deserializeVSCodeOscMessage,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/terminal/common/xterm/shellIntegrationAddon'

/** How tabs of the page's own are written down and read again (`own-tabs.ts`). */
export { EditorExtensions, isDiffEditorInput } from '@codingame/monaco-vscode-api/vscode/vs/workbench/common/editor'
export type { IEditorFactoryRegistry } from '@codingame/monaco-vscode-api/vscode/vs/workbench/common/editor'

/** The colours of changes in the ruler, which the page draws itself. */
export {
  overviewRulerAddedForeground, overviewRulerDeletedForeground, overviewRulerModifiedForeground,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/contrib/scm/common/quickDiff'

/** Shows a change between the lines of an editor (`inline-diff.ts`); the packages leave out the workbench's own. */
export { PeekViewWidget } from '@codingame/monaco-vscode-api/vscode/vs/editor/contrib/peekView/browser/peekView'
export {
  EmbeddedDiffEditorWidget,
} from '@codingame/monaco-vscode-api/vscode/vs/editor/browser/widget/diffEditor/embeddedDiffEditorWidget'

/** What the graph says of a commit when one points at it (`history.ts`). */
export { MarkdownString } from '@codingame/monaco-vscode-api/vscode/vs/base/common/htmlContent'

/** What a provider of search answers. */
export { SearchProviderType } from '@codingame/monaco-vscode-api/vscode/vs/workbench/services/search/common/search'
export type {
  IFileMatch, IFileQuery, ISearchComplete, ISearchProgressItem, ISearchResultProvider, ITextQuery,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/services/search/common/search'

/** What languages can do, and whom the views of symbols and hierarchies ask (`languages/`). */
export type * as lang from '@codingame/monaco-vscode-api/vscode/vs/editor/common/languages'
export {
  WorkspaceSymbolProviderRegistry,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/contrib/search/common/search'
export type {
  IWorkspaceSymbol,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/contrib/search/common/search'
export {
  CallHierarchyProviderRegistry,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/contrib/callHierarchy/common/callHierarchy'
export type {
  CallHierarchyItem,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/contrib/callHierarchy/common/callHierarchy'
export {
  TypeHierarchyProviderRegistry,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/contrib/typeHierarchy/common/typeHierarchy'

/** Who formats: two providers of one name are one formatter. */
export {
  ExtensionIdentifier,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/extensions/common/extensions'

/** An open file: only the class can be marked as unsaved from outside (`live-file.ts`). */
export {
  TextFileEditorModel,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/services/textfile/common/textFileEditorModel'
export {
  TextFileEditorModelState,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/services/textfile/common/textfiles'
export type {
  ITextFileEditorModel,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/services/textfile/common/textfiles'

/** What the page's part of the extension API is made of (`api/`). */
export {
  Severity as NotificationSeverity,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/notification/common/notification'
export { ProgressLocation } from '@codingame/monaco-vscode-api/vscode/vs/platform/progress/common/progress'
export { ResourceTree } from '@codingame/monaco-vscode-api/vscode/vs/base/common/resourceTree'
export {
  observableFromEvent,
} from '@codingame/monaco-vscode-api/vscode/vs/base/common/observableInternal/observables/observableFromEvent'
export {
  observableValue,
} from '@codingame/monaco-vscode-api/vscode/vs/base/common/observableInternal/observables/observableValue'
export { MarkerSeverity, MarkerTag } from '@codingame/monaco-vscode-api/vscode/vs/platform/markers/common/markers'
export type { IMarkerData } from '@codingame/monaco-vscode-api/vscode/vs/platform/markers/common/markers'
export type { IDisposable } from '@codingame/monaco-vscode-api/vscode/vs/base/common/lifecycle'
export type { Command as WorkbenchCommand } from '@codingame/monaco-vscode-api/vscode/vs/editor/common/languages'
export type {
  IInputOptions, IPickOptions, IQuickPickItem, IQuickPickSeparator,
} from '@codingame/monaco-vscode-api/vscode/vs/platform/quickinput/common/quickInput'
export type {
  ISCMHistoryItem, ISCMHistoryItemChange, ISCMHistoryItemRef, ISCMHistoryItemRefsChangeEvent, ISCMHistoryOptions,
  ISCMHistoryProvider,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/contrib/scm/common/history'
export type { ITextEditorOptions } from '@codingame/monaco-vscode-api/vscode/vs/platform/editor/common/editor'
export type {
  ISCMActionButtonDescriptor, ISCMProvider, ISCMRepository, ISCMResource, ISCMResourceGroup,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/contrib/scm/common/scm'
export type {
  IDecorationData,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/services/decorations/common/decorations'
export type {
  IStatusbarEntry,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/services/statusbar/browser/statusbar'

/** The commits of a file in the Timeline view. */
export type {
  Timeline, TimelineChangeEvent, TimelineItem, TimelineOptions,
} from '@codingame/monaco-vscode-api/vscode/vs/workbench/contrib/timeline/common/timeline'

// ---- Names ----

/** The types of the workbench's own tabs that come back after a reload. */
export const TAB_TYPES = {
  diff: 'workbench.editors.diffEditorInput',
  settings: 'workbench.input.settings2',
  keys: 'workbench.input.keybindings',
  merge: 'mergeEditor.Input',
  file: 'workbench.editors.files.fileEditorInput',
} as const

/** Why a merge editor saves its file when it opens. */
export const MERGE_BEGINS = 'merge-editor.source'

/** How the types of tabs that show a file begin; one that shows bytes has its word in it. */
export const FILE_TYPES = 'workbench.editors.files.'
export const BINARY_TYPE = 'binaryEditor'
/** Tabs of texts that have no file yet. */
export const UNTITLED_TYPE = 'workbench.editors.untitledEditorInput'
/** Tabs that show two texts, or one twice. */
export const SIDE_BY_SIDE_TYPE = 'workbench.editorinputs.sidebysideEditorInput'

// ---- Private parts ----

/** All menus by their names: the class keeps them to refuse a second of the same name. */
export function allMenus(): ReadonlyMap<string, MenuId> {
  return (MenuId as unknown as { _instances: ReadonlyMap<string, MenuId> })._instances
}

/** Where a group is on the screen: a border that is dragged tells nobody else. Its type leaves it out. */
export function elementOf(group: IEditorGroup): HTMLElement {
  return (group as unknown as { element: HTMLElement }).element
}

/** The groups as the workbench divides its editor area. It moves the focus when it is asked for this itself. */
export function gridOf(groups: IEditorGroupsService): GroupGrid {
  return (groups.mainPart as unknown as { gridWidget: GroupGrid }).gridWidget
}

export interface GroupGrid {
  maximizeView(group: IEditorGroup): void
  isViewMaximized(group: IEditorGroup): boolean
  exitMaximizedView(): void
}

/**
 * Have the group that is made in `make` get this number. The workbench keeps carets by the numbers of groups: without
 * it, those of before a reload are in other groups, or in none.
 */
export function numbering<T>(number: number, make: () => T): T {
  const numbers = EditorGroupModel as unknown as { IDS: number }
  const next = numbers.IDS
  numbers.IDS = number
  try {
    return make()
  } finally {
    numbers.IDS = Math.max(next, numbers.IDS)
  }
}

interface StorageInside {
  getStorage(scope: StorageScope): { flushPending(): Promise<void> } | undefined
}

/**
 * Have all parts of the workbench write their state, and tell the databases before this returns. Asked for in public,
 * they are told a moment later, which a page that closes does not have.
 */
export function saveStateNow(storage: IStorageService): void {
  void storage.flush(WillSaveStateReason.SHUTDOWN)
  const inside = storage as unknown as StorageInside
  for (const scope of [StorageScope.WORKSPACE, StorageScope.PROFILE, StorageScope.APPLICATION]) {
    void inside.getStorage(scope)?.flushPending()
  }
}

interface LayoutInside {
  workbenchGrid: { getViewCachedVisibleSize(view: unknown): number | undefined }
  getPart(part: string): unknown
}

/** The size that a part had when it was hidden. Without it, a side bar that a phone opened has another one after. */
export function cachedSizeOf(layout: IWorkbenchLayoutService, part: string): number | undefined {
  const inside = layout as unknown as LayoutInside
  return inside.workbenchGrid.getViewCachedVisibleSize(inside.getPart(part))
}

/** Whether all but the editors is put away. */
export function isZenMode(layout: IWorkbenchLayoutService): boolean {
  return (layout as unknown as { isZenModeActive(): boolean }).isZenModeActive()
}

/** Have a part ask how narrow it may be. Without it, the panel holds a part of the width that a side bar is to have. */
export function wrapLeastWidth(
  layout: IWorkbenchLayoutService, part: string, wrap: (least: number) => number,
): void {
  const view = (layout as unknown as LayoutInside).getPart(part) as { minimumWidth: number }
  const least = view.minimumWidth
  Object.defineProperty(view, 'minimumWidth', { get: () => wrap(least) })
}

/** An editor as the workbench's own widgets know it: the same object, which `monaco-editor` has another type for. */
export function innerEditorOf(editor: object): ConstructorParameters<typeof PeekViewWidget>[0] {
  return editor as ConstructorParameters<typeof PeekViewWidget>[0]
}

/**
 * Have the editor in front of a group show its text until it gets the next one, instead of none in between; dispose
 * of it then. Without it, keys that come in between are lost, and with the text the keyboard goes.
 */
export function keepText(group: IEditorGroup): { dispose(): void } {
  const pane: unknown = group.activeEditorPane
  if (!(pane instanceof TextFileEditor)) return { dispose: () => undefined }
  const above = Object.getPrototypeOf(TextFileEditor.prototype) as { clearInput(): void }
  const own = { clearInput: () => above.clearInput.call(pane) }
  Object.assign(pane, own)
  return {
    dispose: () => {
      if (pane.clearInput === own.clearInput) Reflect.deleteProperty(pane, 'clearInput')
    },
  }
}

/** A change of a text, with why it came and which changes belong together: the public type leaves both out. */
export function withReasons(event: object): IModelContentChangedEvent {
  return event as IModelContentChangedEvent
}

const RELOADED = EditSources.reloadFromDisk().metadata.source

/** Whether a text changed because its file did. Without the reasons, what was read would be taken for typed. */
export function isReload(event: object): boolean {
  return withReasons(event).detailedReasons.some(({ metadata }) => metadata.source === RELOADED)
}

type ReadStream = ITextFileService['readStream']

/**
 * Stand between the workbench and how it reads a file as text. The service is made when it is first used and then
 * remembers its functions, so this comes before any file is opened. Without it, what is no text opens as one.
 */
export function wrapReadStream(texts: ITextFileService, wrap: (read: ReadStream) => ReadStream): void {
  const inClass = Object.getPrototypeOf(texts) as ITextFileService
  texts.readStream = wrap(inClass.readStream.bind(texts))
}

interface StepInside {
  _data: SingleModelEditStackData | ArrayBuffer
}

/** What a step changes, as bytes once the step is closed. Without it, edits of others become steps of their own. */
export function stepDataOf(step: SingleModelEditStackElement): SingleModelEditStackData | ArrayBuffer {
  return (step as unknown as StepInside)._data
}

export function setStepData(step: SingleModelEditStackElement, data: SingleModelEditStackData | ArrayBuffer): void {
  (step as unknown as StepInside)._data = data
}

/** The output that a terminal's screen has not shown yet. */
export interface OutputQueue {
  _writeBuffer: unknown[]
  _callbacks: unknown[]
  _bufferOffset: number
  flushSync: () => void
}

/** `undefined` when the emulator is built in another way: then its fault is not mended (`screen-queue.ts`). */
export function outputQueueOf(screen: object): OutputQueue | undefined {
  const queue = (screen as { _core?: { _writeBuffer?: Partial<OutputQueue> } })._core?._writeBuffer
  const isQueue = Array.isArray(queue?._writeBuffer) && Array.isArray(queue._callbacks)
    && typeof queue._bufferOffset === 'number' && typeof queue.flushSync === 'function'
  return isQueue ? (queue as OutputQueue) : undefined
}

/** The commands of a terminal. Offered for reading, but it is the list itself: nothing else empties it. */
export function commandsIn(commands: ICommandDetectionCapability): ITerminalCommand[] {
  return commands.commands as unknown as ITerminalCommand[]
}

interface CommandInside {
  _properties?: { timestamp: number; duration: number }
}

/** When a command ended and how long it took. Without it, commands of a repaint took no time. */
export function commandTimesOf(command: ITerminalCommand): { timestamp: number; duration: number } | undefined {
  return (command as unknown as CommandInside)._properties
}

/** When the command that runs now began, for the time that it will have taken. */
export const BEGAN = 'commandExecutedTimestamp'

export function setBegan(running: object, time: number): void {
  Object.assign(running, { [BEGAN]: time })
}

type ExecuteCommand = ICommandService['executeCommand']

/**
 * Stand between the workbench and its commands, until it is disposed of. Others have the service by a stand-in that
 * remembers its functions, so this is defined on what they have. Without it, commands that come late fail early.
 */
export function wrapExecuteCommand(
  commands: ICommandService, wrap: (execute: ExecuteCommand) => ExecuteCommand,
): { dispose(): void } {
  const value = wrap(commands.executeCommand.bind(commands))
  Object.defineProperty(commands, 'executeCommand', { value, configurable: true })
  return { dispose: () => void Reflect.deleteProperty(commands, 'executeCommand') }
}

/** Give what was registered late its colours: a theme reckons them anew when it hears of somebody who uses them. */
export function readColoursAnew(): void {
  registerThemingParticipant(() => undefined).dispose()
}

/** Show all of a notice that has no button. Without it, a long one is a line that is cut off. */
export function showWhole(notice: object): void {
  // One that the person wants no notices of has none.
  (notice as { item?: { expand(): void } }).item?.expand()
}

/** Where a merge editor finds its file. Without it, opening one saves what is only begun (`merge-editor.ts`). */
export function mergeMakerOf(editor: EditorInput): MergeMaker | undefined {
  return (editor as unknown as { mergeEditorModeFactory?: MergeMaker }).mergeEditorModeFactory
}

export interface MergeMaker {
  textFileService: { files: Pick<ITextFileService['files'], 'models'> }
}

/** Whether a merge editor has compared its texts as they now are. Until then its choices throw. */
export function isCompared(pane: object): boolean {
  return (pane as { model?: { isUpToDate: { get(): boolean } } }).model?.isUpToDate.get() ?? true
}

/** Have the keys of what was registered late hold. Without it they would when a person next changes one. */
export function readKeysAnew(keys: IKeybindingService): void {
  (keys as unknown as { updateResolver(): void }).updateResolver()
}

/** Make a tab for a file. The services that its constructor wants besides are noted on the class beneath. */
export function createResourceInput<T>(
  services: IInstantiationService, Input: abstract new (...args: never[]) => T, resource: Uri,
): T {
  const Class = Input as unknown as new (resource: Uri, preferred: Uri | undefined) => T
  return services.createInstance(Class, resource, undefined)
}

interface DownloadInside {
  downloadFileBrowser(
    folder: unknown, file: { name: string; resource: Uri }, operation: unknown, token: CancellationToken,
  ): Promise<void>
}

/** How each file of a folder is downloaded. Without it, nobody is told which one could not be (`downloads.ts`). */
export const fileDownloads = FileDownload.prototype as unknown as DownloadInside
