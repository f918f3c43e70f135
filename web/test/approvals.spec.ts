// Questions to the person as plain code: what is shown of a text, which click is meant, and which question is in front.
import { expect, test } from '@playwright/test'
import { timeOf } from '../src/panels/approvals/body'
import { CALM_MS, ClickGuard } from '../src/panels/approvals/click-guard'
import { inOneLine, visible } from '../src/panels/approvals/visible'
import type { Approval } from '../src/protocol/approvals'
import { Queue } from '../src/workbench/approvals/queue'

/** A text with its marks in brackets of their own. */
const shown = (text: string) => visible(text).map((piece) => (piece.isMark ? `[${piece.text}]` : piece.text)).join('')

test.describe('a text', () => {
  test('stays_as_it_is_where_all_of_it_is_seen', () => {
    for (const text of ['', 'git push origin main', 'a\tb\nc\r\nd', 'grüße ✓ 漢字 עברית 🦀', 'x '.repeat(100)]) {
      expect(shown(text)).toBe(text)
    }
  })

  test('has_no_character_that_hides_or_reorders_others', () => {
    const unseen = [
      0x00, 0x07, 0x08, 0x1b, 0x7f, 0x85, 0x9b, 0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x180e, 0x2003, 0x200b, 0x200d,
      0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x202f, 0x2060, 0x2066, 0x2069, 0x2800, 0x3000, 0x3164,
      0xfe0f, 0xfeff, 0xffa0, 0xe000, 0x1d159, 0xe0041, 0xe0100, 0x10ffff,
    ]
    for (const code of unseen) {
      const name = code.toString(16).toUpperCase().padStart(4, '0')
      expect(shown(`a${String.fromCodePoint(code)}b`)).toBe(`a[⟨U+${name}⟩]b`)
    }
    expect(shown('half \ud800 of one')).toBe('half [⟨U+D800⟩] of one')
    expect(shown('echo hidden\rls')).toBe('echo hidden[⟨U+000D⟩]ls')
  })

  test('pushes_nothing_out_of_sight', () => {
    expect(shown(`ls${' '.repeat(16)};rm`)).toBe(`ls${' '.repeat(16)};rm`)
    expect(shown(`ls${' '.repeat(400)};rm`)).toBe('ls[⟨400 blanks⟩];rm')
    expect(shown('ls\n\n\nrm')).toBe('ls\n\n\nrm')
    expect(shown(`ls\n${' \n'.repeat(90)}rm`)).toBe('ls\n[⟨90 empty lines⟩]\nrm')
    expect(shown(`ls\n\n\n\n${' '.repeat(20)}rm`)).toBe('ls\n[⟨3 empty lines⟩]\n[⟨20 blanks⟩]rm')
  })

  test('is_one_line_where_it_is_listed', () => {
    expect(inOneLine('git push\n  origin\u202e main\n')).toBe('git push origin⟨U+202E⟩ main')
  })
})

test.describe('a click', () => {
  const guarded = () => {
    const clock = { now: 10_000 }
    const guard = new ClickGuard(() => clock.now)
    return { clock, guard }
  }

  test('is_not_meant_for_what_has_only_just_come', () => {
    const { clock, guard } = guarded()
    guard.moved()
    const pressed = [0, 1, CALM_MS - 1, CALM_MS, CALM_MS + 1].map((after) => {
      guard.pressed(clock.now + after)
      return guard.isMeant(clock.now + after + 50)
    })
    expect(pressed).toEqual([false, false, false, true, true])
  })

  test('counts_from_when_it_was_pressed_and_not_from_when_it_was_let_go', () => {
    const { clock, guard } = guarded()
    guard.moved()
    guard.pressed(clock.now + CALM_MS - 100)
    expect(guard.isMeant(clock.now + CALM_MS + 5_000)).toBe(false)
    // One without a press is another one.
    expect(guard.isMeant(clock.now + CALM_MS + 5_000)).toBe(true)
  })

  test('is_not_meant_for_what_came_under_a_pointer_that_did_not_move', () => {
    const { clock, guard } = guarded()
    guard.moved()
    clock.now += 60_000
    guard.seenAt({ x: 100, y: 100 })
    guard.entered({ x: 100, y: 100 })
    guard.pressed(clock.now + 80)
    expect(guard.isMeant(clock.now + 120)).toBe(false)
    guard.pressed(clock.now + CALM_MS)
    expect(guard.isMeant(clock.now + CALM_MS)).toBe(true)
  })

  test('is_meant_at_once_for_what_the_pointer_went_to', () => {
    const { clock, guard } = guarded()
    guard.moved()
    clock.now += 60_000
    guard.seenAt({ x: 100, y: 100 })
    guard.entered({ x: 101, y: 100 })
    guard.pressed(clock.now + 30)
    expect(guard.isMeant(clock.now + 60)).toBe(true)
  })

  test('of_a_key_is_meant_for_a_button_that_only_moved_and_not_for_one_that_became_another', () => {
    const { clock, guard } = guarded()
    const key = () => {
      guard.keyed(clock.now + 10)
      return guard.isMeant(clock.now + 20)
    }
    guard.changed()
    const atOnce = key()
    clock.now += CALM_MS
    guard.moved()
    expect([atOnce, key()]).toEqual([false, true])
  })
})

const QUESTION: Approval = {
  command: 'openspace.workspace.bash', summary: 'run git push', arguments: [], digest: 'd', line: null, folder: null,
  caller: { kind: 'agent', id: 'tester', session: 's1' }, site: 'confined', reason: null, theirs: null,
  rule: 'danger:push', why: 'it reaches out', always: null, eachTime: false, askedAt: 1_000, waiting: true,
  until: null, state: 'open',
}
const asked = (askedAt: number): Approval => ({ ...QUESTION, askedAt })
const ANSWERED = { by: '', message: null, answeredAt: 2_000, usedAt: null }
const approved = (channel: 'browser' | 'command_line' | 'page' | 'client', by = ''): Approval => ({
  ...QUESTION, state: 'approved', scope: 'once', answered: { ...ANSWERED, channel, by },
})
const denied: Approval = { ...QUESTION, state: 'denied', answered: { ...ANSWERED, channel: 'browser' } }

/** What is in front, in short. */
function front(queue: Queue): string {
  const card = queue.card()
  if (!card) return 'nothing'
  if (card.is === 'over') return `${card.id}: ${card.outcome}`
  const { id, place, all, isSending, trouble } = card
  return [`${id} ${place}/${all.length}`, isSending && 'sending', trouble].filter(Boolean).join(', ')
}

test.describe('of the questions', () => {
  test('the_oldest_comes_first_and_stays_in_front_while_others_come', () => {
    const queue = new Queue()
    expect(front(queue)).toBe('nothing')
    expect(queue.take({ a10: asked(5), a9: asked(5) }).map(({ id }) => id)).toEqual(['a9', 'a10'])
    expect(front(queue)).toBe('a9 1/2')
    expect(queue.take({ a10: asked(5), a9: asked(5), a2: asked(1) }).map(({ id }) => id)).toEqual(['a2'])
    expect(front(queue)).toBe('a9 2/3')
  })

  test('next_and_previous_go_around_and_one_of_the_list_comes_to_the_front', () => {
    const queue = new Queue()
    queue.take({ a1: asked(1), a2: asked(2), a3: asked(3) })
    const fronts = [1, 1, 1, -1].map((by) => {
      queue.step(by)
      return front(queue)
    })
    expect(fronts).toEqual(['a2 2/3', 'a3 3/3', 'a1 1/3', 'a3 3/3'])
    queue.goTo('a2')
    expect(front(queue)).toBe('a2 2/3')
    queue.goTo('a9')
    expect(front(queue)).toBe('a2 2/3')
  })

  test('one_that_somebody_else_settled_says_so_and_makes_room_for_its_neighbour', () => {
    const outcomes: [Approval | undefined, string][] = [
      [approved('browser'), 'Allowed in another window.'],
      [approved('command_line'), 'Allowed at the command line.'],
      [approved('page'), 'Allowed on the one-time page.'],
      [approved('client', 'claude-code'), 'Allowed in claude-code.'],
      [denied, 'Refused in another window.'],
      [{ ...QUESTION, state: 'expired', at: 9 }, 'Nobody answered in time.'],
      [{ ...QUESTION, state: 'taken_back', at: 9 }, 'The agent took its call back.'],
      [undefined, 'The question is gone.'],
    ]
    for (const [settled, words] of outcomes) {
      const queue = new Queue()
      queue.take({ a1: asked(1), a2: asked(2), a3: asked(3) })
      queue.goTo('a2')
      queue.take({ a1: asked(1), ...(settled && { a2: settled }), a3: asked(3) })
      expect(front(queue)).toBe(`a2: ${words}`)
      expect(queue.count).toBe(2)
      queue.passOver()
      expect(front(queue)).toBe('a3 2/2')
    }
  })

  test('those_that_were_settled_before_are_not_spoken_of', () => {
    const queue = new Queue()
    expect(queue.take({ a1: approved('browser'), a2: denied })).toEqual([])
    expect(front(queue)).toBe('nothing')
  })

  test('one_that_is_answered_here_goes_at_once_and_is_not_asked_again_before_the_server_says_so', () => {
    const queue = new Queue()
    queue.take({ a1: asked(1), a2: asked(2) })
    expect(queue.send('a1', 'once')).toBe(true)
    expect(queue.send('a1', 'no')).toBe(false)
    expect(front(queue)).toBe('a1 1/2, sending')
    queue.taken('a1')
    expect([front(queue), queue.count]).toEqual(['a2 1/1', 1])
    // Something else changed meanwhile.
    expect(queue.take({ a1: asked(1), a2: asked(2), a3: asked(3) }).map(({ id }) => id)).toEqual(['a3'])
    expect([front(queue), queue.count]).toEqual(['a2 1/2', 2])
    queue.take({ a1: approved('browser'), a2: asked(2), a3: asked(3) })
    expect(front(queue)).toBe('a2 1/2')
  })

  test('a_snapshot_that_still_has_it_open_is_believed', () => {
    const queue = new Queue()
    queue.take({ a1: asked(1) })
    queue.send('a1', 'once')
    queue.taken('a1')
    expect(front(queue)).toBe('nothing')
    queue.take({ a1: asked(1) }, true)
    expect(front(queue)).toBe('a1 1/1')
  })

  test('the_settling_of_an_answer_that_is_on_its_way_is_not_taken_for_somebody_elses', () => {
    const queue = new Queue()
    queue.take({ a1: asked(1) })
    queue.send('a1', 'once')
    queue.take({ a1: approved('browser') })
    expect(front(queue)).toBe('a1 1/0, sending')
    queue.taken('a1')
    expect(front(queue)).toBe('nothing')
  })

  test('an_answer_that_was_refused_says_why_and_the_question_stays', () => {
    const queue = new Queue()
    const part = { a1: asked(1), a2: asked(2) }
    queue.take(part)
    queue.send('a1', 'always')
    queue.failed('a1', 'the policy cannot be written', false, part)
    expect(front(queue)).toBe('a1 1/2, Your answer was not taken: the policy cannot be written')
    queue.step(1)
    expect(front(queue)).toBe('a2 2/2')
    expect(queue.send('a1', 'once')).toBe(true)
    queue.step(1)
    expect(front(queue)).toBe('a1 1/2, sending')
  })

  test('an_answer_that_came_too_late_shows_the_one_that_counts', () => {
    const queue = new Queue()
    queue.take({ a1: asked(1) })
    queue.send('a1', 'once')
    const part = { a1: denied }
    queue.take(part)
    queue.failed('a1', 'a1 is settled', false, part)
    expect(front(queue)).toBe('a1: Refused in another window.')
  })

  test('an_answer_that_may_not_have_arrived_is_neither_given_nor_lost', () => {
    const queue = new Queue()
    const part = { a1: asked(1), a2: asked(2) }
    queue.take(part)
    queue.send('a1', 'once')
    queue.failed('a1', 'the server cannot be reached', true, part)
    expect(front(queue))
      .toBe('a1 1/2, It is not known whether your answer arrived: the server cannot be reached')
    queue.take({ a1: approved('browser'), a2: asked(2) }, true)
    expect(front(queue)).toBe('a1: Your answer has arrived.')
    queue.passOver()
    queue.send('a2', 'once')
    queue.failed('a2', 'the server cannot be reached', true, part)
    queue.take({ a2: denied }, true)
    expect(front(queue)).toBe('a2: Refused in another window.')
  })

  test('a_card_that_was_hidden_comes_back_for_a_new_question_only', () => {
    const queue = new Queue()
    queue.take({ a1: asked(1) })
    queue.isHidden = true
    queue.take({ a1: { ...asked(1), waiting: false, until: 99 } })
    expect(queue.isHidden).toBe(true)
    queue.take({ a1: asked(1), a2: asked(2) })
    expect([queue.isHidden, front(queue)]).toEqual([false, 'a1 1/2'])
  })

  test('each_says_how_long_it_waits_or_an_answer_counts', () => {
    const now = 1_000 + 12_400
    expect(timeOf(QUESTION, now)).toBe('asked 12 s ago, and the call waits')
    expect(timeOf(QUESTION, 0)).toBe('asked 0 s ago, and the call waits')
    expect(timeOf({ ...QUESTION, waiting: false, until: now + 25 * 60_000 }, now)).toBe(
      'asked 12 s ago. The call waits no longer; for 25 min an answer still counts when the agent calls again')
    expect(timeOf(QUESTION, 1_000 + 3_725_000)).toBe('asked 1 h 2 min ago, and the call waits')
  })
})
