// How one thing that happened is found again, and how long it took in words.
import { expect, test } from '@playwright/test'
import { duration, everything, fits, sentence, type ActivityEntry } from '../src/panels/activity/entry'

const entry: ActivityEntry = {
  key: '1', at: 0, who: 'tester', kind: 'agent', command: 'openspace.file.read', summary: 'read README.md', letIn: null,
  outcome: 'not_found', error: '`README.md` does not exist', micros: 900, paths: ['README.md'],
}

test('every_word_of_the_filter_has_to_occur_somewhere', () => {
  const found = (text: string) => fits(entry, { ...everything, text })
  for (const text of ['', '  ', 'readme', 'TESTER file.read', 'exist  tester']) expect(found(text), text).toBe(true)
  for (const text of ['lib.rs', 'tester lib.rs']) expect(found(text), text).toBe(false)
})

test('by_what_a_call_was_let_in_is_found_and_said', () => {
  const allowed = { ...entry, outcome: 'done', error: null, letIn: 'approved once by browser' }
  expect(fits(allowed, { ...everything, text: 'approved browser' })).toBe(true)
  expect(sentence(allowed)).toContain('read README.md, let in: approved once by browser, done')
  expect(sentence({ ...entry, outcome: 'unanswered' })).toContain('read README.md, not answered in time, `README.md`')
})

test('kinds_of_callers_and_failures_are_told_apart', () => {
  expect(fits(entry, { ...everything, kind: 'person' })).toBe(false)
  expect(fits(entry, { ...everything, kind: 'agent', onlyFailures: true })).toBe(true)
  expect(fits({ ...entry, outcome: 'done' }, { ...everything, onlyFailures: true })).toBe(false)
})

test('times_are_as_people_read_them', () => {
  expect([0, 999, 1_000, 9_999, 10_000].map(duration)).toEqual(['0 µs', '999 µs', '1.0 ms', '10.0 ms', '10 ms'])
  expect([999_499, 1_500_000, 59_940_000].map(duration)).toEqual(['999 ms', '1.5 s', '59.9 s'])
  const minutes = [59_960_000, 60_000_000, 119_700_000, 3_725_000_000].map(duration)
  expect(minutes).toEqual(['1 min 0 s', '1 min 0 s', '2 min 0 s', '62 min 5 s'])
})
