// A program that prints as fast as it can, in a terminal that the person looks at.
import type { Page } from '@playwright/test'
import type { Agent } from '../e2e/agent'
import { clockAhead, now, seen } from './browser'
import type { Work } from './probe'

const LINES = 1_000_000
/** More than a screen has: the cursor ends in the first of them. */
const MOST_ROWS = 100

export interface Flood extends Work {
  lines: number
  /** From typing the command to its last line on the screen. */
  ms: number
}

export async function flood(page: Page, agent: Agent): Promise<Flood> {
  // The person's own shell may do anything when it starts.
  const { terminalId } = await agent.call('terminal_create', { shellPath: '/bin/sh' })
  await page.waitForSelector('.xterm-helper-textarea', { state: 'attached' })
  // Fills the screen, so that the cursor is in its last row until it is sent to the first.
  await agent.call('terminal_run', { terminalId, command: 'seq 1 200', wait: 'idle' })
  const ahead = await clockAhead(page)
  await page.evaluate(() => {
    window.probe.expectCursorAtTop()
    window.probe.watchWork()
  })
  const begin = now()
  await agent.call('terminal_send', { terminalId, text: `seq 1 ${LINES}; printf '\\033[1;60H'; read wait\n` })
  const { shown } = await seen(page)
  const work = await page.evaluate(() => window.probe.work())
  const { output } = await agent.call('terminal_read_output', { terminalId, lines: 1 })
  const isNearEnd = Number((output as string[])[0]) > LINES - MOST_ROWS
  if (!isNearEnd) throw new Error(`the terminal shows ${JSON.stringify(output)}`)
  await agent.call('terminal_close', { terminalId })
  return { lines: LINES, ms: shown - begin - ahead, ...work }
}
