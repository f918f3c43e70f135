// Search in files and by name, answered by the server.
import { strings } from '../strings'
import { Failure, request } from './failure'
import type {
  Failure as Refusal, FileMatches, FileSearch, FoundFiles, MatchRange, SearchLine, TextSearch,
} from './generated'

export type { FileMatches, MatchRange }

/** A line of the answer, or why there are no more. */
type Line = SearchLine | Refusal

/** Search contents; files are told as they are found. Says whether there were more than the limit. */
export async function searchText(
  query: TextSearch, found: (file: FileMatches) => void, signal: AbortSignal,
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
      if ('error' in message) throw new Failure(message.kind, message.error, message.hint ?? undefined)
      if ('done' in message) return message.limitHit
      found(message)
    }
    if (done) throw new Failure('internal', strings.failures.searchBrokeOff)
  }
}

/** Find files by a few letters of their name, best first. */
export async function searchFiles(
  query: string, limit: number, signal?: AbortSignal,
): Promise<FoundFiles> {
  const search: FileSearch = { query, limit }
  const response = await post('/api/search/files', search, signal)
  return response.json() as Promise<FoundFiles>
}

async function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return request(path, { method: 'POST', headers, body: JSON.stringify(body), signal })
}

