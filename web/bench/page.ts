// Measures the page in a real browser, beside a real agent. `cargo xtask bench page` starts it with a
// server, reads the one line that it prints, and judges.
import { Agent } from '../e2e/agent'
import { launch, newContext, openSpace } from './browser'
import { flood } from './flood'
import { highlight, open } from './follow'
import { hour } from './hour'
import { firstLoad, firstText } from './load'
import { readTask, take } from './task'

const task = await readTask()
const agent = await Agent.connect(task, 'bench')
const browser = await launch()

async function step<T>(name: string, measure: () => Promise<T>): Promise<T> {
  process.stderr.write(`    page: ${name}\n`)
  return measure()
}

try {
  const load = await step('first load', () => firstLoad(browser, agent, task))
  const text = await step('first text', () => firstText(agent, task))
  const busy = await step('an hour of calls', () => hour(browser, agent, task))
  const [file] = take(task, 1)
  await agent.call('editor_open', { path: file!.path })
  const context = await newContext(browser)
  const { page } = await openSpace(context, task, file!.word)
  const openMs = await step('files that an agent opens', () => open(page, agent, task))
  const highlightMs = await step('highlights', () => highlight(page, agent, task))
  const flooded = await step('a flooded terminal', () => flood(page, agent))
  process.stdout.write(`${JSON.stringify({ load, text, openMs, highlightMs, flood: flooded, hour: busy })}\n`)
} finally {
  await browser.close()
  await agent.close()
}
