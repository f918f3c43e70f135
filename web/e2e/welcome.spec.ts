// The first minutes: what a person sees who has an empty folder and no agent, and how that changes.
import { Agent } from './agent'
import { expect, picture, tab, test, type Page } from './stage'

interface Client {
  title: string
  command: string
  text: string
  file: string
}

const status = (page: Page) => page.locator('.openspace-welcome-status')
const item = (page: Page, text: string | RegExp) => page.locator('.statusbar-item', { hasText: text })

test.describe('in an empty folder', () => {
  test.use({ files: {} })

  test('the page says how each client is connected, and turns green when one is', async ({ ide, server, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await expect(tab(ide, 'Welcome')).toBeVisible()
    await expect(ide.getByText('This folder is empty.')).toBeVisible()
    await expect(status(ide)).toHaveText('No agent is connected yet.')
    const { clients } = await server.get<{ clients: Client[] }>('/api/connect')
    expect(clients.length).toBeGreaterThan(5)
    const cards = ide.locator('.openspace-welcome-clients details')
    await expect(cards.locator('summary')).toHaveText(clients.map(({ title }) => title))
    for (const [index, { title, command, text, file }] of clients.entries()) {
      const card = cards.nth(index)
      if ((await card.getAttribute('open')) === null) await card.locator('summary').click()
      await card.getByRole('button', { name: `Copy the command for ${title}` }).click()
      await expect.poll(() => ide.evaluate(() => navigator.clipboard.readText())).toBe(command)
      await card.getByRole('button', { name: `Copy the lines of ${file} for ${title}` }).click()
      await expect.poll(() => ide.evaluate(() => navigator.clipboard.readText())).toBe(text)
      await expect(card.getByRole('status').filter({ hasText: 'Copied' }).first()).toBeAttached()
      expect(text).not.toContain(server.ready.token)
    }
    await picture(ide, 'welcome')
    const agent = await Agent.connect(server.ready, 'first-agent')
    await agent.call('pane_list', { all: true })
    await expect(status(ide)).toHaveText('Connected: first-agent 1.0.0')
    await expect(status(ide)).toHaveClass(/\bconnected\b/)
    await agent.call('file_write', { path: 'hello.txt', content: 'hello\n' })
    await expect(ide.getByText('You and an agent share this space')).toBeVisible()
    await picture(ide, 'welcome-connected')
    await agent.close()
  })

  test('the keys that it names are those that the person has', async ({ context, server, ide }) => {
    await expect(ide.locator('.openspace-welcome dl')).toContainText('Ctrl+Alt+F')
    const command = 'openspace.view.follow'
    const keys = [{ key: 'ctrl+alt+g', command }, { key: 'ctrl+alt+f', command: `-${command}` }]
    await server.keep('keybindings.json', JSON.stringify(keys))
    await expect(ide.locator('.openspace-welcome dl')).toContainText('Ctrl+Alt+G')
    const page = await context.newPage()
    await page.goto(server.ready.url)
    await expect(page.locator('.openspace-welcome dl')).toContainText('Ctrl+Alt+G')
    await expect(page.locator('.openspace-welcome dl')).not.toContainText('Ctrl+Alt+F')
  })

  test('clients that cannot be loaded are said, and asked for again', async ({ ide }) => {
    const clients = ide.locator('.openspace-welcome-clients summary')
    await expect(clients.first()).toBeVisible()
    await tab(ide, 'Welcome').locator('.codicon-close').click()
    await expect(tab(ide, 'Welcome')).toHaveCount(0)
    await ide.route('**/api/connect', (route) => route.fulfill({ json: null }), { times: 1 })
    await item(ide, 'No agent').click()
    await ide.locator('.openspace-welcome-clients').getByRole('button', { name: 'Try again' }).click()
    await expect(clients.first()).toBeVisible()
  })
})

test('the status bar counts agents and what they run, and leads to what there is to see', async ({ ide, server }) => {
  await expect(tab(ide, 'Welcome')).toBeVisible()
  await tab(ide, 'Welcome').locator('.codicon-close').click()
  await expect(tab(ide, 'Welcome')).toHaveCount(0)
  await item(ide, 'No agent').click()
  await expect(tab(ide, 'Welcome')).toBeVisible()

  const agent = await Agent.connect(server.ready, 'worker')
  const running = agent.ask('workspace_bash', { command: 'until [ -e go ]; do sleep 0.05; done' })
  await expect(item(ide, '1 agent')).toContainText('1 running')
  await picture(ide, 'status-running')
  await server.write('go', '')
  expect(await running).toMatchObject({ success: true })
  await expect(item(ide, '1 agent')).not.toContainText('running')
  await item(ide, '1 agent').click()
  await ide.locator('.quick-input-list .monaco-list-row', { hasText: 'Show Activity' }).click()
  await expect(ide.locator('.openspace-activity li').filter({ hasText: 'worker' }).first()).toBeVisible()
  await agent.leave()
  await expect(item(ide, 'No agent')).toBeVisible()
})

test('following is switched from the status bar and by its key, and takes the person along', async ({ ide, agent }) => {
  await agent.call('editor_open', { path: 'README.md' })
  await ide.locator('.view-lines').first().click()
  await item(ide, 'Follow').click()
  await expect(item(ide, 'Following')).toBeVisible()
  await ide.locator('.view-lines').first().click()
  await agent.call('editor_open', { path: 'src/main.rs', line: 90 })
  await expect(tab(ide, 'main.rs')).toHaveClass(/\bactive\b/)
  await expect.poll(() => ide.evaluate(() => document.activeElement?.closest('.editor-instance') !== null)).toBe(true)
  await ide.keyboard.press('Control+Alt+F')
  await expect(item(ide, 'Following')).toHaveCount(0)
})
