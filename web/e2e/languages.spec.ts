// Languages, by keyboard, with a real language server: what it knows of a text is where a person looks for it.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dirtyTab, editorOf, expectLines, goToLineEnd, groupOf, openFile } from './editor'
import { TYPESCRIPT, expectReady, goTo, trust, withTypeScript } from './languages'
import { expect, openPage, palette, picture, tab, test, visibleText, type Page } from './stage'

test.use({ files: TYPESCRIPT, surroundings: withTypeScript })

const widget = (page: Page, text: string) => page.locator('.suggest-widget .monaco-list-row', { hasText: text })
const peeked = (page: Page) => page.locator('.peekview-widget')

test.beforeEach(async ({ ide }) => {
  await openFile(ide, 'main.ts')
  await trust(ide)
  await expectReady(ide, 'TypeScript')
})

test('what can come next is offered with its types, and what is in another file is imported', async ({ ide }) => {
  await goToLineEnd(ide, 'main.ts', 4)
  await ide.keyboard.press('Enter')
  await ide.keyboard.type('shape.')
  await expect(widget(ide, 'area')).toBeVisible()
  await expect(ide.locator('.suggest-widget')).toContainText('width: number')
  await ide.keyboard.press('Tab')
  await ide.keyboard.type('(1, ')
  const hint = ide.locator('.parameter-hints-widget')
  await expect(hint.locator('.parameter.active')).toHaveText('height: number')
  await ide.keyboard.type('2)')
  await ide.keyboard.press('Enter')
  await ide.keyboard.type('gro')
  await ide.keyboard.press('Control+Space')
  await expect(widget(ide, 'grow')).toBeVisible()
  await picture(ide, 'languages-completion')
  await ide.keyboard.press('Enter')
  await expect.poll(() => visibleText(ide, 'main.ts')).toContain('import { grow, Shape } from')
  await expect.poll(() => visibleText(ide, 'main.ts')).toContain('shape.area(1, 2)')
})

test('what something is stands over it, and a key goes to where it is made and comes back', async ({ ide }) => {
  await goTo(ide, 4, 22)
  await ide.keyboard.press('Control+k')
  await ide.keyboard.press('Control+i')
  const hover = ide.locator('.monaco-hover:visible')
  await expect(hover).toContainText('Shape.area(width: number, height: number): number')
  await expect(hover).toContainText('How large it is.')
  await ide.keyboard.press('Escape')
  await ide.keyboard.press('F12')
  await expect(tab(ide, 'shape.ts')).toBeVisible()
  await expect(ide.getByRole('button', { name: 'Ln 3, Col 3' })).toBeVisible()
  await ide.keyboard.press('Control+Alt+-')
  await expect(ide.getByRole('button', { name: 'Ln 4, Col 22' })).toBeVisible()
  await ide.keyboard.press('Control+Shift+F10')
  await expect(peeked(ide)).toContainText('shape.ts')
  await picture(ide, 'languages-peek')
  await ide.keyboard.press('Escape')
  await goTo(ide, 4, 15)
  await palette(ide, 'Go to Type Definition')
  await expect(ide.getByRole('button', { name: 'Ln 1, Col 14' })).toBeVisible()
})

test('uses are listed in a peek, found by calls, and marked where one stands', async ({ ide }) => {
  await goTo(ide, 4, 22)
  await expect(editorOf(ide, 'main.ts').locator('.wordHighlight, .wordHighlightStrong, .wordHighlightText').first())
    .toBeAttached()
  await ide.keyboard.press('Shift+F12')
  await expect(peeked(ide).locator('.ref-tree .monaco-list-row', { hasText: 'main.ts' })).toBeVisible()
  await expect(peeked(ide).locator('.ref-tree .monaco-list-row', { hasText: 'shape.ts' })).toBeVisible()
  await ide.keyboard.press('Escape')
  await expect(peeked(ide)).toHaveCount(0)
  await ide.keyboard.press('Shift+Alt+h')
  const calls = ide.locator('.call-hierarchy .tree .monaco-list-row')
  await expect(calls.filter({ hasText: 'area' })).toBeVisible()
  await expect(calls.filter({ hasText: 'main.ts' })).toBeVisible()
  await picture(ide, 'languages-calls')
})

test('a new name goes through all files, is shown before, and one undo takes it back', async ({ ide, server }) => {
  await goTo(ide, 4, 22)
  await ide.keyboard.press('F2')
  const box = ide.locator('.rename-box input')
  await expect(box).toHaveValue('area')
  await box.fill('surface')
  await ide.keyboard.press('Control+Enter')
  const preview = ide.locator('.bulk-edit-panel')
  await expect(preview).toContainText('shape.ts')
  await picture(ide, 'languages-rename-preview')
  await ide.getByRole('button', { name: 'Apply' }).click()
  await expect.poll(() => visibleText(ide, 'main.ts')).toContain('shape.surface(2, 3)')
  const text = async (path: string) => (await server.call('editor.read_file', { path })).content
  // The workbench saves what it changed in files that had nothing unsaved.
  await expect.poll(() => readFile(join(server.root, 'shape.ts'), 'utf8')).toContain('surface(width')
  await expect.poll(() => readFile(join(server.root, 'main.ts'), 'utf8')).toContain('shape.surface(2, 3)')
  await expect(dirtyTab(ide, 'main.ts')).toHaveCount(0)
  await editorOf(ide, 'main.ts').locator('.view-line').first().click()
  await ide.keyboard.press('Control+z')
  await expect.poll(() => text('shape.ts')).toContain('area(width')
  await expect.poll(() => text('main.ts')).toContain('shape.area(2, 3)')
})

test('what cannot be renamed says so', async ({ ide }) => {
  await goTo(ide, 5, 3)
  await ide.keyboard.press('F2')
  await expect(ide.locator('.monaco-editor-overlaymessage')).toBeVisible()
})

test('a file is formatted by a key, while it is typed and when it is saved', async ({ ide, server }) => {
  await openFile(ide, 'loose.ts')
  await palette(ide, 'Format Document')
  await expectLines(ide, 'loose.ts', ['export function loose(by: number) {', '  return by * 2', '}', ''])
  await goToLineEnd(ide, 'loose.ts', 3)
  await ide.keyboard.press('Enter')
  await ide.keyboard.type('const   a=1;')
  await expect.poll(() => visibleText(ide, 'loose.ts')).not.toContain('const   a=1')
  await openFile(ide, 'imports.ts')
  await ide.keyboard.press('Control+End')
  await ide.keyboard.type('const  b  =  1')
  await ide.keyboard.press('Control+s')
  await expect.poll(() => readFile(join(server.root, 'imports.ts'), 'utf8')).toBe([
    "import { grow, Shape } from './shape.js';", '', 'console.log(new Shape(), grow(1))', 'const b = 1',
  ].join('\n'))
})

test('symbols are in the outline, over the text and one letter away', async ({ ide }) => {
  await openFile(ide, 'shape.ts')
  await ide.locator('.pane-header', { hasText: 'Outline' }).click()
  const outline = ide.locator('.outline-pane .monaco-list-row')
  await expect(outline.filter({ hasText: 'Shape' })).toBeVisible()
  await expect(outline.filter({ hasText: 'grow' })).toBeVisible()
  await editorOf(ide, 'shape.ts').locator('.view-line').first().click()
  await goTo(ide, 4, 8)
  await expect(groupOf(ide, 'shape.ts').locator('.breadcrumbs-control')).toContainText('area')
  await picture(ide, 'languages-outline')
  await ide.keyboard.press('Control+Shift+o')
  await ide.keyboard.type('grow')
  await ide.keyboard.press('Enter')
  await expect(ide.getByRole('button', { name: /Ln 8, Col/ })).toBeVisible()
  await ide.keyboard.press('Control+t')
  await ide.keyboard.type('Shape')
  await expect(ide.locator('.quick-input-list .monaco-list-row', { hasText: 'shape.ts' }).first()).toBeVisible()
  await ide.keyboard.press('Escape')
})

test('a text folds and selections grow as its language has it', async ({ ide }) => {
  await openFile(ide, 'shape.ts')
  await goTo(ide, 4, 13)
  await ide.keyboard.press('Shift+Alt+ArrowRight')
  await ide.keyboard.press('Shift+Alt+ArrowRight')
  await expect(ide.getByRole('button', { name: '(14 selected)' })).toBeVisible()
  await ide.keyboard.press('Control+Shift+BracketLeft')
  await expect.poll(() => visibleText(ide, 'shape.ts')).not.toContain('return width')
})

test('what is wrong is underlined, listed, explained, and mended by a key', async ({ ide }) => {
  await openFile(ide, 'wrong.ts')
  const text = editorOf(ide, 'wrong.ts')
  await expect(text.locator('.squiggly-error')).toHaveCount(2)
  await expect(text.locator('.squiggly-inline-unnecessary, .squiggly-unnecessary').first()).toBeAttached()
  await ide.keyboard.press('Control+Shift+m')
  const listed = ide.locator('.markers-panel .monaco-list-row')
  await expect(listed.filter({ hasText: "Cannot find name 'grow'" })).toBeVisible()
  await picture(ide, 'languages-problems')
  await text.locator('.view-line').first().click()
  await goTo(ide, 4, 19)
  await ide.keyboard.press('Control+.')
  await expect(ide.locator('.action-widget').first()).toContainText(/import/i)
  await picture(ide, 'languages-quick-fix')
  await ide.keyboard.press('Enter')
  await expect.poll(() => visibleText(ide, 'wrong.ts')).toContain('import { grow, Shape }')
  await expect(text.locator('.squiggly-error')).toHaveCount(1)
})

test('types that nobody wrote are shown among the text when they are wanted', async ({ ide, server }) => {
  await server.write('.vscode/settings.json', JSON.stringify({ 'editor.inlayHints.enabled': 'on' }))
  const hints = { 'inlayHints.parameterNames.enabled': 'all', 'inlayHints.variableTypes.enabled': true }
  const asked = Object.fromEntries(Object.entries(hints).map(([name, value]) => [`typescript.${name}`, value]))
  await server.settings({ 'languages.settings': { tsc: asked } })
  await expect.poll(() => visibleText(ide, 'main.ts')).toContain('width:')
  await picture(ide, 'languages-hints')
})

test('two browsers and an agent ask one server, and each about the text as it is', async ({
  ide, context, server, agent, complaints,
}) => {
  const other = await openPage(context, await server.link(), complaints)
  await openFile(other, 'main.ts')
  await expectReady(other, 'TypeScript')
  await goToLineEnd(ide, 'main.ts', 5)
  await ide.keyboard.press('Enter')
  await ide.keyboard.type('const unsaved = shape.area(1, 1)')
  await expect.poll(() => visibleText(other, 'main.ts')).toContain('unsaved')
  await goTo(other, 6, 9)
  await other.keyboard.press('Control+k')
  await other.keyboard.press('Control+i')
  await expect(other.locator('.monaco-hover:visible')).toContainText('const unsaved: number')
  const { servers } = await agent.call('code_servers', {})
  expect(servers.map((one: { server: string; starts: number }) => [one.server, one.starts])).toEqual([['tsc', 1]])
})
