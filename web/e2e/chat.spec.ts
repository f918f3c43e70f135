// A person talks to an agent in the page: a real opencode, whose model says what a script says.
import { ask, chat, open, PATIENCE, prompt, stop, test } from './chat-page'
import { expect, tab } from './stage'

// Each starts a server, an agent and a browser.
test.setTimeout(240_000)

test('an answer is Markdown with links to files, and hostile words are only words', async ({ ide, opencode }) => {
  opencode.say({
    text: '## Found\n\nSee src/lib.rs:4 <img src=x onerror="console.error(1)"> [bad](javascript:alert(1))\n\n'
      + '```rust\nfn main() {}\n```\n',
  })
  await open(ide)
  await ask(ide, 'Where is it?')
  const answer = chat(ide).locator('.message.assistant')
  await expect(answer.getByRole('heading', { name: 'Found' })).toBeVisible(PATIENCE)
  await expect(answer.locator('figure.code')).toContainText('fn main() {}')
  await expect(answer.locator('.markdown')).toContainText('<img src=x onerror="console.error(1)">')
  await expect(answer.locator('.markdown img')).toHaveCount(0)
  await expect(answer.locator('.markdown a')).toHaveText(['src/lib.rs:4'])
  await answer.getByText('src/lib.rs:4').click()
  await expect(tab(ide, 'lib.rs')).toBeVisible()
})

test('what was said is there after a reload, and so is what was not sent', async ({ ide, opencode }) => {
  opencode.say({ text: 'The first answer.' })
  await open(ide)
  await ask(ide, 'Say something.')
  await expect(chat(ide).locator('.message.assistant')).toContainText('The first answer.', PATIENCE)
  // The draft is kept a moment after the last letter.
  const kept = ide.waitForResponse((response) =>
    response.url().endsWith('openspace.chat.draft') && (response.request().postData()?.includes('not sent') ?? false))
  await prompt(ide).fill('not sent yet')
  await kept
  await ide.reload()
  await expect(chat(ide).locator('.message.assistant')).toContainText('The first answer.', PATIENCE)
  await expect(prompt(ide)).toHaveValue('not sent yet')
})

test('a turn is stopped in the middle', async ({ ide, opencode }) => {
  opencode.say({ text: 'It begins and', end: { type: 'never' } })
  await open(ide)
  await ask(ide, 'Go on for ever.')
  await expect(chat(ide).locator('.message.assistant')).toContainText('It begins and', PATIENCE)
  await stop(ide).click()
  await expect(chat(ide).locator('.message.assistant .failure')).toContainText('Stopped', PATIENCE)
  await expect(stop(ide)).toBeHidden()
})
