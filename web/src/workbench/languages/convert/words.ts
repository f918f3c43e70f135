// What servers say in words, as the workbench's Markdown. It is never trusted: no command in it can be clicked.
import type * as lsp from 'vscode-languageserver-types'

export interface Words {
  value: string
}

/** The last form is old, and some servers still have it. */
type Said = string | lsp.MarkupContent | { language: string; value: string } | null | undefined

/** What is no Markdown is shown as it is. */
export function wordsOf(said: Said): Words | undefined {
  if (said === null || said === undefined || said === '') return undefined
  if (typeof said === 'string') return { value: said }
  if ('language' in said) return { value: fenced(said.language, said.value) }
  if (said.value === '') return undefined
  return { value: said.kind === 'plaintext' ? escaped(said.value) : said.value }
}

/** Documentation, which is plain where it is but a string. */
export function documentationOf(said: string | lsp.MarkupContent | null | undefined): string | Words | undefined {
  if (said === null || said === undefined) return undefined
  return typeof said === 'string' ? said : wordsOf(said)
}

export function hoverWords(contents: lsp.Hover['contents']): Words[] {
  const all = Array.isArray(contents) ? contents : [contents]
  return all.map((one) => wordsOf(one)).filter((words) => words !== undefined)
}

/** A fence that is longer than any in the text. */
function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

function escaped(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-!~<>&|]/g, String.raw`\$&`).replaceAll('\n', '\n\n')
}
