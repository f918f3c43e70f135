// The story that all of this is for: a person asks, and an agent that the server started shows a place in a file, runs
// something in a terminal that both see, and says what came of it. It hears what the person did meanwhile.
import { answers, ask, chat, open, PATIENCE, testWithOwn as test } from './chat-page'
import { openFile } from './editor'
import { expect, picture, tab, visibleText } from './stage'

test.setTimeout(240_000)

const tool = (name: string, args: unknown) => ({ tools: [{ name: `openspace_${name}`, arguments: args }] })

test('an agent opens a line, highlights it, runs a command in a new terminal, reads it and answers', async ({
  ide, server, opencode,
}) => {
  await opencode.install(server.root)
  opencode.say(
    tool('editor_open', { path: 'src/main.rs', line: 42 }),
    tool('editor_highlight', {
      path: 'src/main.rs', ranges: [{ startLine: 42, endLine: 43 }], note: 'the forty-second',
    }),
    tool('terminal_create', { title: 'count' }),
    tool('terminal_run', { terminalId: 'count', command: 'wc -l < src/main.rs' }),
    tool('terminal_read_output', { terminalId: 'count' }),
    { text: 'It is line 42 of 120 in src/main.rs.' },
  )
  await open(ide)
  await ask(ide, 'Where is line_42, and how long is the file?')
  await expect(answers(ide).last()).toContainText('It is line 42 of 120', PATIENCE)
  await expect(tab(ide, 'main.rs')).toBeVisible()
  await expect.poll(() => visibleText(ide, 'main.rs')).toContain('fn line_42() {}')
  await expect(ide.locator('.openspace-note')).toContainText('the forty-second')
  await expect(ide.locator('.part.panel .xterm-screen')).toBeVisible()
  const read = await server.call('terminal.read_output', { terminalId: 'count' })
  expect(read.output).toContain('120')
  await expect(chat(ide).locator('.tool[data-state="completed"]')).toHaveCount(5)
  await picture(ide, 'chat-story')

  // What the person does now is told with the answer to the agent's next call.
  await openFile(ide, 'README.md')
  opencode.say(tool('pane_list', {}), { text: 'You opened a file.' })
  await ask(ide, 'What did I do?')
  await expect(answers(ide).last()).toContainText('You opened a file.', PATIENCE)
  const { sessions } = await server.call('chat.sessions', {}) as { sessions: { address: string }[] }
  const said = await server.call('chat.messages', { session: sessions[0]?.address })
  expect(JSON.stringify(said)).toMatch(/Since your last call the person: [^)]*opened README\.md/)
})

test('an agent without tools acts by what it writes, once, and the words are not shown', async ({
  ide, server, opencode,
}) => {
  await opencode.install(server.root, '[run.opencode]\ncommands_in_text = true\n')
  const command = '%%OS{"cmd":"editor.open","args":{"path":"src/lib.rs","line":5}}%%'
  opencode.say({ text: `I show you. ${command} There.`, gapMs: 20 })
  await open(ide)
  await ask(ide, 'Show me add.')
  await expect(tab(ide, 'lib.rs')).toBeVisible(PATIENCE)
  await expect(answers(ide)).toContainText('I show you. There.', PATIENCE)
  await expect(answers(ide)).not.toContainText('%%OS')
  await expect(chat(ide).locator('.tool[data-state="completed"]')).toHaveCount(1)
  await ide.reload()
  await expect(answers(ide)).toContainText('There.', PATIENCE)
  await expect(answers(ide)).not.toContainText('%%OS')
  const { records } = await server.call('audit.list', { caller: 'opencode' }) as { records: { command: string }[] }
  expect(records.filter((record) => record.command === 'openspace.editor.open')).toHaveLength(1)
})
