// What the chat looks like in every state that it has: it can be read in any colours, fits into a side bar and on a
// phone, and leaves room for the messages.
import { join } from 'node:path'
import { answers, ask, chat, open, PATIENCE, prompt, stop, test } from './chat-page'
import { findings, THEMES } from './findings'
import { expect, openPage, picture, type Page } from './stage'

test.setTimeout(240_000)

const ANSWER = '# Found\n\nSome **bold** `code` and [a link](https://example.org), src/lib.rs:4.\n\n- [x] done\n\n'
  + '> quoted\n\n| name | value |\n|---|---|\n| a | 1 |\n\n```rust\nfn main() {}\n```\n\nThe end.'
const PLAN = [
  { content: 'Look at the file', status: 'completed', priority: 'high', id: '1' },
  { content: 'Make it louder, which no side bar has room for', status: 'in_progress', priority: 'high', id: '2' },
  { content: 'Tell', status: 'pending', priority: 'low', id: '3' },
  { content: 'Give up', status: 'cancelled', priority: 'low', id: '4' },
]
const QUESTIONS = [
  { question: 'Which colour?', header: 'Colour', options: [
    { label: 'blue', description: 'as the sky is on a day without clouds' }, { label: 'red', description: '' },
  ] },
  { question: 'And what else?', header: 'More', multiple: true, options: [{ label: 'a frame', description: '' }] },
]

const dock = (page: Page, name: string) => chat(page).locator(`.dock.${name}`)

/** Nothing of it is cut off at the side, and the messages have room. */
async function fits(page: Page): Promise<void> {
  const panel = chat(page)
  expect(await panel.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0)
  const [whole, messages] = await Promise.all([panel.boundingBox(), panel.locator('.timeline').boundingBox()])
  expect(messages!.height / whole!.height).toBeGreaterThan(0.12)
}

for (const [name, theme] of Object.entries(THEMES)) {
  test(`every state of the chat can be read in ${name} colours and has its room`, async ({
    context, server, opencode,
  }) => {
    const colours = { 'window.autoDetectColorScheme': false, 'workbench.colorTheme': theme }
    await server.keep('settings.json', JSON.stringify(colours))
    const page = await openPage(context, server.ready.open, [])
    const file = join(server.root, 'notes/todo.txt')
    const call = (tool: string, given: unknown) => ({ tools: [{ name: tool, arguments: given }] })
    opencode.say(
      { reasoning: 'I have to look first. ', ...call('read', { filePath: file }) }, call('todowrite', { todos: PLAN }),
      call('edit', { filePath: file, oldString: 'second', newString: 'SECOND' }),
      call('edit', { filePath: file, oldString: 'not there', newString: 'x' }), { text: ANSWER },
    )
    await open(page)
    const looks = async () => expect(await findings(page, '.openspace-chat')).toEqual([])
    await looks()
    await ask(page, 'Make the second line of @notes/todo.txt louder.')
    await expect(answers(page).last()).toContainText('The end.', PATIENCE)
    await expect(stop(page)).toBeHidden(PATIENCE)
    const cards = chat(page).locator('.tool')
    for (const card of await cards.all()) {
      const fold = card.locator('.fold')
      if ((await fold.getAttribute('aria-expanded')) !== 'true') await fold.press('Enter')
    }
    // What is planned is a list, and no program's words.
    await expect(cards.nth(1).locator('.plan li')).toHaveText(PLAN.map(({ content }) => content))
    await expect(cards.nth(1)).not.toContainText('"status"')
    await expect(cards.first().locator('.arguments')).toContainText('notes/todo.txt')
    await expect(cards.first().locator('.arguments')).not.toContainText(server.root)
    await chat(page).locator('.reasoning summary').click()
    for (const state of ['review', 'todos']) await dock(page, state).locator('summary').click()
    await looks()
    await fits(page)
    await picture(page, `chat-cards-${name.replace(' ', '-')}`)

    opencode.say(call('question', { questions: QUESTIONS }))
    await ask(page, 'Ask me.')
    await expect(dock(page, 'question')).toBeVisible(PATIENCE)
    // What is asked has the room of what was unfolded.
    await expect(dock(page, 'todos')).not.toHaveAttribute('open', '')
    await expect(dock(page, 'question').getByRole('button', { name: 'Dismiss' })).toBeInViewport({ ratio: 1 })
    await looks()
    await fits(page)
    await picture(page, `chat-asked-${name.replace(' ', '-')}`)
    await page.setViewportSize({ width: 390, height: 844 })
    await open(page)
    await fits(page)
    await picture(page, `chat-phone-${name.replace(' ', '-')}`)
    await page.setViewportSize({ width: 1400, height: 860 })
    await open(page)
    await dock(page, 'question').getByRole('button', { name: 'Dismiss' }).click()
    await expect(stop(page)).toBeHidden(PATIENCE)

    opencode.say({ end: { type: 'refused', status: 400, message: 'no such words' } })
    await ask(page, 'Nonsense.')
    await expect(chat(page).locator('.failure').last()).toContainText('no such words', PATIENCE)
    await expect(stop(page)).toBeHidden(PATIENCE)
    await prompt(page).pressSequentially('see @')
    await expect(chat(page).locator('.completion')).toBeVisible()
    await looks()
    await prompt(page).press('Escape')
    await chat(page).locator('button.toggle').click()
    await expect(chat(page).locator('.session')).toHaveCount(1)
    await looks()
  })
}

test('nothing jumps when a turn begins, and what was not come to says so', async ({ ide, opencode }) => {
  await open(ide)
  await ide.setViewportSize({ width: 1100, height: 700 })
  await expect(chat(ide).getByLabel('Model', { exact: true })).toBeVisible(PATIENCE)
  const before = await prompt(ide).boundingBox()
  opencode.say({ text: 'It begins and', end: { type: 'never' } })
  await ask(ide, 'Go on for ever.')
  await expect(answers(ide).last()).toContainText('It begins and', PATIENCE)
  expect(await prompt(ide).boundingBox()).toEqual(before)
  await picture(ide, 'chat-working')
  await ask(ide, 'And then this.')
  const second = chat(ide).locator('.message.user').last()
  await expect(second).toContainText('waits its turn', PATIENCE)
  await prompt(ide).press('Escape')
  await expect(answers(ide).last().locator('.failure')).toContainText('Stopped', PATIENCE)
  await expect(second).toContainText('not answered', PATIENCE)
})
