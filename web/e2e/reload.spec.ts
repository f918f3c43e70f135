// A reload changes nothing that a person had: the keyboard, the carets, what is in sight, and how large everything is.
import { dirtyTab, editorOf, expectRest, groupsOf, openFile } from './editor'
import { testWithTerminals as test } from './hands'
import { expect, palette, ready, tab, type Page } from './stage'

const LINES = Array.from({ length: 200 }, (_, line) => `line_${line + 1}\n`).join('')

test.use({ files: { 'one.txt': LINES, 'two.txt': LINES } })

/** Where the status bar says that the caret is. */
const caretOf = (page: Page) => page.locator('.part.statusbar').getByText(/^Ln \d+, Col \d+/)

async function goTo(page: Page, place: string): Promise<void> {
  const [line, column = '1'] = place.split(':')
  const box = page.locator('.quick-input-widget input').first()
  // A group that was just made has its tab a moment before there is a text to go to a line of.
  await expect(async () => {
    await page.keyboard.press('Control+g')
    await box.fill(`:${place}`, { timeout: 3_000 })
    await box.press('Enter', { timeout: 3_000 })
    await expect(caretOf(page)).toHaveText(`Ln ${line}, Col ${column}`, { timeout: 3_000 })
  }).toPass()
}

async function reload(page: Page): Promise<void> {
  await page.reload()
  await ready(page)
}

/** Each group by its place: the same file may be in several. */
const group = (page: Page, place: number) => page.locator('.editor-group-container').nth(place)

test('the keyboard, and the caret of each group, are where they were', async ({ ide, server }) => {
  await openFile(ide, 'one.txt')
  await editorOf(ide, 'one.txt').locator('.view-lines').click()
  await goTo(ide, '150:4')
  await ide.keyboard.press('Control+\\')
  await expect.poll(() => groupsOf(ide)).toEqual([['one.txt'], ['one.txt']])
  await goTo(ide, '20:3')
  await openFile(ide, 'two.txt')
  await editorOf(ide, 'two.txt').locator('.view-lines').click()
  await goTo(ide, '90:2')
  await ide.keyboard.press('Control+\\')
  await expect.poll(() => groupsOf(ide)).toEqual([['one.txt'], ['one.txt', 'two.txt'], ['two.txt']])
  await goTo(ide, '60:6')
  await ide.keyboard.press('Control+2')
  await expect(caretOf(ide)).toHaveText('Ln 90, Col 2')
  await ide.keyboard.press('Shift+ArrowDown')
  await expect(caretOf(ide)).toHaveText('Ln 91, Col 2 (8 selected)')
  await expectRest(server, 'layout.propose', 500)
  await reload(ide)
  await expect(caretOf(ide)).toHaveText('Ln 91, Col 2 (8 selected)')
  await ide.keyboard.type('x')
  await expect(group(ide, 1).locator('.tab.dirty')).toHaveCount(1)
  await expect(group(ide, 1).locator('.view-line', { hasText: 'lxine_91' })).toBeVisible()
  await ide.keyboard.press('Control+1')
  await expect(caretOf(ide)).toHaveText('Ln 150, Col 4')
  await ide.keyboard.press('Control+3')
  await expect(caretOf(ide)).toHaveText('Ln 60, Col 6')
  // A tab of the page's own has the keyboard, too.
  await palette(ide, 'File: Compare Active File With...')
  await ide.locator('.quick-input-widget input').first().fill('one.txt')
  const offered = ide.locator('.quick-input-list .monaco-list-row')
  // What does not fit goes, and the rows move up.
  await expect(offered.filter({ hasText: 'two.txt' })).toHaveCount(0)
  await offered.filter({ hasText: 'one.txt' }).first().click()
  const diff = group(ide, 2).locator('.monaco-diff-editor')
  await expect(diff).toBeVisible()
  await expect(diff.locator(':focus')).toHaveCount(1)
  await goTo(ide, '12:3')
  await reload(ide)
  await expect(diff.locator(':focus')).toHaveCount(1)
  await expect(caretOf(ide)).toHaveText('Ln 12, Col 3')
})

test('what was typed into the boxes for searching is there again, however soon the page is left', async ({ ide }) => {
  await palette(ide, 'Preferences: Open Settings (UI)')
  const settings = ide.locator('.settings-editor .settings-header .suggest-input-container')
  await settings.click()
  await ide.keyboard.type('tabsize')
  await expect(ide.locator('.settings-editor .settings-count-widget')).toContainText('Found')
  await ide.keyboard.press('Control+Shift+f')
  const query = ide.locator('.search-view .search-widget textarea').first()
  await query.fill('line_42')
  await expect(ide.locator('.search-view .messages')).toContainText('2 results')
  await reload(ide)
  await expect(query).toHaveValue('line_42')
  await expect(settings).toContainText('tabsize')
  // And the keyboard is in the one that had it.
  await expect(query).toBeFocused()
})

test('the keyboard is in the editors’ place again when there is no tab', async ({ ide }) => {
  await openFile(ide, 'one.txt')
  await palette(ide, 'View: Close All Editors')
  await expect(ide.locator('.editor-group-container .tab')).toHaveCount(0)
  await reload(ide)
  await expect(ide.locator('.part.editor').locator(':focus')).toHaveCount(1)
})

test('the keyboard is in the terminal that had it, if that is still there', async ({ ide, agent, server }) => {
  const shown = ide.locator('.terminal-wrapper .xterm:visible')
  /** Reloads with the keyboard in this terminal of the page, and types at once. */
  const typeAfterReload = async (terminalId: string, place: number) => {
    const output = async () => (await agent.call('terminal_read_output', { terminalId })).output.join('\n')
    await shown.nth(place).click()
    await ide.keyboard.type('cat\n')
    await expect.poll(output).toMatch(/[$#] cat/)
    await expectRest(server, 'layout.propose', 500)
    await ide.reload()
    await ide.keyboard.type('at_once\n')
    await expect.poll(output).toMatch(/at_once\s+at_once/)
    await expect(shown.nth(place).locator(':focus')).toHaveCount(1)
    await ready(ide)
  }
  const ids = async (): Promise<string[]> =>
    (await agent.call('terminal_list')).terminals.map((one: { terminalId: string }) => one.terminalId)
  /** The one that is not among these. The page shows a terminal a moment before the server has it. */
  const newBeside = async (...known: string[]) => {
    await expect.poll(async () => (await ids()).length).toBe(known.length + 1)
    return (await ids()).find((id) => !known.includes(id))!
  }
  await openFile(ide, 'one.txt')
  await palette(ide, 'Terminal: Create New Terminal')
  await expect(shown).toHaveCount(1)
  const left = await newBeside()
  await palette(ide, 'Terminal: Split Terminal')
  await expect(shown).toHaveCount(2)
  const right = await newBeside(left)
  await typeAfterReload(left, 0)
  // One that is gone leaves the keyboard to the editors.
  await ide.goto('about:blank')
  await agent.call('terminal_close', { terminalId: left })
  await ide.goto(server.ready.url)
  await ready(ide)
  await expect(editorOf(ide, 'one.txt').locator(':focus')).toHaveCount(1)
  await palette(ide, 'Terminal: Create New Terminal in Editor Area')
  await expect(shown).toHaveCount(2)
  await typeAfterReload(await newBeside(right), 0)
})

test('unsaved text does not push the caret', async ({ ide, agent }) => {
  await openFile(ide, 'one.txt')
  await editorOf(ide, 'one.txt').locator('.view-lines').click()
  await goTo(ide, '100:5')
  await ide.keyboard.type('unsaved_')
  await expect(caretOf(ide)).toHaveText('Ln 100, Col 13')
  await expect(dirtyTab(ide, 'one.txt')).toBeVisible()
  const told = async () => (await agent.call('editor_read_file', { path: 'one.txt' })).content
  await expect.poll(told).toContain('lineunsaved__100')
  for (let time = 0; time < 2; time += 1) {
    await reload(ide)
    await expect(dirtyTab(ide, 'one.txt')).toBeVisible()
    await expect(editorOf(ide, 'one.txt').getByText('lineunsaved__100')).toBeVisible()
    await expect(caretOf(ide)).toHaveText('Ln 100, Col 13')
  }
})

/** Whole pixels: borders between parts may lie between two. */
const heightOf = async (page: Page, part: string) => Math.floor((await page.locator(part).boundingBox())!.height)

test('the panel keeps its height, and stays hidden when it was', async ({ ide, agent, server }) => {
  await openFile(ide, 'one.txt')
  await palette(ide, 'Terminal: Create New Terminal')
  const panel = ide.locator('.part.panel')
  await expect(panel).toBeVisible()
  await expectRest(server, 'layout.propose', 500)
  const before = await heightOf(ide, '.part.panel')
  for (let time = 0; time < 2; time += 1) {
    await reload(ide)
    await expect(panel).toBeVisible()
    await expectRest(server, 'layout.propose', 500)
    await expect.poll(() => heightOf(ide, '.part.panel')).toBe(before)
  }
  await palette(ide, 'View: Toggle Panel Visibility')
  await expect(panel).toBeHidden()
  await reload(ide)
  await expectRest(server, 'layout.propose', 500)
  await expect(panel).toBeHidden()
  // A terminal that the person has not seen yet shows it.
  await agent.call('terminal_create')
  await expect(panel).toBeVisible()
})

test('zen mode is on again, and is left as it was entered', async ({ ide, server }) => {
  await openFile(ide, 'one.txt')
  await palette(ide, 'Terminal: Create New Terminal')
  const panel = ide.locator('.part.panel')
  await expect(panel).toBeVisible()
  await expectRest(server, 'layout.propose', 500)
  const before = await heightOf(ide, '.part.panel')
  await editorOf(ide, 'one.txt').locator('.view-lines').click()
  await palette(ide, 'View: Toggle Zen Mode')
  await expect(ide.locator('.part.sidebar')).toBeHidden()
  for (let time = 0; time < 2; time += 1) {
    await reload(ide)
    await expect(ide.locator('.part.sidebar')).toBeHidden()
    await expect(ide.locator('.part.statusbar')).toBeHidden()
    await expectRest(server, 'layout.propose', 500)
    await expect(panel).toBeHidden()
  }
  await ide.keyboard.press('Escape')
  await ide.keyboard.press('Escape')
  await expect(ide.locator('.part.sidebar')).toBeVisible()
  await expect(ide.locator('.part.statusbar .codicon-bell-slash')).toHaveCount(0)
  await expect(tab(ide, 'one.txt')).toBeVisible()
  await expect(panel).toBeVisible()
  await expectRest(server, 'layout.propose', 500)
  await expect.poll(() => heightOf(ide, '.part.panel')).toBe(before)
})
