// The chat when things go wrong: servers that restart, models that refuse, output that means harm, sessions that are
// long, two people at one conversation. The agent is a real opencode, and so is the browser.
import { longSession, LAST } from '../bench/long-session'
import { answers, ask, chat, open, openSession, PATIENCE, prompt, stop, test } from './chat-page'
import { MODEL_KEY } from './opencode'
import { forgiveOutage } from './outage'
import { expect, openPage, ready } from './stage'

test.setTimeout(240_000)

const WORDS = Array.from({ length: 60 }, (_, number) => `word-${number}`)
/** One red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

/** An answer that takes a while, word by word. */
const slowly = { text: `${WORDS.join(' ')} `, gapMs: 100 }

test('a server that is started anew in the middle of an answer costs no word of it', async ({
  ide, server, opencode, complaints,
}) => {
  opencode.say(slowly)
  await open(ide)
  await ask(ide, 'Say much.')
  await expect(answers(ide)).toContainText('word-5 ', PATIENCE)
  await server.restart()
  await expect(answers(ide)).toContainText(WORDS.join(' '), PATIENCE)
  await expect(answers(ide)).toHaveCount(1)
  opencode.say({ text: 'And it goes on.' })
  await expect(stop(ide)).toBeHidden(PATIENCE)
  await ask(ide, 'Go on.')
  await expect(answers(ide).last()).toContainText('And it goes on.', PATIENCE)
  forgiveOutage(complaints)
})

test('what is sent before the agent can be reached goes when it can, unless it is changed', async ({
  ide, server, opencode, complaints,
}) => {
  opencode.say({ text: 'Here I am.' })
  await open(ide)
  await server.end('SIGTERM')
  await prompt(ide).fill('Are you')
  await expect(chat(ide).locator('.prompt .send')).toBeDisabled()
  await prompt(ide).press('Enter')
  const waiting = chat(ide).locator('.prompt .waiting')
  await expect(waiting).toContainText('This is sent as soon as it can')
  await prompt(ide).pressSequentially(' there?')
  await expect(waiting).toBeHidden()
  await prompt(ide).press('Enter')
  await expect(waiting).toBeVisible()
  await server.begin()
  await expect(answers(ide)).toContainText('Here I am.', PATIENCE)
  await expect(chat(ide).locator('.message.user')).toContainText('Are you there?')
  await expect(prompt(ide)).toHaveValue('')
  await expect(waiting).toBeHidden()
  forgiveOutage(complaints)
})

test('two browsers at one session see the same while it is written, and either stops it', async ({
  ide, server, opencode, browser, complaints,
}) => {
  opencode.say(slowly)
  await open(ide)
  await ask(ide, 'Say much.')
  await expect(answers(ide)).toContainText('word-3 ', PATIENCE)
  const context = await browser.newContext()
  const other = await openPage(context, await server.link(), complaints)
  await open(other)
  await openSession(other)
  // Who comes in the middle has the beginning too.
  for (const page of [ide, other]) await expect(answers(page)).toContainText(WORDS.join(' '), PATIENCE)
  opencode.say({ text: 'It begins and', end: { type: 'never' } })
  await ask(other, 'Go on for ever.')
  for (const page of [ide, other]) await expect(answers(page).last()).toContainText('It begins and', PATIENCE)
  await stop(ide).click()
  for (const page of [ide, other]) {
    await expect(answers(page).last().locator('.failure')).toContainText('Stopped', PATIENCE)
    await expect(chat(page).locator('.message.user')).toHaveText([/Say much\./, /Go on for ever\./])
  }
  await context.close()
})

test('a session of two thousand messages opens at its end and goes back to its beginning', async ({
  ide, server, opencode,
}) => {
  await opencode.import(server.root, longSession(server.root, 2_000))
  await ide.reload()
  await ready(ide)
  await open(ide)
  await openSession(ide, 'A long session')
  await expect(answers(ide).last()).toContainText(LAST, PATIENCE)
  const count = () => chat(ide).locator('.message').count()
  const first = await count()
  expect(first).toBeLessThan(500)
  const older = chat(ide).getByRole('button', { name: 'Show older messages' })
  for (let step = 1; step <= 3; step += 1) {
    await older.click()
    await expect.poll(count, PATIENCE).toBeGreaterThan(first * step)
  }
  // It can be spoken to as any other, and what comes of it is seen, wherever one read before.
  await expect(answers(ide).last()).not.toBeInViewport()
  opencode.say({ text: 'The newest of all.' })
  await ask(ide, 'And now?')
  await expect(answers(ide).last()).toContainText('The newest of all.', PATIENCE)
  await expect(answers(ide).last()).toBeInViewport()
})

test('what a model refuses is said in words, and the next word is answered', async ({ ide, opencode }) => {
  await open(ide)
  opencode.say({ end: { type: 'refused', status: 400, message: 'this model takes no such words' } })
  await ask(ide, 'Nonsense.')
  await expect(chat(ide).locator('.failure').first()).toContainText('this model takes no such words', PATIENCE)
  await expect(stop(ide)).toBeHidden(PATIENCE)
  opencode.say(
    { end: { type: 'refused', status: 429, message: 'too many requests', retryAfterMs: 3_000 } },
    { text: 'Now it may.' },
  )
  await ask(ide, 'Again.')
  await expect(chat(ide).locator('.retry')).toContainText('It will be tried again', PATIENCE)
  await expect(answers(ide).last()).toContainText('Now it may.', PATIENCE)
  await expect(chat(ide).locator('.retry')).toHaveCount(0)
})

test('output that means harm is text, however long, and the page goes on', async ({ ide, opencode }) => {
  const link = String.raw`\033]8;;javascript:alert(1)\007here\033]8;;\007`
  const harm = String.raw`printf '\033[31m<script>console.error(1)</script>${link}\033[2J\a\n'`
  opencode.say(
    { tools: [{ name: 'bash', arguments: { command: harm, description: 'Harm' } }] },
    { tools: [{ name: 'bash', arguments: {
      command: `head -c 10000000 /dev/zero | tr '\\0' 'x'; echo; echo the end`, description: 'One line',
    } }] },
    { text: '<script>console.error(2)</script> **done** <style>*{display:none}</style>' },
  )
  await open(ide)
  await ask(ide, 'Do harm.')
  await expect(answers(ide).last()).toContainText('done', PATIENCE)
  const cards = chat(ide).locator('.tool')
  await expect(cards).toHaveCount(2)
  await cards.first().locator('.head .name').click()
  await expect(cards.first().locator('pre.output')).toContainText('<script>console.error(1)</script>here')
  await cards.last().locator('.head .name').click()
  await expect(cards.last().locator('pre.output')).toBeVisible()
  const text = await chat(ide).innerText()
  // oxlint-disable-next-line no-control-regex -- these are what must not be there
  expect(text).not.toMatch(/[\u0000-\u0008\u001b\u007f]/)
  expect(text.length).toBeLessThan(1_000_000)
  await expect(chat(ide).locator('script, style, iframe, a[href^="javascript"]')).toHaveCount(0)
  opencode.say({ text: 'All is well.' })
  await ask(ide, 'Are you there?')
  await expect(answers(ide).last()).toContainText('All is well.', PATIENCE)
})

test('a picture that a tool gave is shown', async ({ ide, server, opencode }) => {
  await server.write('dot.png', Buffer.from(PNG, 'base64'))
  opencode.say(
    { tools: [{ name: 'read', arguments: { filePath: `${server.root}/dot.png` } }] },
    { text: 'It is red.' },
  )
  await open(ide)
  await ask(ide, 'What colour is it?')
  await expect(answers(ide).last()).toContainText('It is red.', PATIENCE)
  const card = chat(ide).locator('.tool').first()
  await card.locator('.head .name').click()
  const shown = card.locator('img.picture')
  await expect(shown).toBeVisible()
  expect(await shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1)
})

test('no byte that the browser gets has a key of the model, of the agent or of the server', async ({
  ide, server, opencode,
}) => {
  const got: string[] = []
  const bodies: Promise<void>[] = []
  ide.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => got.push(payload.toString())))
  ide.on('response', (response) => {
    // What is said, not the page's own files; and what ends.
    if (!response.headers()['content-type']?.startsWith('application/json')) return
    bodies.push(response.text().then((body) => void got.push(body), () => undefined))
  })
  await ide.reload()
  await ready(ide)
  opencode.say(
    { tools: [{ name: 'bash', arguments: { command: `echo "it is ${MODEL_KEY}"`, description: 'Say it' } }] },
    {
      text: `The key is ${MODEL_KEY} and the password ${opencode.password} and that is all.`,
      reasoning: `Is it ${MODEL_KEY} ?`,
    },
  )
  await open(ide)
  await ask(ide, 'Which key have you?')
  await expect(answers(ide).last()).toContainText('and that is all.', PATIENCE)
  await ide.reload()
  await ready(ide)
  await expect(answers(ide).last()).toContainText('and that is all.', PATIENCE)
  await Promise.all(bodies)
  const all = got.join('\n')
  expect(all).toContain('and that is all.')
  const keys = { model: MODEL_KEY, agent: opencode.password, server: server.ready.token }
  expect(Object.entries(keys).filter(([, key]) => all.includes(key)).map(([whose]) => whose)).toEqual([])
  await expect(prompt(ide)).toBeVisible()
})
