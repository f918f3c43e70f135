// A review as plain code: what is left, and which change comes next.
import { expect, test } from '@playwright/test'
import { hunkAt, nextUnreviewed, toReview, type ReviewedFile, type ReviewedHunk } from '../src/protocol/chat-review'
import { diffOf } from '../src/workbench/git/hunks'

const hunk = (name: string, line: number, reviewed = false, lines = 1): ReviewedHunk =>
  ({ hunk: name, reviewed, state: 'made', line, lines, old: '', new: '', leftOut: 0 })
const file = (path: string, ...hunks: ReviewedHunk[]): ReviewedFile =>
  ({ path, change: 'modified', added: 0, removed: 0, hunks, hunksLeftOut: 0, unreadable: null })

test('the_next_change_is_the_next_that_nobody_has_reviewed_around_the_end', () => {
  const files = [
    file('a', hunk('a1', 2, true), hunk('a2', 9)), file('b', hunk('b1', 4)), file('c', hunk('c1', 1, true)),
  ]
  const next = (path: string | undefined, line: number, step: 1 | -1) =>
    nextUnreviewed(files, path === undefined ? undefined : { path, line }, step)?.hunk.hunk
  expect([
    next(undefined, 0, 1), next(undefined, 0, -1), next('a', 1, 1), next('a', 9, 1), next('b', 4, 1), next('c', 1, 1),
    next('a', 9, -1), next('b', 4, -1),
  ]).toEqual(['a2', 'b1', 'a2', 'b1', 'a2', 'a2', 'b1', 'a2'])
  expect(nextUnreviewed([file('c', hunk('c1', 1, true))], undefined, 1)).toBeUndefined()
})

test('the_change_at_a_line_is_the_one_that_has_it_or_comes_after_it', () => {
  const hunks = [hunk('one', 3, false, 2), hunk('two', 10, false, 0)]
  expect([1, 3, 4, 5, 10, 11].map((line) => hunkAt(hunks, line)?.hunk)).toEqual([
    'one', 'one', 'one', 'two', 'two', 'two',
  ])
})

test('what_is_left_is_counted_over_all_files', () => {
  const counts = (hunks: number, reviewed: number) => ({ hunks, reviewed, added: 0, removed: 0, version: 1 })
  expect(toReview({ files: { a: counts(3, 1), b: counts(1, 1) }, missed: {} })).toBe(2)
})

test('a_change_is_told_as_lines_of_a_diff', () => {
  const lines = (...all: string[]) => ({
    getLineCount: () => all.length, getLineContent: (line: number) => all[line - 1] ?? '', getLineMaxColumn: () => 1,
    getEOL: () => '\n',
  })
  const change = {
    originalStartLineNumber: 2, originalEndLineNumber: 2, modifiedStartLineNumber: 2, modifiedEndLineNumber: 3,
  }
  expect(diffOf(change, lines('a', 'b'), lines('a', 'B', 'C'))).toBe('-b\n+B\n+C')
})
