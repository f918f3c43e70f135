// What the project and the person want of texts while they are edited and saved.
import { editorOf, expectLines, goToLineEnd, openFile } from './editor'
import { setSettings } from './hands'
import { expect, picture, test, type Agent } from './stage'

test.use({
  files: {
    '.editorconfig': 'root = true\n[*]\nindent_style = space\nindent_size = 3\ninsert_final_newline = true\n'
      + 'trim_trailing_whitespace = true\n[*.win]\nend_of_line = crlf\nmax_line_length = 40\n'
      + '[*.go]\nindent_style = tab\n',
    'a.txt': 'one  ',
    'b.win': 'one\ntwo\n',
    'c.go': 'x\n',
    'd.json': '{"a":1,\n"b":[1,2]}',
    'e.html': '<body>\n\n</body>\n',
    'f.css': 'p {\n\n}\n',
    'g.tsx': 'const a = (\n\n)\n',
  },
})

const content = async (agent: Agent, path: string): Promise<string> => (await agent.call('file_read', { path })).content

test('indentation and what a save puts in order go by .editorconfig, also when it changes', async ({ ide, agent }) => {
  await openFile(ide, 'a.txt')
  await goToLineEnd(ide, 'a.txt', 1)
  await ide.keyboard.press('Enter')
  await ide.keyboard.press('Tab')
  await ide.keyboard.type('two')
  await ide.keyboard.press('Control+s')
  await expect.poll(() => content(agent, 'a.txt')).toBe('one\n   two\n')
  await openFile(ide, 'b.win')
  await expect(editorOf(ide, 'b.win').locator('.view-ruler')).toHaveCount(1)
  await goToLineEnd(ide, 'b.win', 1)
  await ide.keyboard.type('!')
  await ide.keyboard.press('Control+s')
  await expect.poll(() => content(agent, 'b.win')).toBe('one!\r\ntwo\r\n')
  await openFile(ide, 'c.go')
  await goToLineEnd(ide, 'c.go', 1)
  await ide.keyboard.press('Enter')
  await ide.keyboard.press('Tab')
  await ide.keyboard.type('y')
  await ide.keyboard.press('Control+s')
  await expect.poll(() => content(agent, 'c.go')).toBe('x\n\ty\n')
  await agent.call('file_write', { path: '.editorconfig', content: '[*]\nindent_style = space\nindent_size = 5\n' })
  await expect(ide.locator('.statusbar-item', { hasText: 'Spaces: 5' })).toBeVisible()
})

test('JSON is formatted when it is saved, where the person wants that', async ({ ide, agent, server }) => {
  await setSettings(server, { 'editor.formatOnSave': true, 'editor.formatOnPaste': true })
  await openFile(ide, 'd.json')
  await goToLineEnd(ide, 'd.json', 2)
  const formatted = '{\n   "a": 1,\n   "b": [\n      1,\n      2\n   ]\n}\n'
  // The settings come to the page when they do.
  await expect(async () => {
    await ide.keyboard.type(' ')
    await ide.keyboard.press('Control+s')
    await expect.poll(() => content(agent, 'd.json'), { timeout: 3_000 }).toBe(formatted)
  }).toPass()
})

test('a tag gets its end, both names change together, and brackets have colours', async ({ ide, server }) => {
  await setSettings(server, { 'editor.linkedEditing': true })
  await openFile(ide, 'e.html')
  await goToLineEnd(ide, 'e.html', 2)
  await ide.keyboard.type('<div>x</')
  await expectLines(ide, 'e.html', ['<body>', '<div>x</div></div>', '</body>', ''])
  await ide.keyboard.press('Control+a')
  await ide.keyboard.press('Delete')
  await ide.keyboard.type('<p>x')
  await expectLines(ide, 'e.html', ['<p>x</p>'])
  await ide.keyboard.press('Home')
  await ide.keyboard.press('ArrowRight')
  await ide.keyboard.press('ArrowRight')
  // The other name is looked for when the caret has come to this one.
  await expect(editorOf(ide, 'e.html').locator('.linked-editing-decoration').first()).toBeAttached()
  await ide.keyboard.type('re')
  await expectLines(ide, 'e.html', ['<pre>x</pre>'])
  await openFile(ide, 'f.css')
  await expect(editorOf(ide, 'f.css').locator('[class*="bracket-highlighting-0"]').first()).toBeAttached()
})

test('short forms of HTML and CSS are offered and expanded, in TSX when the person says so', async ({
  ide, server,
}) => {
  await openFile(ide, 'e.html')
  await goToLineEnd(ide, 'e.html', 2)
  await ide.keyboard.type('ul>li.item*2')
  const offered = ide.locator('.suggest-widget .monaco-list-row', { hasText: 'ul>li.item*2' })
  await expect(offered).toBeVisible()
  await picture(ide, 'emmet')
  await ide.keyboard.press('Enter')
  await expectLines(ide, 'e.html', [
    '<body>', '<ul>', '   <li class="item"></li>', '   <li class="item"></li>', '</ul>', '</body>', '',
  ])
  await openFile(ide, 'f.css')
  await goToLineEnd(ide, 'f.css', 2)
  await ide.keyboard.type('m10')
  await expect(ide.locator('.suggest-widget .monaco-list-row', { hasText: 'm10' })).toBeVisible()
  await ide.keyboard.press('Enter')
  await expectLines(ide, 'f.css', ['p {', 'margin: 10px;', '}', ''])
  await setSettings(server, {
    'emmet.includeLanguages': { typescriptreact: 'html' }, 'emmet.triggerExpansionOnTab': true,
    'editor.quickSuggestions': { other: 'off' },
  })
  await openFile(ide, 'g.tsx')
  await goToLineEnd(ide, 'g.tsx', 2)
  await ide.keyboard.type('div.a')
  await ide.keyboard.press('Escape')
  await ide.keyboard.press('Tab')
  await expectLines(ide, 'g.tsx', ['const a = (', '<div className="a"></div>', ')', ''])
})
