// The chat by the keyboard alone: many sessions, commands that are typed, and a keyboard that is never left nowhere.
import { join } from 'node:path'
import { answers, ask, chat, open, PATIENCE, prompt, stop, test } from './chat-page'
import { repository } from './scm'
import { expect, type Page } from './stage'

test.setTimeout(240_000)

const MANY = 60
const rows = (page: Page) => chat(page).locator('.session-list button.open')
const users = (page: Page) => chat(page).locator('.message.user')
const list = (page: Page) => page.locator('.quick-input-widget')

test('among many sessions the keyboard comes by one, and each says what it waits for and how old it is', async ({
  ide, server, opencode,
}) => {
  await open(ide)
  opencode.say({ text: 'Hello.' })
  await ask(ide, 'Greet me.')
  await expect(answers(ide)).toContainText('Hello.', PATIENCE)
  for (let number = 0; number < MANY; number += 1) {
    await server.call('chat.create', { agent: 'opencode', title: `Session ${number}` })
  }
  await chat(ide).locator('button.toggle').focus()
  await ide.keyboard.press('Enter')
  await expect(chat(ide).getByRole('searchbox', { name: 'Search sessions' })).toBeFocused()
  await expect.poll(() => rows(ide).count()).toBeGreaterThanOrEqual(MANY)
  await ide.keyboard.press('ArrowDown')
  await expect(rows(ide).first()).toBeFocused()
  await expect(rows(ide).first()).toHaveAccessibleName(`Session ${MANY - 1} (changed just now)`)
  await ide.keyboard.press('End')
  await expect(rows(ide).last()).toBeFocused()
  await ide.keyboard.press('PageUp')
  await expect(rows(ide).nth(-11)).toBeFocused()
  await ide.keyboard.press('Home')
  await ide.keyboard.press('ArrowDown')
  await expect(rows(ide).nth(1)).toBeFocused()
  // One row is one stop, and the next key is behind all of them.
  await ide.keyboard.press('Tab')
  await expect(chat(ide).locator('.session-list :focus')).toHaveCount(0)
  await ide.keyboard.press('Shift+Tab')
  await expect(rows(ide).nth(1)).toBeFocused()
  await ide.keyboard.press('ArrowRight')
  await expect(chat(ide).getByRole('button', { name: `More for “Session ${MANY - 2}”` })).toBeFocused()
  await ide.keyboard.press('Enter')
  await list(ide).locator('input').first().fill('Delete')
  await ide.keyboard.press('Enter')
  await expect(ide.locator('.monaco-dialog-box')).toContainText(`Session ${MANY - 2}`)
  await ide.locator('.monaco-dialog-box').getByRole('button', { name: 'Delete' }).press('Enter')
  await expect(rows(ide).filter({ hasText: `Session ${MANY - 2}` })).toHaveCount(0)
  await expect(chat(ide).locator('.session-list :focus')).toHaveText(/Session/)

  // One that asks, and one in which something is new, say so from afar.
  await ide.keyboard.press('Escape')
  await expect(prompt(ide)).toBeFocused()
  const questions = [{ question: 'Which?', header: 'Which', options: [{ label: 'this', description: '' }] }]
  opencode.say({ tools: [{ name: 'question', arguments: { questions } }] })
  await ask(ide, 'Ask me.')
  await expect(chat(ide).locator('.dock.question')).toBeVisible(PATIENCE)
  await chat(ide).getByRole('button', { name: 'New session', exact: true }).click()
  await chat(ide).locator('button.toggle').click()
  await expect(rows(ide).filter({ hasText: 'waits for you' })).toHaveCount(1)
  await expect(rows(ide).first()).toHaveAccessibleName(/ \(waits for you, works, .*changed just now\)$/)
  await rows(ide).first().press('Enter')
  await chat(ide).locator('.dock.question').getByRole('radio').press('Space')
  opencode.say({ text: 'This it is.' })
  await ide.keyboard.press('Enter')
  await expect(answers(ide).last()).toContainText('This it is.', PATIENCE)
  // Its card is gone, and the keyboard is where one goes on.
  await expect(prompt(ide)).toBeFocused()
  await expect(stop(ide)).toBeHidden(PATIENCE)
  const newest = async () =>
    ((await server.call('chat.sessions', { limit: 1 })).sessions as { address: string; unread: boolean }[])[0]
  // A moment later it is noted as seen.
  await expect.poll(async () => (await newest())?.unread, PATIENCE).toBe(false)
  const address = (await newest())?.address
  await chat(ide).getByRole('button', { name: 'New session', exact: true }).click()
  opencode.say({ text: 'Elsewhere.' })
  await server.call('chat.send', { session: address, text: 'From elsewhere.', wait: true })
  await chat(ide).locator('button.toggle').click()
  await expect(rows(ide).first()).toHaveAccessibleName(/ \(unread, changed just now\)$/, PATIENCE)
})

test('commands of the prompt are typed, sent with one key, and say what they cannot do', async ({
  ide, server, opencode,
}) => {
  await repository(server.root)
  await open(ide)
  await expect(chat(ide).getByLabel('Model', { exact: true })).toBeVisible(PATIENCE)
  const title = chat(ide).locator('button.toggle .title')
  const type = async (words: string) => {
    await prompt(ide).pressSequentially(words)
    await ide.keyboard.press('Enter')
  }
  await type('/rename')
  const problem = chat(ide).locator('.problems')
  await expect(problem).toContainText('There is no session yet that this could be done to')
  await expect(prompt(ide)).toHaveValue('/rename')
  await prompt(ide).fill('')
  opencode.say({ text: 'Hello.' })
  await type('Greet me.')
  await expect(answers(ide).last()).toContainText('Hello.', PATIENCE)
  await expect(stop(ide)).toBeHidden(PATIENCE)
  await expect(problem).toBeHidden()
  await type('/rename A better title')
  await expect(title).toHaveText('A better title')
  await expect(prompt(ide)).toHaveValue('')
  await type('/fork')
  await expect(title).toContainText('fork', PATIENCE)
  await expect(prompt(ide)).toBeFocused()
  opencode.say({ text: 'A short summary.' })
  await type('/compact')
  await expect(chat(ide).locator('.divider')).toContainText('made shorter', PATIENCE)
  await expect(stop(ide)).toBeHidden(PATIENCE)
  await type('/new')
  await expect(title).toHaveText('New session')
})

test('the keyboard goes to the messages and back, and stays in the chat when what had it goes away', async ({
  ide, server, opencode,
}) => {
  await repository(server.root)
  await open(ide)
  const file = join(server.root, 'notes/todo.txt')
  opencode.say(
    { text: 'Hello.' }, { tools: [{ name: 'read', arguments: { filePath: file } }] },
    { tools: [{ name: 'edit', arguments: { filePath: file, oldString: 'second', newString: 'SECOND' } }] },
    { text: 'It is louder.' },
  )
  await ask(ide, 'Greet me.')
  await expect(answers(ide).last()).toContainText('Hello.', PATIENCE)
  await expect(stop(ide)).toBeHidden(PATIENCE)
  await ask(ide, 'Make it louder.')
  await expect(answers(ide).last()).toContainText('It is louder.', PATIENCE)
  await expect(stop(ide)).toBeHidden(PATIENCE)

  await ide.keyboard.press('Alt+ArrowUp')
  await expect(answers(ide).last()).toBeFocused()
  await ide.keyboard.press('Home')
  await expect(users(ide).first()).toBeFocused()
  await ide.keyboard.press('Escape')
  await expect(prompt(ide)).toBeFocused()

  const undo = users(ide).last().getByRole('button', { name: 'Undo this message and all after it' })
  await undo.press('Enter')
  await expect(chat(ide).locator('.dock.undone')).toBeVisible(PATIENCE)
  await expect(prompt(ide)).toBeFocused()
  await chat(ide).locator('.dock.undone').getByRole('button', { name: 'Restore' }).press('Enter')
  await expect(chat(ide).locator('.dock.undone')).toBeHidden(PATIENCE)
  await expect(prompt(ide)).toBeFocused()

  const review = chat(ide).locator('.dock.review')
  await review.locator('summary').press('Enter')
  await review.getByRole('button', { name: 'Accept All', exact: true }).press('Enter')
  await expect(review.locator('summary')).toContainText('all reviewed')
  await expect(prompt(ide)).toBeFocused()

  // Who is elsewhere is left there, whatever comes and goes.
  await undo.focus()
  await ide.locator('.part.editor').click({ position: { x: 40, y: 300 } })
  const { sessions } = (await server.call('chat.sessions', { limit: 1 })) as { sessions: { address: string }[] }
  const taken = await server.call('chat.revert', { session: sessions[0]?.address, messageId: await idOf(ide) })
  expect(taken).toMatchObject({ success: true })
  await expect(chat(ide).locator('.dock.undone')).toBeVisible(PATIENCE)
  await expect(chat(ide).locator(':focus')).toHaveCount(0)
})

/** The id of the last message of the person. */
async function idOf(page: Page): Promise<string> {
  return (await users(page).last().getAttribute('data-id')) ?? ''
}
