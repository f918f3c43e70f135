// Between an editor's model and edits: lines and the model's own line ends on one side, offsets in a text
// with line feeds on the other. Pure; the model is only asked for what it has.
import type { IPosition } from 'monaco-editor'
import { compose, flawOf, type TextEdit, type TextEdits } from '../../protocol/text-edits'

/** The part of a model's change that counts here. */
export interface ModelChange {
  range: { startLineNumber: number; endLineNumber: number }
  rangeOffset: number
  rangeLength: number
  text: string
}

export interface ModelChangeEvent {
  changes: readonly ModelChange[]
  eol: string
  isFlush: boolean
  isEolChange: boolean
  /** How many of the changes belong together; each group speaks of the text after the one before. */
  detailedReasonsChangeLengths?: readonly number[]
}

export const withLineFeeds = (text: string) => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)

/** The edits of an event; nothing when only a comparison of the texts can tell. */
export function editsOf(event: ModelChangeEvent): TextEdit[] | undefined {
  if (event.isFlush || event.isEolChange) return undefined
  const extra = event.eol.length - 1
  const lengths = event.detailedReasonsChangeLengths ?? [event.changes.length]
  let edits: TextEdit[] = []
  let first = 0
  for (const length of lengths) {
    // A group goes from the end of the text to its beginning.
    const group = event.changes.slice(first, first + length).reverse().map((change) => editOf(change, extra))
    if (flawOf(group, Infinity)) return undefined
    edits = compose(edits, group)
    first += length
  }
  return first === event.changes.length ? edits : undefined
}

function editOf({ range, rangeOffset, rangeLength, text }: ModelChange, extra: number): TextEdit {
  const start = rangeOffset - extra * (range.startLineNumber - 1)
  const end = start + rangeLength - extra * (range.endLineNumber - range.startLineNumber)
  return { start, end, text: withLineFeeds(text) }
}

/** The part of a model that positions are asked of. */
export interface LinedModel {
  getEOL(): string
  getLineCount(): number
  getOffsetAt(position: IPosition): number
}

/** Where an offset in the text with line feeds is in the model. */
export function positionAt(model: LinedModel, offset: number): IPosition {
  const extra = model.getEOL().length - 1
  const startOf = (line: number) => model.getOffsetAt({ lineNumber: line, column: 1 }) - extra * (line - 1)
  let low = 1
  let high = model.getLineCount()
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (startOf(middle) <= offset) low = middle
    else high = middle - 1
  }
  return { lineNumber: low, column: offset - startOf(low) + 1 }
}

/** Edits as operations of the model. */
export function operationsOf(model: LinedModel, edits: TextEdits) {
  return edits.map(({ start, end, text }) => {
    const from = positionAt(model, start)
    const to = end === start ? from : positionAt(model, end)
    const range = {
      startLineNumber: from.lineNumber, startColumn: from.column, endLineNumber: to.lineNumber, endColumn: to.column,
    }
    // A cursor in the place of an insertion stays before it: the person goes on where they are.
    return { range, text, forceMoveMarkers: false }
  })
}

/** Edits in the model's own offsets and line ends. */
export function inModelOffsets(model: LinedModel, edits: TextEdits): TextEdit[] {
  const eol = model.getEOL()
  return edits.map(({ start, end, text }) => ({
    start: model.getOffsetAt(positionAt(model, start)),
    end: model.getOffsetAt(positionAt(model, end)),
    text: eol === '\n' ? text : text.replaceAll('\n', eol),
  }))
}
