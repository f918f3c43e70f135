// Takes the picture of the README from the product itself: a person and an agent at work in one space.
//
// Everything in it is done through the product's own doors: the agent's part by a real MCP client, the
// person's by mouse and keyboard. Nothing is painted over.
import { execFileSync } from 'node:child_process'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { Agent } from '../e2e/agent'
import { Server } from '../e2e/server'
import config from '../playwright.config'
import { PROJECT } from './screenshot-project'

const PICTURE = resolve(import.meta.dirname, '../../docs/images/openspace.png')
const MOST_BYTES = 300_000
const CODE = 'src/cart.js'
const TEST = 'test/cart.test.js'

/** The editor closes brackets and indents by itself. */
const TYPED = `
test('more of the same is one item', () => {
assert.equal(add(cart, 'tea', 333).length, 2)`

const server = await Server.start(PROJECT, 'shop')
const browser = await chromium.launch(config.use?.launchOptions)
try {
  await prepare(server)
  const page = await browser.newPage({ viewport: { width: 1400, height: 860 }, colorScheme: 'dark' })
  const agent = await Agent.connect(server.ready, 'coding-agent')
  await page.goto(server.ready.open)
  await page.waitForSelector('html[data-openspace="ready"]', { state: 'attached' })
  // Where the keyboard is, an agent only offers to show things.
  await page.locator('.explorer-folders-view').getByText('src').click()
  await arrange(page, agent)
  await Promise.all([typeAsPerson(page), workAsAgent(page, agent)])
  await comment(page, agent)
  // The caret shows where the agent has changed the text, for a few seconds.
  await page.locator('.openspace-caret-name').waitFor()
  await mkdir(dirname(PICTURE), { recursive: true })
  await page.screenshot({ path: PICTURE, caret: 'initial' })
  await agent.close()
} finally {
  await browser.close()
  await server.stop()
}
const { size } = await stat(PICTURE)
if (size > MOST_BYTES) throw new Error(`${PICTURE} has ${size} bytes, at most ${MOST_BYTES} are wanted`)
console.log(`${PICTURE}: ${size} bytes`)

/** A repository with one commit, a prompt that tells nothing about this machine, room for the code. */
async function prepare({ root, ready }: Server): Promise<void> {
  const headers = { authorization: `Bearer ${ready.token}` }
  const body = JSON.stringify({ 'editor.minimap.enabled': false })
  const { ok } = await fetch(`${ready.url}/api/user-data/settings.json`, { method: 'PUT', headers, body })
  if (!ok) throw new Error('the settings were not taken')
  await writeFile(join(dirname(root), '.bashrc'), "PS1='\\w $ '\n")
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'ignore' })
  git('init', '--initial-branch=main')
  git('add', '.')
  git('-c', 'user.name=demo', '-c', 'user.email=demo@localhost', 'commit', '--message=A cart')
}

/** Both files side by side and a terminal below, as an agent sets the table. */
async function arrange(page: Page, agent: Agent): Promise<void> {
  await agent.call('editor_open', { path: CODE })
  await agent.call('pane_open', { type: 'editor', contentId: TEST, splitDirection: 'vertical' })
  await agent.call('terminal_create', { title: 'tests' })
  await line(page, TEST, 'node:test').waitFor()
  await page.locator('.xterm-screen').waitFor()
}

async function typeAsPerson(page: Page): Promise<void> {
  await line(page, TEST, 'node:test').click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(TYPED, { delay: 30 })
}

async function workAsAgent(page: Page, agent: Agent): Promise<void> {
  await agent.call('editor_highlight', {
    path: CODE, ranges: [{ startLine: 7, endLine: 9 }], note: 'Cents were lost here: round once, at the end',
  })
  await agent.call('workspace_read', { file_path: CODE })
  await agent.call('workspace_edit', {
    file_path: CODE, old_string: 'Math.floor(price * count * share)', new_string: 'price * count * share',
  })
  await line(page, CODE, 'sum += price').waitFor()
  const { exitCode } = await agent.call('terminal_run', { terminalId: 'tests', command: 'node --test' })
  if (exitCode !== 0) throw new Error(`the tests ended with ${exitCode}`)
}

async function comment(page: Page, agent: Agent): Promise<void> {
  const text = 'return Math.round(sum)'
  await agent.call('workspace_edit', { file_path: CODE, old_string: text, new_string: `${text} // once` })
  await line(page, CODE, '// once').waitFor()
}

/** A line of an editor that shows this text. */
function line(page: Page, path: string, text: string) {
  const name = path.split('/').at(-1)
  const group = page.locator('.editor-group-container', { has: page.locator(`.tab.active[aria-label^="${name}"]`) })
  return group.locator('.view-line', { hasText: text }).first()
}
