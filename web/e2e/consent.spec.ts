// A client that nobody agreed to waits: the page tells the person what they would agree to, and takes their answer.
import { Agent } from './agent'
import { editorOf, expectLines, goToLineEnd, openFile } from './editor'
import { answer, dialog } from './hands'
import { expect, openPage, palette, picture, test, type Page } from './stage'

const entry = (page: Page, text: string) => page.locator('.quick-input-list .monaco-list-row', { hasText: text })
const item = (page: Page, text: string) => page.locator('.statusbar-item', { hasText: text })
const notices = (page: Page) =>
  page.locator('.notifications-toasts .notification-list-item', { hasText: 'wants to do more than look' })
const waiting = (page: Page, client: string) => notices(page).filter({ hasText: `${client} wants` })
const button = (page: Page, client: string, name: string) => waiting(page, client).getByRole('button', { name })
const write = (agent: Agent) => agent.ask('file_write', { path: 'new.txt', content: 'x' })

test.use({ surroundings: { consent: 'ask' } })

test('the notice says what an agent could do and takes no key; agreeing lets the call go on', async ({
  ide, agent,
}) => {
  await openFile(ide, 'README.md')
  await goToLineEnd(ide, 'README.md', 3)
  await agent.call('file_read', { path: 'README.md' })
  const call = write(agent)
  await ide.keyboard.type(' One')
  await expect(waiting(ide, 'tester')).toBeVisible()
  await expect(item(ide, '1 waits for consent')).toBeVisible()
  const meaning = ['An agent sees the files of', 'It changes, moves', 'Its programs run in a confined place']
  for (const words of meaning) {
    await expect(waiting(ide, 'tester')).toContainText(words)
  }
  // Not in the middle of a word, for which the editor itself may propose another and take Enter for it.
  await ide.keyboard.type(' two.')
  await ide.keyboard.press('Enter')
  await ide.keyboard.type('end')
  await expectLines(ide, 'README.md', ['# Demo', '', 'A small project. One two.', 'end', ''])
  await picture(ide, 'consent')

  // One click agrees to nothing.
  await button(ide, 'tester', 'Agree…').click()
  await expect(dialog(ide)).toContainText('May tester do more than look in this space?')
  await picture(ide, 'consent-sure')
  await answer(ide, 'Cancel')
  await expect(waiting(ide, 'tester')).toBeVisible()
  await button(ide, 'tester', 'Agree…').click()
  await answer(ide, 'Agree')
  expect(await call).toMatchObject({ success: true })
  await expect(waiting(ide, 'tester')).toHaveCount(0)
  await expect(item(ide, 'waits for consent')).toHaveCount(0)
  await expect(editorOf(ide, 'README.md')).toBeVisible()
})

test('a client that is refused only looks, in new sessions too, until the person agrees', async ({
  ide, agent, server,
}) => {
  const call = write(agent)
  await button(ide, 'tester', 'Refuse').click()
  expect(await call).toMatchObject({ success: false, kind: 'denied' })
  await expect(waiting(ide, 'tester')).toHaveCount(0)
  await agent.call('file_read', { path: 'README.md' })
  const again = await Agent.connect(server.ready)
  expect(await write(again)).toMatchObject({ success: false, kind: 'denied' })
  await expect(waiting(ide, 'tester')).toHaveCount(0)
  await again.leave()
  await palette(ide, 'OpenSpace: Manage Agents…')
  await entry(ide, 'Agree to tester…').click()
  await answer(ide, 'Agree')
  await expect.poll(() => write(agent)).toMatchObject({ success: true })
})

test('an answer that is given elsewhere takes the notice away, in every browser', async ({
  ide, agent, server, browser, complaints,
}) => {
  const context = await browser.newContext()
  const other = await openPage(context, await server.link(), complaints)
  const call = write(agent)
  for (const page of [ide, other]) await expect(waiting(page, 'tester')).toBeVisible()
  await server.call('consent.give', { client: 'tester' })
  expect(await call).toMatchObject({ success: true })
  for (const page of [ide, other]) await expect(waiting(page, 'tester')).toHaveCount(0)
  await context.close()
})

test('a notice that is put away is not lost: the status bar has who waits, and so has a new page', async ({
  ide, agent, server, context, complaints,
}) => {
  const call = write(agent)
  await waiting(ide, 'tester').hover()
  await waiting(ide, 'tester').locator('.codicon-notifications-clear').click()
  await expect(waiting(ide, 'tester')).toHaveCount(0)
  await expect(item(ide, '1 waits for consent')).toBeVisible()
  const page = await openPage(context, server.ready.url, complaints)
  await expect(waiting(page, 'tester')).toBeVisible()
  await item(ide, '1 waits for consent').click()
  await expect(entry(ide, 'Agree to tester…')).toBeVisible()
  await entry(ide, 'Agree to tester…').click()
  await answer(ide, 'Agree')
  expect(await call).toMatchObject({ success: true })
  await expect(waiting(page, 'tester')).toHaveCount(0)
})

test('of many clients that wait one is a notice, the bar counts all, and each answer brings the next', async ({
  ide, server,
}) => {
  const names = ['one', 'two', 'three']
  const agents = await Promise.all(names.map((name) => Agent.connect(server.ready, name)))
  // What becomes of these calls is another story.
  for (const [index, agent] of agents.entries()) {
    void write(agent).catch(() => undefined)
    await expect(item(ide, index === 0 ? '1 waits for consent' : `${index + 1} wait for consent`)).toBeVisible()
  }
  for (const name of names) {
    await expect(notices(ide)).toContainText([`${name} wants`])
    await button(ide, name, 'Refuse').click()
  }
  await expect(notices(ide)).toHaveCount(0)
  await expect(item(ide, 'for consent')).toHaveCount(0)
  for (const agent of agents) await agent.close()
})
