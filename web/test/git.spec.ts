// What of git is plain text: conflict markers, and lines of a `.gitignore`.
import { expect, test } from '@playwright/test'
import { conflictsIn, hasConflictMarkers } from '../src/workbench/git/conflict-markers'
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
