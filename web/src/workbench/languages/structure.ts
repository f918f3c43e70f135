// What a text is made of: its symbols, folds and selections, who calls whom, and symbols of the whole workspace.
import type { ILanguageFeaturesService } from '@codingame/monaco-vscode-api'
import { languages, type CancellationToken } from 'monaco-editor'
import type * as lsp from 'vscode-languageserver-types'
import {
  CallHierarchyProviderRegistry, TypeHierarchyProviderRegistry, WorkspaceSymbolProviderRegistry,
  type CallHierarchyItem, type IDisposable, type IWorkspaceSymbol,
} from '../core/upstream'
import { folderUri } from '../core/uris'
import { toUri } from './addresses'
import { quietly, type Asking, type Origin } from './asking'
import { lspPosition, rangeOf } from './convert/places'
import { foldsOf, kindOf, selectionsOf, symbolsOf, tagsOf, workspaceSymbolOf } from './convert/symbols'
import { selector, type Refreshing } from './reading'
import type { Register } from './registrations'

type Symbols = (lsp.DocumentSymbol | lsp.SymbolInformation)[] | null
type Item = lsp.CallHierarchyItem | lsp.TypeHierarchyItem

export function structure(
  features: ILanguageFeaturesService, asking: Asking, refreshing: Refreshing,
): Record<string, Register> {
  return {
    'textDocument/documentSymbol': (ability) => features.documentSymbolProvider.register(selector(ability), {
      provideDocumentSymbols: async (text, token) =>
        symbolsOf((await quietly(asking.one<Symbols>(text, 'textDocument/documentSymbol', {}, token)))?.value),
    }),
    'textDocument/foldingRange': (ability) => features.foldingRangeProvider.register(selector(ability), {
      onDidChange: refreshing.folds.event,
      provideFoldingRanges: async (text, _context, token) => {
        const answer = await quietly(
          asking.one<lsp.FoldingRange[] | null>(text, 'textDocument/foldingRange', {}, token),
        )
        // Nothing leaves the folds that there are by themselves.
        if (!answer) return undefined
        const { FoldingRangeKind } = languages
        return foldsOf(answer.value).map(({ start, end, kind }) => ({
          start, end, ...(kind !== undefined && { kind: FoldingRangeKind.fromValue(kind) }),
        }))
      },
    }),
    'textDocument/selectionRange': (ability) => features.selectionRangeProvider.register(selector(ability), {
      provideSelectionRanges: async (text, positions, token) => {
        const params = { positions: positions.map(lspPosition) }
        const method = 'textDocument/selectionRange'
        const answer = await quietly(asking.one<lsp.SelectionRange[] | null>(text, method, params, token))
        return selectionsOf(answer?.value)
      },
    }),
    'textDocument/prepareCallHierarchy': (ability) => {
      const items = new HierarchyItems()
      const calls = async <T>(item: CallHierarchyItem, method: string, token: CancellationToken) => {
        const known = items.known(item)
        return known && quietly(asking.again<T[] | null>(known.from, method, { item: known.item }, token))
      }
      return CallHierarchyProviderRegistry.register(selector(ability), {
        prepareCallHierarchy: async (text, position, token) => {
          const params = { position: lspPosition(position) }
          const answer = await quietly(
            asking.one<Item[] | null>(text, 'textDocument/prepareCallHierarchy', params, token),
          )
          return answer?.value?.length ? items.session(answer.value, answer) : undefined
        },
        provideIncomingCalls: async (item, token) => {
          const answer = await calls<lsp.CallHierarchyIncomingCall>(item, 'callHierarchy/incomingCalls', token)
          return answer && (answer.value ?? []).map(({ from, fromRanges }) => ({
            from: items.made(from, answer, item._sessionId), fromRanges: fromRanges.map(rangeOf),
          }))
        },
        provideOutgoingCalls: async (item, token) => {
          const answer = await calls<lsp.CallHierarchyOutgoingCall>(item, 'callHierarchy/outgoingCalls', token)
          return answer && (answer.value ?? []).map(({ to, fromRanges }) => ({
            to: items.made(to, answer, item._sessionId), fromRanges: fromRanges.map(rangeOf),
          }))
        },
      })
    },
    'textDocument/prepareTypeHierarchy': (ability) => {
      const items = new HierarchyItems()
      const types = async (item: CallHierarchyItem, method: string, token: CancellationToken) => {
        const known = items.known(item)
        const answer = known && await quietly(
          asking.again<Item[] | null>(known.from, method, { item: known.item }, token),
        )
        return answer && (answer.value ?? []).map((one) => items.made(one, answer, item._sessionId))
      }
      return TypeHierarchyProviderRegistry.register(selector(ability), {
        prepareTypeHierarchy: async (text, position, token) => {
          const params = { position: lspPosition(position) }
          const answer = await quietly(
            asking.one<Item[] | null>(text, 'textDocument/prepareTypeHierarchy', params, token),
          )
          return answer?.value?.length ? items.session(answer.value, answer) : undefined
        },
        provideSupertypes: (item, token) => types(item, 'typeHierarchy/supertypes', token),
        provideSubtypes: (item, token) => types(item, 'typeHierarchy/subtypes', token),
      })
    },
  }
}

/** Items of hierarchies with what their server has to be told of them again, as long as a view shows them. */
class HierarchyItems {
  private readonly sessions = new Map<string, Map<string, { item: Item; from: Origin }>>()
  private names = 0

  session(roots: readonly Item[], from: Origin): { roots: CallHierarchyItem[]; dispose: () => void } {
    const session = String((this.names += 1))
    this.sessions.set(session, new Map())
    return {
      roots: roots.map((item) => this.made(item, from, session)),
      dispose: () => this.sessions.delete(session),
    }
  }

  made(item: Item, from: Origin, session: string): CallHierarchyItem {
    const id = String((this.names += 1))
    this.sessions.get(session)?.set(id, { item, from: { server: from.server, generation: from.generation } })
    return {
      _sessionId: session,
      _itemId: id,
      kind: kindOf(item.kind),
      name: item.name,
      tags: tagsOf(item),
      // What cannot be opened is still a name.
      uri: toUri(item.uri) ?? folderUri(),
      range: rangeOf(item.range),
      selectionRange: rangeOf(item.selectionRange),
      ...(item.detail !== undefined && { detail: item.detail }),
    }
  }

  known({ _sessionId, _itemId }: CallHierarchyItem): { item: Item; from: Origin } | undefined {
    return this.sessions.get(_sessionId)?.get(_itemId)
  }
}

type Told = lsp.SymbolInformation | lsp.WorkspaceSymbol

/** Symbols of the workspace, of all servers that run. */
export function registerWorkspaceSymbols(asking: Asking): IDisposable {
  const told = new WeakMap<IWorkspaceSymbol, { symbol: Told; from: Origin }>()
  const made = (symbol: Told, from: Origin): IWorkspaceSymbol | undefined => {
    const found = workspaceSymbolOf(symbol, toUri)
    if (found) told.set(found, { symbol, from })
    return found
  }
  return WorkspaceSymbolProviderRegistry.register({
    provideWorkspaceSymbols: async (query, token) => {
      const answers = await quietly(asking.everybody<Told[] | null>('workspace/symbol', { query }, token))
      return (answers ?? []).flatMap((answer) => (answer.value ?? []).map((symbol) => made(symbol, answer)))
        .filter((found) => found !== undefined)
    },
    resolveWorkspaceSymbol: async (found, token) => {
      const known = told.get(found)
      if (!known || 'range' in known.symbol.location) return found
      const answer = await quietly(
        asking.again<lsp.WorkspaceSymbol>(known.from, 'workspaceSymbol/resolve', known.symbol, token),
      )
      return answer && made(answer.value, answer)
    },
  })
}
