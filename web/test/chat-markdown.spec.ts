// Markdown of an agent as plain data: what it means, where links lead, and that no text takes long or runs anything.
import { expect, test } from '@playwright/test'
import { blocks, placedBlocks } from '../src/panels/chat/blocks'
import { inlines, type Inline } from '../src/panels/chat/inline'
import { targetOf, withinFolder } from '../src/panels/chat/places'

const plain = (list: readonly Inline[]): string =>
  list.map((inline) => {
    switch (inline.kind) {
      case 'text':
        return inline.text
      case 'code':
        return `<code:${inline.text}>`
      case 'break':
        return '<br>'
      case 'link':
        return `<a:${inline.href}|${plain(inline.children)}>`
      default:
        return `<${inline.kind}:${plain(inline.children)}>`
    }
  }).join('')

test.describe('a line', () => {
  const cases: [text: string, meaning: string][] = [
    ['plain', 'plain'],
    ['**bold** and *thin* and ~~gone~~', '<strong:bold> and <em:thin> and <del:gone>'],
    ['__bold__ _thin_ snake_case_name', '<strong:bold> <em:thin> snake_case_name'],
    ['**a *b* c**', '<strong:a <em:b> c>'],
    ['***both***', '<strong:<em:both>>'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['**open', '**open'],
    ['`a*b*` and ``c`d``', '<code:a*b*> and <code:c`d>'],
    ['`open', '`open'],
    ['\\*no\\*', '*no*'],
    ['one  \ntwo', 'one<br>two'],
    ['[words](https://a.example/x)', '<a:https://a.example/x|words>'],
    ['[w](<a b.md> "title")', '<a:a b.md|w>'],
    ['[not a link]', '[not a link]'],
    ['![picture](https://a.example/x.png)', '<a:https://a.example/x.png|picture>'],
    ['see https://a.example/x.', 'see <a:https://a.example/x|https://a.example/x>.'],
    ['(https://a.example/x)', '(<a:https://a.example/x|https://a.example/x>)'],
    ['<https://a.example>', '<a:https://a.example|https://a.example>'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['in src/main.rs:42, and', 'in <a:src/main.rs:42|src/main.rs:42>, and'],
    ['main.rs:7-9 is', '<a:main.rs:7-9|main.rs:7-9> is'],
    ['e.g. node.js at 10:30', 'e.g. node.js at 10:30'],
    ['web/src/a.ts', '<a:web/src/a.ts|web/src/a.ts>'],
  ]
  for (const [text, meaning] of cases) {
    test(`means_what_it_says: ${text}`, () => expect(plain(inlines(text))).toBe(meaning))
  }

  test('takes_no_longer_than_its_length_whatever_it_is', () => {
    const pieces = [
      '*', '**', '*a ', '_a', '`', '``a', '[', '](', '[a](', '![', '<', '~~', '~~a ', 'http://', '\\', 'a/', 'a.b/',
      '[*_`',
    ]
    const began = Date.now()
    for (const piece of pieces) {
      const text = piece.repeat(Math.ceil(100_000 / piece.length))
      expect(plain(inlines(text)).length).toBeGreaterThan(0)
    }
    // Each of them would take minutes if every sign were looked for to the end.
    expect(Date.now() - began).toBeLessThan(30_000)
  })
})

test.describe('a text', () => {
  test('is_blocks', () => {
    const text = [
      '# Title', 'words', 'more', '', '- one', '- two', '  - deep', '1. first', '2. second', '', '> quoted', '> more',
      '',
      '```ts', 'const a = 1', '```', '', '| a | b |', '|---|--:|', '| 1 | 2 |', '', '---', '- [x] done', '- [ ] open',
    ].join('\n')
    expect(blocks(text)).toEqual([
      { kind: 'heading', level: 1, text: 'Title' },
      { kind: 'paragraph', text: 'words\nmore' },
      {
        kind: 'list', first: undefined, items: [
          { done: undefined, blocks: [{ kind: 'paragraph', text: 'one' }] },
          {
            done: undefined, blocks: [
              { kind: 'paragraph', text: 'two' },
              {
                kind: 'list', first: undefined,
                items: [{ done: undefined, blocks: [{ kind: 'paragraph', text: 'deep' }] }],
              },
            ],
          },
        ],
      },
      {
        kind: 'list', first: 1, items: [
          { done: undefined, blocks: [{ kind: 'paragraph', text: 'first' }] },
          { done: undefined, blocks: [{ kind: 'paragraph', text: 'second' }] },
        ],
      },
      { kind: 'quote', blocks: [{ kind: 'paragraph', text: 'quoted\nmore' }] },
      { kind: 'code', language: 'ts', code: 'const a = 1', isClosed: true },
      { kind: 'table', aligns: [undefined, 'right'], head: ['a', 'b'], rows: [['1', '2']] },
      { kind: 'rule' },
      {
        kind: 'list', first: undefined, items: [
          { done: true, blocks: [{ kind: 'paragraph', text: 'done' }] },
          { done: false, blocks: [{ kind: 'paragraph', text: 'open' }] },
        ],
      },
    ])
  })

  test('that_grows_letter_by_letter_is_at_each_moment_what_it_is_as_a_whole', () => {
    const text = [
      'One', '', '- a', '', '- b', '  more', '', '```rs', 'fn a() {', '', '}', '```', 'end', '===', '| a | b |',
      '|-|-|',
      '| 1 | 2 |', '', '> q', 'lazy', '', '1. x', '2. y', '', '    indented', '', 'last **bold**',
    ].join('\n')
    let placed = placedBlocks('')
    for (let end = 1; end <= text.length; end += 1) {
      placed = placedBlocks(text.slice(0, end), placed)
      expect(placed.map(({ block }) => block)).toEqual(blocks(text.slice(0, end)))
    }
  })

  test('of_a_thousand_levels_ends', () => {
    for (const piece of ['> ', '- ', '1. ', '  - ']) expect(blocks(piece.repeat(5_000)).length).toBeGreaterThan(0)
    const deep = Array.from({ length: 2_000 }, (_, level) => `${'  '.repeat(level)}- x`).join('\n')
    expect(blocks(deep).length).toBeGreaterThan(0)
  })
})

test.describe('a link', () => {
  const cases: [href: string, target: unknown][] = [
    ['https://a.example/x', { kind: 'web', url: 'https://a.example/x' }],
    ['src/a.rs', { kind: 'file', path: 'src/a.rs' }],
    ['./src/a.rs:12', { kind: 'file', path: 'src/a.rs', line: 12 }],
    ['src/a.rs:12:5', { kind: 'file', path: 'src/a.rs', line: 12 }],
    ['src/a.rs:12-15', { kind: 'file', path: 'src/a.rs', line: 12, lastLine: 15 }],
    ['src/a.rs#L3-L7', { kind: 'file', path: 'src/a.rs', line: 3, lastLine: 7 }],
    ['/srv/x/src/a.rs:9', { kind: 'file', path: 'src/a.rs', line: 9 }],
    ['file:///srv/x/src/a.rs', { kind: 'file', path: 'src/a.rs' }],
    ['src/a%20b.rs', { kind: 'file', path: 'src/a b.rs' }],
    ['/etc/passwd', undefined],
    ['../secret', undefined],
    ['src/../../secret', undefined],
    ['src/%2e%2e/%2e%2e/secret', undefined],
    ['/srv/x/../y', undefined],
    ['//evil.example/x', undefined],
    ['\\\\evil.example\\x', undefined],
    ['javascript:alert(1)', undefined],
    [' javascript:alert(1)', undefined],
    ['JaVaScRiPt://x/%0aalert(1)', undefined],
    ['data:text/html,x', undefined],
    ['vbscript:x', undefined],
    ['command:workbench.action.quit', undefined],
    ['', undefined],
  ]
  for (const [href, target] of cases) {
    test(`leads_to_the_web_or_into_the_workspace_or_nowhere: ${href}`, () =>
      expect(targetOf(href, '/srv/x')).toEqual(target))
  }

  test('of_a_path_stays_within_the_folder', () => {
    expect(['a/../b', '/srv/x/a', '/srv/xy/a', '', '.', 'a\u0000b'].map((path) => withinFolder(path, '/srv/x')))
      .toEqual(['b', 'a', undefined, undefined, undefined, undefined])
  })
})
