// What is at hand elsewhere is put into the draft of the chat: nothing is sent, and the keyboard is in the prompt.
import { png } from './images'
import { hasKeyboard, openFile, openInFolder } from './editor'
import { choose, screen, testWithTerminals, typeInTerminal } from './hands'
import { change, openView, test as withRepository } from './scm'
import { expect, palette, PROJECT, tab, type Page } from './stage'

const chat = (page: Page) => page.locator('.openspace-chat')
const prompt = (page: Page) => chat(page).getByRole('combobox', { name: 'Message to the agent' })
const chips = (page: Page) => chat(page).locator('.attachments .chip')

// No agent is there: what is sent waits for one.
const test = testWithTerminals.extend({
  files: async ({}, use) => use({ ...PROJECT, '.env': 'KEY=abc\n' }),
})

async function expectSent(page: Page, names: string[]): Promise<void> {
  await expect(chips(page)).toHaveText(names)
  await expect(prompt(page)).toBeFocused()
}

test('a selection, a search result and terminal output go to a chat that was never open', async ({ ide }) => {
  await openFile(ide, 'README.md')
  await ide.keyboard.press('Control+Home')
  await ide.keyboard.press('Control+Alt+l')
  await expectSent(ide, ['README.md:1'])
  // What is not saved goes as its text.
  await tab(ide, 'README.md').click()
  await hasKeyboard(ide)
  await ide.keyboard.press('Control+Home')
  await ide.keyboard.type('My ')
  await ide.keyboard.press('Control+Alt+l')
  await expectSent(ide, ['README.md:1', 'README.md:1-1'])

  await ide.keyboard.press('Control+Shift+f')
  await ide.locator('.search-view textarea[aria-label^="Search"]').first().fill('second')
  await ide.keyboard.press('Enter')
  const found = ide.locator('.search-view .monaco-list-row', { hasText: 'second' }).last()
  await found.click({ button: 'right' })
  await choose(ide, 'Send Search Result to Chat Ctrl+Alt+L')
  await expectSent(ide, ['README.md:1', 'README.md:1-1', 'notes/todo.txt:2'])

  await palette(ide, 'Terminal: Create New Terminal')
  await typeInTerminal(ide, 'echo from-the-terminal\n')
  await expect.poll(() => screen(ide)).toContain('\nfrom-the-terminal')
  await ide.keyboard.press('Control+Alt+l')
  await expect(chips(ide)).toHaveCount(4)
  await expect(chips(ide).nth(3)).toContainText('Terminal')
  await expect(prompt(ide)).toBeFocused()
  // It is a draft like any other.
  await chips(ide).nth(3).getByRole('button').click()
  await expect(chips(ide)).toHaveCount(3)
})

test('a problem goes with the lines around it, and a secret file does not go', async ({ ide, agent, complaints }) => {
  await agent.call('editor_report_problems', {
    source: 'lint', problems: [{ path: 'src/lib.rs', startLine: 4, message: 'unused function' }],
  })
  await palette(ide, 'Problems: Focus on Problems View')
  const row = ide.locator('.markers-panel .monaco-list-row', { hasText: 'unused function' })
  await row.click({ button: 'right' })
  await choose(ide, 'Send Problem to Chat Ctrl+Alt+L')
  await expectSent(ide, ['Problem in src/lib.rs:4'])
  const said = /unused function[\s\S]*4: pub fn add/
  await expect(chips(ide).locator('span[title]').first()).toHaveAttribute('title', said)

  await openFile(ide, '.env')
  await ide.keyboard.press('Control+Home')
  await ide.keyboard.press('Control+Alt+l')
  await expect(ide.locator('.notification-toast')).toContainText('It was not attached: `.env` is secret')
  await expect(chips(ide)).toHaveCount(1)
  // What the page was refused it says to the console as well.
  expect(complaints.splice(0)).toHaveLength(2)
})

withRepository('a picture and a change of source control go as what they show', async ({ ide, server, agent }) => {
  await server.write('dot.png', png(8, 8, [200, 20, 20]))
  await agent.call('workspace_edit', { file_path: 'notes/todo.txt', old_string: 'second', new_string: 'SECOND' })
  await ide.locator('.explorer-folders-view').getByText('dot.png').dblclick()
  await expect(ide.locator('.openspace-image img')).toBeVisible()
  await ide.locator('.editor-actions').getByRole('button', { name: 'Send Picture to Chat' }).first().click()
  await expectSent(ide, ['dot.png'])
  await expect(chips(ide).locator('img')).toBeVisible()

  await openView(ide)
  await change(ide, 'todo.txt').click({ button: 'right' })
  await choose(ide, 'Send Change to Chat')
  await expectSent(ide, ['dot.png', 'Change of notes/todo.txt'])
  await expect(chips(ide).locator('span[title]').last()).toHaveAttribute('title', /-second\n\+SECOND/)

  // One change of several, from the small diff beside it.
  await ide.keyboard.press('Control+Shift+e')
  await openInFolder(ide, 'notes', 'todo.txt')
  const send = ide.locator('.openspace-inline-diff').getByRole('button', { name: 'Send Change to Chat' })
  await hasKeyboard(ide)
  // Git is asked for what differs a moment after the text is there.
  await expect(async () => {
    await ide.keyboard.press('Alt+F3')
    await expect(send).toBeVisible({ timeout: 1_000 })
  }).toPass()
  await send.click()
  await expectSent(ide, ['dot.png', 'Change of notes/todo.txt', 'Change of notes/todo.txt at line 2'])
})
