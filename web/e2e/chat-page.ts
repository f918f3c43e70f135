// What tests of the chat share: the panel, the prompt, and an agent that answers.
import { Opencode, OwnOpencode } from './opencode'
import { expect, test as base, type Page } from './stage'

/** A machine with much else to do starts an agent, and has it answer, this late at most. */
export const PATIENCE = { timeout: 60_000 }

export const chat = (page: Page) => page.locator('.openspace-chat:not(.openspace-setup)')
export const prompt = (page: Page) => chat(page).getByRole('combobox', { name: 'Message to the agent' })
export const answers = (page: Page) => chat(page).locator('.message.assistant')

export const stop = (page: Page) => chat(page).getByRole('button', { name: 'Stop (Escape)' })

/** Say something. */
export async function ask(page: Page, words: string): Promise<void> {
  await prompt(page).fill(words)
  await prompt(page).press('Enter')
}

export async function open(page: Page): Promise<void> {
  await page.keyboard.press('Control+Alt+i')
  await expect(prompt(page)).toBeVisible()
}

/** Go to another session of the list. */
export async function openSession(page: Page, title = ''): Promise<void> {
  await chat(page).locator('button.toggle').click()
  await chat(page).locator('.session-list button.open', { hasText: title }).first().click()
}

/** With an opencode that was started beside the server. `asks` names its own tools that it wants leave for. */
export const test = base.extend<{ opencode: Opencode; asks: readonly string[] }>({
  asks: [[], { option: true }],
  opencode: async ({ asks }, use) => {
    const opencode = await Opencode.start({ asks })
    await use(opencode)
    await opencode.stop()
  },
  surroundings: async ({ opencode: { url, password } }, use) =>
    use({ args: ['--opencode', url], variables: { OPENSPACE_OPENCODE_PASSWORD: password } }),
})

/** With an opencode that the server starts by itself. */
export const testWithOwn = base.extend<{ opencode: OwnOpencode }>({
  opencode: async ({}, use) => {
    const opencode = await OwnOpencode.start()
    await use(opencode)
    await opencode.stop()
  },
  surroundings: async ({ opencode }, use) => use({ args: opencode.args, profile: 'careful' }),
})
