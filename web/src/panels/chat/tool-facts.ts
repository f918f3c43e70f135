// What a call of a tool is about: its name in words, the one argument that says most, and where to look for what it
// did. The names of arguments are those of our own tools and of agents' own.
import type { PermissionRequest, ToolCall } from '../../protocol/chat-words'
import { strings } from '../../strings'
import { withinFolder } from './places'

const words = strings.chat

export type ToolLink =
  | { kind: 'file'; path: string; line?: number }
  | { kind: 'terminal'; terminal: string }
  | { kind: 'session'; session: string }

export interface ToolFacts {
  icon: string
  name: string
  detail: string
  links: ToolLink[]
}

const ICONS: [pattern: RegExp, icon: string][] = [
  [/bash|shell|terminal|exec/, 'terminal'],
  [/todo/, 'checklist'],
  [/\bedit\b|write|patch|replace/, 'edit'],
  [/highlight|annotat/, 'symbol-color'],
  [/read|open|view/, 'file'],
  [/grep|search|glob|find|list/, 'search'],
  [/fetch|web|url|http/, 'globe'],
  [/task|agent/, 'organization'],
  [/git/, 'source-control'],
  [/layout|pane|split/, 'layout'],
]

/** The argument that says most, the first of these that is there. */
const TELLING = [
  'command', 'pattern', 'query', 'url', 'filePath', 'file_path', 'path', 'description', 'name', 'title', 'terminal',
  'text',
]
export const PATHS = ['filePath', 'file_path', 'path', 'file']
const LONGEST_DETAIL = 300
const MOST_LINKS = 8

export function factsOf(call: ToolCall, folder: string): ToolFacts {
  const name = nameOf(call.tool)
  const input = record(call.input)
  return {
    icon: ICONS.find(([pattern]) => pattern.test(`${name} ${call.tool}`.toLowerCase()))?.[1] ?? 'tools',
    name,
    detail: detailOf(call, input, name, folder),
    links: linksOf(call, input, folder),
  }
}

/** `openspace_editor_open` is `editor open`: whose tool it is says nothing here. */
export function nameOf(tool: string): string {
  const plain = tool.replace(/^(?:mcp__)?(?:openspace[_.]+)+/, '').replaceAll(/[_.]+/g, ' ').trim()
  return words.tools[tool] ?? (plain === '' ? tool : plain)
}

function detailOf({ title }: ToolCall, input: Record<string, unknown>, name: string, folder: string): string {
  const key = TELLING.find((wanted) => typeof input[wanted] === 'string' && input[wanted] !== '')
  const value = key === undefined ? '' : String(input[key])
  const path = key !== undefined && PATHS.includes(key) ? withinFolder(value, folder) : undefined
  const text = path ?? (value === '' ? title ?? '' : value)
  const line = lineIn(input)
  const [first = ''] = text.trim().split('\n')
  const isMore = text.trim().length > first.length
  const detail = `${first.slice(0, LONGEST_DETAIL)}${isMore || first.length > LONGEST_DETAIL ? ' …' : ''}`
  if (detail === name) return ''
  return path !== undefined && line !== undefined ? `${detail}:${line}` : detail
}

function linksOf(
  { locations, childSession, diffs }: ToolCall, input: Record<string, unknown>, folder: string,
): ToolLink[] {
  const found = new Map<string, ToolLink>()
  const addFile = (path: string, line: number | undefined) => {
    const within = withinFolder(path, folder)
    if (within === undefined || found.size >= MOST_LINKS) return
    const known = found.get(within)
    if (known?.kind === 'file' && known.line !== undefined) return
    found.set(within, { kind: 'file', path: within, ...(line === undefined ? {} : { line }) })
  }
  for (const key of PATHS) {
    const path = input[key]
    if (typeof path === 'string' && looksLikeFile(path)) addFile(path, lineIn(input))
  }
  for (const { path, line } of locations) addFile(path, line ?? undefined)
  for (const { path } of diffs) addFile(path, undefined)
  const { terminal } = input
  if (typeof terminal === 'string') found.set('terminal', { kind: 'terminal', terminal })
  if (childSession !== null) found.set('session', { kind: 'session', session: childSession })
  return [...found.values()]
}

function looksLikeFile(path: string): boolean {
  return path !== '' && path !== '.' && !path.endsWith('/') && !path.includes('*')
}

function lineIn(input: Record<string, unknown>): number | undefined {
  const line = [input.line, input.startLine, input.start_line, input.offset].find((value) => typeof value === 'number')
  return typeof line === 'number' && line > 0 ? Math.floor(line) : undefined
}

/** The whole line that a shell would be told, where an agent says which: what it is made of is less. */
export function lineOf({ details }: PermissionRequest): string | undefined {
  const { command } = record(details)
  return typeof command === 'string' && command.trim() !== '' ? plainOutput(command) : undefined
}

export function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

/**
 * Output without what would move a terminal's cursor or colour it, and without signs that nobody sees or that turn the
 * order of others around.
 */
export function plainOutput(text: string): string {
  return text
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    .replaceAll(/\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])/g, '')
    .replaceAll('\r\n', '\n')
    // What a program wrote over is not shown.
    .replaceAll(/[^\n]*\r(?!\n)/g, '')
    // oxlint-disable-next-line no-control-regex -- the same
    .replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
}
