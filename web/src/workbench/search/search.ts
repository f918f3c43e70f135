// The workbench's search view and quick open, answered by the server.
import { ISearchService, getService } from '@codingame/monaco-vscode-api'
import type { CancellationToken } from 'monaco-editor'
import { Failure } from '../../protocol/failure'
import { searchFiles, searchText, type FileMatches, type MatchRange } from '../../protocol/search'
import {
  SearchProviderType, type IFileMatch, type IFileQuery, type ISearchComplete, type ISearchProgressItem,
  type ISearchResultProvider, type ITextQuery,
} from '../core/upstream'
import { uriOf } from '../core/uris'

const MOST_RESULTS = 20_000
const MOST_FILES = 512

class ServerSearch implements ISearchResultProvider {
  async getAIName(): Promise<undefined> {
    return undefined
  }

  async textSearch(
    query: ITextQuery, onProgress?: (item: ISearchProgressItem) => void, token?: CancellationToken,
  ): Promise<ISearchComplete> {
    const { contentPattern } = query
    const results: IFileMatch[] = []
    const limitHit = await untilCancelled(token, (signal) =>
      searchText(
        {
          pattern: contentPattern.pattern,
          regex: contentPattern.isRegExp ?? false,
          caseSensitive: contentPattern.isCaseSensitive ?? false,
          wholeWord: contentPattern.isWordMatch ?? false,
          multiline: contentPattern.isMultiline ?? false,
          include: globs(query.includePattern),
          exclude: [...globs(query.excludePattern), ...query.folderQueries.flatMap(folderExcludes)],
          useIgnoreFiles: !query.folderQueries.some(({ disregardIgnoreFiles }) => disregardIgnoreFiles),
          limit: Math.min(query.maxResults ?? MOST_RESULTS, MOST_RESULTS),
        },
        (file) => {
          const match = fileMatch(file)
          results.push(match)
          onProgress?.(match)
        },
        signal,
      ),
    )
    return { results: onProgress ? [] : results, messages: [], limitHit: limitHit ?? false }
  }

  async fileSearch(query: IFileQuery, token?: CancellationToken): Promise<ISearchComplete> {
    const limit = Math.min(query.maxResults ?? MOST_FILES, MOST_FILES)
    // The workbench asks for nothing at all to have an index made, which the server keeps by itself.
    if (limit === 0) return { results: [], messages: [], limitHit: false }
    const found = await untilCancelled(token, (signal) => searchFiles(query.filePattern ?? '', limit, signal))
    const paths = found?.paths ?? []
    const results = paths.map((path) => ({ resource: uriOf(path) }))
    return { results, messages: [], limitHit: found?.limitHit ?? false }
  }

  async clearCache(): Promise<void> {}
}

/** From now on the server answers. */
export async function useServerSearch(): Promise<void> {
  const service = await getService(ISearchService)
  const provider = new ServerSearch()
  service.registerSearchResultProvider('file', SearchProviderType.text, provider)
  service.registerSearchResultProvider('file', SearchProviderType.file, provider)
}

/** The patterns that are on in the workbench's table of them. */
function globs(patterns: Record<string, unknown> | undefined): string[] {
  return Object.entries(patterns ?? {}).flatMap(([pattern, isOn]) => (isOn === true ? [pattern] : []))
}

function folderExcludes(folder: { excludePattern?: { pattern: Record<string, unknown> }[] }): string[] {
  return (folder.excludePattern ?? []).flatMap(({ pattern }) => globs(pattern))
}

function fileMatch({ path, matches }: FileMatches): IFileMatch {
  return {
    resource: uriOf(path),
    results: matches.map(({ line, text, ranges }) => ({
      previewText: text,
      rangeLocations: ranges.map((range) => ({
        source: zeroBased(range, 0),
        preview: zeroBased(range, line - 1),
      })),
    })),
  }
}

/** The workbench counts from 0, in the file and in the preview. */
function zeroBased({ startLine, startColumn, endLine, endColumn }: MatchRange, before: number) {
  return {
    startLineNumber: startLine - 1 - before,
    startColumn: startColumn - 1,
    endLineNumber: endLine - 1 - before,
    endColumn: endColumn - 1,
  }
}

async function untilCancelled<T>(
  token: CancellationToken | undefined, work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const abort = new AbortController()
  const listening = token?.onCancellationRequested(() => abort.abort())
  try {
    return await work(abort.signal)
  } catch (error) {
    if (abort.signal.aborted || (error instanceof Failure && error.kind === 'cancelled')) return undefined
    throw error
  } finally {
    listening?.dispose()
  }
}
