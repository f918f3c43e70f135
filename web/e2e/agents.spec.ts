// What a person does about agents: pausing, stopping, disconnecting and letting in again, from the bar and by key.
import { Agent } from './agent'
import { answer, dialog, notice } from './hands'
import { expect, palette, picture, test, type Page } from './stage'

const item = (page: Page, text: string) => page.locator('.statusbar-item', { hasText: text })
const entry = (page: Page, text: string) => page.locator('.quick-input-list .monaco-list-row', { hasText: text })
const WAIT = 'until [ -e go ]; do sleep 0.05; done'

/** Open the list for the only agent, and choose there. */
async function choose(page: Page, deed: string): Promise<void> {
  // Before the page knows of an agent, the same place leads to the welcome.
  await item(page, '1 agent').click()
  await entry(page, deed).click()
}

test('an agent is paused and let go on from the status bar, which says so', async ({ ide, agent }) => {
  await agent.call('file_read', { path: 'README.md' })
  await item(ide, '1 agent').click()
  await expect(ide.locator('.quick-input-title')).toContainText('Agent tester')
  await expect(entry(ide, 'Stop All Its Programs')).toContainText('It stays connected.')
  await picture(ide, 'agent-deeds')
  await entry(ide, 'Pause').click()
  // This is said for a few seconds only.
  await expect(item(ide, 'is paused.')).toBeVisible()
  await expect(item(ide, '1 agent')).toContainText('1 paused')
  expect(await agent.ask('file_read', { path: 'README.md' })).toMatchObject({ success: false, kind: 'busy' })

  await item(ide, '1 paused').click()
  await expect(entry(ide, 'Let Go On')).toBeVisible()
  await expect(entry(ide, 'Pause')).toHaveCount(0)
  await entry(ide, 'Let Go On').click()
  await expect(item(ide, '1 paused')).toHaveCount(0)
  await agent.call('file_read', { path: 'README.md' })
})

test('with the keyboard alone: the programs of an agent are stopped, and it stays', async ({ ide, agent, server }) => {
  const running = agent.ask('workspace_bash', { command: WAIT })
  await expect(item(ide, '1 agent')).toContainText('1 running')
  await ide.keyboard.press('F1')
  await ide.keyboard.type('OpenSpace: Manage Agents')
  await expect(entry(ide, 'OpenSpace: Manage Agents…')).toHaveClass(/focused/)
  await ide.keyboard.press('Enter')
  await expect(entry(ide, 'Show Activity')).toContainText(`Runs now: `)
  await ide.keyboard.type('Stop All')
  await expect(entry(ide, 'Pause')).toHaveCount(0)
  await expect(entry(ide, 'Stop All Its Programs')).toHaveClass(/focused/)
  await ide.keyboard.press('Enter')
  // This is said for a few seconds only.
  await expect(item(ide, '1 call and 0 programs ended.')).toBeVisible()
  expect(await running).toMatchObject({ success: false, kind: 'cancelled' })
  await expect(item(ide, '1 agent')).not.toContainText('running')
  await agent.call('file_read', { path: 'README.md' })
  await server.write('go', '')
})

test('disconnecting names what goes and waits for a yes; the agent can be let in again', async ({
  ide, agent, server,
}) => {
  await agent.call('editor_open', { path: 'src/lib.rs' })
  await expect(ide.locator('.tab[aria-label^="lib.rs"]')).toBeVisible()
  await choose(ide, 'Disconnect…')
  await expect(dialog(ide)).toContainText('Disconnect tester')
  await expect(dialog(ide)).toContainText('What it brought goes: tab src/lib.rs')
  await picture(ide, 'agent-disconnect')
  await answer(ide, 'Cancel')
  await agent.call('file_read', { path: 'README.md' })
  await expect(ide.locator('.tab[aria-label^="lib.rs"]')).toBeVisible()

  await choose(ide, 'Disconnect…')
  await answer(ide, 'Disconnect')
  await expect(ide.locator('.tab[aria-label^="lib.rs"]')).toHaveCount(0)
  await expect(notice(ide, 'A new session of tester is let in')).toBeVisible()
  await expect(item(ide, 'No agent')).toBeVisible()

  const listed = async () => {
    const { agents } = (await server.call('agent.list', {})) as { agents: { disconnected: boolean }[] }
    return agents.map(({ disconnected }) => disconnected)
  }
  await expect.poll(listed).toEqual([true])
  await palette(ide, 'OpenSpace: Manage Agents…')
  await entry(ide, 'Let In Again').click()
  await expect(item(ide, 'is let in again.')).toBeVisible()
  await expect.poll(listed).toEqual([])
})

test('what somebody else typed into stays when its agent is disconnected, and is named', async ({
  ide, agent, server,
}) => {
  const { terminalId } = await agent.call('terminal_create', { title: 'shared' })
  await server.call('terminal.send', { terminalId, text: 'echo mine\n' })
  await choose(ide, 'Disconnect…')
  await expect(dialog(ide)).toContainText(`What you took to stays: terminal ${terminalId}`)
  await answer(ide, 'Disconnect')
  const stays = new RegExp(`Of what it brought these stay: .*terminal ${terminalId} \\(somebody else typed into it\\)`)
  await expect(notice(ide, stays)).toBeVisible()
})

test('of several agents the person chooses one, by what it does', async ({ ide, agent, server }) => {
  const other = await Agent.connect(server.ready, 'worker')
  const running = other.ask('workspace_bash', { command: `echo $(date); ${WAIT}` })
  await expect(item(ide, '2 agents')).toContainText('1 running')
  await item(ide, '2 agents').click()
  await expect(entry(ide, 'tester')).toContainText('connected')
  await expect(entry(ide, 'worker')).toContainText('connected, runs 1 call')
  // What a shell would put in is no picture.
  await expect(entry(ide, 'worker')).toContainText('Runs now: echo $(date); until')
  await picture(ide, 'agents-several')
  await entry(ide, 'worker').click()
  await entry(ide, 'Pause').click()
  await expect(item(ide, '2 agents')).toContainText('1 paused')
  expect(await other.ask('file_read', { path: 'README.md' })).toMatchObject({ kind: 'busy' })
  await agent.call('file_read', { path: 'README.md' })
  await server.write('go', '')
  // What ran goes on.
  expect(await running).toMatchObject({ success: true })
  await other.close()
})

test('consent to a client is taken back and given again, with what it means', async ({ ide, agent }) => {
  await choose(ide, 'Take Back Consent to tester')
  await expect(item(ide, 'tester may only look.')).toBeVisible()
  const write = () => agent.ask('file_write', { path: 'new.txt', content: 'x' })
  expect(await write()).toMatchObject({ success: false, kind: 'denied' })
  await agent.call('file_read', { path: 'README.md' })
  await choose(ide, 'Agree to tester…')
  await expect(dialog(ide)).toContainText('May tester do more than look in this space?')
  await expect(dialog(ide)).toContainText('An agent sees the files of')
  await expect(dialog(ide)).toContainText('take your word back, at any time')
  await answer(ide, 'Agree')
  await expect.poll(write).toMatchObject({ success: true })
})

test('what cannot be done is said with what to do', async ({ ide, agent, complaints }) => {
  await agent.call('file_read', { path: 'README.md' })
  const body = { success: false, kind: 'not_saved', error: 'the disk is full', hint: 'make room and try again' }
  await ide.route('**/api/commands/openspace.agent.pause', (route) => route.fulfill({ status: 507, json: body }))
  await choose(ide, 'Pause')
  await expect(notice(ide, /was not paused: the disk is full \(make room and try again\)/)).toBeVisible()
  await expect(item(ide, 'paused')).toHaveCount(0)
  await agent.call('file_read', { path: 'README.md' })
  const isExpected = (one: string) => one.includes('openspace.agent.pause') || one.includes('was not paused')
  complaints.splice(0, complaints.length, ...complaints.filter((one) => !isExpected(one)))
})
