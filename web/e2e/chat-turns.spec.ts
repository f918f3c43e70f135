// Turns that a person has a hand in: an agent that dies in the middle of one, leave that it asks for, messages that are
// undone or gone on from elsewhere, and one that says nothing any more. The agent is a real opencode.
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { answers, ask, chat, open, openSession, PATIENCE, prompt, stop, test, testWithOwn } from './chat-page'
import { forgiveNoAgent } from './outage'
import { repository } from './scm'
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
const card = (page: Page) => page.locator('.openspace-approvals')
const dialog = (page: Page) => page.locator('.monaco-dialog-box')

async function isThere(server: Server, path: string): Promise<boolean> {
  return access(join(server.root, path)).then(() => true, () => false)
}

/** A click that is meant: buttons of a question that just came answer nothing. */
async function answer(page: Page, name: string): Promise<void> {
  await page.mouse.move(500, 300)
  const button = card(page).getByRole('button', { name, exact: true })
  await expect(button).toBeVisible()
  await expect(card(page)).not.toHaveClass(/\bfresh\b/)
  await button.click()
}

testWithOwn('an agent that the server started and that dies in the middle of an answer is started again', async ({
  ide, server, opencode, complaints,
}) => {
  await opencode.install(server.root)
  opencode.say(slowly)
  await open(ide)
  await ask(ide, 'Say much.')
  // It has to be started first: what was said is seen meanwhile, and then that it works.
  await expect(chat(ide).locator('.on-its-way')).toContainText('Say much.')
  await expect(answers(ide)).toContainText('word-5 ', PATIENCE)
  await expect(chat(ide).locator('.on-its-way')).toHaveCount(0)
  await expect(chat(ide).locator('.works')).toHaveText('opencode works…')
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

testWithOwn('what an agent asks leave for is answered once, for always, or with a no that it hears', async ({
  ide, server, opencode,
}) => {
  for (const name of ['one', 'two', 'three']) await server.write(`${name}/old.txt`, 'old\n')
  await opencode.install(server.root, '', ['bash'])
  await open(ide)
  opencode.say(bash('rm -rf one'), { text: 'One is gone.' })
  await ask(ide, 'Take one away.')
  await expect(leave(ide)).toContainText('rm -rf one', PATIENCE)
  expect(await isThere(server, 'one')).toBe(true)
  await picture(ide, 'chat-permission')
  // The question itself stands beside the chat, and lies over nothing of it.
  await expect(card(ide)).toBeVisible()
  const [asked, bar] = await Promise.all([card(ide).boundingBox(), chat(ide).boundingBox()])
  expect(asked!.x + asked!.width).toBeLessThanOrEqual(bar!.x)
  await leave(ide).getByRole('button', { name: 'Answer…' }).click()
  await expect(card(ide)).toBeFocused()
  await answer(ide, 'Allow once')
  await expect(answers(ide).last()).toContainText('One is gone.', PATIENCE)
  await expect(leave(ide)).toHaveCount(0)
  expect(await isThere(server, 'one')).toBe(false)

  // A no with a word of why: the agent hears it, and goes on.
  opencode.say(bash('rm -rf two'), { text: 'Then not.' })
  await ask(ide, 'Take two away.')
  await expect(leave(ide)).toContainText('rm -rf two', PATIENCE)
  await card(ide).getByLabel('Tell the agent why not').fill('two is still needed')
  await answer(ide, 'No')
  await expect(answers(ide).last()).toContainText('Then not.', PATIENCE)
  await expect(tools(ide).last()).toHaveAttribute('data-state', 'failed')
  await tools(ide).last().locator('.head .name').click()
  await expect(tools(ide).last()).toContainText('two is still needed')
  expect(await isThere(server, 'two')).toBe(true)

  // A yes for longer is a rule, by which the next one is judged.
  const push = 'git push origin main'
  opencode.say(bash(push), { text: 'Pushed, or not.' }, bash(push), { text: 'Once more.' })
  await ask(ide, 'Push.')
  await expect(leave(ide)).toContainText(push, PATIENCE)
  await answer(ide, 'Always allow…')
  await answer(ide, 'Save the rule and allow')
  await expect(answers(ide).last()).toContainText('Pushed, or not.', PATIENCE)
  await ask(ide, 'Push again.')
  await expect(answers(ide).last()).toContainText('Once more.', PATIENCE)
  await expect(leave(ide)).toHaveCount(0)
})

test.describe('where nobody judges', () => {
  test.use({ asks: ['bash'] })

  test('what an agent asks leave for is answered in the chat', async ({ ide, server, opencode }) => {
    await open(ide)
    // The whole line is shown, and not only the commands in it.
    const line = 'for name in made; do touch "$name"; done'
    opencode.say(bash(line), { text: 'Made.' })
    await ask(ide, 'Make it.')
    await expect(leave(ide)).toContainText(line, PATIENCE)
    expect(await isThere(server, 'made')).toBe(false)
    await leave(ide).getByRole('button', { name: 'Answer…' }).click()
    await expect(dialog(ide)).toContainText('It needs your yes: bash')
    await expect(dialog(ide)).toContainText(line)
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

testWithOwn('a message is undone with what it did, restored, and gone on from in another session', async ({
  ide, server, opencode,
}) => {
  // It takes back what it did in repositories only, and looks for one when it starts.
  await repository(server.root)
  await opencode.install(server.root)
  const file = join(server.root, 'notes/todo.txt')
  const edit = { filePath: file, oldString: 'second', newString: 'SECOND' }
  opencode.say(
    { text: 'Hello.' }, { tools: [{ name: 'read', arguments: { filePath: file } }] },
    { tools: [{ name: 'edit', arguments: edit }] }, { text: 'It is louder.' },
  )
  await open(ide)
  await ask(ide, 'Greet me.')
  await expect(answers(ide).last()).toContainText('Hello.', PATIENCE)
  await expect(stop(ide)).toBeHidden(PATIENCE)
  await ask(ide, 'Make it louder.')
  await expect(answers(ide).last()).toContainText('It is louder.', PATIENCE)
  await expect(stop(ide)).toBeHidden(PATIENCE)
  await expect.poll(() => readFile(file, 'utf8')).toContain('SECOND')

  const deed = (name: string) => users(ide).last().getByRole('button', { name })
  await users(ide).last().hover()
  await deed('Undo this message and all after it').click()
  const undone = chat(ide).locator('.dock.undone')
  await expect(undone).toContainText('messages are undone', PATIENCE)
  await expect(users(ide)).toHaveText([/Greet me\./])
  await expect(prompt(ide)).toHaveValue('Make it louder.')
  await expect.poll(() => readFile(file, 'utf8')).toContain('second')
  await picture(ide, 'chat-undone')
  await undone.getByRole('button', { name: 'Restore' }).click()
  await expect(users(ide)).toHaveText([/Greet me\./, /Make it louder\./], PATIENCE)
  await expect(undone).toBeHidden()
  await expect.poll(() => readFile(file, 'utf8')).toContain('SECOND')

  // Another session has all that was before, and the first one stays as it is.
  await users(ide).last().hover()
  await deed('Go on from here in a new session').click()
  await expect(users(ide)).toHaveText([/Greet me\./], PATIENCE)
  await expect(chat(ide).locator('button.toggle')).toContainText('fork')
  opencode.say({ text: 'Softly then.' })
  await ask(ide, 'Make it softer.')
  await expect(answers(ide).last()).toContainText('Softly then.', PATIENCE)
  await chat(ide).locator('button.toggle').click()
  await expect(chat(ide).locator('.session')).toHaveCount(2)
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
  await chat(ide).getByRole('button', { name: /\(works/ }).click()
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
