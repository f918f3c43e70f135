// Everything that an agent can do a person can do, and the other way round: the same commands, the same
// effect, the same line in the record. Only the name in front of it differs.
import type { BrowserContext } from '@playwright/test'
import { Agent } from './agent'
import { Bridge } from './bridge'
import { Server } from './server'
import { expect, openPage, palette, PROJECT, test, visibleText, type Page } from './stage'

type Args = Record<string, unknown>

/** What lies in the trash at the start, so that restoring it needs no earlier answer. */
const TRASHED = '.openspace/trash/0000000000a1-00000001/old.txt'
const FILES = {
  ...PROJECT,
  [TRASHED]: 'old\n',
  '.openspace/trash/0000000000a1-00000001.json': '{"path":"notes/old.txt","deletedAt":161}',
  '.vscode/tasks.json': JSON.stringify({
    tasks: [{ label: 'wait', type: 'shell', command: 'sleep 1000', isBackground: true }],
  }),
}

const WINDOW = [{ startLine: 1, endLine: 2 }]
const PROBLEMS = [{ path: 'src/lib.rs', startLine: 4, message: 'too short' }]

/** A call of every command, in an order in which they all succeed. A new command has to be added here. */
const CALLS: [command: string, args: Args][] = [
  ['audit.list', { since: '1h', limit: 1 }],
  ['command.help', { command: 'pane.list' }],
  ['command.list', {}],
  ['command.run', { command: 'terminal.list' }],
  ['command.search', { query: 'pane' }],
  ['file.write', { path: 'b.rs', content: '1\n' }],
  ['file.read', { path: 'b.rs' }],
  ['file.list', {}],
  ['file.search', { query: 'b' }],
  ['file.create_folder', { path: 'made' }],
  ['file.copy', { from: 'b.rs', to: 'made/c.rs' }],
  ['file.move', { from: 'made/c.rs', to: 'made/d.rs' }],
  ['file.delete', { path: 'made' }],
  ['file.list_deleted', {}],
  ['file.restore', { trashed: TRASHED }],
  ['editor.open', { path: 'src/main.rs', line: 60, highlight: true }],
  ['editor.scroll_to', { path: 'src/main.rs', line: 2 }],
  ['editor.highlight', { path: 'src/main.rs', ranges: WINDOW, highlightId: 'h', note: 'here' }],
  ['editor.read_file', { path: 'src/main.rs' }],
  ['editor.state', {}],
  ['editor.report_problems', { source: 'lint', problems: PROBLEMS }],
  ['editor.diagnostics', { path: 'src/lib.rs' }],
  ['editor.clear_highlight', { highlightId: 'h' }],
  ['pane.open', { type: 'editor', contentId: 'b.rs', newPane: true }],
  ['pane.split', { side: 'below' }],
  ['pane.focus', { paneId: 'p1' }],
  ['pane.resize', { paneId: 'p1', width: 40 }],
  ['pane.move', { contentId: 'src/main.rs', targetPaneId: 'p3' }],
  ['pane.move_beside', { paneId: 'p3', besidePaneId: 'p2', side: 'right' }],
  ['pane.divide', { firstPaneId: 'p2', secondPaneId: 'p3', fractions: [1, 2] }],
  ['pane.pin', { paneId: 'p3' }],
  ['pane.list', {}],
  ['layout.save', { name: 'one' }],
  ['layout.apply', { name: 'one' }],
  ['layout.list', {}],
  ['layout.delete', { name: 'one' }],
  ['pane.close', { paneId: 'p2' }],
  ['terminal.create', { title: 'tests', shellPath: '/bin/bash' }],
  ['terminal.run', { terminalId: 't1', command: 'true' }],
  ['terminal.list', {}],
  ['terminal.resize', { terminalId: 't1', rows: 30, cols: 90 }],
  ['terminal.rename', { terminalId: 't1', title: 'other' }],
  ['terminal.read_output', { terminalId: 't1' }],
  ['terminal.interrupt', { terminalId: 't1' }],
  ['terminal.send', { terminalId: 't1', text: 'exit 0\n' }],
  ['terminal.restart', { terminalId: 't1' }],
  ['terminal.close', { terminalId: 't1' }],
  ['task.list', {}],
  ['task.run', { task: 'wait' }],
  ['task.stop', { task: 'wait' }],
  ['editor.close', { path: 'src/main.rs' }],
  ['workspace.bash', { command: 'sleep 1000', run_in_background: true }],
  ['workspace.run_output', { run_id: 'r1' }],
  ['workspace.run_list', {}],
  ['workspace.run_kill', { run_id: 'r1' }],
  ['workspace.write', { file_path: 'c.rs', content: '1\n' }],
  ['workspace.read', { file_path: 'c.rs' }],
  ['workspace.edit', { file_path: 'c.rs', old_string: '1', new_string: '2' }],
  ['workspace.glob', { pattern: '*.rs' }],
  ['workspace.grep', { pattern: '2' }],
  ['workspace.git', { action: 'init' }],
  ['workspace.create', {}],
  ['workspace.list', {}],
  ['workspace.get', { workspace_id: 'w1' }],
  ['workspace.destroy', { workspace_id: 'w1' }],
]

interface Entry {
  id: string
  tool: string
  shown: string
}

test.use({ files: FILES })

test('each command does the same for a person and for an agent', async ({ browser, server, complaints }, info) => {
  test.setTimeout(300_000)
  const other = await Server.start(FILES)
  const contexts: BrowserContext[] = []
  const open = async (at: Server) => {
    const context = await browser.newContext({ viewport: { width: 1400, height: 860 } })
    contexts.push(context)
    return openPage(context, at.ready.open, complaints)
  }
  try {
    const { commands } = await server.get<{ commands: Entry[] }>('/api/commands')
    // What is decided about agents is for persons alone; speaking with one needs one: the stories of the chat have it.
    // An agent does not end its own turn.
    const forPersons = /^openspace\.(agent\.|chat\.|command\.end_turn$|consent\.|workspace\.adopt_repository$)/
    // A person has no need to ask for a secret.
    const forAgents = 'openspace.file.read_secret'
    const isForBoth = ({ id, shown }: Entry) => shown !== 'hidden' && !forPersons.test(id) && id !== forAgents
    const wanted = commands.filter(isForBoth).map(({ id }) => id.replace('openspace.', ''))
    expect(CALLS.map(([command]) => command).sort()).toEqual(wanted.sort())
    await bindKeys(server)
    // An onlooker in the agent's space too: what a page makes of the agent's doing is part of the effect.
    const [page, agent] = await Promise.all([open(server), Agent.connect(other.ready), open(other)])
    for (const [index, [command, args]] of CALLS.entries()) {
      const entry = commands.find(({ id }) => id === `openspace.${command}`) as Entry
      await test.step(command, async () => {
        await Promise.all([byPerson(page, index, command), agent.call(entry.tool, args)])
        // What was typed ends the shell, in each of the two in its own time.
        if (command === 'terminal.send') await Promise.all([server, other].map(untilItsShellEnded))
        await expect.poll(async () => {
          const [mine, theirs] = await Promise.all([effect(server), effect(other)])
          return JSON.stringify(mine) === JSON.stringify(theirs) ? 'the same' : { person: mine, agent: theirs }
        }, { message: `the space after ${command}` }).toBe('the same')
      })
    }
    await expect(async () => {
      expect(await lines(server, 'person')).toEqual(await lines(other, 'agent'))
    }).toPass({ timeout: 15_000 })
    await agent.close()
  } finally {
    if (info.errors.length > 0) await info.attach('server log of the agent', { body: other.said })
    await Promise.all(contexts.map((context) => context.close()))
    await other.stop()
  }
})

test('what a command finds is shown as text, anew each time', async ({ ide, server }) => {
  await palette(ide, 'OpenSpace: File: Find by Name')
  const input = ide.locator('.quick-input-widget input').first()
  const run = ide.locator('.quick-input-list .monaco-list-row', { hasText: 'Run File: Find by Name' })
  // The palette has the same box: what is typed before the form is there is typed into the palette.
  const form = ide.locator('.quick-input-title', { hasText: 'File: Find by Name' })
  await expect(form).toBeVisible()
  await input.fill('todo')
  await ide.keyboard.press('Enter')
  await run.click()
  const result = () => visibleText(ide, 'openspace.file.search.json')
  await expect.poll(result).toContain('notes/todo.txt')
  await palette(ide, 'OpenSpace: File: Find by Name')
  await expect(form).toBeVisible()
  await input.fill('lib')
  await ide.keyboard.press('Enter')
  await run.click()
  await expect.poll(result).toContain('src/lib.rs')
  await expect.poll(result).not.toContain('notes/todo.txt')
  // It is the page's own: no pane of the space has it.
  const { parts } = await server.get<{ parts: { layout: unknown } }>('/api/state')
  expect(JSON.stringify(parts.layout)).not.toContain('openspace.file.search')
})

test('the form proposes what is at hand and takes only what fits', async ({ ide, server, complaints }) => {
  await ide.locator('.explorer-folders-view').getByText('README.md').dblclick()
  await ide.locator('.view-lines').first().click()
  await palette(ide, 'OpenSpace: Editor: Scroll to Line')
  const form = ide.locator('.quick-input-widget')
  const input = form.locator('input').first()
  await expect(input).toHaveValue('README.md')
  await ide.keyboard.press('Enter')
  await expect(form).toContainText('line:')
  await input.fill('three')
  await expect(form).toContainText('This must be a number.')
  await input.fill('1.5')
  await expect(form).toContainText('This must be a whole number.')
  await input.fill('-1')
  await expect(form).toContainText('This must be at least 1.')
  await ide.keyboard.press('Escape')
  await expect(form).toBeHidden()
  const { records } = (await server.call('audit.list', { command: 'editor.scroll_to' })) as { records: Args[] }
  expect(records).toEqual([])
  // What the server refuses is said with what to do.
  await palette(ide, 'OpenSpace: Editor: Open')
  await expect(ide.locator('.quick-input-title', { hasText: 'Editor: Open' })).toBeVisible()
  await input.fill('no-such-file.rs')
  await ide.keyboard.press('Enter')
  await form.locator('.monaco-list-row', { hasText: 'Run Editor: Open' }).click()
  await expect(ide.locator('.notifications-toasts')).toContainText('Editor: Open: `no-such-file.rs` does not exist')
  // The refusal is in the console too: as the answer's status, and as the notice.
  const isOfTheRefusal = (complaint: string) => /openspace\.editor\.open|no-such-file/.test(complaint)
  complaints.splice(0, complaints.length, ...complaints.filter((complaint) => !isOfTheRefusal(complaint)))
})

test('a command of a bridge is in the palette at once, works there, and goes with it', async ({ ide, server }) => {
  const bridge = await Bridge.register(server.ready, 'deploy')
  const properties = { branch: { type: 'string' } }
  const schema = { type: 'object', properties, required: ['branch'], additionalProperties: false }
  await bridge.offer([{ id: 'deploy.start', description: 'Deploy a branch to the test site.', inputSchema: schema }])
  const { commands } = await server.get<{ commands: { id: string; title: string }[] }>('/api/commands')
  const { title } = commands.find(({ id }) => id.endsWith('deploy.start')) as { title: string }
  await ide.keyboard.press('F1')
  const input = ide.locator('.quick-input-widget input').first()
  const row = ide.locator('.quick-input-list .monaco-list-row', { hasText: `OpenSpace: ${title}` })
  await expect(async () => {
    // The palette is a list of the moment when it was opened.
    await ide.keyboard.press('Escape')
    await ide.keyboard.press('F1')
    await input.fill(`>${title}`, { timeout: 2_000 })
    await expect(row.first()).toBeVisible({ timeout: 500 })
  }).toPass()
  await row.first().click()
  await expect(ide.locator('.quick-input-title', { hasText: title })).toBeVisible()
  await expect(ide.locator('.quick-input-widget')).toContainText('branch')
  await input.fill('main')
  await ide.keyboard.press('Enter')
  const call = await bridge.call()
  expect(call).toMatchObject({ cmd: 'deploy.start', args: { branch: 'main' } })
  await bridge.answer(call.callId, { url: 'http://127.0.0.1:9000' })
  await expect.poll(() => visibleText(ide, 'openspace.deploy.start.json')).toContain('http://127.0.0.1:9000')
  await expect.poll(async () => {
    const { records } = (await server.call('audit.list', { command: 'deploy.start' })) as { records: Args[] }
    return records.map(({ callerKind, outcome }) => [callerKind, outcome])
  }).toEqual([['person', 'ok']])
  await bridge.close()
  await expect(async () => {
    await ide.keyboard.press('Escape')
    await ide.keyboard.press('F1')
    await input.fill(`>${title}`, { timeout: 2_000 })
    await expect(ide.locator('.quick-input-list .monaco-list-row').first()).toBeVisible({ timeout: 500 })
    await expect(row).toHaveCount(0, { timeout: 500 })
  }).toPass()
})

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'

function chord(index: number): [string, string] {
  const first = index < LETTERS.length ? 'j' : 'k'
  return [first, LETTERS[index % LETTERS.length] as string]
}

/** Give each call a key of its own in the person's `keybindings.json`, with its arguments. */
async function bindKeys(server: Server): Promise<void> {
  const bindings = CALLS.map(([command, args], index) => {
    const [first, second] = chord(index)
    return { key: `ctrl+alt+shift+${first} ${second}`, command: `openspace.${command}`, args }
  })
  await server.keep('keybindings.json', JSON.stringify(bindings))
}

async function byPerson(page: Page, index: number, command: string): Promise<void> {
  const [first, second] = chord(index)
  const answered = page.waitForResponse((response) => response.url().endsWith(`/api/commands/openspace.${command}`))
  await page.keyboard.press(`Control+Alt+Shift+${first.toUpperCase()}`)
  await page.keyboard.press(second)
  const answer = (await (await answered).json()) as Args
  expect(answer, `${command} as the person`).toMatchObject({ success: true })
}


const COMPARED = ['layout', 'layouts', 'editors', 'highlights', 'terminals', 'problems', 'buffers', 'workspaces']
/** Who, when and where: what may differ. */
const CALLERS = new Set([
  'by', 'createdBy', 'createdAs', 'created_by', 'created_as', 'confined', 'createdAt', 'created_at', 'startedAt',
  'endedAt', 'pid', 'at',
])

async function untilItsShellEnded(server: Server): Promise<void> {
  await expect.poll(async () => {
    const { parts } = await server.get<{ parts: { terminals: Record<string, { state: string }> } }>('/api/state')
    return parts.terminals.t1?.state
  }).toBe('exited')
}

/** The space as it is now, without who made it so, when and where. */
async function effect(server: Server): Promise<unknown> {
  const { parts } = await server.get<{ parts: Record<string, unknown> }>('/api/state')
  const compared = COMPARED.map((name) => [name, parts[name]])
  // A workspace's `root` is a folder, the layout's is the key of an entry.
  const isPlace = (key: string, value: unknown) => key === 'root' && String(value).startsWith('/')
  const told = (key: string, value: unknown) => (CALLERS.has(key) || isPlace(key, value) ? undefined : value)
  const text = JSON.stringify(Object.fromEntries(compared), told)
  return JSON.parse(text.replaceAll(server.root, '/project')) as unknown
}

/** The record of this kind of caller, oldest first, without what the page does by itself. */
async function lines(server: Server, kind: string): Promise<unknown[]> {
  const { records } = (await server.call('audit.list', { limit: 1000 })) as { records: Record<string, string>[] }
  const known = new Set(CALLS.map(([command]) => `openspace.${command}`))
  return records
    .filter(({ callerKind, command }) => callerKind === kind && known.has(command as string))
    .map(({ command, summary = '', outcome }) => {
      return { command, summary: summary.replaceAll(server.root, '/project'), outcome }
    })
    .reverse()
}
