// The preview of Markdown: where it opens, where its links lead, how it follows its text, and what it refuses.
import { editorOf, goToLineEnd, linesOf, openFile } from './editor'
import { expect, picture, tab, test, visibleText, type Page } from './stage'

const paragraphs = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `Paragraph ${from + index}.\n\n`).join('')

const LONG = '# Top\n\n[down](#the-end) [todo](notes/todo.txt#L2) '
  + '[other](notes/other.md#second-part) [root](/src/lib.rs)\n\n'
  + '```rust\nfn main() { let x = "text"; }\n```\n\n'
  + `${paragraphs(1, 80)}## Middle\n\n${paragraphs(81, 160)}## The End\n\n${paragraphs(161, 200)}`

/** All that a text could try: to run something, to load something, to have something clicked. */
const HOSTILE = `# Hostile

<script>window.hacked = 'script'</script>
<img src="x" onerror="window.hacked = 'handler'">
<iframe src="http://example.org/frame"></iframe>
<style>body { background: url(http://example.org/style) }</style>
<form action="http://example.org/form"><button>send</button></form>

![remote](http://example.org/picture.png) ![api](/../../api/state) ![host](//example.org/two.png)

[script](javascript:window.hacked='link') [command](command:workbench.action.newWindow) [data](data:text/html,a)
[outside](../../../etc/passwd)
`

test.use({
  files: {
    'long.md': LONG, 'hostile.md': HOSTILE, 'src/lib.rs': 'pub fn one() {}\n', 'notes/todo.txt': 'one\ntwo\nthree\n',
    'notes/other.md': `# Other\n\n${paragraphs(1, 40)}## Second Part\n\nhere\n`,
  },
})

const preview = (page: Page) => page.locator('.openspace-markdown')
const isInSight = (page: Page, text: string) => preview(page).evaluate((view, wanted) => {
  const element = [...view.querySelectorAll('h1, h2, p')].find(({ textContent }) => textContent === wanted)
  const box = element?.getBoundingClientRect()
  const { top, bottom } = view.getBoundingClientRect()
  return box !== undefined && box.top >= top - 4 && box.bottom <= bottom + 4
}, text)

async function cursorLine(page: Page): Promise<string> {
  return (await page.locator('.statusbar-item', { hasText: /Ln \d+/ }).innerText()).replace(/.*Ln (\d+).*/s, '$1')
}

test('it opens in place and beside, scrolls in step both ways, and its links lead to files and headings', async ({
  ide,
}) => {
  await openFile(ide, 'long.md')
  await editorOf(ide, 'long.md').locator('.view-lines').click()
  await ide.keyboard.press('Control+Shift+v')
  await expect(tab(ide, 'Preview long.md')).toHaveClass(/\bactive\b/)
  await expect(ide.locator('.editor-group-container')).toHaveCount(1)
  // The key means the way back once the preview is drawn; the button comes with it.
  await expect(ide.getByRole('button', { name: 'Show Markdown Source' })).toBeVisible()
  await ide.keyboard.press('Control+Shift+v')
  await expect(tab(ide, 'long.md')).toHaveClass(/\bactive\b/)
  await tab(ide, 'Preview long.md').locator('.codicon-close').click()

  await ide.getByRole('button', { name: 'Open Markdown Preview Beside' }).first().click()
  await expect(ide.locator('.editor-group-container')).toHaveCount(2)
  const code = preview(ide).locator('div[data-code]')
  await expect.poll(() => code.locator('span[class*="mtk"]').evaluateAll((spans) =>
    new Set(spans.map((span) => getComputedStyle(span).color)).size)).toBeGreaterThan(1)
  const background = await code.evaluate((block) => getComputedStyle(block).backgroundColor)
  expect(background).not.toBe('rgba(0, 0, 0, 0)')
  await picture(ide, 'markdown-preview')

  // The text leads, then the preview does.
  await editorOf(ide, 'long.md').locator('.view-lines').click()
  await ide.keyboard.press('Control+End')
  await expect.poll(() => isInSight(ide, 'Paragraph 200.')).toBe(true)
  // The preview may still be on its way to where the text led it.
  await expect(async () => {
    await preview(ide).evaluate((view) => (view.scrollTop = 0))
    await expect.poll(() => visibleText(ide, 'long.md'), { timeout: 3_000 }).toContain('# Top')
  }).toPass()
  await preview(ide).getByText('down').click()
  await expect.poll(() => isInSight(ide, 'The End')).toBe(true)
  await expect.poll(() => visibleText(ide, 'long.md')).toContain('## The End')

  const follow = async (link: string, file: string) => {
    await tab(ide, 'Preview long.md').click()
    await preview(ide).evaluate((view) => (view.scrollTop = 0))
    await preview(ide).getByText(link, { exact: true }).click()
    await expect(tab(ide, file)).toHaveClass(/\bactive\b/)
  }
  await follow('todo', 'todo.txt')
  await expect.poll(() => cursorLine(ide)).toBe('2')
  await follow('other', 'other.md')
  await expect.poll(() => cursorLine(ide)).toBe('83')
  await follow('root', 'lib.rs')
})

test('a hostile text runs nothing, loads nothing and reaches no command', async ({ ide }) => {
  await openFile(ide, 'hostile.md')
  await editorOf(ide, 'hostile.md').locator('.view-lines').click()
  await ide.keyboard.press('Control+k')
  await ide.keyboard.press('v')
  await expect(preview(ide).getByRole('heading', { name: 'Hostile' })).toBeVisible()
  await expect(preview(ide).locator('script, iframe, style, form, button, img[src]:not([src=""])')).toHaveCount(0)
  await expect(preview(ide).getByText(/script command data\s+outside/)).toBeVisible()
  await expect(preview(ide).locator('a')).toHaveCount(0)
  expect(await ide.evaluate(() => (window as { hacked?: string }).hacked)).toBeUndefined()
})

test('Enter ends a line of prose and chooses no word, and words are offered when asked for', async ({ ide }) => {
  await openFile(ide, 'long.md')
  const editor = editorOf(ide, 'long.md')
  await goToLineEnd(ide, 'long.md', 1)
  await ide.keyboard.type(' Par', { delay: 60 })
  const offered = editor.locator('.suggest-widget.visible')
  await ide.keyboard.press('Control+Space')
  await expect(offered).toContainText('Paragraph')
  await ide.keyboard.press('Escape')
  await expect(offered).toHaveCount(0)
  await ide.keyboard.type('a', { delay: 60 })
  await ide.keyboard.press('Enter')
  await ide.keyboard.type('x')
  await expect.poll(async () => (await linesOf(ide, 'long.md')).slice(0, 2)).toEqual(['# Top Para', 'x'])
})
