// A person sets agents up in the page, and the chat says what is wrong where it cannot be used.
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findings, THEMES } from './findings'
import { screen, testWithTerminals } from './hands'
import { Opencode } from './opencode'
import { forgiveNoAgent } from './outage'
import { expect, openPage, palette, picture, ready, test as base, type Page } from './stage'

const KEY = 'Ez-31-typed-in-a-browser-Hk8'
/** A machine with much else to do starts an agent, and has it answer, this late at most. */
const PATIENCE = { timeout: 60_000 }

const chat = (page: Page) => page.locator('.openspace-chat:not(.openspace-setup)')
const setup = (page: Page) => page.locator('.openspace-setup')
const prompt = (page: Page) => chat(page).getByRole('combobox', { name: 'Message to the agent' })
const toasts = (page: Page) => page.locator('.notification-toast')
const agentCard = (page: Page, name: string) => setup(page).getByRole('region', { name, exact: true })

async function ask(page: Page, words: string): Promise<void> {
  await prompt(page).fill(words)
  await prompt(page).press('Enter')
}

async function open(page: Page): Promise<void> {
  await page.keyboard.press('Control+Alt+i')
  await expect(chat(page)).toBeVisible()
}

// Each starts a server, an agent and a browser.
base.setTimeout(240_000)
testWithTerminals.setTimeout(240_000)

const attached = base.extend<{ opencode: Opencode; hasKey: boolean }>({
  hasKey: [true, { option: true }],
  opencode: async ({ hasKey }, use) => {
    const opencode = await Opencode.start({ hasKey })
    await use(opencode)
    await opencode.stop()
  },
  surroundings: async ({ opencode: { url, password } }, use) =>
    use({ args: ['--opencode', url], variables: { OPENSPACE_OPENCODE_PASSWORD: password } }),
})

attached.describe('an agent that has no key', () => {
  attached.use({ hasKey: false })

  attached('is logged in with one that nobody else sees, and answers with the model that is chosen', async ({
    ide, opencode, server,
  }) => {
    const sent: string[] = []
    const heard: string[] = []
    ide.on('request', (request) => {
      if (request.postData()?.includes(KEY) || request.url().includes(KEY)) sent.push(new URL(request.url()).pathname)
    })
    ide.on('response', (response) => {
      response.text().then((text) => {
        if (text.includes(KEY)) heard.push(response.url())
      }, () => undefined)
    })
    ide.on('websocket', (socket) => {
      const look = ({ payload }: { payload: string | Buffer }) => {
        if (String(payload).includes(KEY)) heard.push(socket.url())
      }
      socket.on('framereceived', look)
      socket.on('framesent', look)
    })
    await ide.reload()
    await ready(ide)
    await open(ide)
    await chat(ide).getByRole('button', { name: 'Set up agents' }).first().click()
    const card = agentCard(ide, 'opencode')
    const provider = card.locator('.provider', { hasText: 'Scripted' })
    await expect(provider).toContainText('connected · from its configuration · 2 models', PATIENCE)
    await provider.getByRole('button', { name: 'Log in to Scripted' }).click()
    const field = provider.getByLabel('Key of Scripted')
    await expect(field).toBeFocused()
    await expect(field).toHaveAttribute('type', 'password')
    await ide.keyboard.type(KEY)
    await ide.keyboard.press('Enter')
    await expect(setup(ide).getByText('Logged in to Scripted: 2 models.')).toBeVisible(PATIENCE)
    await expect(provider).toContainText('with a key', PATIENCE)
    expect(await ide.content()).not.toContain(KEY)

    opencode.say({ text: 'The first answer.' })
    await expect(chat(ide).getByLabel('Model', { exact: true })).toBeVisible(PATIENCE)
    await chat(ide).getByLabel('Model', { exact: true }).selectOption({ label: 'Second' })
    await ask(ide, 'Say something.')
    const answer = chat(ide).locator('.message.assistant')
    await expect(answer).toContainText('The first answer.', PATIENCE)
    await expect(answer).toContainText('Second')

    await provider.getByRole('button', { name: 'Log out of Scripted' }).click()
    await ide.locator('.monaco-dialog-box').getByRole('button', { name: 'Log out' }).click()
    await expect(setup(ide).getByText('The log-in to Scripted is forgotten.')).toBeVisible(PATIENCE)
    expect(sent).toEqual(['/api/commands/openspace.chat.log_in'])
    expect(heard).toEqual([])
    expect(server.said).not.toContain(KEY)
  })
})

attached('a turn that fails says why in the chat, is tried again there, and nothing lies over the prompt', async ({
  ide, opencode,
}) => {
  await open(ide)
  const refused = { end: { type: 'refused' as const, status: 400, message: 'wrong url or port?' } }
  opencode.say(refused, refused)
  await ask(ide, 'First.')
  const failures = chat(ide).locator('.failure')
  await expect(failures.last()).toContainText('wrong url or port?', PATIENCE)
  await failures.last().getByRole('button', { name: 'Try again' }).click()
  await expect(chat(ide).locator('.message.user')).toHaveCount(2, PATIENCE)
  await expect(failures).toHaveCount(2, PATIENCE)
  opencode.say({ text: 'It works now.' })
  await failures.last().getByRole('button', { name: 'Try again' }).click()
  await expect(chat(ide).locator('.message.assistant').last()).toContainText('It works now.', PATIENCE)
  await expect(toasts(ide)).toHaveCount(0)

  // What was said is there again with an arrow, in a new session too.
  await chat(ide).getByRole('button', { name: 'New session', exact: true }).click()
  await expect(prompt(ide)).toHaveValue('')
  await prompt(ide).press('ArrowUp')
  await expect(prompt(ide)).toHaveValue('First.')
  const mode = chat(ide).getByLabel('Mode', { exact: true })
  await expect(mode).toBeVisible()
  expect((await mode.boundingBox())?.width).toBeGreaterThan(80)
})

attached('an agent whose server is killed is said to be away, and is there again by itself', async ({
  ide, opencode, complaints,
}) => {
  opencode.say({ text: 'Before.' }, { text: 'After.' })
  await open(ide)
  await ask(ide, 'One')
  await expect(chat(ide).locator('.message.assistant')).toContainText('Before.', PATIENCE)
  await opencode.kill()
  const strip = chat(ide).locator('.strip')
  await expect(strip).toContainText('opencode does not answer. It is asked again by itself.', PATIENCE)
  await chat(ide).getByRole('button', { name: 'New session', exact: true }).click()
  await expect(chat(ide).getByRole('heading', { name: 'opencode does not answer' })).toBeVisible()
  await picture(ide, 'chat-away')
  await opencode.again()
  await expect(chat(ide).getByRole('heading', { name: 'What shall opencode do?' })).toBeVisible(PATIENCE)
  await ask(ide, 'Two')
  await expect(chat(ide).locator('.message.assistant')).toContainText('After.', PATIENCE)

  // In the middle of an answer the same: what was heard stays, and it is said that no more comes.
  opencode.say({ text: 'It begins and', end: { type: 'never' } }, { text: 'There again.' })
  await ask(ide, 'Three')
  const last = chat(ide).locator('.message.assistant').last()
  await expect(last).toContainText('It begins and', PATIENCE)
  await opencode.kill()
  await expect(strip).toContainText('opencode does not answer', PATIENCE)
  await opencode.again()
  await expect(strip).not.toContainText('opencode does not answer', PATIENCE)
  await expect(last).toContainText('It begins and')
  await expect(last).toContainText('It broke off here', PATIENCE)
  await ask(ide, 'Four')
  await expect(last).toContainText('There again.', PATIENCE)
  await expect(toasts(ide)).toHaveCount(0)
  forgiveNoAgent(complaints)
})

/** A folder that programs are looked for in first. */
const bare = testWithTerminals.extend<{ programs: string }>({
  programs: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'openspace-programs-'))
    await use(folder)
    await rm(folder, { recursive: true, force: true })
  },
  surroundings: async ({ programs }, use) =>
    use({ variables: { PATH: `${programs}:/usr/local/bin:/usr/bin:/bin` } }),
})

async function program(folder: string, name: string, script: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`)
  await chmod(join(folder, name), 0o755)
}

bare('without any agent the chat says how to get one, installs it where one watches, and finds it by itself', async ({
  ide, programs, complaints,
}) => {
  await program(programs, 'npm', [
    'echo "fake npm: $*"', `printf '#!/bin/sh\\necho it cannot start >&2\\nexit 1\\n' > ${programs}/opencode`,
    `chmod +x ${programs}/opencode`,
  ].join('\n'))
  await open(ide)
  await expect(chat(ide).getByRole('heading', { name: 'No agent is installed' })).toBeVisible()
  await expect(chat(ide).locator('.known li').first()).toContainText('npm install --global opencode-ai@')
  await expect(chat(ide).locator('.known li').first()).toContainText('opencode auth login')
  await picture(ide, 'chat-none')
  await chat(ide).getByRole('button', { name: 'Install opencode in a terminal' }).click()
  await expect.poll(() => screen(ide), PATIENCE).toContain('fake npm: install --global opencode-ai@')
  // It is there, where its confined place does not show it.
  await expect(chat(ide).getByRole('heading', { name: 'opencode is installed where agents see nothing' }))
    .toBeVisible(PATIENCE)
  await expect(chat(ide).locator('.face')).toContainText(`${programs}/opencode`)
  await expect(chat(ide).locator('.face code').first()).toContainText(`--agents-read ${programs}`)
  await expect(toasts(ide)).toHaveCount(0)
  await picture(ide, 'chat-hidden')

  // To let it run outside is one step, which is asked about.
  await chat(ide).locator('.face').getByRole('button', { name: 'Set up agents' }).click()
  const card = agentCard(ide, 'opencode')
  await card.getByLabel('Run it outside of its confined place').check({ force: true })
  await ide.locator('.monaco-dialog-box').getByRole('button', { name: 'Let it' }).click()
  await expect(chat(ide).getByRole('heading', { name: 'opencode has failed' })).toBeVisible(PATIENCE)
  await expect(chat(ide).locator('.face')).toContainText('it cannot start')
  await expect(toasts(ide)).toHaveCount(0)
  forgiveNoAgent(complaints)
})

for (const [name, theme] of Object.entries(THEMES)) {
  attached(`the page of agents has no serious finding in ${name} colours, and fits on a phone`, async ({
    context, server,
  }) => {
    const colours = { 'window.autoDetectColorScheme': false, 'workbench.colorTheme': theme }
    await server.keep('settings.json', JSON.stringify(colours))
    const page = await openPage(context, server.ready.open, [])
    await palette(page, 'OpenSpace: Set Up Agents')
    const card = agentCard(page, 'opencode')
    await expect(card.locator('.provider')).toBeVisible(PATIENCE)
    await card.getByRole('button', { name: 'Log in to Scripted' }).click()
    expect(await findings(page, '.openspace-setup')).toEqual([])
    await picture(page, `agents-${name.replace(' ', '-')}`)
    await page.setViewportSize({ width: 390, height: 844 })
    const over = await setup(page).evaluate((element) => element.scrollWidth - element.clientWidth)
    expect(over).toBeLessThanOrEqual(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  })
}
