// What language servers answer, in the workbench's form: each converter, and what servers do that they should not.
import { expect, test } from '@playwright/test'
import type * as lsp from 'vscode-languageserver-types'
import type { LanguageServer } from '../src/protocol/languages'
import { hashOf } from '../src/protocol/text-hash'
import { abilitiesOf, has, union } from '../src/workbench/languages/abilities'
import { conditionOf } from '../src/workbench/languages/condition'
import { joined, tokensOf } from '../src/workbench/languages/convert/colours'
import { completionOf, isIncomplete, itemsOf, signaturesOf } from '../src/workbench/languages/convert/completion'
import { missingKinds } from '../src/workbench/languages/convert/kinds'
import { workspaceEditOf } from '../src/workbench/languages/convert/edits'
import {
  locationsOf, lspPosition, lspRange, placeOf, rangeOf, type ToUri,
} from '../src/workbench/languages/convert/places'
import { foldsOf, selectionsOf, symbolsOf, workspaceSymbolOf } from '../src/workbench/languages/convert/symbols'
import { documentationOf, hoverWords } from '../src/workbench/languages/convert/words'

type Uri = NonNullable<ReturnType<ToUri>>

/** An address is enough of one here; what no file has is none. */
const toUri = (address: string) => {
  const [scheme = '', path] = address.split(':')
  return scheme === 'command' ? undefined : ({ scheme: scheme === 'workspace' ? 'file' : scheme, path } as Uri)
}
const span = (line: number, from: number, to: number): lsp.Range => ({
  start: { line, character: from }, end: { line, character: to },
})
const shown = (line: number, from: number, to: number) => ({
  startLineNumber: line + 1, startColumn: from + 1, endLineNumber: line + 1, endColumn: to + 1,
})
const WORD = { insert: shown(0, 0, 2), replace: shown(0, 0, 4) }
const noCommand = () => undefined

test('places_count_from_1_here_and_from_0_there', () => {
  expect(rangeOf(span(2, 3, 4))).toEqual(shown(2, 3, 4))
  expect(lspRange(shown(2, 3, 4))).toEqual(span(2, 3, 4))
  expect(lspPosition({ lineNumber: 3, column: 4 })).toEqual({ line: 2, character: 3 })
  expect(placeOf({ line: 2, character: 3 })).toEqual({ lineNumber: 3, column: 4 })
})

test('where_something_is_comes_as_one_several_links_or_nothing', () => {
  const one = { uri: 'workspace:/a.ts', range: span(0, 1, 2) }
  expect(locationsOf(one, toUri)).toEqual([{ uri: toUri('workspace:/a.ts'), range: shown(0, 1, 2) }])
  expect(locationsOf([one, { uri: 'command:format', range: span(0, 0, 0) }], toUri)).toHaveLength(1)
  expect(locationsOf([one, one], toUri)).toHaveLength(2)
  expect(locationsOf(null, toUri)).toEqual([])
  const link = {
    targetUri: 'openspace-source:/b.ts', targetRange: span(4, 0, 9), targetSelectionRange: span(4, 1, 2),
    originSelectionRange: span(0, 0, 3),
  }
  expect(locationsOf([link], toUri)).toEqual([{
    uri: toUri('openspace-source:/b.ts'), range: shown(4, 0, 9), targetSelectionRange: shown(4, 1, 2),
    originSelectionRange: shown(0, 0, 3),
  }])
})

test('plain_text_stays_plain_and_code_is_fenced_beyond_its_own_fences', () => {
  expect(hoverWords([{ language: 'ts', value: 'a `b`' }, 'Said.', ''])).toEqual([
    { value: '```ts\na `b`\n```' }, { value: 'Said.' },
  ])
  expect(hoverWords({ language: 'md', value: '```\nx\n```' } as unknown as lsp.Hover['contents']))
    .toEqual([{ value: '````md\n```\nx\n```\n````' }])
  expect(hoverWords({ kind: 'plaintext', value: '*a* <b>\n[c](command:d)' }))
    .toEqual([{ value: '\\*a\\* \\<b\\>\n\n\\[c\\]\\(command:d\\)' }])
  expect(documentationOf('plain')).toBe('plain')
  expect(documentationOf({ kind: 'markdown', value: '**a**' })).toEqual({ value: '**a**' })
  expect(documentationOf(undefined)).toBeUndefined()
})

test('an_item_takes_the_defaults_of_its_list_and_keeps_its_own', () => {
  const list: lsp.CompletionList = {
    isIncomplete: true,
    itemDefaults: {
      commitCharacters: ['.'], editRange: { insert: span(0, 0, 2), replace: span(0, 0, 4) }, insertTextFormat: 2,
      data: { page: 1 },
    },
    items: [{ label: 'area', textEditText: 'area($1)' }, { label: 'b', commitCharacters: [';'], data: 2 }],
  }
  expect(isIncomplete(list)).toBe(true)
  const [first, second] = itemsOf(list)
  expect(first).toEqual({
    label: 'area', textEditText: 'area($1)', commitCharacters: ['.'], insertTextFormat: 2, data: { page: 1 },
    textEdit: { insert: span(0, 0, 2), replace: span(0, 0, 4), newText: 'area($1)' },
  })
  expect(second).toMatchObject({ commitCharacters: [';'], data: 2, textEdit: { newText: 'b' } })
  expect(itemsOf(null)).toEqual([])
})

test('an_item_is_what_the_workbench_inserts', () => {
  const item: lsp.CompletionItem = {
    label: 'area', kind: 2, tags: [1], detail: 'number', labelDetails: { description: './shape' }, sortText: '11',
    filterText: 'area', preselect: true, documentation: { kind: 'markdown', value: 'How *large*.' },
    insertTextFormat: 2, textEdit: { range: span(0, 0, 2), newText: 'area($1)' }, commitCharacters: ['(', '=>'],
    additionalTextEdits: [{ range: span(0, 0, 0), newText: 'import { area } from "./shape"\n' }],
    command: { title: '', command: 'editor.action.triggerParameterHints' },
  }
  expect(completionOf(item, WORD, ({ command }) => ({ id: command, title: '' }))).toEqual({
    label: { label: 'area', description: './shape' }, kind: 0, tags: [1], detail: 'number', sortText: '11',
    filterText: 'area', preselect: true, documentation: { value: 'How *large*.' }, insertText: 'area($1)',
    insertTextRules: 4, range: shown(0, 0, 2), commitCharacters: ['('],
    additionalTextEdits: [{ range: shown(0, 0, 0), text: 'import { area } from "./shape"\n' }],
    command: { id: 'editor.action.triggerParameterHints', title: '' },
  })
  expect(completionOf({ label: 'a' }, WORD, noCommand)).toEqual({ label: 'a', kind: 18, insertText: 'a', range: WORD })
})

test('a_call_says_which_argument_is_typed', () => {
  const help: lsp.SignatureHelp = {
    signatures: [{ label: 'area(w, h)', parameters: [{ label: [5, 6] }, { label: 'h', documentation: 'High.' }] }],
    activeParameter: 1,
  }
  expect(signaturesOf(help)).toEqual({
    activeSignature: 0, activeParameter: 1,
    signatures: [{ label: 'area(w, h)', parameters: [{ label: [5, 6] }, { label: 'h', documentation: 'High.' }] }],
  })
})

test('an_edit_of_the_workspace_names_the_version_of_each_open_text', () => {
  const edit: lsp.WorkspaceEdit = {
    documentChanges: [
      {
        textDocument: { uri: 'workspace:/a.ts', version: 4 },
        edits: [{ range: span(1, 0, 3), newText: 'new', annotationId: 'sure' } as lsp.AnnotatedTextEdit],
      },
      { kind: 'rename', oldUri: 'workspace:/b.ts', newUri: 'workspace:/c.ts', options: { overwrite: true } },
      { kind: 'create', uri: 'workspace:/d.ts' },
      { kind: 'delete', uri: 'workspace:/e.ts' },
    ],
    changeAnnotations: { sure: { label: 'Rename', needsConfirmation: true } },
  }
  expect(workspaceEditOf(edit, toUri, ({ path }) => (path === '/a.ts' ? 9 : undefined))).toEqual({
    edits: [
      {
        resource: toUri('workspace:/a.ts'), versionId: 9, textEdit: { range: shown(1, 0, 3), text: 'new' },
        metadata: { label: 'Rename', needsConfirmation: true },
      },
      { oldResource: toUri('workspace:/b.ts'), newResource: toUri('workspace:/c.ts'), options: { overwrite: true } },
      { newResource: toUri('workspace:/d.ts'), options: {} },
      { oldResource: toUri('workspace:/e.ts'), options: {} },
    ],
  })
  const plain = { changes: { 'workspace:/a.ts': [{ range: span(0, 0, 1), newText: '' }] } }
  expect(workspaceEditOf(plain, toUri, () => undefined).edits).toEqual([
    { resource: toUri('workspace:/a.ts'), versionId: undefined, textEdit: { range: shown(0, 0, 1), text: '' } },
  ])
  expect(workspaceEditOf(null, toUri, () => undefined)).toEqual({ edits: [] })
})

test('what_is_no_file_of_the_workspace_is_not_edited_and_what_is_hidden_is_shown_before', () => {
  const edit = (address: string) => ({ changes: { [address]: [{ range: span(0, 0, 1), newText: '' }] } })
  for (const address of ['openspace-source:/usr/lib/a.ts', 'vscode-userdata:/User/settings.json', 'command:x']) {
    expect(() => workspaceEditOf(edit(address), toUri, () => undefined)).toThrow('no file of the workspace')
  }
  expect(workspaceEditOf(edit('workspace:/.vscode/tasks.json'), toUri, () => undefined).edits)
    .toMatchObject([{ metadata: { needsConfirmation: true } }])
})

test('symbols_are_a_tree_and_a_name_outside_of_its_symbol_is_put_inside', () => {
  const tree: lsp.DocumentSymbol[] = [{
    name: 'Widget', kind: 5, range: span(0, 0, 20), selectionRange: span(0, 6, 12), deprecated: true,
    children: [{ name: 'area', detail: '()', kind: 6, range: span(0, 8, 12), selectionRange: span(0, 2, 4) }],
  }]
  expect(symbolsOf(tree)).toEqual([{
    name: 'Widget', detail: '', kind: 4, tags: [1], range: shown(0, 0, 20), selectionRange: shown(0, 6, 12),
    children: [{
      name: 'area', detail: '()', kind: 5, tags: [], range: shown(0, 8, 12), selectionRange: shown(0, 8, 12),
    }],
  }])
  const flat = [{ name: 'f', kind: 12, location: { uri: 'workspace:/a', range: span(1, 0, 4) }, containerName: 'm' }]
  expect(symbolsOf(flat as lsp.SymbolInformation[])).toEqual([{
    name: 'f', detail: '', kind: 11, tags: [], range: shown(1, 0, 4), selectionRange: shown(1, 0, 4),
    containerName: 'm',
  }])
  expect(workspaceSymbolOf({ name: 'f', kind: 12, location: { uri: 'workspace:/a' } }, toUri)).toEqual({
    name: 'f', kind: 11, tags: [], location: { uri: toUri('workspace:/a'), range: shown(0, 0, 0) },
  })
})

test('folds_have_lines_and_selections_go_from_the_inside_out', () => {
  expect(foldsOf([{ startLine: 0, endLine: 4, kind: 'imports' }, { startLine: 5, endLine: 5 }]))
    .toEqual([{ start: 1, end: 5, kind: 'imports' }])
  expect(selectionsOf([{ range: span(0, 2, 3), parent: { range: span(0, 0, 9) } }]))
    .toEqual([[{ range: shown(0, 2, 3) }, { range: shown(0, 0, 9) }]])
})

test('colours_of_several_servers_have_one_list_of_kinds', () => {
  const one = { tokenTypes: ['class', 'function'], tokenModifiers: ['static'] }
  const two = { tokenTypes: ['function', 'enum'], tokenModifiers: ['async', 'static'] }
  const both = joined([one, two])
  expect(both).toEqual({ tokenTypes: ['class', 'function', 'enum'], tokenModifiers: ['static', 'async'] })
  const data = [0, 0, 3, 0, 0b11, 1, 2, 4, 1, 0]
  expect([...tokensOf(data, two, both)]).toEqual([0, 0, 3, 1, 0b11, 1, 2, 4, 2, 0])
  expect([...tokensOf(data, one, both)]).toEqual(data)
})

const server = (more: Partial<LanguageServer>): LanguageServer => ({
  id: 'tsc', server: more.id ?? 'tsc', name: 'TypeScript', root: '.', languages: ['typescript'], state: 'ready',
  foundIn: 'project', generation: 1, abilities: {}, ...more,
})

test('what_can_be_asked_is_known_by_language_and_stays_while_nothing_about_it_changes', () => {
  const hover = { 'textDocument/hover': true, 'textDocument/rename': { prepareProvider: true } }
  const servers = [
    server({ abilities: hover }),
    // The same on another project, one that cannot, and one that does not run.
    server({ server: 'tsc in sub', abilities: hover, root: 'sub' }),
    server({ id: 'ruff', languages: ['python'], abilities: { 'textDocument/hover': false } }),
    server({ id: 'old', abilities: hover, state: 'failed' }),
  ]
  const all = abilitiesOf(servers)
  expect([...all.values()]).toEqual([
    {
      language: 'typescript', method: 'textDocument/hover',
      options: [{ server: 'tsc', options: {} }, { server: 'tsc in sub', options: {} }],
    },
    {
      language: 'typescript', method: 'textDocument/rename',
      options: [
        { server: 'tsc', options: { prepareProvider: true } },
        { server: 'tsc in sub', options: { prepareProvider: true } },
      ],
    },
  ])
  expect([...abilitiesOf(servers).keys()]).toEqual([...all.keys()])
})

test('what_the_page_knows_of_json_by_itself_no_server_is_asked', () => {
  const abilities = { 'textDocument/hover': true, 'textDocument/completion': {}, 'textDocument/formatting': true }
  const all = abilitiesOf([server({ languages: ['json'], abilities })])
  expect([...all.values()].map(({ method }) => method)).toEqual(['textDocument/formatting'])
})

test('languages_get_the_names_that_nobody_has', () => {
  const known = [{ id: 'json', extensions: ['.json'] }, { id: 'jsonc', filenames: ['tsconfig.json'] }]
  const kind = (id: string, extensions: string[], names: string[] = []) => ({ id, extensions, names })
  const told = [kind('json', ['.json', '.jsonl']), kind('jsonc', [], ['tsconfig.json']), kind('toml', ['.toml'])]
  const missing = missingKinds(told, known)
  expect(missing).toEqual([
    { id: 'json', extensions: ['.jsonl'], filenames: [] }, { id: 'toml', extensions: ['.toml'], filenames: [] },
  ])
  expect(missingKinds(told, [...known, ...missing])).toEqual([])
})

test('options_of_several_servers_count_together', () => {
  const ability = {
    language: 'python', method: 'textDocument/completion',
    options: [
      { server: 'a', options: { triggerCharacters: ['.', '['], resolveProvider: false } },
      { server: 'b', options: { triggerCharacters: ['.', '"'], resolveProvider: true } },
    ],
  }
  expect(union(ability, 'triggerCharacters')).toEqual(['.', '[', '"'])
  expect(union(ability, 'none')).toEqual([])
  expect(has(ability, 'resolveProvider')).toBe(true)
})

test('a_file_belongs_to_the_nearest_project_and_the_worst_of_its_servers_is_shown', () => {
  const servers = [
    server({}), server({ root: 'sub', state: 'loading' }), server({ id: 'lint', name: 'Lint', state: 'failed' }),
  ]
  expect(conditionOf({ servers, absent: [] }, 'sub/a.ts', 'typescript')).toEqual({
    is: 'servers', worst: servers[2], all: [servers[1], servers[2]],
  })
  const absent = [{ id: 'ra', name: 'RA', why: 'notInstalled' as const }]
  const missing = { language: 'rust', paths: ['a.rs'], servers: absent }
  expect(conditionOf({ servers, absent: [missing] }, 'a.rs', 'rust')).toEqual({ is: 'absent', missing })
  expect(conditionOf({ servers, absent: [missing] }, 'a.md', 'markdown')).toBeUndefined()
  // One that works on several projects names the first.
  const shared = server({ root: 'one' })
  expect(conditionOf({ servers: [shared], absent: [] }, 'two/a.ts', 'typescript')).toMatchObject({ worst: shared })
})

test('a_text_has_the_digest_that_is_known_for_it', () => {
  expect([hashOf(''), hashOf('a'), hashOf('foobar')])
    .toEqual(['cbf29ce484222325', 'af63dc4c8601ec8c', '85944171f73967e8'])
})
