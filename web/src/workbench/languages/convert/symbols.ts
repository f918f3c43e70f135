// Symbols, folds and selections of a text, and symbols of the workspace.
import type * as lsp from 'vscode-languageserver-types'
import type { IWorkspaceSymbol, lang } from '../../core/upstream'
import { rangeOf, type Span, type ToUri } from './places'

/** The workbench's numbers are the protocol's less one. */
export const kindOf = (kind: lsp.SymbolKind): lang.SymbolKind => (kind - 1) as lang.SymbolKind

const DEPRECATED = 1

export const tagsOf = ({ tags, deprecated }: Tagged): lang.SymbolTag[] =>
  deprecated === true || (tags?.includes(DEPRECATED) ?? false) ? [DEPRECATED as lang.SymbolTag] : []

interface Tagged {
  tags?: lsp.SymbolTag[]
  deprecated?: boolean
}

/** As a tree, also where a server gives a list with the names of what they are in. */
export function symbolsOf(
  value: readonly (lsp.DocumentSymbol | lsp.SymbolInformation)[] | null | undefined,
): lang.DocumentSymbol[] {
  return (value ?? []).map((symbol) => ('location' in symbol ? flatSymbol(symbol) : treeSymbol(symbol)))
}

function treeSymbol(symbol: lsp.DocumentSymbol): lang.DocumentSymbol {
  const range = rangeOf(symbol.range)
  return {
    name: symbol.name || '—',
    detail: symbol.detail ?? '',
    kind: kindOf(symbol.kind),
    tags: tagsOf(symbol),
    range,
    selectionRange: within(range, rangeOf(symbol.selectionRange)),
    ...(symbol.children && { children: symbol.children.map(treeSymbol) }),
  }
}

function flatSymbol(symbol: lsp.SymbolInformation): lang.DocumentSymbol {
  const range = rangeOf(symbol.location.range)
  return {
    name: symbol.name || '—',
    detail: '',
    kind: kindOf(symbol.kind),
    tags: tagsOf(symbol),
    range,
    selectionRange: range,
    ...(symbol.containerName !== undefined && { containerName: symbol.containerName }),
  }
}

/** The workbench refuses a name that is not within its symbol; some servers tell such. */
function within(range: Span, name: Span): Span {
  const isAfter = (line: number, column: number, otherLine: number, otherColumn: number) =>
    line > otherLine || (line === otherLine && column >= otherColumn)
  const begins = isAfter(name.startLineNumber, name.startColumn, range.startLineNumber, range.startColumn)
  const ends = isAfter(range.endLineNumber, range.endColumn, name.endLineNumber, name.endColumn)
  return begins && ends ? name : range
}

export function workspaceSymbolOf(
  symbol: lsp.SymbolInformation | lsp.WorkspaceSymbol, toUri: ToUri,
): IWorkspaceSymbol | undefined {
  const uri = toUri(symbol.location.uri)
  if (!uri) return undefined
  const range = 'range' in symbol.location ? symbol.location.range : { start: START, end: START }
  return {
    name: symbol.name,
    kind: kindOf(symbol.kind),
    tags: tagsOf(symbol),
    location: { uri, range: rangeOf(range) },
    ...(symbol.containerName !== undefined && { containerName: symbol.containerName }),
  }
}

const START = { line: 0, character: 0 }

export interface Fold {
  start: number
  end: number
  kind?: string
}

/** A fold has to have lines. */
export function foldsOf(value: readonly lsp.FoldingRange[] | null | undefined): Fold[] {
  return (value ?? [])
    .filter(({ startLine, endLine }) => endLine > startLine)
    .map(({ startLine, endLine, kind }) => ({
      start: startLine + 1, end: endLine + 1, ...(kind !== undefined && { kind }),
    }))
}

/** From the inside out, one list for each caret. */
export function selectionsOf(value: readonly lsp.SelectionRange[] | null | undefined): { range: Span }[][] {
  return (value ?? []).map((innermost) => {
    const ranges: { range: Span }[] = []
    for (let at: lsp.SelectionRange | undefined = innermost; at; at = at.parent) {
      ranges.push({ range: rangeOf(at.range) })
    }
    return ranges
  })
}
