// What is at hand elsewhere in the workbench, as something that goes with a prompt.
//
// A file is named, and the agent reads it; what is not saved goes as its text, with the file that it is of, so that
// text of a secret file is refused as the file is.
import {
  getService, IEditorService, IMarkerService, ITerminalService, IViewsService,
} from '@codingame/monaco-vscode-api'
import { PICTURE_KINDS, pictureOf } from '../../panels/chat/attachments'
import { imageType } from '../../panels/image/kind'
import type { Attachment } from '../../protocol/chat-words'
import { run } from '../../protocol/commands'
import { content } from '../../protocol/files'
import { strings } from '../../strings'
import type { Workbench } from '../core/feature'
import type { TerminalPanel } from '../core/terminal-panel'
import { Markers, MarkerSeverity, SEARCH_VIEW } from '../core/upstream'
import { contentOf, pathOf, uriOf } from '../core/uris'

const words = strings.chat
/** Lines of a terminal that go where nothing is selected. */
const TERMINAL_LINES = 200
/** Lines around a problem. */
const AROUND = 3
/** Letters of one text. */
const LONGEST = 20_000

interface Address { scheme: string; path: string }

function isAddress(uri: unknown): uri is Address {
  return typeof uri === 'object' && uri !== null && 'scheme' in uri && 'path' in uri
}

/** A text that is longer than a draft may be is cut, and says so. */
function bounded(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n… (${text.length - LONGEST} more)`
}

/** The lines that are selected, or the line of the caret. */
export function selected({ api }: Workbench): Attachment | undefined {
  const active = api.window.activeText()
  if (!active) return undefined
  const { selection, uri, text } = active
  const path = pathOf(uri)
  const first = selection.startLineNumber
  // A selection that ends before the first letter of a line does not mean that line.
  const isBefore = selection.endColumn === 1 && selection.endLineNumber > first
  const last = isBefore ? selection.endLineNumber - 1 : selection.endLineNumber
  if (path !== undefined && !api.workspace.isUnsaved(uri)) return { type: 'file', path, line: first, endLine: last }
  const name = path ?? contentOf(uri) ?? uri.path.split('/').at(-1) ?? ''
  const range = { startLineNumber: first, startColumn: 1, endLineNumber: last, endColumn: text.getLineMaxColumn(last) }
  return {
    type: 'text', title: `${name}:${first}-${last}`, text: bounded(text.getValueInRange(range)),
    language: text.getLanguageId(), ...(path === undefined ? {} : { path }),
  }
}

/** The file of a row of the explorer, or the one at hand; a picture as what it shows. */
export async function fileAt({ api }: Workbench, uri: unknown): Promise<Attachment | undefined> {
  const editors = await getService(IEditorService)
  const at = isAddress(uri) ? uri : editors.activeEditor?.resource ?? api.window.activeText()?.uri
  const path = pathOf(at)
  if (path === undefined) return undefined
  const mime = imageType(path)
  if (mime === undefined || !PICTURE_KINDS.has(mime)) return { type: 'file', path }
  const { bytes } = await content(path)
  const name = path.split('/').at(-1) ?? path
  const picture = await pictureOf(new File([bytes as Uint8Array<ArrayBuffer>], name, { type: mime }))
  if (typeof picture === 'string') throw new Error(picture)
  return picture
}

interface MarkerRow {
  marker?: { resource: Address; startLineNumber: number; endLineNumber: number; message: string
    severity: MarkerSeverity; source?: string }
  resource?: Address
}

/** The problem of a row of the Problems view, or the one at the caret. */
export async function problem(workbench: Workbench): Promise<Attachment | undefined> {
  const views = await getService(IViewsService)
  const view: unknown = views.getActiveViewWithId(Markers.MARKERS_VIEW_ID)
  const row = (view as { getFocusElement?(): MarkerRow | undefined } | null)?.getFocusElement?.()
  const found = row?.marker ?? (await problemAtCaret(workbench))
  const path = pathOf(found?.resource)
  if (!found || path === undefined) return undefined
  const { startLineNumber: first, endLineNumber: last, message, source } = found
  const severity = found.severity === MarkerSeverity.Error ? 'error' : 'warning'
  const lines = await linesOf(workbench, path, first - AROUND, Math.min(last, first + AROUND) + AROUND)
  const said = `${severity}${source ? ` (${source})` : ''}: ${message}`
  return {
    type: 'text', title: words.problemTitle(path, first), text: bounded(`${said}\n\n${lines}`), path,
  }
}

async function problemAtCaret({ api }: Workbench) {
  const active = api.window.activeText()
  if (!active) return undefined
  const line = active.selection.positionLineNumber
  const markers = (await getService(IMarkerService)).read({ resource: active.uri })
  return markers.find(({ startLineNumber, endLineNumber }) => startLineNumber <= line && line <= endLineNumber)
}

/** Some lines of a file as the person sees it, each with its number. */
async function linesOf({ api }: Workbench, path: string, first: number, last: number): Promise<string> {
  const all = (await api.workspace.readText(uriOf(path))).split('\n')
  const from = Math.max(1, first)
  return all.slice(from - 1, last).map((line, index) => `${from + index}: ${line}`).join('\n')
}

/** What is selected in a terminal, or the last lines that it shows. */
export async function terminalOutput(terminals: TerminalPanel): Promise<Attachment | undefined> {
  const instance = (await getService(ITerminalService)).activeInstance
  const title = words.terminalTitle(instance?.title ?? '')
  const selection = instance?.selection ?? ''
  if (selection.trim() !== '') return { type: 'text', title, text: bounded(selection) }
  const terminalId = terminals.focused() ?? terminals.panel().active
  if (terminalId === undefined) return undefined
  const { output } = await run('openspace.terminal.read_output', { terminalId, lines: TERMINAL_LINES })
  const text = output.join('\n').trimEnd()
  if (text === '') throw new Error(words.nothingShown)
  return { type: 'text', title, text: bounded(text) }
}

interface ResultRow {
  resource?: Address
  range?(): { startLineNumber: number; endLineNumber: number }
  parent?(): { resource?: Address }
}

/** A file or a line that was found. */
export async function result(given: unknown): Promise<Attachment | undefined> {
  const row = isRow(given) ? given : await focusedResult()
  const path = pathOf(row?.resource ?? row?.parent?.().resource)
  if (!row || !path) return undefined
  const range = typeof row.range === 'function' ? row.range() : undefined
  if (!range) return { type: 'file', path }
  return { type: 'file', path, line: range.startLineNumber, endLine: range.endLineNumber }
}

function isRow(given: unknown): given is ResultRow {
  return typeof given === 'object' && given !== null && ('resource' in given || 'parent' in given)
}

async function focusedResult(): Promise<ResultRow | undefined> {
  const views = await getService(IViewsService)
  const view = views.getActiveViewWithId(SEARCH_VIEW) as { getControl?(): { getFocus(): unknown[] } } | null
  const [row] = view?.getControl?.().getFocus() ?? []
  return isRow(row) ? row : undefined
}

/** What git says that changed in the file of a row of the Source Control view. */
export async function change(row: unknown): Promise<Attachment | undefined> {
  const { path, kind } = (typeof row === 'object' && row !== null ? row : {}) as { path?: string; kind?: string }
  if (path === undefined) return undefined
  const isStaged = kind === 'staged'
  const answer = await run('openspace.workspace.git', { action: 'diff', paths: [path], staged: isStaged })
  const changes = answer.action === 'diff' ? (isStaged ? answer.staged : answer.unstaged) : undefined
  const text = changes?.files.map(({ hunks }) => hunks ?? '').join('\n') ?? ''
  // A file that git does not know yet has no change, it is one.
  if (text.trim() === '') return { type: 'file', path }
  return { type: 'text', title: words.changeTitle(path), text: bounded(text), language: 'diff', path }
}
