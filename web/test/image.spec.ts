// Which files are pictures, and how large they are in words.
import { expect, test } from '@playwright/test'
import { bytesInWords, imageType } from '../src/panels/image/kind'

test('pictures_are_known_by_the_end_of_their_name', () => {
  expect(imageType('a/b.png')).toBe('image/png')
  expect(imageType('B.JPG')).toBe('image/jpeg')
  expect(imageType('icon.min.svg')).toBe('image/svg+xml')
  for (const path of ['', 'png', '.png/readme', 'a.png/b', 'a.pngx', 'a.toString', 'notes.md']) {
    expect(imageType(path), path).toBeUndefined()
  }
})

test('sizes_are_as_people_read_them', () => {
  expect([0, 1, 1023, 1024, 1536].map(bytesInWords)).toEqual(['0 B', '1 B', '1023 B', '1.0 KB', '1.5 KB'])
  expect([10_240, 1_048_575, 1_048_576].map(bytesInWords)).toEqual(['10 KB', '1.0 MB', '1.0 MB'])
  expect(bytesInWords(5 * 1024 ** 4)).toBe('5120 GB')
})
