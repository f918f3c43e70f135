// What an agent may only do with a yes: the question in the page, the answers, and who gets which key and click.
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { Agent } from './agent'
import { editorOf, expectLines, expectLoaded, goToLineEnd, hasKeyboard, openFile } from './editor'
import { findings, THEMES } from './findings'
import { screen, terminal, testWithTerminals as test } from './hands'
import { forgiveOutage } from './outage'
import type { Server } from './server'
import { expect, openPage, palette, picture, type Page } from './stage'

/** A line that is asked about in whatever place it would run: the folder is none that a build makes anew. */
const LINE = 'rm -rf old-work'
const PHONE = { width: 390, height: 844 }

const card = (page: Page) => page.locator('.openspace-approvals')
const line = (page: Page) => card(page).locator('.line').first()
const button = (page: Page, name: string) => card(page).getByRole('button', { name, exact: true })
const badge = (page: Page, count: number) =>
  page.locator('.statusbar-item', { hasText: count === 1 ? '1 question' : `${count} questions` })

/** What a call of the agent becomes, while somebody decides about it. */
const ask = (agent: Agent, command = LINE, more: Record<string, unknown> = {}, signal?: AbortSignal) =>
  agent.ask('workspace_bash', { command, ...more }, signal)

/** A click that is meant: the pointer goes to a button that has been there for a while. */
async function click(page: Page, name: string): Promise<void> {
  await page.mouse.move(700, 300)
  // What is not there yet is not fresh either.
  await expect(button(page, name)).toBeVisible()
  await expect(card(page)).not.toHaveClass(/\bfresh\b/)
  await button(page, name).click()
}

async function isThere(server: Server, path: string): Promise<boolean> {
  return access(join(server.root, path)).then(() => true, () => false)
}

test.use({
  surroundings: { profile: 'careful' },
  files: { 'README.md': '# Demo\n\nA small project.\n', 'old-work/one.txt': 'old\n', 'a/x': 'x\n', 'b/x': 'x\n' },
})

test('questions cost whoever types no key, and a click on yes lets the call run', async ({ ide, agent, server }) => {
  await openFile(ide, 'README.md')
  await goToLineEnd(ide, 'README.md', 3)
  await ide.keyboard.type(' One')
  // One after the other: they are shown in the order in which they came.
  const first = ask(agent)
  await expect(badge(ide, 1)).toBeVisible()
  const second = ask(agent, 'rm -rf a')
  await expect(badge(ide, 2)).toBeVisible()
  const calls = [first, second, ask(agent, 'rm -rf b')] as const
  const words = ' two three four five six seven eight nine ten'
  // Each key is for the file, those pressed while the cards come too.
  for (const key of words) await ide.keyboard.press(key === ' ' ? 'Space' : key)
  await expect(badge(ide, 3)).toBeVisible()
  await ide.keyboard.press('Enter')
  await ide.keyboard.press('Space')
  await ide.keyboard.type('end')
  await expectLines(ide, 'README.md', ['# Demo', '', `A small project. One${words}`, ' end', ''])
  await expect(line(ide)).toHaveText(LINE)
  await expect(card(ide)).toContainText('1 of 3')
  await picture(ide, 'question')
  expect(await isThere(server, 'old-work')).toBe(true)

  await button(ide, 'Next question').click()
  await expect(line(ide)).toHaveText('rm -rf a')
  await click(ide, 'Allow once')
  await expect(badge(ide, 2)).toBeVisible()
  expect(await calls[1]).toMatchObject({ success: true, exit_code: 0 })
  expect([await isThere(server, 'old-work'), await isThere(server, 'a')]).toEqual([true, false])
  // A click takes the keyboard from nobody.
  await ide.keyboard.type('!')
  await expectLines(ide, 'README.md', ['# Demo', '', `A small project. One${words}`, ' end!', ''])

  await card(ide).getByLabel('Tell the agent why not').fill('not that one')
  await click(ide, 'No')
  await expect(badge(ide, 1)).toBeVisible()
  await click(ide, 'No')
  await expect(card(ide)).toBeHidden()
  await expect(ide.locator('.statusbar-item', { hasText: 'question' })).toHaveCount(0)
  const refused = await Promise.all([calls[0], calls[2]])
  expect(refused.map(({ kind }) => kind)).toEqual(['denied', 'denied'])
  expect(JSON.stringify(refused)).toContain('not that one')
  await palette(ide, 'OpenSpace: Show Activity')
  await expect(ide.locator('.openspace-activity li', { hasText: 'approved once by browser' })).toHaveCount(1)
  await expect(ide.locator('.openspace-activity li.failed', { hasText: 'refused' })).toHaveCount(2)
  await picture(ide, 'question-activity')
})

test('with the keyboard alone: in, out and in again, and Enter approves nothing by itself', async ({
  ide, agent, server,
}) => {
  await openFile(ide, 'README.md')
  await goToLineEnd(ide, 'README.md', 1)
  const call = ask(agent, LINE, { description: 'clean up' })
  await expect(line(ide)).toHaveText(LINE)
  await ide.keyboard.press('Control+Alt+a')
  await expect(card(ide)).toBeFocused()
  for (const key of ['Enter', 'Space', 'Enter', 'y']) await ide.keyboard.press(key)
  await expect(badge(ide, 1)).toBeVisible()
  expect(await isThere(server, 'old-work')).toBe(true)
  await ide.keyboard.press('Escape')
  await ide.keyboard.type('!')
  await expectLines(ide, 'README.md', ['# Demo!', '', 'A small project.', ''])
  await expect(line(ide)).toHaveText(LINE)

  await palette(ide, 'OpenSpace: Answer Question')
  await expect(card(ide)).toBeFocused()
  const focused = () => ide.evaluate(() => document.activeElement?.textContent)
  for (let tabs = 0; tabs < 10 && (await focused()) !== 'Allow once'; tabs += 1) await ide.keyboard.press('Tab')
  await expect(button(ide, 'Allow once')).toBeFocused()
  // Nobody has read it before that.
  await expect(card(ide)).not.toHaveClass(/\bfresh\b/)
  await ide.keyboard.press('Enter')
  expect(await call).toMatchObject({ success: true, exit_code: 0 })
  await expect(card(ide)).toBeHidden()
  // And it is back where it was.
  await ide.keyboard.type('?')
  await expectLines(ide, 'README.md', ['# Demo!?', '', 'A small project.', ''])
})

test('from a terminal, too, a question is answered without the mouse', async ({ ide, agent }) => {
  await palette(ide, 'Terminal: Create New Terminal')
  await terminal(ide).click()
  await ide.keyboard.type('echo be')
  await expect.poll(() => screen(ide)).toContain('echo be')
  const call = ask(agent)
  await expect(line(ide)).toHaveText(LINE)
  await ide.keyboard.press('Control+Alt+a')
  await expect(card(ide)).toBeFocused()
  await card(ide).getByLabel('Tell the agent why not').focus()
  await ide.keyboard.press('Enter')
  await ide.keyboard.type('later')
  await ide.keyboard.press('Enter')
  expect(await call).toMatchObject({ success: false, kind: 'denied' })
  await expect(card(ide)).toBeHidden()
  await ide.keyboard.type('fore-after\n')
  await expect.poll(() => screen(ide)).toContain('\nbefore-after')
})

test('a click, or a key, that meets the buttons as they come is for nobody', async ({ ide, agent, server }) => {
  // What a mouse does that is already on its way: it is pressed in the moment in which the card is drawn.
  await ide.evaluate(() => {
    const pressed = { times: 0 }
    Object.assign(window, { pressed })
    new MutationObserver(() => {
      const [first] = document.querySelectorAll<HTMLElement>('.openspace-approvals:not([hidden]) .primary')
      if (!first || pressed.times > 0) return
      pressed.times += 1
      first.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))
      first.click()
    }).observe(document.body, { subtree: true, attributes: true, childList: true })
  })
  const call = ask(agent)
  await expect(line(ide)).toHaveText(LINE)
  expect(await ide.evaluate(() => (window as unknown as { pressed: { times: number } }).pressed.times)).toBe(1)
  await expect(badge(ide, 1)).toBeVisible()
  expect(await isThere(server, 'old-work')).toBe(true)
  await click(ide, 'Allow once')
  expect(await call).toMatchObject({ success: true })
})

test('two browsers show one question, and the first answer is told in the other', async ({
  ide, agent, server, browser, complaints,
}) => {
  const context = await browser.newContext({ viewport: { width: 1100, height: 700 } })
  const other = await openPage(context, await server.link(), complaints)
  const call = ask(agent)
  await expect(line(ide)).toHaveText(LINE)
  await expect(line(other)).toHaveText(LINE)
  // What became of it is shown for a few seconds only.
  await Promise.all([
    expect(card(ide)).toContainText('Allowed in another window.'), click(other, 'Allow for this session'),
  ])
  await expect(button(ide, 'Allow once')).toBeHidden()
  await picture(ide, 'question-elsewhere')
  expect(await call).toMatchObject({ success: true })
  await expect(card(ide)).toBeHidden()
  // The same again is not asked about in this session.
  await server.write('old-work/one.txt', 'new\n')
  expect(await ask(agent)).toMatchObject({ success: true })
  await expect(card(ide)).toBeHidden()

  const second = ask(agent, 'rm -rf a')
  for (const page of [ide, other]) await expect(line(page)).toHaveText('rm -rf a')
  await Promise.all([expect(card(other)).toContainText('Refused in another window.'), click(ide, 'No')])
  expect(await second).toMatchObject({ kind: 'denied' })
  await context.close()
})

test('a browser that is closed half-way leaves the question to the next one', async ({
  agent, server, browser, complaints,
}) => {
  const context = await browser.newContext()
  const first = await openPage(context, server.ready.open, complaints)
  const call = ask(agent)
  await expect(line(first)).toHaveText(LINE)
  await first.keyboard.press('Control+Alt+a')
  await card(first).getByLabel('Tell the agent why not').fill('half a sent')
  await context.close()
  const next = await browser.newContext()
  const page = await openPage(next, await server.link(), complaints)
  await expect(line(page)).toHaveText(LINE)
  await expect(badge(page, 1)).toBeVisible()
  await expect(card(page).getByLabel('Tell the agent why not')).toHaveValue('')
  await click(page, 'Allow once')
  expect(await call).toMatchObject({ success: true })
  await next.close()
})

test('a server that is started anew still asks, and a late yes is taken by the same call', async ({
  ide, agent, server, complaints,
}) => {
  const lost = ask(agent).catch((error: unknown) => error)
  await expect(line(ide)).toHaveText(LINE)
  await expect(card(ide)).toContainText('and the call waits')
  await expectLoaded(ide)
  await server.end('SIGTERM')
  await expect(card(ide)).toContainText('The server cannot be reached. You can answer when it is back.')
  for (const name of ['Allow once', 'Allow for this session', 'No']) await expect(button(ide, name)).toBeDisabled()
  await picture(ide, 'question-offline')
  await server.begin()
  await lost
  await expect(card(ide)).toContainText('The call waits no longer', { timeout: 30_000 })
  await expect(button(ide, 'Allow once')).toBeEnabled({ timeout: 20_000 })
  const given = ide.waitForResponse((response) => response.url().endsWith('openspace.approval.answer'))
  await click(ide, 'Allow once')
  expect((await given).ok()).toBe(true)
  expect(await isThere(server, 'old-work')).toBe(true)
  const again = await Agent.connect(server.ready)
  expect(await ask(again)).toMatchObject({ success: true })
  expect(await isThere(server, 'old-work')).toBe(false)
  await again.close()
  forgiveOutage(complaints)
})

test('a rule is shown as it will be saved before it is saved, and then nobody is asked', async ({
  ide, agent, server,
}) => {
  const push = 'git push origin main'
  const call = ask(agent, push)
  await expect(line(ide)).toHaveText(push)
  const policy = await server.get<unknown>('/api/user-data')
  await click(ide, 'Always allow…')
  const rule = card(ide).locator('.rule-to-save .line')
  await expect(rule).toContainText('git push origin')
  await picture(ide, 'question-rule')
  await button(ide, 'Back').click()
  await expect(button(ide, 'Allow once')).toBeVisible()
  expect(await server.get<unknown>('/api/user-data')).toEqual(policy)
  await click(ide, 'Always allow…')
  await click(ide, 'Save the rule and allow')
  // There is no remote: git says so, which nobody kept it from.
  expect(await call).toMatchObject({ success: true })
  expect(await ask(agent, push)).toMatchObject({ success: true })
  await expect(card(ide)).toBeHidden()
})

test('a call that the agent takes back takes its question along', async ({ ide, agent }) => {
  const gone = new AbortController()
  const call = ask(agent, LINE, {}, gone.signal).catch(() => 'taken back')
  await expect(line(ide)).toHaveText(LINE)
  gone.abort()
  expect(await call).toBe('taken back')
  await expect(card(ide)).toContainText('The agent took its call back.')
  await expect(card(ide)).toBeHidden()
})

test('an answer that does not arrive is not said to be given', async ({ ide, agent, server, complaints }) => {
  const call = ask(agent)
  await expect(line(ide)).toHaveText(LINE)
  await ide.route('**/api/commands/openspace.approval.answer', (route) => route.abort())
  await click(ide, 'Allow once')
  await expect(card(ide)).toContainText('It is not known whether your answer arrived')
  await expect(badge(ide, 1)).toBeVisible()
  expect(await isThere(server, 'old-work')).toBe(true)
  await ide.unroute('**/api/commands/openspace.approval.answer')
  await click(ide, 'Allow once')
  expect(await call).toMatchObject({ success: true })
  complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('approval.answer')))
})

test('nothing in a line is hidden from whoever decides', async ({ ide, agent }) => {
  const hidden = `echo ok # \u202e${' '.repeat(300)}\u200b; rm -rf old-work`
  const call = ask(agent, `${hidden}\n${'\n'.repeat(40)}rm -rf a`)
  await expect(line(ide)).toContainText('empty lines⟩')
  const text = (await line(ide).textContent()) ?? ''
  expect(text).toContain('⟨300 blanks⟩')
  expect(text).not.toMatch(/\u202e|\u200b/)
  expect(text.endsWith('rm -rf a')).toBe(true)
  await picture(ide, 'question-unseen')
  await click(ide, 'No')
  expect(await call).toMatchObject({ kind: 'denied' })
})

test('of many questions a list is shown, and one that is out of the way comes back by its badge', async ({
  ide, agent,
}) => {
  const calls = ['a', 'b', 'old-work', 'c', 'd'].map((folder) => ask(agent, `rm -rf ${folder}`))
  await expect(badge(ide, 5)).toBeVisible()
  await card(ide).getByRole('button', { name: /Question 1 of 5/ }).click()
  const rows = card(ide).locator('.all li')
  await expect(rows).toHaveCount(5)
  await rows.filter({ hasText: 'rm -rf d' }).getByRole('button').click()
  await expect(line(ide)).toHaveText('rm -rf d')
  await button(ide, 'Hide. The question stays open.').click()
  await expect(card(ide)).toBeHidden()
  await openFile(ide, 'README.md')
  await goToLineEnd(ide, 'README.md', 1)
  await badge(ide, 5).click()
  await expect(card(ide)).toBeFocused()
  await ide.keyboard.press('Escape')
  await ide.keyboard.type('!')
  await expectLines(ide, 'README.md', ['# Demo!', '', 'A small project.', ''])
  for (let left = 5; left > 0; left -= 1) {
    await expect(badge(ide, left)).toBeVisible()
    await click(ide, 'No')
  }
  expect((await Promise.all(calls)).map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => 'denied'))
})

test('on a phone all of a question can be read and answered', async ({ ide, agent, server }) => {
  await ide.setViewportSize(PHONE)
  const long = `rm -rf old-work/${'very-long-name-of-a-folder/'.repeat(12)}x && rm -rf old-work`
  const call = ask(agent, long, { description: 'clean up' })
  await expect(line(ide)).toHaveText(long)
  await expect(async () => {
    const box = (await card(ide).boundingBox())!
    expect([box.x >= 0, box.x + box.width <= PHONE.width, box.y >= 0, box.y + box.height <= PHONE.height])
      .toEqual([true, true, true, true])
    for (const name of ['Allow once', 'Allow for this session', 'No']) {
      const place = (await button(ide, name).boundingBox())!
      const [right, bottom] = [place.x + place.width, place.y + place.height]
      expect([name, place.x >= box.x, right <= box.x + box.width, bottom <= PHONE.height])
        .toEqual([name, true, true, true])
    }
  }).toPass({ timeout: 15_000 })
  await picture(ide, 'question-phone')
  // As wide as a window that is zoomed to twice its size.
  await ide.setViewportSize({ width: 700, height: 430 })
  await picture(ide, 'question-zoomed')
  await expect(button(ide, 'Allow once')).toBeInViewport({ ratio: 1 })
  await expect(button(ide, 'No')).toBeInViewport({ ratio: 1 })
  await click(ide, 'Allow once')
  expect(await call).toMatchObject({ success: true })
  expect(await isThere(server, 'old-work')).toBe(false)
})

test('nobody who has no person behind them answers', async ({ ide, agent, server }) => {
  const call = ask(agent)
  await expect(line(ide)).toHaveText(LINE)
  const answer = { approvalId: 'a1', answer: 'once' }
  expect(await agent.ask('approval_answer', answer).catch((error: unknown) => ({ kind: String(error) })))
    .not.toMatchObject({ success: true })
  expect(await server.call('approval.answer', answer)).toMatchObject({ success: false, kind: 'denied' })
  await expect(badge(ide, 1)).toBeVisible()
  await click(ide, 'No')
  expect(await call).toMatchObject({ kind: 'denied' })
})

for (const [name, theme] of Object.entries(THEMES)) {
  test(`a question has no serious finding in ${name} colours`, async ({ context, server, agent, complaints }) => {
    await server.settings({ 'window.autoDetectColorScheme': false, 'workbench.colorTheme': theme })
    const page = await openPage(context, server.ready.open, complaints)
    const calls = [ask(agent, 'git push origin main; rm -rf "$x"'), ask(agent)]
    await expect(badge(page, 2)).toBeVisible()
    expect(await findings(page, '.openspace-approvals')).toEqual([])
    await page.keyboard.press('Control+Alt+a')
    await card(page).getByRole('button', { name: /Question 1 of 2/ }).click()
    expect(await findings(page, '.openspace-approvals')).toEqual([])
    await picture(page, `question-${name.replace(' ', '-')}`)
    for (let left = calls.length; left > 0; left -= 1) {
      await expect(badge(page, left)).toBeVisible()
      await click(page, 'No')
    }
    await Promise.all(calls)
  })
}

test('what an agent shows and what the page says stand beside the question', async ({ ide, agent }) => {
  await openFile(ide, 'README.md')
  await editorOf(ide, 'README.md').locator('.view-lines').click()
  const call = ask(agent)
  await expect(line(ide)).toHaveText(LINE)
  await palette(ide, 'Git: Commit')
  await expect(ide.locator('.notification-toast').first()).toBeVisible()
  // Only to somebody who is in a file it is offered.
  await hasKeyboard(ide)
  await agent.call('editor_open', { path: 'a/x' })
  const boxes = async () => Promise.all(['.notification-toast', '.openspace-chip', '.openspace-approvals'].map(
    async (selector) => (await ide.locator(selector).first().boundingBox())!))
  await expect(ide.locator('.openspace-chip')).toBeVisible()
  await expect(async () => {
    const [toast, chip, question] = await boxes()
    expect([toast!.x + toast!.width <= question!.x, chip!.x + chip!.width <= question!.x]).toEqual([true, true])
  }).toPass({ timeout: 10_000 })
  await picture(ide, 'question-beside')
  await click(ide, 'No')
  await call
})
