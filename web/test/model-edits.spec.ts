// Models with either line end against texts with line feeds, and undo steps against edits by others.
import assert from 'node:assert/strict'
import { expect, test } from '@playwright/test'
import { apply, type TextEdit } from '../src/protocol/text-edits'
import {
  editsOf, inModelOffsets, operationsOf, positionAt, withLineFeeds, type LinedModel,
} from '../src/workbench/text/model-edits'
import { moveStep, type StepChange } from '../src/workbench/text/step-changes'
import { Random } from './random'

/** A model with its own line ends, as plain text. */
class TextDouble implements LinedModel {
  constructor(
    readonly text: string,
    private readonly eol: string,
  ) {}

  getEOL = () => this.eol
  getLineCount = () => this.text.split(this.eol).length
  getOffsetAt({ lineNumber, column }: { lineNumber: number; column: number }): number {
    const before = this.text.split(this.eol).slice(0, lineNumber - 1)
    return before.reduce((sum, line) => sum + line.length + this.eol.length, 0) + column - 1
  }
}

for (const eol of ['\n', '\r\n']) {
  const name = eol === '\n' ? 'lf' : 'crlf'

  test(`a_model_with_${name}_tells_edits_of_the_text_with_line_feeds`, () => {
    const random = new Random(7)
    for (let round = 0; round < 1_000; round += 1) {
      const text = random.text(40)
      const edits = random.edits(text, 4)
      const model = new TextDouble(text.replaceAll('\n', eol), eol)
      const operations = operationsOf(model, edits)
      const changes = inModelOffsets(model, edits).map((edit, index) => {
        const range = operations[index]?.range
        assert.ok(range)
        return { range, rangeOffset: edit.start, rangeLength: edit.end - edit.start, text: edit.text }
      })
      const event = { changes: changes.reverse(), eol, isFlush: false, isEolChange: false }
      const told = editsOf(event)
      assert.ok(told)
      assert.equal(apply(text, told), apply(text, edits))
      assert.equal(withLineFeeds(apply(model.text, inModelOffsets(model, edits))), apply(text, edits))
    }
  })

  test(`positions_in_a_model_with_${name}_are_those_of_the_text`, () => {
    const text = 'one\n\n😀two\nend'
    const model = new TextDouble(text.replaceAll('\n', eol), eol)
    for (let offset = 0; offset <= text.length; offset += 1) {
      const before = text.slice(0, offset).split('\n')
      expect(positionAt(model, offset)).toEqual({ lineNumber: before.length, column: (before.at(-1) ?? '').length + 1 })
    }
  })
}

test('groups_of_one_event_follow_each_other', () => {
  const change = (rangeOffset: number, rangeLength: number, text: string) => ({
    range: { startLineNumber: 1, endLineNumber: 1 }, rangeOffset, rangeLength, text,
  })
  const event = {
    changes: [change(3, 0, 'x'), change(0, 0, 'y'), change(4, 1, '')],
    eol: '\n', isFlush: false, isEolChange: false, detailedReasonsChangeLengths: [2, 1],
  }
  expect(apply('abcd', editsOf(event) ?? [])).toBe('yabcd')
})

test('a_flush_or_new_line_ends_have_to_be_compared', () => {
  const event = { changes: [], eol: '\n', isFlush: true, isEolChange: false }
  expect(editsOf(event)).toBeUndefined()
  expect(editsOf({ ...event, isFlush: false, isEolChange: true })).toBeUndefined()
})

/** The text before and after a step, and the step. */
function stepOf(before: string, edits: TextEdit[]): { after: string; changes: StepChange[] } {
  let growth = 0
  const changes = edits.map(({ start, end, text }) => {
    const change = { oldPosition: start, oldText: before.slice(start, end), newPosition: start + growth, newText: text }
    growth += text.length - (end - start)
    return change
  })
  return { after: apply(before, edits), changes }
}

const undo = (text: string, changes: StepChange[]) =>
  apply(text, changes.map((c) => ({ start: c.newPosition, end: c.newPosition + c.newText.length, text: c.oldText })))
const redo = (text: string, changes: StepChange[]) =>
  apply(text, changes.map((c) => ({ start: c.oldPosition, end: c.oldPosition + c.oldText.length, text: c.newText })))

test('undo_takes_back_the_steps_and_leaves_what_others_did', () => {
  const random = new Random(8)
  for (let round = 0; round < 2_000; round += 1) {
    const texts = [random.text(30)]
    const steps: StepChange[][] = []
    for (let step = 0; step < 4; step += 1) {
      const before = texts.at(-1) ?? ''
      const { after, changes } = stepOf(before, random.edits(before, 3))
      steps.push(changes)
      texts.push(after)
    }
    const last = texts.at(-1) ?? ''
    let theirs = random.edits(last, 3)
    let text = apply(last, theirs)
    for (let step = 3; step >= 0; step -= 1) {
      const moved = moveStep(steps[step] ?? [], theirs, 'undo')
      for (const change of moved.changes) {
        const there = text.slice(change.newPosition, change.newPosition + change.newText.length)
        assert.equal(there, change.newText, 'a step takes away what is there')
      }
      const undone = undo(text, moved.changes)
      assert.equal(redo(undone, moved.changes), text)
      theirs = moved.next
      assert.equal(undone, apply(texts[step] ?? '', theirs), 'what is left is the text before with their edits')
      text = undone
    }
  }
})

test('redo_steps_move_too', () => {
  const { changes } = stepOf('one two', [{ start: 4, end: 7, text: 'three' }])
  const moved = moveStep(changes, [{ start: 0, end: 0, text: '# ' }], 'redo')
  expect(redo('# one two', moved.changes)).toBe('# one three')
  expect(moved.isBefore).toBe(false)
})
