// What of git is plain text: conflict markers, and lines of a `.gitignore`.
import { expect, test } from '@playwright/test'
import { ago } from '../src/workbench/git/ago'
import { conflictsIn, hasConflictMarkers } from '../src/workbench/git/conflict-markers'
import { linesForGit, linesOf, undoing, type Hunk } from '../src/workbench/git/hunks'
import { sideOf } from '../src/workbench/git/conflict-sides'
import { escapedForIgnore } from '../src/workbench/git/ignore-line'

test('conflicts_are_found_with_both_sides_and_their_base', () => {
  const text = 'a\n<<<<<<< HEAD\nours\n||||||| 1234\nbase\n=======\ntheirs\nmore\n>>>>>>> other\nb'
  expect(conflictsIn(text.split('\n'))).toEqual([{
    first: 1,
    last: 8,
    current: { name: 'HEAD', marker: 1, from: 2, to: 3 },
    base: { name: '1234', marker: 3, from: 4, to: 5 },
    incoming: { name: 'other', marker: 8, from: 6, to: 8 },
  }])
  const short = conflictsIn(['<<<<<<< HEAD\r', '=======\r', 'x\r', '>>>>>>> b\r'])
  expect(short).toEqual([{
    first: 0,
    last: 3,
    current: { name: 'HEAD', marker: 0, from: 1, to: 1 },
    incoming: { name: 'b', marker: 3, from: 2, to: 3 },
  }])
})

test('markers_that_are_no_whole_conflict_are_text', () => {
  for (const text of [
    '', '=======\n', '<<<<<<< a\nx\n', '<<<<<<< a\n=======\n', '>>>>>>> a\n', '<<<<<<<<<< a\n=======\n>>>>>>> b',
  ]) {
    expect(hasConflictMarkers(text), text).toBe(false)
  }
  expect(hasConflictMarkers('<<<<<<< a\n<<<<<<< b\n=======\n>>>>>>> c\n')).toBe(true)
})

test('a_line_for_one_file_means_no_other', () => {
  expect(escapedForIgnore('a/b.txt')).toBe('/a/b.txt')
  expect(escapedForIgnore('#x*[1]? ')).toBe('/#x\\*\\[1\\]\\?\\ ')
})

test('a_text_with_conflicts_has_two_sides', () => {
  const text = 'a\n<<<<<<< x\nours\n=======\ntheirs\n>>>>>>> y\nb\n'
  expect(sideOf(text, 'current')).toBe('a\nours\nb\n')
  expect(sideOf(text, 'incoming')).toBe('a\ntheirs\nb\n')
  expect(sideOf(text, 'both')).toBe('a\nours\ntheirs\nb\n')
})

/** A text as an editor has it. */
const lines = (text: string) => ({
  getLineCount: () => text.split('\n').length,
  getLineContent: (line: number) => text.split('\n')[line - 1] ?? '',
  getLineMaxColumn: (line: number) => (text.split('\n')[line - 1] ?? '').length + 1,
  getEOL: () => '\n',
})

function undone(original: string, text: string, sides: [number, number, number, number]): string {
  const [originalStartLineNumber, originalEndLineNumber, modifiedStartLineNumber, modifiedEndLineNumber] = sides
  const hunk: Hunk = {
    originalStartLineNumber, originalEndLineNumber, modifiedStartLineNumber, modifiedEndLineNumber,
  }
  const { range, text: put } = undoing(hunk, lines(original), lines(text))
  const all = text.split('\n')
  const offset = (line: number, column: number) =>
    all.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0) + column - 1
  return text.slice(0, offset(range.startLineNumber, range.startColumn)) + put
    + text.slice(offset(range.endLineNumber, range.endColumn))
}

test('undoing_a_change_gives_the_lines_that_were_there', () => {
  expect(undone('a\nb\nc\n', 'a\nB\nBB\nc\n', [2, 2, 2, 3])).toBe('a\nb\nc\n')
  expect(undone('a\nc\n', 'a\nb\nc\n', [1, 0, 2, 2])).toBe('a\nc\n')
  expect(undone('a', 'a\nb', [1, 0, 2, 2])).toBe('a')
  expect(undone('a\nb\nc\n', 'a\nc\n', [2, 2, 1, 0])).toBe('a\nb\nc\n')
  expect(undone('a\nb\n', 'b\n', [1, 1, 0, 0])).toBe('a\nb\n')
})

test('lines_of_changes_are_told_to_git_as_ranges', () => {
  const removed = {
    originalStartLineNumber: 1, originalEndLineNumber: 1, modifiedStartLineNumber: 0, modifiedEndLineNumber: 0,
  }
  expect(linesOf(removed)).toEqual({ first: 1, last: 1 })
  expect(linesForGit([{ first: 1, last: 1 }, { first: 3, last: 5 }])).toBe('1,3-5')
})

test('how_long_ago_is_told_in_the_largest_unit_that_fits', () => {
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
  const told = [0, 59_999, -day, minute, 2 * hour - 1, day, 3 * day, 13 * day, 45 * day, 800 * day]
  expect(told.map((past) => ago(1_000 * day - past, 1_000 * day))).toEqual([
    undefined, undefined, undefined, '1 minute ago', '1 hour ago', '1 day ago', '3 days ago', '1 week ago',
    '1 month ago', '2 years ago',
  ])
})
