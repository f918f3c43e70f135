// Live buffers against a strict double of the server, with messages that arrive in every order.
import assert from 'node:assert/strict'
import { expect, test } from '@playwright/test'
import type { ToBufferPage } from '../src/protocol/generated'
import { PageDouble, settle } from './page-double'
import { Random } from './random'
import { ServerDouble } from './server-double'

const PATH = 'src/a.ts'
const TEXT = Array.from({ length: 30 }, (_, index) => `line ${index} of the file\n`).join('')

/** A character that is typed once only. */
const letter = (number: number) => String.fromCharCode(0x4e00 + number)
const count = (text: string, character: string) => text.split(character).length - 1

function serverWith(text: string): ServerDouble {
  const server = new ServerDouble()
  server.disk.set(PATH, text)
  return server
}

/** An agent changes a place of its own, with letters that count apart. */
function agentEdit(server: ServerDouble, random: Random, number: number): void {
  const kept = server.buffers.get(PATH)
  if (!kept) return
  const start = random.below(kept.text.length + 1)
  server.change(PATH, [{ start, end: start, text: letter(15_000 + number) }])
}

async function connectedPage(server: ServerDouble, text = TEXT): Promise<PageDouble> {
  const page = new PageDouble(server, PATH, text)
  page.arrive()
  await settle(page)
  return page
}

test('the_first_key_opens_a_buffer_with_the_text_before_it', async () => {
  const server = serverWith(TEXT)
  const page = await connectedPage(server)
  page.type([{ start: 0, end: 0, text: 'x' }])
  await settle(page)
  expect(server.buffers.get(PATH)).toMatchObject({ text: `x${TEXT}`, base: TEXT, version: 1 })
  const expected = { version: 1, base: TEXT, conflicted: false, unanswered: false, phase: 'live' }
  expect(page.live?.state).toMatchObject(expected)
})

test('what_the_disk_got_before_the_first_key_arrives_is_merged', async () => {
  const server = serverWith(TEXT)
  const page = await connectedPage(server)
  server.disk.set(PATH, `${TEXT}agent\n`)
  page.type([{ start: 0, end: 0, text: 'x' }])
  page.type([{ start: 1, end: 1, text: 'y' }])
  await settle(page)
  expect(page.text).toBe(`xy${TEXT}agent\n`)
  expect(page.live?.state.base).toBe(`${TEXT}agent\n`)
  expect(server.buffers.get(PATH)?.text).toBe(page.text)
})

for (const seed of [11, 12, 13]) {
  test(`typing_while_an_agent_edits_ends_equal_${seed}`, async () => {
    const random = new Random(seed)
    const server = serverWith(TEXT)
    const page = await connectedPage(server)
    let typed = 0
    let edited = 0
    while (typed < 2_000 || edited < 200) {
      const turn = random.next()
      if (turn < 0.35 && typed < 2_000) page.typeKey(random, letter(typed++))
      else if (turn < 0.4 && edited < 200 && server.buffers.has(PATH)) agentEdit(server, random, edited++)
      else if (turn < 0.7) page.link?.deliverToServer()
      else page.link?.deliverToPage()
      await Promise.resolve()
      if (page.live) assert.equal(page.live.text, page.text)
    }
    await settle(page)
    assert.equal(page.text, server.buffers.get(PATH)?.text)
    for (let number = 0; number < typed; number += 1) assert.equal(count(page.text, letter(number)), 1)
    for (let number = 0; number < edited; number += 1) assert.equal(count(page.text, letter(15_000 + number)), 1)
    expect(page.live?.state.unanswered).toBe(false)
  })
}

for (const seed of [21, 22, 23, 24]) {
  test(`breaks_of_the_connection_lose_nothing_${seed}`, async () => {
    const random = new Random(seed)
    const server = serverWith(TEXT)
    const page = await connectedPage(server)
    let typed = 0
    let edited = 0
    while (typed < 2_000 || edited < 200) {
      const turn = random.next()
      if (turn < 0.35 && typed < 2_000) page.typeKey(random, letter(typed++))
      else if (turn < 0.4 && edited < 200 && server.buffers.has(PATH)) agentEdit(server, random, edited++)
      else if (turn < 0.42) page.link?.break()
      else if (turn < 0.5) { if (page.isAway) page.arrive() }
      else if (turn < 0.75) page.link?.deliverToServer()
      else page.link?.deliverToPage()
      await Promise.resolve()
    }
    if (page.isAway) page.arrive()
    await settle(page)
    assert.equal(page.text, server.buffers.get(PATH)?.text)
    for (let number = 0; number < typed; number += 1) assert.equal(count(page.text, letter(number)), 1)
    for (let number = 0; number < edited; number += 1) assert.equal(count(page.text, letter(15_000 + number)), 1)
  })
}

for (const seed of [31, 32, 33]) {
  test(`two_pages_and_an_agent_end_equal_${seed}`, async () => {
    const random = new Random(seed)
    const server = serverWith(TEXT)
    const pages = [await connectedPage(server), await connectedPage(server)]
    let typed = 0
    let edited = 0
    while (typed < 2_000 || edited < 200) {
      const turn = random.next()
      const page = random.pick(pages)
      if (turn < 0.3 && typed < 2_000) page.typeKey(random, letter(typed++))
      else if (turn < 0.35 && edited < 200 && server.buffers.has(PATH)) agentEdit(server, random, edited++)
      else if (turn < 0.352) page.link?.break()
      else if (turn < 0.42) { if (page.isAway) page.arrive() }
      else if (turn < 0.75) page.link?.deliverToServer()
      else page.link?.deliverToPage()
      await Promise.resolve()
    }
    for (const page of pages) if (page.isAway) page.arrive()
    await settle(...pages)
    const text = server.buffers.get(PATH)?.text ?? ''
    for (const page of pages) assert.equal(page.text, text)
    for (let number = 0; number < typed; number += 1) assert.equal(count(text, letter(number)), 1)
  })
}

for (const seed of [41, 42]) {
  test(`deletions_and_replacements_end_equal_${seed}`, async () => {
    const random = new Random(seed)
    const server = serverWith(TEXT)
    const pages = [await connectedPage(server), await connectedPage(server)]
    for (let step = 0; step < 6_000; step += 1) {
      const turn = random.next()
      const page = random.pick(pages)
      if (turn < 0.2) page.type(random.edits(page.text, 3))
      else if (turn < 0.23) { if (server.buffers.has(PATH)) change(server, random) }
      else if (turn < 0.24) page.link?.break()
      else if (turn < 0.3) { if (page.isAway) page.arrive() }
      else if (turn < 0.65) page.link?.deliverToServer()
      else page.link?.deliverToPage()
      await Promise.resolve()
      if (page.live) assert.equal(page.live.text, page.text)
    }
    for (const page of pages) if (page.isAway) page.arrive()
    await settle(...pages)
    for (const page of pages) if (!page.live) page.join()
    await settle(...pages)
    for (const page of pages) assert.equal(page.text, server.buffers.get(PATH)?.text)
  })
}

function change(server: ServerDouble, random: Random): void {
  const kept = server.buffers.get(PATH)
  if (kept) server.change(PATH, random.edits(kept.text, 2))
}

test('saving_closes_and_typing_on_opens_again', async () => {
  const server = serverWith(TEXT)
  const page = await connectedPage(server)
  page.type([{ start: 0, end: 0, text: 'x' }])
  await settle(page)
  server.save(PATH, page.text)
  page.type([{ start: 1, end: 1, text: 'y' }])
  await settle(page)
  expect(page.closed).toEqual([])
  expect(server.buffers.get(PATH)).toMatchObject({ text: `xy${TEXT}`, base: `x${TEXT}` })
  server.save(PATH, page.text)
  await settle(page)
  expect(page.closed).toEqual(['saved'])
  expect(server.buffers.size).toBe(0)
})

test('a_save_before_the_last_keys_moves_the_base', async () => {
  const server = serverWith(TEXT)
  const page = await connectedPage(server)
  page.type([{ start: 0, end: 0, text: 'xy' }])
  await settle(page)
  server.save(PATH, `x${TEXT}`)
  await settle(page)
  expect(page.live?.state.base).toBe(`x${TEXT}`)
  expect(page.text).toBe(`xy${TEXT}`)
})

test('discarding_brings_the_disk_back_but_not_over_new_keys', async () => {
  const server = serverWith(TEXT)
  const page = await connectedPage(server)
  page.type([{ start: 0, end: 0, text: 'unwanted ' }])
  await settle(page)
  server.close(PATH, 'discarded')
  page.type([{ start: page.text.length, end: page.text.length, text: 'new' }])
  await settle(page)
  expect(page.text).toBe(`${TEXT}new`)
  expect(server.buffers.get(PATH)).toMatchObject({ text: `${TEXT}new`, base: TEXT })
  server.close(PATH, 'discarded')
  await settle(page)
  expect(page.text).toBe(TEXT)
  expect(page.closed).toEqual(['discarded'])
})

test('a_deleted_file_leaves_the_text_with_the_person', async () => {
  const server = serverWith(TEXT)
  const page = await connectedPage(server)
  page.type([{ start: 0, end: 0, text: 'x' }])
  await settle(page)
  server.close(PATH, 'deleted')
  await settle(page)
  expect(page.text).toBe(`x${TEXT}`)
  expect(page.closed).toEqual(['deleted'])
})

test('an_edit_whose_answer_was_lost_is_not_made_twice', async () => {
  const server = serverWith(TEXT)
  const page = await connectedPage(server)
  page.type([{ start: 5, end: 5, text: 'x' }])
  await settle(page)
  page.type([{ start: 50, end: 50, text: 'typed' }])
  page.link?.deliverToServer()
  server.change(PATH, [{ start: 200, end: 200, text: 'agent' }])
  page.type([{ start: 55, end: 55, text: ' on' }])
  page.link?.break()
  page.type([{ start: 58, end: 58, text: '!' }])
  page.arrive()
  await settle(page)
  expect(page.text).toBe(server.buffers.get(PATH)?.text)
  expect(count(page.text, 'typed')).toBe(1)
  expect(page.text).toContain('typed on!')
  expect(count(page.text, 'agent')).toBe(1)
})

test('an_edit_that_never_arrived_is_made_although_it_looks_alike', async () => {
  const server = serverWith('aaaa\nb\n')
  const page = await connectedPage(server, 'aaaa\nb\n')
  page.type([{ start: 5, end: 5, text: 'x' }])
  await settle(page)
  page.type([{ start: 0, end: 0, text: 'a' }])
  page.link?.break()
  server.change(PATH, [{ start: 7, end: 7, text: 'agent' }])
  page.arrive()
  await settle(page)
  expect(page.text).toBe('aaaaa\nxbagent\n')
  expect(server.buffers.get(PATH)?.text).toBe(page.text)
})

test('a_server_that_forgot_is_told_again', async () => {
  const server = serverWith(TEXT)
  const page = await connectedPage(server)
  page.type([{ start: 0, end: 0, text: 'x' }])
  await settle(page)
  server.buffers.clear()
  page.link?.break()
  page.type([{ start: 1, end: 1, text: 'y' }])
  page.arrive()
  await settle(page)
  expect(server.buffers.get(PATH)).toMatchObject({ text: `xy${TEXT}`, base: TEXT })
})

test('a_wrong_version_makes_the_page_fetch_the_text_again', async () => {
  const server = serverWith(TEXT)
  const page = await connectedPage(server)
  page.type([{ start: 0, end: 0, text: 'x' }])
  await settle(page)
  const edits = [{ start: 0, end: 1, text: '' }]
  const wrong: ToBufferPage = { type: 'changed', path: PATH, version: 9, edits, by: 'agent' }
  page.link?.toPage.push(JSON.stringify(wrong))
  await settle(page)
  expect(page.text).toBe(`x${TEXT}`)
  expect(page.live?.state.phase).toBe('live')
  page.type([{ start: 0, end: 0, text: 'y' }])
  await settle(page)
  expect(server.buffers.get(PATH)?.text).toBe(`yx${TEXT}`)
})

test('an_answer_without_a_question_makes_the_connection_anew', async () => {
  const server = serverWith(TEXT)
  const page = await connectedPage(server)
  page.type([{ start: 0, end: 0, text: 'x' }])
  await settle(page)
  page.link?.toPage.push(JSON.stringify({ type: 'accepted', path: PATH, version: 2 }))
  page.link?.deliverToPage()
  expect(page.isAway).toBe(true)
  page.type([{ start: 0, end: 0, text: 'y' }])
  page.arrive()
  await settle(page)
  expect(server.buffers.get(PATH)?.text).toBe(`yx${TEXT}`)
})

test('what_the_server_does_not_keep_is_said_and_stays_here', async () => {
  const server = serverWith(TEXT)
  const page = await connectedPage(server)
  page.type([{ start: 0, end: 0, text: 'x' }])
  const why: string[] = []
  page.live?.onRefused.on((failure) => why.push(failure.kind))
  await Promise.resolve()
  const refused: ToBufferPage = { type: 'error', path: PATH, error: 'too large', kind: 'unsupported', hint: null }
  page.link?.toServer.splice(0)
  page.link?.toPage.push(JSON.stringify(refused))
  await settle(page)
  page.type([{ start: 1, end: 1, text: 'y' }])
  expect(why).toEqual(['unsupported'])
  expect(page.live?.state).toMatchObject({ phase: 'refused', unanswered: true, text: `xy${TEXT}` })
  await page.live?.flush()
  page.link?.break()
  page.arrive()
  await settle(page)
  expect(server.buffers.get(PATH)?.text).toBe(`xy${TEXT}`)
})

test('nothing_moves_while_a_character_is_composed', async () => {
  const server = serverWith(TEXT)
  const page = await connectedPage(server)
  page.type([{ start: 0, end: 0, text: 'x' }])
  await settle(page)
  page.live?.hold()
  server.change(PATH, [{ start: 0, end: 0, text: 'agent' }])
  page.type([{ start: 1, end: 1, text: 'n' }])
  await settle(page)
  expect(page.text).toBe(`xn${TEXT}`)
  page.type([{ start: 1, end: 2, text: '你' }])
  page.live?.release()
  await settle(page)
  expect(page.text).toBe(`agentx你${TEXT}`)
  expect(server.buffers.get(PATH)?.text).toBe(page.text)
})

test('what_comes_after_a_held_text_is_held_too', async () => {
  const server = serverWith(TEXT)
  const page = await connectedPage(server)
  page.type([{ start: 0, end: 0, text: 'x' }])
  page.live?.hold()
  await settle(page)
  server.change(PATH, [{ start: 0, end: 0, text: 'agent' }])
  page.type([{ start: 1, end: 1, text: 'n' }])
  await settle(page)
  page.live?.release()
  expect(page.text).toBe(`agentxn${TEXT}`)
  await settle(page)
  expect(server.buffers.get(PATH)).toMatchObject({ text: page.text, version: 3 })
})

test('flushing_waits_for_the_answer', async () => {
  const server = serverWith(TEXT)
  const page = await connectedPage(server)
  page.type([{ start: 0, end: 0, text: 'x' }])
  await Promise.resolve()
  let isFlushed = false
  const flushed = page.live?.flush().then(() => (isFlushed = true))
  page.type([{ start: 1, end: 1, text: 'y' }])
  await Promise.resolve()
  expect(isFlushed).toBe(false)
  await settle(page)
  await flushed
  expect(server.buffers.get(PATH)?.text).toBe(`xy${TEXT}`)
})

test('leaving_and_coming_back_does_not_mix_up_answers', async () => {
  const server = serverWith(TEXT)
  const page = await connectedPage(server)
  page.type([{ start: 0, end: 0, text: 'x' }])
  await settle(page)
  page.type([{ start: 1, end: 1, text: 'y' }])
  if (page.live) page.channel.leave(page.live)
  page.live = undefined
  page.text = TEXT
  page.join()
  await settle(page)
  expect(page.text).toBe(`xy${TEXT}`)
  expect(page.isAway).toBe(false)
})
