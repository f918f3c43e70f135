// Search in files and by name, answered by the server.
import { strings } from '../strings'
import { Failure, request } from './failure'

export interface TextQuery {
  pattern: string
  regex: boolean
  caseSensitive: boolean
  wholeWord: boolean
  multiline: boolean
  include: string[]
  exclude: string[]
  useIgnoreFiles: boolean
  limit: number
}

export interface MatchRange {
  startLine: number
  startColumn: number
  endLine: number
  endColumn: number
}

export interface FileMatches {
  path: string
  matches: { line: number; text: string; ranges: MatchRange[] }[]
}

/** One line of the answer. */
type Line =
  | FileMatches
  | { done: true; limitHit: boolean }
  | { error: string; kind: Failure['kind']; hint?: string }

/** Search contents; files are told as they are found. Says whether there were more than the limit. */
export async function searchText(
  query: TextQuery, found: (file: FileMatches) => void, signal: AbortSignal,
): Promise<boolean> {
  const response = await post('/api/search/text', query, signal)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (!reader) throw new Failure('internal', strings.failures.searchUnanswered)
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    const lines = (rest + (value ?? '')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') continue
      const message = JSON.parse(line) as Line
      if ('error' in message) throw new Failure(message.kind, message.error, message.hint)
      if ('done' in message) return message.limitHit
      found(message)
    }
    if (done) throw new Failure('internal', strings.failures.searchBrokeOff)
  }
}

/** Find files by a few letters of their name, best first. */
export async function searchFiles(
  query: string, limit: number, signal?: AbortSignal,
): Promise<{ paths: string[]; limitHit: boolean }> {
  const response = await post('/api/search/files', { query, limit }, signal)
  return response.json() as Promise<{ paths: string[]; limitHit: boolean }>
}

async function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return request(path, { method: 'POST', headers, body: JSON.stringify(body), signal })
}

