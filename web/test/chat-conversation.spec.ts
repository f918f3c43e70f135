// The page's copy of a session as plain code: what is told becomes messages, in order, once.
import { expect, test } from '@playwright/test'
import { QUIET_MS, sayingOf } from '../src/panels/chat/quiet'
import { Conversation } from '../src/protocol/chat-conversation'
import type {
  ChatEvent, Failure, Message, MessageInfo, Part, PermissionRequest, Session, ToolCall,
} from '../src/protocol/chat-words'

const INFO: MessageInfo = {
  id: 'm1', sessionId: 's1', role: 'assistant', created: 10, completed: null, answers: null, mode: null, model: null,
  usage: null, cost: null, finish: null, failure: null, isSummary: false, diffs: [],
}
const SESSION: Session = {
  id: 's1', title: 'One', parentId: null, directory: null, created: 1, updated: 1, archived: null, sharedAt: null,
  reverted: null, mode: null, model: null, totals: null,
}
const CALL: ToolCall = {
  callId: 'c1', tool: 'bash', title: null, state: 'running', input: { command: 'ls' }, inputLeftOut: 0, output: null,
  error: null, started: null, ended: null, attachments: [], diffs: [], locations: [], childSession: null,
}
const FAILURE: Failure = { kind: 'provider', name: 'APIError', message: 'no', status: 500, isRetryable: false }
const info = (id: string, created: number): MessageInfo => ({ ...INFO, id, created })
const message = (id: string, created: number): Message => ({ info: info(id, created), parts: [], partsLeftOut: 0 })
const text = (id: string, messageId: string, words: string): Part => ({
  id, messageId, sessionId: 's1',
  content: { type: 'text', text: { text: words }, isSynthetic: false, started: null, ended: null },
})
const tool = (call: Partial<ToolCall>): Part =>
  ({ id: 'p1', messageId: 'm1', sessionId: 's1', content: { type: 'tool', call: { ...CALL, ...call } } })
const delta = (partId: string, words: string, field: 'text' | 'output' = 'text'): ChatEvent =>
  ({ type: 'text_delta', sessionId: 's1', messageId: 'm1', partId, field, delta: words })

function told(...events: ChatEvent[]): Conversation {
  const conversation = new Conversation('s1')
  for (const event of events) conversation.apply(event)
  return conversation
}

const said = ({ messages }: Conversation) => messages.map(({ info: { id }, parts }) => [
  id, ...parts.map(({ content }) =>
    content.type === 'text' ? content.text.text : content.type === 'tool' ? content.call.output?.text : content.type),
])

test('words_that_come_one_by_one_are_one_text', () => {
  const conversation = told(
    { type: 'message_updated', message: INFO }, { type: 'part_updated', part: text('p1', 'm1', '') },
    delta('p1', 'Hel'), delta('p1', 'lo'),
  )
  expect(said(conversation)).toEqual([['m1', 'Hello']])
  conversation.apply({ type: 'part_updated', part: text('p1', 'm1', 'Hello.') })
  expect(said(conversation)).toEqual([['m1', 'Hello.']])
})

test('what_a_tool_puts_out_grows', () => {
  const conversation = told(
    { type: 'message_updated', message: INFO }, { type: 'part_updated', part: tool({}) }, delta('p1', 'a', 'output'),
    delta('p1', 'b', 'output'),
  )
  expect(said(conversation)).toEqual([['m1', 'ab']])
})

test('messages_stand_in_the_order_in_which_they_began', () => {
  const conversation = told(...[['m3', 30], ['m1', 10], ['m2', 20], ['m4', 20]].map(([id, created]): ChatEvent =>
    ({ type: 'message_updated', message: info(String(id), Number(created)) })))
  expect(said(conversation)).toEqual([['m1'], ['m2'], ['m4'], ['m3']])
})

test('another_message_is_another_object_and_the_others_stay_the_same', () => {
  const conversation = told(
    { type: 'message_updated', message: info('m1', 1) }, { type: 'message_updated', message: info('m2', 2) },
    { type: 'part_updated', part: text('p1', 'm1', '') },
  )
  const [first, second] = conversation.messages
  conversation.apply(delta('p1', 'x'))
  expect([conversation.messages[0] === first, conversation.messages[1] === second]).toEqual([false, true])
})

test('what_is_of_another_session_is_none_of_this_one', () => {
  const conversation = told(
    { type: 'message_updated', message: { ...INFO, sessionId: 's2' } },
    { type: 'session_updated', session: { ...SESSION, id: 's2' } },
    { type: 'status', sessionId: 's2', status: { state: 'busy' } },
    { type: 'error', sessionId: null, failure: FAILURE },
  )
  const { session, isBusy, failures } = conversation
  expect([said(conversation), session, isBusy, failures]).toEqual([[], undefined, false, []])
})

test('what_is_undone_is_not_shown_and_counted', () => {
  const conversation = new Conversation('s1')
  conversation.restart([message('m1', 1), message('m2', 2), message('m3', 3)], undefined)
  conversation.apply({
    type: 'session_updated', session: { ...SESSION, reverted: { messageId: 'm2', partId: null, diff: null } },
  })
  expect([conversation.shown.map(({ info: { id } }) => id), conversation.undone]).toEqual([['m1'], 2])
  conversation.apply({ type: 'session_updated', session: SESSION })
  expect([conversation.shown.length, conversation.undone]).toEqual([3, 0])
})

test('older_messages_come_before_and_none_twice', () => {
  const conversation = new Conversation('s1')
  conversation.restart([message('m2', 2), message('m3', 3)], 'cursor')
  // Older than all that was read: it comes when older ones are read.
  conversation.apply({ type: 'message_updated', message: info('m0', 0) })
  conversation.prepend([message('m0', 0), message('m1', 1), message('m2', 2)], undefined)
  expect([said(conversation).flat(), conversation.older]).toEqual([['m0', 'm1', 'm2', 'm3'], undefined])
})

test('a_failure_that_a_message_tells_too_is_told_once', () => {
  const failure = FAILURE
  const error: ChatEvent = { type: 'error', sessionId: 's1', failure }
  const failed: ChatEvent = { type: 'message_updated', message: { ...INFO, failure } }
  const first = told({ type: 'message_updated', message: INFO }, error, failed)
  const second = told(failed, error)
  const alone = told(error)
  expect([first.failures, second.failures, alone.failures]).toEqual([[], [], [failure]])
})

test('what_a_sub_agent_waits_for_is_waited_for_here', () => {
  const conversation = told(
    { type: 'message_updated', message: INFO }, { type: 'part_updated', part: tool({ childSession: 's2' }) },
    { type: 'session_created', session: { ...SESSION, id: 's3', parentId: 's2' } },
  )
  const asked = (id: string, sessionId: string) => ({ id, sessionId, questions: [], tool: null })
  conversation.waitFor([], [asked('q1', 's1'), asked('q2', 's2'), asked('q3', 's3'), asked('q4', 's4')])
  expect(conversation.questions.map(({ id }) => id)).toEqual(['q1', 'q2', 'q3'])
})

test('an_agent_that_works_and_tells_nothing_is_quiet_since_it_was_heard_last', () => {
  let now = 1_000
  const conversation = new Conversation('s1', () => now)
  expect(conversation.quiet).toBeUndefined()
  now = 2_000
  conversation.apply({ type: 'status', sessionId: 's1', status: { state: 'busy' } })
  expect(conversation.quiet).toEqual({ since: 2_000, tool: undefined })
  now = 3_000
  conversation.apply({ type: 'message_updated', message: INFO })
  conversation.apply({ type: 'part_updated', part: text('p1', 'm1', '') })
  now = 4_000
  conversation.apply(delta('p1', 'Hel'))
  // What is told of others is nothing of this one.
  now = 5_000
  conversation.apply({ type: 'status', sessionId: 's2', status: { state: 'busy' } })
  expect(conversation.quiet).toEqual({ since: 4_000, tool: undefined })
  conversation.apply({ type: 'part_updated', part: tool({}) })
  expect(conversation.quiet).toEqual({ since: 5_000, tool: 'bash' })
  conversation.apply({ type: 'status', sessionId: 's1', status: { state: 'idle' } })
  expect(conversation.quiet).toBeUndefined()
})

test('who_waits_for_a_person_or_for_another_try_is_not_quiet', () => {
  let now = 1_000
  const conversation = new Conversation('s1', () => now)
  conversation.status = { state: 'busy' }
  const request: PermissionRequest = {
    id: 'r1', sessionId: 's1', permission: 'bash', title: null, patterns: [], always: [], replies: [], diffs: [],
    details: null, tool: null,
  }
  conversation.waitFor([request], [])
  expect(conversation.quiet).toBeUndefined()
  now = 60_000
  conversation.waitFor([], [])
  expect(conversation.quiet).toEqual({ since: 60_000, tool: undefined })
  conversation.status = { state: 'retry', attempt: 1, message: 'wait', next: null }
  expect(conversation.quiet).toBeUndefined()
})

test('that_nothing_comes_is_said_after_a_while_and_with_its_time', () => {
  const quiet = { since: 1_000, tool: undefined }
  expect(sayingOf(undefined, 'opencode', 99_000)).toEqual({ text: '' })
  expect(sayingOf(quiet, 'opencode', 6_000)).toEqual({ text: '', again: QUIET_MS - 5_000 })
  const time = new Date(1_000).toLocaleTimeString()
  const late = 1_000 + QUIET_MS
  expect(sayingOf(quiet, 'opencode', late).text)
    .toBe(`Nothing has come from opencode since ${time}. Escape stops it.`)
  expect(sayingOf({ ...quiet, tool: 'openspace_terminal_run' }, 'opencode', late).text)
    .toBe(`“terminal run” is at work, and has said nothing since ${time}. Escape stops it.`)
})
