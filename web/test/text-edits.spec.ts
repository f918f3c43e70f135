// What edits promise, tried with many random texts.
//
// The loops use Node's own assertions: those of the test runner keep a record of each call.
import assert from 'node:assert/strict'
import { expect, test } from '@playwright/test'
import { apply, compose, diff, flawOf, normalise, span, transform } from '../src/protocol/text-edits'
import { Random } from './random'

const ROUNDS = 4_000

/** A letter that no text has, so that what was inserted can be found again. */
function marked(seed: number): string {
  return String.fromCharCode(0x4e00 + (seed % 10_000))
}

test('edits_are_all_of_the_text_before_them', () => {
  const edits = [{ start: 0, end: 3, text: '1' }, { start: 8, end: 8, text: '>' }]
  expect(apply('one two three', edits)).toBe('1 two >three')
})

test('flaws_are_found', () => {
  expect(flawOf([{ start: 2, end: 1, text: '' }], 9)).toBeDefined()
  expect(flawOf([{ start: 0, end: 3, text: '' }, { start: 2, end: 4, text: '' }], 9)).toBeDefined()
  expect(flawOf([{ start: 0, end: 10, text: '' }], 9)).toBeDefined()
  expect(flawOf([{ start: 0, end: 3, text: '' }, { start: 3, end: 9, text: 'x' }], 9)).toBeUndefined()
})

test('normal_form_and_span_do_the_same', () => {
  const random = new Random(1)
  for (let round = 0; round < ROUNDS; round += 1) {
    const text = random.text(40)
    const edits = random.edits(text, 5)
    assert.equal(apply(text, normalise(edits)), apply(text, edits))
    assert.equal(apply(text, span(text, edits)), apply(text, edits))
  }
})

test('composed_edits_do_what_both_do', () => {
  const random = new Random(2)
  for (let round = 0; round < ROUNDS; round += 1) {
    const text = random.text(40)
    const first = random.edits(text, 5)
    const middle = apply(text, first)
    const second = random.edits(middle, 5)
    const both = compose(first, second)
    assert.equal(flawOf(both, text.length), undefined)
    assert.equal(apply(text, both), apply(middle, second))
  }
})

test('both_orders_lead_to_the_same_text', () => {
  const random = new Random(3)
  for (let round = 0; round < ROUNDS; round += 1) {
    const text = random.text(40)
    const mine = random.edits(text, 5)
    const theirs = random.edits(text, 5)
    const later = transform(mine, theirs, 'first')
    const earlier = transform(theirs, mine, 'second')
    assert.equal(flawOf(later, apply(text, theirs).length), undefined)
    assert.equal(apply(apply(text, theirs), later), apply(apply(text, mine), earlier))
  }
})

test('nobodys_insertion_is_dropped', () => {
  const random = new Random(4)
  for (let round = 0; round < ROUNDS; round += 1) {
    const text = random.text(40)
    const mine = random.edits(text, 4).map((edit, index) => ({ ...edit, text: marked(index) + edit.text }))
    const theirs = random.edits(text, 4).map((edit, index) => ({ ...edit, text: marked(100 + index) + edit.text }))
    const result = apply(apply(text, theirs), transform(mine, theirs, 'second'))
    for (const { text: inserted } of [...mine, ...theirs]) assert.ok(result.includes(inserted))
  }
})

test('an_insertion_into_what_is_deleted_stays', () => {
  const deletion = [{ start: 2, end: 8, text: '' }]
  const insertion = [{ start: 5, end: 5, text: 'new' }]
  expect(apply(apply('0123456789', deletion), transform(insertion, deletion, 'first'))).toBe('01new89')
  expect(apply(apply('0123456789', insertion), transform(deletion, insertion, 'first'))).toBe('01new89')
})

test('a_difference_leads_from_one_text_to_the_other', () => {
  const random = new Random(5)
  for (let round = 0; round < ROUNDS; round += 1) {
    const old = random.text(80)
    const now = random.chance(0.5) ? apply(old, random.edits(old, 4)) : random.text(80)
    const edits = diff(old, now)
    assert.equal(flawOf(edits, old.length), undefined)
    assert.equal(apply(old, edits), now)
    for (const edit of edits) assert.ok(edit.text.isWellFormed())
  }
})

test('differences_of_far_lines_are_apart', () => {
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index}\n`)
  const old = lines.join('')
  lines[3] = 'line three\n'
  lines.splice(40, 1, 'line 40 and\n', 'more\n')
  const edits = diff(old, lines.join(''))
  expect(edits.map(({ text }) => text)).toEqual(['three', ' and\nmore'])
})

test('a_difference_does_not_cut_a_character', () => {
  expect(diff('a😀b', 'a😁b')).toEqual([{ start: 1, end: 3, text: '😁' }])
})
