// How soon a person sees what an agent does: from the agent's call to the page.
import type { Page } from '@playwright/test'
import type { Agent } from '../e2e/agent'
import { atRest, clockAhead, expectElement, expectText, now, seen } from './browser'
import { take, type Task } from './task'

const WARM = 3
const SAMPLES = 50
const MARK = '.openspace-mark'
/** Lines that are in view in every file. */
const LINES = 10

/** Files that were never open, until their text is on the screen. Agents think between calls: the page is at rest. */
export async function open(page: Page, agent: Agent, task: Task): Promise<number[]> {
  const ahead = await clockAhead(page)
  const times: number[] = []
  for (const { path, word } of take(task, WARM + SAMPLES)) {
    await atRest(page)
    await expectText(page, word)
    const begin = now()
    await agent.call('editor_open', { path })
    times.push((await seen(page)).shown - begin - ahead)
  }
  return times.slice(WARM)
}

/** Lines in view, until their colour is in the document. */
export async function highlight(page: Page, agent: Agent, task: Task): Promise<number[]> {
  const [file] = take(task, 1)
  const { path, word } = file!
  await expectText(page, word)
  await agent.call('editor_open', { path })
  await seen(page)
  const ahead = await clockAhead(page)
  const times: number[] = []
  for (let sample = 0; sample < WARM + SAMPLES; sample++) {
    const startLine = (sample % LINES) + 1
    await expectElement(page, MARK)
    const begin = now()
    await agent.call('editor_highlight', { path, ranges: [{ startLine, endLine: startLine }], note: 'Look here' })
    times.push((await seen(page)).inDocument - begin - ahead)
    await expectElement(page, MARK, '', false)
    await agent.call('editor_clear_highlight', { path })
    await seen(page)
  }
  return times.slice(WARM)
}
