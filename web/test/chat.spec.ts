// The chat as plain code: what a tool's call is about, changes as lines, mentions, and what is read after a gap.
import { expect, test } from '@playwright/test'
import { typedAt } from '../src/panels/chat/completion'
import { diffLines } from '../src/panels/chat/diff'
import { spentOf } from '../src/panels/chat/spent'
import { factsOf, plainOutput } from '../src/panels/chat/tool-facts'
import { ChatChannel, type ChatSocket, type ToChatPage } from '../src/protocol/chat'
import { ChatCommands } from '../src/protocol/chat-commands'
import type { AgentState, ChatEvent, FileDiff, Message, ToolCall } from '../src/protocol/chat-words'
import { sentences, chat as strings } from '../src/strings/chat'
import { Chats } from '../src/workbench/chat/chats'
import { mentioned, slashIn } from '../src/workbench/chat/mentions'

const CALL: ToolCall = {
  callId: 'c', tool: 'x', title: null, state: 'completed', input: {}, inputLeftOut: 0, output: null, error: null,
  started: null, ended: null, attachments: [], diffs: [], locations: [], childSession: null,
}
const facts = (tool: string, input: object, rest: Partial<ToolCall> = {}) => {
  const { name, detail, links } = factsOf({ ...CALL, tool, input, ...rest }, '/srv/x')
  return [name, detail, links]
}

test.describe('a call of a tool', () => {
  test('is_told_in_words_with_where_to_look', () => {
    expect([
      facts('openspace_editor_open', { path: 'src/a.rs', line: 7 }),
      facts('openspace_openspace_terminal_run', { terminal: 't1', command: 'npm test' }),
      facts('bash', { command: 'ls\nrm x', description: 'look' }),
      facts('read', { filePath: '/srv/x/src/b.rs', offset: 3 }),
      facts('read', { filePath: '/etc/passwd' }),
      facts('task', { description: 'find it' }, { childSession: 's2' }),
      facts('grep', { pattern: 'port', path: '.' }),
      facts('odd', {}, { title: 'Something' }),
    ]).toEqual([
      ['editor open', 'src/a.rs:7', [{ kind: 'file', path: 'src/a.rs', line: 7 }]],
      ['terminal run', 'npm test', [{ kind: 'terminal', terminal: 't1' }]],
      ['run', 'ls …', []],
      ['read', 'src/b.rs:3', [{ kind: 'file', path: 'src/b.rs', line: 3 }]],
      ['read', '/etc/passwd', []],
      ['hand on', 'find it', [{ kind: 'session', session: 's2' }]],
      ['grep', 'port', []],
      ['odd', 'Something', []],
    ])
  })

  test('puts_out_nothing_that_moves_colours_or_hides', () => {
    expect([
      '\u001b[31mred\u001b[0m', '\u001b]0;title\u0007x', '\u001b]8;;http://evil\u001b\\link\u001b]8;;\u001b\\',
      'ten %\rhundred %\r\ndone', 'a\u202eb\u200bc', '\u001b[2J\u001b[1;1Hx', 'tab\tline\n', '\u001bc\u0000\u0007y',
    ].map(plainOutput)).toEqual(['red', 'x', 'link', 'hundred %\ndone', 'abc', 'x', 'tab\tline\n', 'y'])
  })
})

test('sentences_end_as_such_and_not_twice', () => {
  expect([
    sentences('it failed', 'try again.'), sentences('wrong url or port?', null, ' ', 'Wait!'), sentences(),
    sentences('see “x.”', 'y…'), strings.waitsToRetry(2, 'wrong url or port?', null),
  ]).toEqual([
    'it failed. try again.', 'wrong url or port? Wait!', '', 'see “x.” y…',
    'Attempt 2 failed: wrong url or port? It will be tried again.',
  ])
})

test('a_change_is_lines_however_it_is_told', () => {
  const diff = (text: FileDiff['text']): FileDiff =>
    ({ path: 'a', change: null, additions: null, deletions: null, text })
  const shown = (text: FileDiff['text']) => diffLines(diff(text)).map(({ kind, text: line }) => `${kind} ${line}`)
  expect([
    shown({ form: 'untold' }),
    shown({ form: 'patch', patch: { text: '--- a\n+++ b\n@@ -1,2 +1,2 @@ fn x\n same\n-old\n+new\n\\ No newline\n' } }),
    shown({ form: 'texts', before: { text: 'a\nb\nc' }, after: { text: 'a\nB\nc' } }),
    shown({ form: 'texts', before: null, after: { text: 'a\nb' } }),
    shown({ form: 'texts', before: null, after: { text: 'a\nb\n' } }),
    shown({ form: 'texts', before: { text: 'a\n' }, after: { text: 'a' } }),
    shown({ form: 'texts', before: { text: 'a' }, after: { text: 'a' } }),
  ]).toEqual([
    [],
    ['hunk @@ -1,2 +1,2 @@', 'same same', 'deleted old', 'added new'],
    ['same a', 'deleted b', 'added B', 'same c'],
    ['added a', 'added b'],
    ['added a', 'added b'],
    ['same a', 'deleted '],
    [],
  ])
})

test('what_a_turn_took_is_said_once_at_its_end', () => {
  const message = (role: 'user' | 'assistant', created: number, completed: number | null, input: number): Message => ({
    info: {
      id: String(created), sessionId: 's', role, created, completed, answers: null, mode: null, model: null,
      usage: { input, output: 10, reasoning: 0, cacheRead: 0, cacheWrite: 0 }, cost: 0.25, finish: null, failure: null,
      isSummary: false, diffs: [],
    },
    parts: [], partsLeftOut: 0,
  })
  const messages = [
    message('user', 0, 0, 0), message('assistant', 1_000, 2_000, 100), message('assistant', 2_000, 4_000, 200),
    message('user', 5_000, 5_000, 0), message('assistant', 6_000, 7_000, 50),
  ]
  const first = '300 in, 20 out · $0.50 · 3.0 s'
  expect(spentOf(messages, false)).toEqual(['', '', first, '', '50 in, 10 out · $0.25 · 1.0 s'])
  expect(spentOf(messages, true)).toEqual(['', '', first, '', ''])
})

test.describe('a prompt', () => {
  test('proposes_after_a_slash_at_its_beginning_and_after_an_at', () => {
    const typed = (text: string, caret = text.length) => {
      const found = typedAt(text, caret)
      return found && `${found.trigger}${found.text}|${found.start}`
    }
    expect([
      typed('/'), typed('/com'), typed('/com x'), typed(' /com'), typed('@'), typed('see @src/m'), typed('me@home'),
      typed('(@a'), typed('@a b'), typed('@abc', 2),
    ]).toEqual(['/|0', '/com|0', undefined, undefined, '@|0', '@src/m|4', undefined, '@a|1', undefined, '@a|0'])
  })

  test('mentions_files_that_are_there_and_agents', async () => {
    const isFile = (path: string) => Promise.resolve(path === 'src/a.rs')
    expect(await mentioned('look at @src/a.rs:3-9, ask @explore or @nobody.', ['explore'], isFile)).toEqual([
      { type: 'file', path: 'src/a.rs', line: 3, endLine: 9, mention: { text: '@src/a.rs:3-9', start: 8, end: 21 } },
      { type: 'agent', name: 'explore', mention: { text: '@explore', start: 27, end: 35 } },
    ])
  })

  test('is_a_slash_command_when_it_begins_with_one', () => {
    expect(['/init', '/init  a b\nc', '/ x', 'a /init', '/usr/bin'].map(slashIn)).toEqual([
      { name: 'init', words: '' }, { name: 'init', words: 'a b\nc' }, undefined, undefined, undefined,
    ])
  })
})

const AGENT: AgentState = {
  id: 'oc', name: 'OC', state: 'running', why: null, hint: null, install: null, login: null, loginCommand: null,
  needsRestart: false,
  confined: { is: true, why: null }, abilities: [{ ability: 'todos', can: false, why: 'no' }],
}
const MESSAGE: Message = {
  info: {
    id: 'm1', sessionId: 's1', role: 'assistant', created: 1, completed: null, answers: null, mode: null, model: null,
    usage: null, cost: null, finish: null, failure: null, isSummary: false, diffs: [],
  },
  parts: [{
    id: 'p1', messageId: 'm1', sessionId: 's1',
    content: { type: 'text', text: { text: 'ab' }, isSynthetic: false, started: null, ended: null },
  }],
  partsLeftOut: 0,
}

const S1 = [{ agent: 'oc', sessionId: 's1' }]

/** A page whose server is this test. */
function page() {
  const sent: string[] = []
  const asked: { id: string; args: unknown; answer: (value: unknown) => void }[] = []
  const socket: ChatSocket = {
    onopen: null, onclose: null, onmessage: null, close: () => undefined,
    send: (text) => void sent.push(text),
  }
  const channel = new ChatChannel(() => socket, () => undefined)
  const answers: Record<string, unknown> = {
    'openspace.chat.sessions': { sessions: [], next: null }, 'openspace.chat.models': { providers: [], default: null },
    'openspace.chat.modes': { modes: [] }, 'openspace.chat.commands': { commands: [] },
  }
  const commands = new ChatCommands((id, args) => {
    if (id in answers) return Promise.resolve(answers[id])
    return new Promise((answer) => asked.push({ id, args, answer }))
  })
  const chats = new Chats(channel, commands)
  const tell = (message: ToChatPage) => socket.onmessage?.({ data: JSON.stringify(message) })
  const event = (number: number, it: ChatEvent) => tell({ type: 'told', agent: 'oc', number, event: it })
  channel.connect()
  socket.onopen?.()
  tell({ type: 'agents', agents: [AGENT], defaultAgent: 'oc' })
  return { chats, sent, asked, tell, event, socket }
}

const delta = (words: string): ChatEvent =>
  ({ type: 'text_delta', sessionId: 's1', messageId: 'm1', partId: 'p1', field: 'text', delta: words })
const textOf = ({ conversation }: Chats) =>
  conversation?.messages.flatMap(({ parts }) => parts)
    .map(({ content }) => content.type === 'text' && content.text.text)

test.describe('a session that is opened', () => {
  test('has_each_word_once_whatever_was_told_while_it_was_read', async () => {
    const { chats, sent, asked, tell, event } = page()
    const opened = chats.open('oc/s1')
    expect(sent.at(-1)).toBe(JSON.stringify({ type: 'follow', sessions: [{ agent: 'oc', sessionId: 's1' }] }))
    // For what was asked before.
    tell({ type: 'following', sessions: [], number: 4 })
    tell({ type: 'following', sessions: S1, number: 5 })
    await expect.poll(() => asked.length).toBe(1)
    event(6, delta('b'))
    event(7, delta('c'))
    asked[0]!.answer({ messages: [MESSAGE], older: null, number: 6 })
    await opened
    event(8, delta('d'))
    expect(textOf(chats)).toEqual(['abcd'])
  })

  test('is_read_anew_after_a_gap', async () => {
    const { chats, asked, tell } = page()
    const opened = chats.open('oc/s1')
    tell({ type: 'following', sessions: S1, number: 1 })
    await expect.poll(() => asked.length).toBe(1)
    asked[0]!.answer({ messages: [], older: null, number: 1 })
    await opened
    tell({ type: 'gap', agent: 'oc', why: 'slow', number: 9 })
    tell({ type: 'following', sessions: S1, number: 9 })
    await expect.poll(() => asked.length).toBe(2)
    asked[1]!.answer({ messages: [MESSAGE], older: null, number: 9 })
    await expect.poll(() => textOf(chats)).toEqual(['ab'])
  })

  test('is_not_the_one_that_was_left_meanwhile', async () => {
    const { chats, asked, tell } = page()
    const opened = chats.open('oc/s1')
    tell({ type: 'following', sessions: S1, number: 1 })
    await expect.poll(() => asked.length).toBe(1)
    chats.leave()
    asked[0]!.answer({ messages: [MESSAGE], older: null, number: 1 })
    await opened
    expect([chats.conversation, chats.address, chats.isLoading]).toEqual([undefined, undefined, false])
  })
})
