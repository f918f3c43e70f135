// What can be typed next, and what a call wants, from the protocol's form to the workbench's.
import type * as lsp from 'vscode-languageserver-types'
import type { lang } from '../../core/upstream'
import { textEditsOf } from './edits'
import { rangeOf, type Span } from './places'
import { documentationOf } from './words'

/** The workbench's numbers in the order of the protocol's, which begin at 1: text, method, function and so on. */
const KINDS = [18, 0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 15, 17, 28, 19, 20, 21, 23, 16, 14, 6, 10, 11, 24]
const TEXT = 18
const SNIPPET = 2
const AS_IS = 1
const KEEP_WHITESPACE = 1
const INSERT_AS_SNIPPET = 4
const DEPRECATED = 1

/** What stands where one types: up to the caret, and all of it. */
export interface Word {
  insert: Span
  replace: Span
}

export type CommandOf = (command: lsp.Command) => lang.Command | undefined

/** The items of an answer, with what they have in common written into each. */
export function itemsOf(value: lsp.CompletionItem[] | lsp.CompletionList | null | undefined): lsp.CompletionItem[] {
  if (!value) return []
  if (Array.isArray(value)) return value
  const { items, itemDefaults } = value
  if (!itemDefaults) return items
  const { editRange, commitCharacters, insertTextFormat, insertTextMode } = itemDefaults
  const data: unknown = itemDefaults.data
  return items.map((item) => ({
    ...(commitCharacters && { commitCharacters }),
    ...(insertTextFormat && { insertTextFormat }),
    ...(insertTextMode && { insertTextMode }),
    ...(data !== undefined && { data }),
    ...item,
    ...(editRange && !item.textEdit && { textEdit: editIn(editRange, item.textEditText ?? item.label) }),
  }))
}

function editIn(range: lsp.Range | { insert: lsp.Range; replace: lsp.Range }, newText: string) {
  return 'insert' in range ? { ...range, newText } : { range, newText }
}

export function isIncomplete(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'isIncomplete' in value && value.isIncomplete === true
}

export function completionOf(item: lsp.CompletionItem, word: Word, commandOf: CommandOf): lang.CompletionItem {
  const { label, labelDetails, textEdit, insertText, insertTextFormat, insertTextMode, filterText, sortText } = item
  const { detail, preselect, commitCharacters, additionalTextEdits, command } = item
  const documentation = documentationOf(item.documentation)
  const isOldDeprecated = (item as { deprecated?: boolean }).deprecated === true
  const isDeprecated = isOldDeprecated || (item.tags?.includes(DEPRECATED) ?? false)
  const asSnippet = insertTextFormat === SNIPPET ? INSERT_AS_SNIPPET : 0
  const rules = asSnippet | (insertTextMode === AS_IS ? KEEP_WHITESPACE : 0)
  const then = command && commandOf(command)
  return {
    label: labelDetails ? { label, ...labelDetails } : label,
    kind: KINDS[(item.kind ?? 1) - 1] ?? TEXT,
    insertText: textEdit?.newText ?? insertText ?? label,
    range: rangesOf(textEdit, word),
    ...(rules !== 0 && { insertTextRules: rules }),
    ...(isDeprecated && { tags: [DEPRECATED] }),
    ...(filterText !== undefined && { filterText }),
    ...(sortText !== undefined && { sortText }),
    ...(detail !== undefined && { detail }),
    ...(preselect === true && { preselect }),
    ...(documentation !== undefined && { documentation }),
    // What is longer than a key is never typed at once.
    ...(commitCharacters && { commitCharacters: commitCharacters.filter(({ length }) => length === 1) }),
    ...(additionalTextEdits && { additionalTextEdits: textEditsOf(additionalTextEdits) }),
    ...(then && { command: then }),
  }
}

function rangesOf(edit: lsp.CompletionItem['textEdit'], word: Word): Span | Word {
  if (!edit) return word
  if ('range' in edit) return rangeOf(edit.range)
  return { insert: rangeOf(edit.insert), replace: rangeOf(edit.replace) }
}

export function signaturesOf(help: lsp.SignatureHelp): lang.SignatureHelp {
  return {
    activeSignature: help.activeSignature ?? 0,
    activeParameter: help.activeParameter ?? 0,
    signatures: help.signatures.map((signature) => {
      const documentation = documentationOf(signature.documentation)
      return {
        label: signature.label,
        ...(documentation !== undefined && { documentation }),
        ...(typeof signature.activeParameter === 'number' && { activeParameter: signature.activeParameter }),
        parameters: (signature.parameters ?? []).map((parameter) => {
          const words = documentationOf(parameter.documentation)
          return { label: parameter.label, ...(words !== undefined && { documentation: words }) }
        }),
      }
    }),
  }
}
