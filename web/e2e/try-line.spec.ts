// A person asks what the policy would say about a line: in each place, by which rule, and without running it.
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, palette, picture, test, type Page } from './stage'

const TITLE = 'OpenSpace: Try a Command Against the Policy…'
const RULE = "[[rule]]\nid = 'no-make'\ndecision = 'deny'\nline = 'make *'\nreason = 'Use just.'\n"

const input = (page: Page) => page.locator('.quick-input-widget input').first()
const title = (page: Page) => page.locator('.quick-input-title')
const row = (page: Page, text: string) => page.locator('.quick-input-list .monaco-list-row', { hasText: text })

/** Type a line into the box, and wait for what becomes of it. */
async function tryLine(page: Page, line: string): Promise<void> {
  await expect(title(page)).toHaveText('Try a Command Against the Policy')
  await input(page).fill(line)
  await page.keyboard.press('Enter')
  await expect(title(page)).toHaveText(`What becomes of: ${line}`)
}

test.use({
  surroundings: { profile: 'careful' },
  files: { 'old-work/out.txt': 'old\n', '.openspace/policy.toml': RULE },
})

test('with the keyboard alone: what becomes of a line in each place, by which rule; and nothing runs', async ({
  ide, server,
}) => {
  await ide.keyboard.press('F1')
  await expect(input(ide)).toBeFocused()
  await ide.keyboard.type(TITLE)
  await expect(row(ide, TITLE)).toHaveClass(/\bfocused\b/)
  await ide.keyboard.press('Enter')
  await tryLine(ide, 'echo $(date) && rm -rf old-work')
  await expect(input(ide)).toHaveAttribute('placeholder', /^Profile careful\./)
  const first = ide.locator('.quick-input-list .monaco-list-row').first()
  await expect(first).toContainText('in the agents’ confined place')
  await expect(first).toContainText('You are asked')
  await expect(first).toContainText('By the profile `careful: dangerous`: Deletes folders with everything in them.')
  // What a shell would put in is no picture.
  await expect(row(ide, 'echo $(date)').first()).toContainText('allowed, by the profile `careful: confined`')
  await expect(row(ide, 'rm -rf old-work').first()).toContainText('needs a yes, by the profile `careful: dangerous`')
  await expect(row(ide, 'outside of the agents’ place')).toContainText('By the profile `careful: outside`')
  await picture(ide, 'try-line')
  await expect(access(join(server.root, 'old-work/out.txt'))).resolves.toBeUndefined()
  const log = await server.call('audit.list', { command: 'policy.check' })
  const { records } = log as { records: { summary: string }[] }
  // The line is nobody's deed, and in no record.
  expect(records.map(({ summary }) => summary)).toEqual(['say what the policy says about a line'])

  // Any entry leads back to the line.
  await ide.keyboard.press('Enter')
  await expect(input(ide)).toHaveValue('echo $(date) && rm -rf old-work')
  await tryLine(ide, 'ls')
  await expect(first).toContainText('Runs without a question')
  await expect(row(ide, '“Always” would save a rule about `ls *`')).toHaveCount(1)
  await ide.keyboard.press('Escape')
  await expect(ide.locator('.quick-input-widget')).toBeHidden()
})

test('a rule that forbids is named with its reason, and an empty line is not asked about', async ({ ide }) => {
  await palette(ide, TITLE)
  await expect(title(ide)).toHaveText('Try a Command Against the Policy')
  await ide.keyboard.press('Enter')
  await expect(ide.locator('.quick-input-message')).toContainText('Type a line first.')
  await tryLine(ide, 'make all')
  await expect(row(ide, 'Refused')).toHaveCount(2)
  await expect(row(ide, 'Refused').first()).toContainText('By the project\'s rule `no-make`: Use just.')
})

test('a policy that cannot be asked is said with what to do', async ({ ide, complaints }) => {
  const body = { success: false, kind: 'lost', error: 'the server stops', hint: 'try again when it is back' }
  await ide.route('**/api/commands/openspace.policy.check', (route) => route.fulfill({ status: 503, json: body }))
  await palette(ide, TITLE)
  await expect(title(ide)).toHaveText('Try a Command Against the Policy')
  await input(ide).fill('ls')
  await ide.keyboard.press('Enter')
  const told = ide.locator('.notifications-toasts .notification-list-item')
  await expect(told).toContainText('The policy could not be asked: the server stops (try again when it is back)')
  const isExpected = (one: string) => one.includes('openspace.policy.check') || one.includes('could not be asked')
  complaints.splice(0, complaints.length, ...complaints.filter((one) => !isExpected(one)))
})

test.describe('where nobody is asked', () => {
  test.use({ surroundings: { profile: 'off' } })

  test('that is said, and every line runs', async ({ ide }) => {
    await palette(ide, TITLE)
    await tryLine(ide, 'rm -rf old-work')
    await expect(input(ide)).toHaveAttribute('placeholder', /^Nobody is asked about anything\./)
    await expect(row(ide, 'Runs without a question')).toHaveCount(2)
  })
})

test.describe('on a machine that can confine nothing', () => {
  test.use({ surroundings: { profile: 'careful', variables: { OPENSPACE_RUNNER: '/no/runner' } } })

  test('there is one place, and what it is is said', async ({ ide }) => {
    await palette(ide, TITLE)
    await tryLine(ide, 'touch made')
    await expect(row(ide, 'You are asked')).toHaveCount(1)
    await expect(row(ide, 'agents’ programs are not confined here')).toContainText('careful: unconfined')
  })
})
