// Places in texts: the protocol counts from 0, the workbench from 1. Plain data, both ways.
import type * as lsp from 'vscode-languageserver-types'
import type { Uri } from 'monaco-editor'
import type { lang } from '../../core/upstream'

export interface Span {
  startLineNumber: number
  startColumn: number
  endLineNumber: number
  endColumn: number
}

/** How an address of an answer is written in the workbench; nothing for what is no file. */
export type ToUri = (address: string) => Uri | undefined

export function rangeOf({ start, end }: lsp.Range): Span {
  return {
    startLineNumber: start.line + 1, startColumn: start.character + 1,
    endLineNumber: end.line + 1, endColumn: end.character + 1,
  }
}

export function lspRange(range: Span): lsp.Range {
  return {
    start: { line: range.startLineNumber - 1, character: range.startColumn - 1 },
    end: { line: range.endLineNumber - 1, character: range.endColumn - 1 },
  }
}

export function lspPosition({ lineNumber, column }: { lineNumber: number; column: number }): lsp.Position {
  return { line: lineNumber - 1, character: column - 1 }
}

export function placeOf({ line, character }: lsp.Position): { lineNumber: number; column: number } {
  return { lineNumber: line + 1, column: character + 1 }
}

type Places = lsp.Location | lsp.Location[] | lsp.LocationLink[] | null | undefined

/** Where something is, however a server says it. */
export function locationsOf(value: Places, toUri: ToUri): lang.LocationLink[] {
  const all: (lsp.Location | lsp.LocationLink)[] = Array.isArray(value) ? value : value ? [value] : []
  return all.flatMap((place) => {
    const uri = toUri('uri' in place ? place.uri : place.targetUri)
    if (!uri) return []
    if ('uri' in place) return { uri, range: rangeOf(place.range) }
    const { targetRange, targetSelectionRange, originSelectionRange } = place
    return {
      uri,
      range: rangeOf(targetRange),
      targetSelectionRange: rangeOf(targetSelectionRange),
      ...(originSelectionRange && { originSelectionRange: rangeOf(originSelectionRange) }),
    }
  })
}
