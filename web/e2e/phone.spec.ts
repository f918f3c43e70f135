// A question that is answered on another device: the link and its code in the page, and the one-time page on a phone.
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, picture, test, type Agent, type Page } from './stage'

const LONG = `rm -rf old-work # ${'a-very-long-word-'.repeat(20)}`
const PHONE = { width: 390, height: 844 }

const card = (page: Page) => page.locator('.openspace-approvals')
const button = (page: Page, name: string) => card(page).getByRole('button', { name, exact: true })
const ask = (agent: Agent) => agent.ask('workspace_bash', { command: LONG })

/** A click that is meant: what has only just come does not count. */
async function click(page: Page, name: string): Promise<void> {
  await page.mouse.move(700, 300)
  await expect(button(page, name)).toBeVisible()
  await expect(card(page)).not.toHaveClass(/\bfresh\b/)
  await button(page, name).click()
}

/** Nothing of a page is out of its width, and each button can be hit with a thumb. */
async function fits(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
  for (const name of ['No', 'Yes, once']) {
    const box = (await page.getByRole('button', { name, exact: true }).boundingBox())!
    expect([name, box.x >= 0, box.x + box.width <= PHONE.width, box.height >= 40]).toEqual([name, true, true, true])
  }
}

test.use({ surroundings: { profile: 'careful' }, files: { 'README.md': '# Demo\n', 'old-work/one.txt': 'old\n' } })

test('a link from the page answers one question once, on a phone that has no key', async ({
  ide, agent, server, browser,
}) => {
  const call = ask(agent)
  await click(ide, 'Answer on a phone…')
  await expect(card(ide).getByRole('img', { name: 'QR code of the link' })).toBeVisible()
  await expect(card(ide)).toContainText('the server listens on loopback')
  await expect(button(ide, 'Allow once')).toBeHidden()
  await picture(ide, 'question-link')
  const link = (await card(ide).getByLabel('Link to this question', { exact: true }).textContent()) ?? ''
  expect(link).toMatch(new RegExp(`^${server.ready.url}/approve\\?code=[0-9a-f]{32}$`))

  const phone = await browser.newContext({ viewport: PHONE, isMobile: true, hasTouch: true })
  const page = await phone.newPage()
  await page.goto(link)
  await expect(page.getByText('rm -rf old-work').first()).toBeVisible()
  await fits(page)
  await picture(page, 'phone-page')
  await page.getByRole('button', { name: 'Yes, once', exact: true }).tap()
  await expect(page.getByRole('heading')).toContainText('approved once by one-time page')
  await picture(page, 'phone-page-answered')
  expect(await call).toMatchObject({ success: true, exit_code: 0 })
  expect(await access(join(server.root, 'old-work')).then(() => true, () => false)).toBe(false)
  await expect(card(ide)).toBeHidden()
  await page.goto(link)
  await expect(page.getByRole('heading')).toHaveText('This link is not valid')
  await phone.close()
})

test('with the keyboard alone a link is asked for and left again, and a no on the phone has its words', async ({
  ide, agent, browser,
}) => {
  const call = ask(agent)
  await expect(button(ide, 'Answer on a phone…')).toBeVisible()
  await ide.keyboard.press('Control+Alt+a')
  await expect(card(ide)).toBeFocused()
  await expect(card(ide)).not.toHaveClass(/\bfresh\b/)
  await button(ide, 'Answer on a phone…').focus()
  await ide.keyboard.press('Enter')
  const text = card(ide).getByLabel('Link to this question', { exact: true })
  await expect(text).toBeFocused()
  const link = (await text.textContent()) ?? ''
  await ide.keyboard.press('Escape')
  await expect(button(ide, 'Allow once')).toBeVisible()

  const phone = await browser.newContext({ viewport: PHONE, colorScheme: 'dark' })
  const page = await phone.newPage()
  await page.goto(link)
  await page.getByLabel('A word to the agent').fill('not before Monday')
  await picture(page, 'phone-page-dark')
  await page.getByRole('button', { name: 'No', exact: true }).click()
  await expect(page.getByRole('heading')).toContainText('denied by one-time page')
  const refused = await call
  expect(refused).toMatchObject({ success: false, kind: 'denied' })
  expect(JSON.stringify(refused)).toContain('not before Monday')
  await phone.close()
})
