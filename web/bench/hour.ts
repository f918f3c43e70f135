// What the page holds at first, and after as many calls of an agent as a busy hour has.
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from '@playwright/test'
import { Agent } from '../e2e/agent'
import { expectText, newContext, now, openSpace, seen, settled } from './browser'
import { take, type File, type Task } from './task'

const FILES = 20
/** Agents come and go, and the client forgets the calls of a session only with the session. */
const SESSIONS = 8
const ROUNDS_IN_SESSION = 90
/** No person is as fast as an agent that reads no answer. */
const CATCHES_UP_WITHIN_MS = 600_000

export interface Held {
  heapBytes: number
  /** The renderer processes, each page of memory counted by its share. */
  processBytes: number
}

export interface Hour {
  calls: number
  /** Until the agent had its last answer, and until the page showed the result of the last call. */
  answeredMs: number
  followedMs: number
  start: Held
  end: Held
}

export async function hour(browser: Browser, agent: Agent, task: Task): Promise<Hour> {
  const [first, last] = take(task, 2)
  const files = take(task, FILES)
  await agent.call('editor_open', { path: first!.path })
  const context = await newContext(browser)
  const { page } = await openSpace(context, task, first!.word)
  await settled(page)
  const start = await held(browser, page)

  const { terminalId } = await agent.call('terminal_create', { shellPath: '/bin/sh' })
  const begin = now()
  let calls = 0
  for (let session = 0; session < SESSIONS; session++) {
    const worker = await Agent.connect(task, 'bench')
    for (let turn = 0; turn < ROUNDS_IN_SESSION; turn++) {
      for (const [tool, args] of callsOf(session * ROUNDS_IN_SESSION + turn, files, terminalId as string)) {
        await worker.call(tool, args)
        calls++
      }
    }
    await worker.close()
  }
  const answeredMs = now() - begin
  // Events come in order: what is opened last is seen when the page has followed everything.
  await expectText(page, last!.word)
  await agent.call('editor_open', { path: last!.path })
  await seen(page, CATCHES_UP_WITHIN_MS)
  const followedMs = now() - begin
  const end = await held(browser, page)

  await agent.call('terminal_close', { terminalId })
  for (const { path } of [first!, last!, ...files]) await agent.call('editor_close', { path })
  await context.close()
  return { calls, answeredMs, followedMs, start, end }
}

/** One of each thing that an agent does again and again. */
function callsOf(round: number, files: File[], terminalId: string): [string, Record<string, unknown>][] {
  const { path, word } = files[round % files.length]!
  const isEven = Math.floor(round / files.length) % 2 === 0
  const texts = [`${word}.`, `${word} again.`]
  const [old, fresh] = isEven ? texts : texts.reverse()
  return [
    ['editor_open', { path, line: (round % 10) + 1 }],
    ['editor_highlight', { path, ranges: [{ startLine: 2, endLine: 6 }], highlightId: 'hour', note: `Round ${round}` }],
    ['workspace_edit', { file_path: path, old_string: old, new_string: fresh }],
    ['terminal_send', { terminalId, text: 'seq 1 100\n' }],
    ['editor_clear_highlight', { highlightId: 'hour' }],
  ]
}

async function held(browser: Browser, page: Page): Promise<Held> {
  const session = await page.context().newCDPSession(page)
  // What the first collection lets go of can hold more.
  for (let collection = 0; collection < 3; collection++) await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  const whole = await browser.newBrowserCDPSession()
  const { processInfo } = await whole.send('SystemInfo.getProcessInfo')
  await whole.detach()
  const renderers = processInfo.filter(({ type }) => type === 'renderer')
  const shares = await Promise.all(renderers.map(({ id }) => shareOf(id)))
  return { heapBytes: usedSize, processBytes: shares.reduce((sum, share) => sum + share, 0) }
}

async function shareOf(process: number): Promise<number> {
  const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(await readFile(`/proc/${process}/smaps_rollup`, 'utf8')) ?? []
  if (kilobytes === undefined) throw new Error(`process ${process} does not tell its memory`)
  return Number(kilobytes) * 1024
}
