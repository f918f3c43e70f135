// What a person does with files and tabs, and what they see of them, for the tests of text and layout.
import type { Agent } from './agent'
import type { Server } from './server'
import { expect, tab, type Page } from './stage'

/** Open a file of the root from the explorer, to stay. */
export async function openFile(page: Page, name: string): Promise<void> {
  await page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).first().dblclick()
  await expect(tab(page, name)).toBeVisible()
  // A tab is in front before its text is: what stands there meanwhile is that of another file.
  const text = groupOf(page, name).locator(`.monaco-editor[data-uri$="/${encodeURIComponent(name)}"]`)
  await expect(text.locator('.view-line').first()).toBeVisible()
  await hasKeyboard(page)
}

/** What was opened has taken the keyboard, which it does a moment after it is seen. */
export const hasKeyboard = (page: Page) =>
  expect.poll(() => page.evaluate(() => !!document.activeElement?.closest('.editor-group-container'))).toBe(true)

/** Open a file of a folder that is still closed in the explorer. */
export async function openInFolder(
  page: Page, folder: string, name: string, where: 'here' | 'beside' = 'here',
): Promise<void> {
  const explorer = page.locator('.explorer-folders-view')
  await explorer.getByText(folder).click()
  // The hover of the folder would be over its files.
  await page.mouse.move(700, 500)
  if (where === 'here') await explorer.getByText(name).dblclick()
  else await explorer.getByText(name).click({ modifiers: ['Alt'] })
}

/** The group that has a file in front. */
export const groupOf = (page: Page, name: string) =>
  page.locator('.editor-group-container', { has: page.locator(`.tab.active[aria-label^="${name}"]`) })

export const editorOf = (page: Page, name: string) => groupOf(page, name).locator('.monaco-editor').first()

/** Put the cursor at the end of a line and the keyboard into the file. */
export async function goToLineEnd(page: Page, name: string, line: number): Promise<void> {
  await editorOf(page, name).locator('.view-lines').click()
  await page.keyboard.press('Control+Home')
  for (let count = 1; count < line; count++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('End')
}

/** The lines in sight as they are in the file, without the names and notes that are drawn among them. */
export async function linesOf(page: Page, name: string): Promise<string[]> {
  return editorOf(page, name).evaluate((editor) => {
    const drawn = '.openspace-caret-name, .openspace-note'
    const top = (line: Element) => Number.parseFloat((line as HTMLElement).style.top)
    const lines = [...editor.querySelectorAll('.view-lines .view-line')].sort((a, b) => top(a) - top(b))
    return lines.map((line) => {
      const copy = line.cloneNode(true) as Element
      copy.querySelectorAll(drawn).forEach((element) => element.remove())
      return (copy.textContent ?? '').replaceAll('\u00a0', ' ')
    })
  })
}

export async function expectLines(page: Page, name: string, lines: string[]): Promise<void> {
  await expect.poll(() => linesOf(page, name)).toEqual(lines)
}

export const dirtyTab = (page: Page, name: string) =>
  page.locator(`.editor-group-container .tab.dirty[aria-label^="${name}"]`)

/** The content of each pane of the middle, in reading order, as agents are told. */
export async function panesOf(agent: Agent): Promise<string[][]> {
  const { panes } = await agent.call('pane_list', { all: true })
  return panes
    .filter(({ area }: { area: string }) => area === 'main')
    .map(({ tabs }: { tabs: { contentId: string }[] }) => tabs.map(({ contentId }) => contentId))
}

/** The content of each group, in reading order, as the page shows it; the welcome is no content. */
export async function groupsOf(page: Page): Promise<string[][]> {
  return page.locator('.editor-group-container').evaluateAll((groups) => {
    const boxes = groups.map((group) => ({ group, box: group.getBoundingClientRect() }))
    boxes.sort((a, b) => (Math.abs(a.box.x - b.box.x) > 4 ? a.box.x - b.box.x : a.box.y - b.box.y))
    return boxes.map(({ group }) =>
      [...group.querySelectorAll('.tab')]
        .map((element) => element.getAttribute('data-resource-name') ?? '')
        .filter((name) => name !== 'welcome'))
  })
}

/** How often a command was run, by anybody. */
export async function callsOf(server: Server, command: string): Promise<number> {
  const { records } = (await server.call('audit.list', { command, limit: 1000 })) as { records: unknown[] }
  return records.length
}

/** Nothing is told for a while: `quietMs` long the record does not grow. */
export async function expectRest(server: Server, command: string, quietMs: number): Promise<void> {
  await unchanged(() => callsOf(server, command), quietMs)
}

/** What a page loads only when it is needed has come: colours, snippets, workers. */
export async function expectLoaded(page: Page): Promise<void> {
  await unchanged(() => page.evaluate(() => performance.getEntriesByType('resource').length), 1_500)
}

async function unchanged(count: () => Promise<number>, quietMs: number): Promise<void> {
  let last = -1
  let since = Date.now()
  await expect
    .poll(async () => {
      const now = await count()
      if (now !== last) {
        last = now
        since = Date.now()
      }
      return Date.now() - since
    }, { timeout: quietMs * 4 + 10_000 })
    .toBeGreaterThan(quietMs)
}
