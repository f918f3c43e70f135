// `.editorconfig` by its published rules: names of sections, and what several files say together.
import { expect, test } from '@playwright/test'
import { glob } from '../src/workbench/editorconfig/globs'
import { parse, rulesFor } from '../src/workbench/editorconfig/rules'

const CASES: [name: string, yes: string[], no: string[]][] = [
  ['*', ['a', 'b/a.txt', '.x'], []],
  ['*.py', ['a.py', 'x/y/a.py'], ['a.pyc', 'apy']],
  ['Makefile', ['Makefile', 'sub/Makefile'], ['Makefile.am', 'xMakefile']],
  ['a*e.c', ['ace.c', 'abcde.c', 'd/ae.c'], ['a/e.c']],
  ['Bar/*', ['Bar/x.py'], ['x.py', 'Bar/a/x.py', 'a/Bar/x.py']],
  ['/top.md', ['top.md'], ['sub/top.md']],
  ['**.txt', ['a.txt', 'a/b.txt'], ['a.tx']],
  ['a**z.c', ['a/z.c', 'amnz.c', 'am/nz.c', 'a/mnz.c'], ['b/z.c']],
  ['d/**/z.c', ['d/z.c', 'd/x/z.c', 'd/x/y/z.c'], ['dz.c', 'e/d/z.c']],
  ['lib/**.js', ['lib/a.js', 'lib/a/b.js'], ['a.js', 'x/lib/a.js']],
  ['som?.c', ['some.c', 'a/som_.c'], ['som.c', 'something.c', 'som/.c']],
  ['[ab].a', ['a.a', 'b.a'], ['c.a']],
  ['[!ab].b', ['c.b'], ['a.b', 'b.b']],
  ['[d-g].c', ['f.c'], ['h.c']],
  ['[!d-g].d', ['h.d'], ['f.d']],
  ['[abd-g].e', ['e.e', 'b.e'], ['c.e']],
  ['[-ab].f', ['-.f'], ['c.f']],
  ['[\\]ab].g', ['].g', 'a.g'], ['c.g']],
  ['ab[e/]cd.i', ['ab[e/]cd.i'], ['abecd.i', 'ab/cd.i']],
  ['a[', ['a['], ['a']],
  ['*.{py,js,html}', ['a.py', 'b/a.html'], ['a.py,js', 'a.css']],
  ['{package.json,.travis.yml}', ['package.json', 'x/.travis.yml'], ['package']],
  ['{single}.b', ['{single}.b'], ['single.b']],
  ['{}.c', ['{}.c'], ['.c']],
  ['a{b,c,}.d', ['ab.d', 'ac.d', 'a.d'], ['a,.d']],
  ['{.f', ['{.f'], ['.f']],
  ['{word,{also},this}.g', ['word.g', '{also}.g', 'this.g'], ['also.g']],
  ['{{a,b},c}.k', ['a.k', 'b.k', 'c.k'], ['{a,b}.k']],
  ['{a\\,b,cd}.txt', ['a,b.txt', 'cd.txt'], ['a.txt']],
  ['{3..120}', ['3', '15', '120'], ['1', '121', '5a', '060', '3.5']],
  ['x{-3..+3}y', ['x-3y', 'x0y', 'x+2y'], ['x4y', 'xy']],
  ['{a..c}', ['{a..c}'], ['b']],
  ['a\\*b', ['a*b'], ['axb']],
  ['a+(b).$x|^', ['a+(b).$x|^'], ['ab']],
]

for (const [name, yes, no] of CASES) {
  test(`[${name}] names what it should`, () => {
    const matches = glob(name)
    expect([...yes, ...no].filter((path) => matches(path))).toEqual(yes)
  })
}

test('a name that is made to take long takes none', () => {
  const matches = glob(`${'*a'.repeat(8)}b`)
  expect(matches('a'.repeat(200))).toBe(false)
  expect(glob('x'.repeat(5_000))('x'.repeat(5_000))).toBe(false)
})

test('the nearest file has the last word, and above a root nothing counts', () => {
  const top = parse('[*]\nindent_style = tab\ntab_width=8\nmax_line_length = 100\n')
  const root = parse('ROOT = True\n; note\n[*]\nindent_style=SPACE\nindent_size = 2\nend_of_line = crlf\n'
    + '[*.md]\ntrim_trailing_whitespace = false\n[*.go]\nindent_style = tab\nindent_size = unset\n')
  const near = parse('\uFEFF# x\n[*.ts]\nindent_size=4\ninsert_final_newline=true\nmax_line_length=off\n')
  const files = [{ folder: 'a/b', file: near }, { folder: 'a', file: root }, { folder: '', file: top }]
  expect(rulesFor('a/b/x.ts', files)).toEqual({
    insertSpaces: true, indentSize: 4, tabSize: 4, endOfLine: '\r\n', finalNewline: true,
  })
  expect(rulesFor('a/x.md', files.slice(1))).toEqual({
    insertSpaces: true, indentSize: 2, tabSize: 2, endOfLine: '\r\n', trim: false,
  })
  expect(rulesFor('a/x.go', files.slice(1))).toEqual({ insertSpaces: false, endOfLine: '\r\n' })
  expect(rulesFor('x.go', files.slice(2))).toEqual({ insertSpaces: false, indentSize: 8, tabSize: 8, ruler: 100 })
})

test('what means nothing says nothing', () => {
  const file = parse('indent_size = 3\n[*]\nindent_style = both\nindent_size = -1\ntab_width = 1.5\n'
    + 'end_of_line = cr\ntrim_trailing_whitespace = yes\nno value\n= 4\n[*.x\nindent_size = 9\n')
  expect(rulesFor('a', [{ folder: '', file }])).toEqual({ indentSize: 9, tabSize: 9 })
})
