// What is asked while a text is typed: what can come next, what a call wants, and which places change together.
import type { ILanguageFeaturesService } from '@codingame/monaco-vscode-api'
import type * as lsp from 'vscode-languageserver-types'
import type { ITextModel, lang } from '../core/upstream'
import { has, union, type Ability } from './abilities'
import { quietly, type Asking, type Origin } from './asking'
import { commandOf } from './commands'
import { completionOf, isIncomplete, itemsOf, signaturesOf, type Word } from './convert/completion'
import { lspPosition, rangeOf } from './convert/places'
import { selector } from './reading'
import type { Register } from './registrations'

type Completions = lsp.CompletionItem[] | lsp.CompletionList | null

export function typing(features: ILanguageFeaturesService, asking: Asking): Record<string, Register> {
  return {
    'textDocument/completion': (ability) =>
      features.completionProvider.register(selector(ability), completion(asking, ability)),
    'textDocument/signatureHelp': (ability) => features.signatureHelpProvider.register(selector(ability), {
      signatureHelpTriggerCharacters: union(ability, 'triggerCharacters'),
      signatureHelpRetriggerCharacters: union(ability, 'retriggerCharacters'),
      provideSignatureHelp: async (text, position, token, { triggerKind, triggerCharacter, isRetrigger }) => {
        const context = { triggerKind, isRetrigger, ...(triggerCharacter !== undefined && { triggerCharacter }) }
        const params = { position: lspPosition(position), context }
        const answer = await quietly(
          asking.one<lsp.SignatureHelp | null>(text, 'textDocument/signatureHelp', params, token),
        )
        return answer?.value ? { value: signaturesOf(answer.value), dispose: () => {} } : undefined
      },
    }),
    'textDocument/linkedEditingRange': (ability) => features.linkedEditingRangeProvider.register(selector(ability), {
      provideLinkedEditingRanges: async (text, position, token) => {
        const params = { position: lspPosition(position) }
        const method = 'textDocument/linkedEditingRange'
        const answer = await quietly(
          asking.one<{ ranges: lsp.Range[] } | null>(text, method, params, token),
        )
        if (!answer?.value) return undefined
        // What a word is the language says: a pattern of the server could keep the page busy for good.
        return { ranges: answer.value.ranges.map(rangeOf) }
      },
    }),
  }
}

function completion(asking: Asking, ability: Ability): lang.CompletionItemProvider {
  const told = new WeakMap<lang.CompletionItem, { item: lsp.CompletionItem; from: Origin; word: Word }>()
  const made = (item: lsp.CompletionItem, from: Origin, word: Word): lang.CompletionItem => {
    const completed = completionOf(item, word, (command) => commandOf(asking, from, command))
    told.set(completed, { item, from, word })
    return completed
  }
  return {
    _debugDisplayName: 'openspace.languages',
    triggerCharacters: union(ability, 'triggerCharacters'),
    provideCompletionItems: async (text, position, { triggerKind, triggerCharacter }, token) => {
      const word = wordAt(text, position)
      const context = {
        triggerKind: triggerKind + 1,
        ...(triggerCharacter !== undefined && { triggerCharacter }),
      }
      const params = { position: lspPosition(position), context }
      const answers = await quietly(asking.all<Completions>(text, 'textDocument/completion', params, token))
      if (!answers) return undefined
      return {
        suggestions: answers.flatMap((answer) => itemsOf(answer.value).map((item) => made(item, answer, word))),
        incomplete: answers.some(({ value }) => isIncomplete(value)),
      }
    },
    ...(has(ability, 'resolveProvider') && {
      resolveCompletionItem: async (completed, token) => {
        const known = told.get(completed)
        if (!known) return completed
        const answer = await quietly(
          asking.again<lsp.CompletionItem>(known.from, 'completionItem/resolve', known.item, token),
        )
        if (!answer) return completed
        // Where it goes was settled when it was offered.
        const whole = { ...known.item, ...answer.value }
        const { range: _range, insertText: _text, ...rest } = made(whole, answer, known.word)
        return { ...completed, ...rest }
      },
    }),
  }
}

function wordAt(text: ITextModel, position: { lineNumber: number; column: number }): Word {
  const { lineNumber } = position
  const startColumn = text.getWordUntilPosition(position).startColumn
  const endColumn = text.getWordAtPosition(position)?.endColumn ?? position.column
  const line = { startLineNumber: lineNumber, startColumn, endLineNumber: lineNumber }
  const from = (end: number) => ({ ...line, endColumn: end })
  return { insert: from(position.column), replace: from(Math.max(endColumn, position.column)) }
}
