// Turns that a person has a hand in: an agent that dies in the middle of one, leave that it asks for, and one that says
// nothing any more. The agent is a real opencode.
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { answers, ask, chat, open, openSession, PATIENCE, prompt, stop, test, testWithOwn } from './chat-page'
import { forgiveNoAgent } from './outage'
import type { Server } from './server'
import { expect, openPage, picture, type Page } from './stage'

test.setTimeout(240_000)
testWithOwn.setTimeout(240_000)

const WORDS = Array.from({ length: 80 }, (_, number) => `word-${number}`)
const slowly = { text: `${WORDS.join(' ')} `, gapMs: 100 }
const bash = (command: string) => ({ tools: [{ name: 'bash', arguments: { command, description: 'A line' } }] })

const strip = (page: Page) => chat(page).locator('.strip')
const users = (page: Page) => chat(page).locator('.message.user')
/** What the agent wants leave for, as it stands over the prompt. */
const leave = (page: Page) => chat(page).locator('.dock.permission')
const tools = (page: Page) => chat(page).locator('.tool')
const dialog = (page: Page) => page.locator('.monaco-dialog-box')

async function isThere(server: Server, path: string): Promise<boolean> {
  return access(join(server.root, path)).then(() => true, () => false)
}

testWithOwn('an agent that the server started and that dies in the middle of an answer is started again', async ({
  ide, server, opencode, complaints,
}) => {
  await opencode.install(server.root)
  opencode.say(slowly)
  await open(ide)
  await ask(ide, 'Say much.')
  await expect(answers(ide)).toContainText('word-5 ', PATIENCE)
  await opencode.kill(server.process)
  await expect(strip(ide)).toContainText(/opencode/, PATIENCE)
  await expect(strip(ide)).toBeHidden(PATIENCE)
  await expect(stop(ide)).toBeHidden(PATIENCE)
  await expect(answers(ide).first()).toContainText('word-5 ')
  await expect(answers(ide).first()).toContainText('It broke off here', PATIENCE)
  opencode.say({ text: 'I am back.' })
  await ask(ide, 'Go on.')
  await expect(answers(ide).last()).toContainText('I am back.', PATIENCE)
  forgiveNoAgent(complaints)
})

test.describe('where nobody judges', () => {
  test.use({ asks: ['bash'] })

  test('what an agent asks leave for is answered in the chat', async ({ ide, server, opencode }) => {
    await open(ide)
    opencode.say(bash('touch made'), { text: 'Made.' })
    await ask(ide, 'Make it.')
    await expect(leave(ide)).toContainText('touch made', PATIENCE)
    expect(await isThere(server, 'made')).toBe(false)
    await leave(ide).getByRole('button', { name: 'Answer…' }).click()
    await expect(dialog(ide)).toContainText('It needs your yes: bash')
    await expect(dialog(ide)).toContainText('touch made')
    await dialog(ide).getByRole('button', { name: 'Allow once' }).click()
    await expect(answers(ide).last()).toContainText('Made.', PATIENCE)
    expect(await isThere(server, 'made')).toBe(true)
    await expect(leave(ide)).toHaveCount(0)

    opencode.say(bash('touch other'))
    await ask(ide, 'And another.')
    await expect(leave(ide)).toContainText('touch other', PATIENCE)
    await leave(ide).getByRole('button', { name: 'Answer…' }).click()
    await dialog(ide).getByRole('button', { name: 'No', exact: true }).click()
    await expect(tools(ide).last()).toHaveAttribute('data-state', 'failed', PATIENCE)
    await expect(stop(ide)).toBeHidden(PATIENCE)
    expect(await isThere(server, 'other')).toBe(false)
  })
})

test('that nothing comes any more is said, and the rest of the chat can be used meanwhile', async ({
  ide, server, opencode, browser, complaints,
}) => {
  opencode.say({ text: 'The first session.' })
  await open(ide)
  await ask(ide, 'One.')
  await expect(answers(ide).last()).toContainText('The first session.', PATIENCE)
  await expect(stop(ide)).toBeHidden(PATIENCE)
  await chat(ide).getByRole('button', { name: 'New session', exact: true }).click()
  await expect(users(ide)).toHaveCount(0)
  opencode.say({ text: 'It begins and', end: { type: 'never' } })
  await ask(ide, 'Go on for ever.')
  await expect(answers(ide).last()).toContainText('It begins and', PATIENCE)
  const quiet = (page: Page) => chat(page).locator('.quiet')
  await expect(quiet(ide)).toBeHidden()
  await expect(quiet(ide)).toHaveText(/^Nothing has come from opencode since .+\. Escape stops it\.$/, PATIENCE)
  await picture(ide, 'chat-quiet')
  // In the list it is at work, and another one can be read and spoken to.
  const context = await browser.newContext()
  const other = await openPage(context, await server.link(), complaints)
  await open(other)
  await chat(ide).locator('button.toggle').click()
  await chat(ide).getByRole('button', { name: /, works/ }).click()
  await expect(answers(ide).last()).toContainText('It begins and', PATIENCE)
  await openSession(other)
  await expect(answers(other).last()).toContainText('It begins and', PATIENCE)
  await expect(quiet(other)).toBeVisible(PATIENCE)
  await chat(ide).locator('button.toggle').click()
  await chat(ide).locator('.session-list button.open').last().click()
  await expect(answers(ide).last()).toContainText('The first session.', PATIENCE)
  await expect(quiet(ide)).toBeHidden()
  opencode.say({ text: 'I am here.' })
  await ask(ide, 'Are you there?')
  await expect(answers(ide).last()).toContainText('I am here.', PATIENCE)
  // Who is at the quiet one stops it with a key.
  await prompt(other).focus()
  await other.keyboard.press('Escape')
  await expect(answers(other).last().locator('.failure')).toContainText('Stopped', PATIENCE)
  await expect(quiet(other)).toBeHidden()
  await context.close()
})
