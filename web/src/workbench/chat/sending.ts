// What is at hand elsewhere in the workbench, as something that goes with a prompt.
import type { Attachment } from '../../protocol/chat-words'
import type { Workbench } from '../core/feature'
import { contentOf, pathOf } from '../core/uris'

/** The lines that are selected, or the line of the caret. What is not saved goes as its text. */
export function selected({ api }: Workbench): Attachment | undefined {
  const active = api.window.activeText()
  if (!active) return undefined
  const { selection, uri, text } = active
  const path = pathOf(uri)
  const first = selection.startLineNumber
  // A selection that ends before the first letter of a line does not mean that line.
  const isBefore = selection.endColumn === 1 && selection.endLineNumber > first
  const last = isBefore ? selection.endLineNumber - 1 : selection.endLineNumber
  if (path !== undefined) return { type: 'file', path, line: first, endLine: last }
  const title = `${contentOf(uri) ?? uri.path.split('/').at(-1) ?? ''}:${first}-${last}`
  return { type: 'text', title, text: text.getValueInRange(selection), language: text.getLanguageId() }
}

/** The file of a row of the explorer, or the one at hand. */
export function fileAt({ api }: Workbench, uri: unknown): Attachment | undefined {
  const isAddress = typeof uri === 'object' && uri !== null && 'scheme' in uri && 'path' in uri
  const path = pathOf(isAddress ? (uri as { scheme: string; path: string }) : api.window.activeText()?.uri)
  return path === undefined ? undefined : { type: 'file', path }
}
