// The tags of an HTML text: which belongs to which, and what a tag that is typed lacks.
import { expect, test } from '@playwright/test'
import { endAfter, nameAfter, namesAt } from '../src/workbench/markup/tags'

/** The texts of both names where the bar stands. */
function linked(text: string): string[] | undefined {
  const offset = text.indexOf('|')
  const plain = text.replace('|', '')
  return namesAt(plain, offset)?.map(({ start, end }) => `${start}:${plain.slice(start, end)}`)
}

const end = (text: string) => endAfter(text.replace('|', ''), text.indexOf('|'))
const name = (text: string) => nameAfter(text.replace('|', ''), text.indexOf('|'))

test('both names of an element are found from either', () => {
  expect(linked('<d|iv><div></div></div>')).toEqual(['1:div', '18:div'])
  expect(linked('<div><di|v></div></div>')).toEqual(['6:div', '12:div'])
  expect(linked('<p><br><a href="a>b">x</a|></p>')).toEqual(['8:a', '24:a'])
  expect(linked('<ul><li>a<li>b</u|l>')).toEqual(['1:ul', '16:ul'])
  expect(linked('<!-- <p|> --></p>')).toBe(undefined)
  expect(linked('<script>if (a<b) "<p|></p>"</script>')).toBe(undefined)
  expect(linked('<i|mg>')).toBe(undefined)
  expect(linked('<p cl|ass="x"></p>')).toBe(undefined)
})

test('a tag gets an end when it has none, and only then', () => {
  expect(end('<div class="a">|')).toBe('</div>')
  expect(end('<div>|</div>')).toBe(undefined)
  expect(end('<div><p>|</div>')).toBe('</p>')
  expect(end('<br>|')).toBe(undefined)
  expect(end('<br/>|')).toBe(undefined)
  expect(end('a > | b')).toBe(undefined)
  expect(end('<a title=">|"')).toBe(undefined)
  expect(end('<!-- <p>| -->')).toBe(undefined)
})

test('an end gets the name of what is open', () => {
  expect(name('<ul><li>a</|')).toBe('li')
  expect(name('<ul><li>a</li></|')).toBe('ul')
  expect(name('<ul><li>a</|li>')).toBe(undefined)
  expect(name('</|')).toBe(undefined)
})

test('a text that is made to take long does not', () => {
  const started = performance.now()
  for (const piece of ['<a "', '<!--', '<a ', '</a', '<a b=\'']) endAfter(piece.repeat(20_000), 3)
  expect(performance.now() - started).toBeLessThan(5_000)
})

test('many tags that are never closed are read once', () => {
  const started = performance.now()
  endAfter('<a>'.repeat(80_000) + '</b>'.repeat(60_000), 3)
  expect(performance.now() - started).toBeLessThan(5_000)
})
