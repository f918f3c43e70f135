// The menus and the palette: what they offer is there, is of this product, and can be run.
import { editorOf, openFile } from './editor'
import { testWithTerminals, typeInTerminal } from './hands'
import { expect, palette, picture, tab, test, type Page } from './stage'

interface Entry {
  menu: string
  command: string
  title: string
}

interface Checks {
  entriesWithoutHandler(): Entry[]
  shownOn(selector: string, menu: string): Promise<Entry[]>
  runAll(commands: string[]): Promise<string[]>
}

type Offering = { openspaceMenus(): Promise<Checks> }

/** What is of another product, whose services a space does not use; its chat among them. */
const FOREIGN = /Microsoft|Copilot|Visual Studio|VS Code|GitHub|Marketplace|Walkthrough|Telemetry|Sign ?in/i
const ELSEWHERE = /New Window|\binto New Window|Open Recent\.\.\./

/** What waits for the rest of the page, which comes after the first text. */
async function complete(page: Page): Promise<void> {
  await page.waitForSelector('html[data-openspace-rest="ready"]', { state: 'attached' })
}

const shown = (page: Page, selector: string, ...menus: string[]): Promise<Entry[]> =>
  page.evaluate(async ([on, names]) => {
    const checks = await (window as unknown as Offering).openspaceMenus()
    return (await Promise.all(names.map((menu) => checks.shownOn(on, menu)))).flat()
  }, [selector, menus] as const)

function expectOurs(entries: Entry[], least: number): void {
  expect(entries.length).toBeGreaterThanOrEqual(least)
  const isTheirChat = ({ command, title }: Entry) => /\bChat\b/i.test(title) && !command.startsWith('openspace.')
  expect(entries.filter((entry) =>
    FOREIGN.test(entry.title) || ELSEWHERE.test(entry.title) || isTheirChat(entry))).toEqual([])
}

/** What asks a language that nobody has taught the page yet. */
const ASKS_A_LANGUAGE = new RegExp([
  'Symbol in (Editor|Workspace)', '(Definition|Declaration|Implementation|Reference)s?$', 'Outline', 'Quick Fix',
  'Refactor', 'Hierarchy', 'Rename Symbol', 'Format (Document|Selection)',
].join('|'))

const WORKBENCH = '.monaco-workbench'

testWithTerminals('no entry of any menu names a command that is not there, and none is foreign', async ({
  ide, server,
}) => {
  await server.write('data.json', '{}\n')
  await expect(ide.locator('.explorer-folders-view').getByText('data.json')).toBeVisible()
  await complete(ide)
  const dead = await ide.evaluate(async () =>
    (await (window as unknown as Offering).openspaceMenus()).entriesWithoutHandler())
  expect(dead).toEqual([])

  expectOurs(await shown(ide, WORKBENCH, 'MenubarMainMenu'), 100)
  expectOurs(await shown(ide, WORKBENCH, 'CommandPalette'), 300)
  expectOurs(await shown(ide, WORKBENCH, 'GlobalActivity', 'LayoutControlMenu', 'TitleBarContext', 'PanelTitle'), 10)

  await openFile(ide, 'README.md')
  expectOurs(await shown(ide, '.explorer-folders-view .monaco-list-row', 'ExplorerContext'), 8)
  const inFile = '.editor-group-container.active'
  expectOurs(await shown(ide, `${inFile} .monaco-editor`, 'EditorContext', 'SimpleEditorContext'), 8)
  for (const file of ['README.md', 'data.json']) {
    if (file !== 'README.md') await openFile(ide, file)
    const offered = await shown(ide, `${inFile} .monaco-editor`, 'MenubarMainMenu', 'CommandPalette', 'EditorContext')
    // JSON can be formatted.
    const canFormat = ({ title }: Entry) => file === 'data.json' && title.startsWith('Format ')
    expect(offered.filter((entry) => ASKS_A_LANGUAGE.test(entry.title) && !canFormat(entry))).toEqual([])
    // What the editor or JSON can do stays.
    const commands = offered.map(({ command }) => command)
    expect(commands).toEqual(expect.arrayContaining(['workbench.action.gotoLine', 'editor.action.marker.nextInFiles']))
  }
  await expect(ide.locator('.part.sidebar .pane-header', { hasText: 'Outline' })).toHaveCount(0)
  expectOurs(await shown(ide, inFile, 'EditorTitle', 'EditorTitleContext', 'EditorTabsBarContext'), 20)
  await palette(ide, 'Terminal: Create New Terminal')
  await typeInTerminal(ide, 'echo here\n')
  const terminals = ['TerminalInstanceContext', 'TerminalTabContext', 'TerminalNewDropdownContext']
  expectOurs(await shown(ide, '.terminal-wrapper.active', ...terminals), 10)
  await ide.keyboard.press('Control+Shift+G')
  await expect(ide.locator('.part.sidebar .composite.title')).toContainText('Source Control')
  const views = ['ViewTitle', 'ViewContainerTitle', 'SCMTitle', 'SCMSourceControlTitle']
  await expect(async () => expectOurs(await shown(ide, '.part.sidebar', ...views), 1)).toPass({ timeout: 15_000 })
})

/** Leaves the page, asks the browser, or waits for a file of the person's. */
const NOT_RUN = /^openspace\.|reloadWindow|toggleFullScreen|[cC]lipboard|\.paste|toggleSplitEditorInGroup|[uU]pload/
/** How a part says that it is not here. */
const NOT_HERE = /not found|unsupported|unknown service|not registered|not implemented/i

test('every entry of the menu bar and the palette can be run', async ({ context, server }) => {
  test.slow()
  const page = await context.newPage()
  const said: string[] = []
  page.on('pageerror', ({ message }) => said.push(message))
  page.on('popup', (popup) => said.push(`not found: a window of its own (${popup.url()})`))
  await page.goto(server.ready.open)
  await complete(page)
  await openFile(page, 'README.md')
  const entries = await shown(page, WORKBENCH, 'MenubarMainMenu', 'CommandPalette', 'GlobalActivity')
  const commands = [...new Set(entries.map(({ command }) => command))].filter((id) => !NOT_RUN.test(id))
  expect(commands.length).toBeGreaterThan(300)
  const failed = await page.evaluate(async (ids) =>
    (await (window as unknown as Offering).openspaceMenus()).runAll(ids), commands)
  expect([...failed, ...said].filter((why) => NOT_HERE.test(why))).toEqual([])
})

test('help is about this program, files are made from the menu, settings have no empty sections', async ({ ide }) => {
  await complete(ide)
  const help = await shown(ide, WORKBENCH, 'MenubarHelpMenu')
  expect(help.map(({ title }) => title).sort()).toEqual(['About', 'Show All Commands', 'Show License', 'Welcome'])
  const files = await shown(ide, WORKBENCH, 'MenubarFileMenu')
  expect(files.map(({ title }) => title)).toEqual(expect.arrayContaining(['New File...', 'New Folder...']))

  await ide.locator('.menubar-menu-button').first().click()
  await ide.locator('.menubar-menu-items-holder .action-item', { hasText: 'Terminal' }).first().click()
  await expect(ide.getByRole('menuitem', { name: 'New Terminal Ctrl+Shift+`' })).toBeVisible()
  await expect(async () => {
    await ide.keyboard.press('Escape')
    await expect(ide.locator('.menubar-menu-items-holder')).toBeHidden({ timeout: 1_000 })
  }).toPass()
  await ide.locator('.command-center').click()
  const places = ide.locator('.quick-input-list .monaco-list-row')
  await expect(places.filter({ hasText: 'Show and Run Commands' })).toBeVisible()
  await expect(places.filter({ hasText: 'Symbol' })).toHaveCount(0)
  await ide.keyboard.press('Escape')

  // A window as large as the screen has no icon.
  await ide.setViewportSize({ width: 1300, height: 800 })
  await expect(ide.locator('.window-appicon')).toHaveCSS('background-image', /\/icon\.svg"/)
  await palette(ide, 'Help: About')
  const about = ide.locator('.monaco-dialog-box')
  await expect(about).toContainText(/OpenSpace \d+\.\d+\.\d+/)
  await expect(about).toContainText('Apache License 2.0')
  await picture(ide, 'about')
  await about.getByRole('button', { name: 'Show License' }).click()
  await expect(tab(ide, 'LICENSE')).toBeVisible()
  await expect(ide.locator('.editor-instance .view-lines').first()).toContainText('Apache License')

  await openFile(ide, 'README.md')
  // The tab is in front before its text is.
  await expect(editorOf(ide, 'README.md').locator('.view-lines')).toContainText('Demo')
  await editorOf(ide, 'README.md').locator('.view-lines').click()
  await ide.keyboard.press('Control+Shift+i')
  await expect(ide.locator('.notification-toast')).toContainText('Nothing here can format this Markdown file.')
  await expect(ide.locator('.monaco-dialog-box')).toHaveCount(0)

  await ide.keyboard.press('Control+,')
  const sections = ide.locator('.settings-toc-container .monaco-list-row')
  await expect(sections.first()).toBeVisible()
  const names = [
    'Commonly Used', 'Text Editor', 'Workbench', 'Window', 'Features', 'Application', 'Extensions',
  ]
  await expect(sections).toHaveText(names.map((name) => new RegExp(`^${name}( \\(\\d+\\))?$`)))
})
