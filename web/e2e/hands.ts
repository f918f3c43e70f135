// What a person does with the workbench's own parts: its tree, its terminals, its questions.
//
// Only what a person could see or press is used here; nothing asks the page's code.
import { hasKeyboard } from './editor'
import type { Server } from './server'
import { expect, test as base, type Page } from './stage'

/** Settings of the person, before any page is opened. */
export async function setSettings(server: Server, settings: Record<string, unknown>): Promise<void> {
  const response = await fetch(`${server.ready.url}/api/user-data/settings.json`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${server.ready.token}` },
    body: JSON.stringify(settings, null, 2),
  })
  expect(response.ok).toBe(true)
}

/** A space whose terminals draw their text as text: what a canvas shows cannot be read. */
export const testWithTerminals = base.extend({
  server: async ({ server }, use) => {
    const settings = { 'terminal.integrated.gpuAcceleration': 'off', 'terminal.integrated.initialHint': false }
    await setSettings(server, settings)
    await use(server)
  },
})

/** A row of the explorer. */
export const row = (page: Page, name: string) =>
  page.locator('.explorer-folders-view .monaco-list-row', { has: page.getByText(name, { exact: true }) })

/** Open a file from the explorer, to stay. */
export async function openFile(page: Page, ...names: string[]): Promise<void> {
  const file = names.pop() ?? ''
  for (const folder of names) {
    if ((await row(page, folder).getAttribute('aria-expanded')) !== 'true') await row(page, folder).click()
    // The hover of the folder would be over its files.
    await page.mouse.move(700, 500)
  }
  await row(page, file).dblclick()
  await expect(page.locator(`.editor-group-container .tab.active[aria-label^="${file}"]`)).toBeVisible()
  await hasKeyboard(page)
}

/** The question that stands over the page. */
export const dialog = (page: Page) => page.locator('.monaco-dialog-box')

export const answer = (page: Page, button: string) =>
  dialog(page).locator('.monaco-button', { hasText: button }).click()

/** Choose an entry of the menu that is open. */
export async function choose(page: Page, entry: string): Promise<void> {
  const item = page.locator('.monaco-menu').getByRole('menuitem', { name: entry, exact: true })
  await expect(item).toBeVisible()
  // A click right after a menu opened is taken for the one that opened it.
  await expect(async () => {
    if (await item.isVisible()) await item.click({ timeout: 1_000 })
    await expect(item).toHaveCount(0, { timeout: 500 })
  }).toPass()
}

/** A notice at the page's corner. */
export const notice = (page: Page, text: string | RegExp) =>
  page.locator('.notification-toast, .notifications-center').getByText(text)

/** The terminal in front, in the panel or in a tab. */
export const terminal = (page: Page) => page.locator('.terminal-wrapper .xterm:visible').first()

/** What the terminal in front shows, without empty lines at its end. */
export async function screen(page: Page): Promise<string> {
  const rows = await page.locator('.terminal-wrapper .xterm-rows:visible').first().locator('> div').allInnerTexts()
  return rows.map((text) => text.replaceAll('\u00a0', ' ').trimEnd()).join('\n').trimEnd()
}

/** Put the keyboard into the terminal in front and type. */
export async function typeInTerminal(page: Page, text: string): Promise<void> {
  await terminal(page).click()
  await page.keyboard.type(text)
}
