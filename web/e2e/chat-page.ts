// What tests of the chat share: the panel, the prompt, and an agent that answers.
import { Opencode } from './opencode'
import { expect, test as base, type Page } from './stage'

/** A machine with much else to do starts an agent, and has it answer, this late at most. */
export const PATIENCE = { timeout: 60_000 }

export const chat = (page: Page) => page.locator('.openspace-chat')
export const prompt = (page: Page) => chat(page).getByRole('combobox', { name: 'Message to the agent' })
export const answers = (page: Page) => chat(page).locator('.message.assistant')

/** Say something. */
export async function ask(page: Page, words: string): Promise<void> {
  await prompt(page).fill(words)
  await prompt(page).press('Enter')
}

export async function open(page: Page): Promise<void> {
  await page.keyboard.press('Control+Alt+i')
  await expect(prompt(page)).toBeVisible()
}

/** With an opencode that was started beside the server. */
export const test = base.extend<{ opencode: Opencode }>({
  opencode: async ({}, use) => {
    const opencode = await Opencode.start()
    await use(opencode)
    await opencode.stop()
  },
  surroundings: async ({ opencode: { url, password } }, use) =>
    use({ args: ['--opencode', url], variables: { OPENSPACE_OPENCODE_PASSWORD: password } }),
})
