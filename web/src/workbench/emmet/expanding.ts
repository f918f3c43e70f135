// Finds the short form before the caret, and what it stands for.
import expandShort, { extract, type UserConfig } from 'emmet'
import { languages, Range, type editor as monacoEditor, type Position } from 'monaco-editor'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import type { ActiveText } from '../core/api/window'
import { isTag } from '../core/html-tags'
import type { Syntax } from './syntaxes'

type Text = monacoEditor.ITextModel

/** A longer line has none. */
const MOST_LINE = 2_000
/** Longer ones are nobody's, and take long: a number in them may stand for as many copies. */
const MOST_SHORT = 200
/** What is offered is no longer. */
const MOST_EXPANDED = 20_000
/** So much before the caret is looked at for what it stands in. */
const MOST_BEFORE = 20_000
/** Copies that a short form may make in all. */
const MOST_COPIES = 1_000

interface Found {
  short: string
  snippet: string
  preview: string
  range: Range
}

export function offered(text: Text, position: Position, syntax: Syntax): languages.CompletionList | undefined {
  const found = find(text, position, syntax)
  if (!found) return undefined
  const { short, snippet, preview, range } = found
  return {
    suggestions: [{
      label: short,
      detail: strings.emmet.detail,
      kind: languages.CompletionItemKind.Snippet,
      documentation: { value: `\`\`\`${syntax.name}\n${preview}\n\`\`\`` },
      insertText: snippet,
      insertTextRules: languages.CompletionItemInsertTextRule.InsertAsSnippet,
      filterText: short,
      range,
    }],
    // With each letter it is another one.
    incomplete: true,
  }
}

/** Put what the short form before the caret stands for in its place; false when there is none. */
export async function expand(api: Api, { editor, text, selection }: ActiveText, syntax: Syntax): Promise<boolean> {
  const found = find(text, selection.getPosition(), syntax)
  if (!found) return false
  editor.setSelection(found.range)
  await api.commands.executeCommand('editor.action.insertSnippet', { snippet: found.snippet })
  return true
}

function find(text: Text, { lineNumber, column }: Position, whole: Syntax): Found | undefined {
  const line = text.getLineContent(lineNumber)
  if (line.length > MOST_LINE) return undefined
  const above = new Range(Math.max(1, lineNumber - 500), 1, lineNumber, column)
  const before = text.getValueInRange(above).slice(-MOST_BEFORE)
  const syntax = whole.name === 'html' ? within(before, whole) : whole
  if (!syntax) return undefined
  const type = syntax.isStyle ? 'stylesheet' as const : 'markup' as const
  const place = extract(line, column - 1, { type, lookAhead: false })
  if (!place || place.abbreviation.length > MOST_SHORT || place.end !== column - 1) return undefined
  const short = place.abbreviation
  const fits = syntax.isStyle ? fitsStyle(short, before) : fitsMarkup(short, before)
  if (!fits || copies(short) > MOST_COPIES) return undefined
  const snippet = expanded(short, syntax, type, true)
  if (snippet === undefined || snippet.length > MOST_EXPANDED) return undefined
  return {
    short,
    snippet,
    preview: expanded(short, syntax, type, false) ?? '',
    range: new Range(lineNumber, place.start + 1, lineNumber, place.end + 1),
  }
}

function expanded(
  short: string, { name, isStyle }: Syntax, type: 'markup' | 'stylesheet', isSnippet: boolean,
): string | undefined {
  const config: UserConfig = {
    type,
    syntax: name,
    options: {
      'output.field': (index, placeholder) =>
        isSnippet ? (placeholder ? `\${${index}:${placeholder}}` : `\${${index}}`) : placeholder || '',
      'output.text': (words) => (isSnippet ? words.replaceAll(/[\\$}]/g, String.raw`\$&`) : words),
    },
  }
  try {
    const result = expandShort(short, config)
    // Of a word that it does not know it makes a property of that name.
    const isUnknown = isStyle && result.replaceAll(/[\s\d${}:;]/g, '') === short.replaceAll(/[\s\d:;]/g, '')
    return result === '' || isUnknown ? undefined : result
  } catch {
    // What is being typed is not whole yet.
    return undefined
  }
}

/** What stands in the middle of HTML: a style has other short forms, and a script has none. */
function within(before: string, html: Syntax): Syntax | undefined {
  const open = [...before.matchAll(/<(\/?)(style|script)\b/gi)].at(-1)
  if (!open || open[1] === '/') return html
  return open[2]?.toLowerCase() === 'style' ? { name: 'css', isStyle: true } : undefined
}

/** Every word is a tag to Emmet; to people only those that are, and what has signs of a short form. */
function fitsMarkup(short: string, before: string): boolean {
  const above = before.slice(0, before.length - short.length)
  // In a tag stand attributes, and behind `</` a name.
  if (/<[^<>]*$/.test(above) && !/=>[^<>]*$/.test(above)) return false
  if (/^[a-z][\w:-]*$/i.test(short)) return isTag(short.toLowerCase())
  const hasSigns = /[.#>+*^[({:]/.test(short) && !/[.:>+*^]$/.test(short)
  return /^!{1,3}$/.test(short) || (hasSigns && /^[a-z#.([{]/i.test(short))
}

/** Properties stand in braces, and are no values. */
function fitsStyle(short: string, before: string): boolean {
  const above = before.slice(0, before.length - short.length).replaceAll(/\/\*[^]*?(\*\/|$)/g, '')
  const depth = above.split('{').length - above.split('}').length
  return depth > 0 && /(^|[{};\n])\s*$/.test(above) && /^[a-z@!-]/i.test(short)
}

function copies(short: string): number {
  return [...short.matchAll(/\*(\d+)/g)].reduce((all, [, count]) => all * Number(count), 1)
}
