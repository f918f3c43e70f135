// The socket for languages against a scripted server: what is told, asked, taken back and lost.
import { expect, test } from '@playwright/test'
import { Failure } from '../src/protocol/failure'
import type { FromLanguagePage, PageServer, ToLanguagePage } from '../src/protocol/generated'
import { LanguageChannel, MOST_SHOWN, type LanguageSocket } from '../src/protocol/languages'

class SocketDouble implements LanguageSocket {
  onopen: (() => void) | null = null
  onclose: (() => void) | null = null
  onmessage: ((message: { data: unknown }) => void) | null = null
  readonly said: FromLanguagePage[] = []
  isClosed = false

  send(text: string): void {
    this.said.push(JSON.parse(text) as FromLanguagePage)
  }

  close(): void {
    this.isClosed = true
    this.onclose?.()
  }

  tell(message: ToLanguagePage): void {
    this.onmessage?.({ data: JSON.stringify(message) })
  }
}

interface Stage {
  channel: LanguageChannel
  sockets: SocketDouble[]
  /** What was to be done later. */
  waiting: (() => void)[]
}

function stage(): Stage {
  const sockets: SocketDouble[] = []
  const waiting: (() => void)[] = []
  const make = () => {
    const socket = new SocketDouble()
    sockets.push(socket)
    return socket
  }
  const channel = new LanguageChannel(make, (work) => waiting.push(work))
  channel.connect()
  return { channel, sockets, waiting }
}

function connected(): Stage & { socket: SocketDouble } {
  const all = stage()
  const [socket] = all.sockets
  if (!socket) throw new Error('nobody connected')
  socket.onopen?.()
  return { ...all, socket }
}

const HOVER = { method: 'textDocument/hover', path: 'a.ts', text: { version: 3 }, params: { position: {} } }
const SERVER: PageServer = {
  id: 'tsc', server: 'tsc', name: 'TypeScript', root: '.', languages: ['typescript'], state: 'ready',
  foundIn: 'project', generation: 1,
  abilities: { 'textDocument/hover': true },
}

const failureOf = (asked: Promise<unknown>) =>
  asked.then(() => undefined, (error: unknown) => (error instanceof Failure ? error.kind : String(error)))

test('a_question_is_answered_by_its_number', async () => {
  const { channel, socket } = connected()
  const first = channel.ask(HOVER)
  const second = channel.ask(HOVER)
  expect(socket.said.slice(1)).toEqual([{ type: 'ask', id: 1, ...HOVER }, { type: 'ask', id: 2, ...HOVER }])
  const answer = (value: string) => [{ server: 'tsc', generation: 1, complete: true, value }]
  socket.tell({ type: 'answer', id: 2, answers: answer('two') })
  socket.tell({ type: 'answer', id: 1, answers: answer('one') })
  expect(await first).toEqual(answer('one'))
  expect(await second).toEqual(answer('two'))
})

test('a_refusal_keeps_its_kind_and_its_hint', async () => {
  const { channel, socket } = connected()
  const asked = channel.ask(HOVER).catch((error: unknown) => error)
  socket.tell({ type: 'failed', id: 1, kind: 'stale', error: 'another text', hint: 'ask again' })
  expect(await asked).toMatchObject({ kind: 'stale', message: 'another text', hint: 'ask again' })
})

test('what_is_taken_back_is_told_once_and_its_answer_finds_nobody', async () => {
  const { channel, socket } = connected()
  const aborting = new AbortController()
  const asked = failureOf(channel.ask(HOVER, aborting.signal))
  aborting.abort()
  aborting.abort()
  expect(await asked).toBe('cancelled')
  expect(socket.said.slice(2)).toEqual([{ type: 'cancel', id: 1 }])
  socket.tell({ type: 'answer', id: 1, answers: [] })
  expect(socket.isClosed).toBe(false)
})

test('who_took_it_back_before_it_was_asked_asks_nothing', async () => {
  const { channel, socket } = connected()
  const aborting = new AbortController()
  aborting.abort()
  expect(await failureOf(channel.ask(HOVER, aborting.signal))).toBe('cancelled')
  expect(socket.said).toEqual([{ type: 'shown', paths: [] }])
})

test('a_break_fails_what_is_under_way_forgets_the_servers_and_tells_what_is_shown_anew', async () => {
  const { channel, sockets, socket, waiting } = connected()
  channel.show(['a.ts', 'b.ts'])
  channel.show(['a.ts', 'b.ts'])
  socket.tell({ type: 'servers', servers: [SERVER], absent: [] })
  expect(channel.servers.servers).toEqual([SERVER])
  const asked = failureOf(channel.ask(HOVER))
  socket.onclose?.()
  expect(await asked).toBe('unreachable')
  expect(channel.servers).toEqual({ servers: [], absent: [] })
  expect(await failureOf(channel.ask(HOVER))).toBe('unreachable')
  expect(socket.said.filter(({ type }) => type === 'shown')).toHaveLength(2)
  waiting.shift()?.()
  const [, next] = sockets
  next?.onopen?.()
  expect(next?.said).toEqual([{ type: 'shown', paths: ['a.ts', 'b.ts'] }])
  // What the old one still says is nobody's.
  socket.tell({ type: 'servers', servers: [SERVER], absent: [] })
  expect(channel.servers.servers).toEqual([])
})

test('what_is_not_understood_on_either_side_makes_the_connection_anew', async () => {
  const complaints: unknown[] = []
  const complain = console.error
  console.error = (text: unknown) => complaints.push(text)
  try {
    const { channel, socket, waiting } = connected()
    const asked = failureOf(channel.ask(HOVER))
    socket.tell({ type: 'error', error: 'no such message', kind: 'invalid_args', hint: null })
    expect(await asked).toBe('unreachable')
    expect([socket.isClosed, waiting.length]).toEqual([true, 1])
    expect(complaints).toEqual(['the connection for languages is made anew: no such message'])
  } finally {
    console.error = complain
  }
})

test('no_more_files_are_told_than_the_server_takes', () => {
  const { channel, socket } = connected()
  channel.show(Array.from({ length: MOST_SHOWN + 5 }, (_, index) => `${index}.ts`))
  const told = socket.said.at(-1)
  expect(told?.type === 'shown' && told.paths).toHaveLength(MOST_SHOWN)
})

test('edits_that_a_server_asks_for_are_made_or_refused_with_the_reason', async () => {
  const { channel, socket } = connected()
  const edit = { type: 'apply' as const, edit: 7, label: null, changes: [] }
  const answers = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    return socket.said.filter(({ type }) => type === 'applied')
  }
  socket.tell(edit)
  expect(await answers()).toEqual([{ type: 'applied', edit: 7, done: false, why: 'this page cannot change texts yet' }])
  channel.applying = async () => undefined
  socket.tell({ ...edit, edit: 8 })
  expect((await answers()).at(-1)).toEqual({ type: 'applied', edit: 8, done: true })
  channel.applying = async () => 'a.ts was changed meanwhile'
  socket.tell({ ...edit, edit: 9 })
  expect((await answers()).at(-1)).toEqual({
    type: 'applied', edit: 9, done: false, why: 'a.ts was changed meanwhile',
  })
})

test('more_questions_than_the_bound_are_refused_here', async () => {
  const { channel } = connected()
  for (let count = 0; count < 128; count += 1) void channel.ask(HOVER)
  expect(await failureOf(channel.ask(HOVER))).toBe('busy')
})
