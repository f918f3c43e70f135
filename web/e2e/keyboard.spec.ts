// The keyboard stays where the person has it: whatever agents open, move and close, no key is lost and none
// goes elsewhere. And a file that is shown twice is one file.
import { editorOf, expectLines, goToLineEnd, groupOf, groupsOf, openFile, panesOf } from './editor'
import { screen, terminal, testWithTerminals as test } from './hands'
import type { Server } from './server'
import { expect, palette, ready, tab, visibleText, type Agent, type Page } from './stage'

const GROUP = '.editor-group-container'
const chip = (page: Page) => page.locator('.openspace-chip-take')

/** The area of each pane and what is in it, as agents are told. */
async function areasOf(agent: Agent): Promise<[area: string, contents: string[]][]> {
  const { panes } = await agent.call('pane_list', { all: true })
  return panes.map(({ area, tabs }: { area: string; tabs: { contentId: string }[] }) =>
    [area, tabs.map(({ contentId }) => contentId)])
}

/** The first lines that each group shows of a file, in the order of the groups in the page. */
const textsOf = (page: Page, name: string) =>
  groupOf(page, name).locator('.view-lines').evaluateAll((views) => views.map((view) =>
    [...view.querySelectorAll<HTMLElement>('.view-line')]
      .sort((a, b) => Number.parseFloat(a.style.top) - Number.parseFloat(b.style.top))
      .slice(0, 3)
      .map((line) => (line.textContent ?? '').replaceAll('\u00a0', ' '))))

test('a file that an agent shows in a second pane is one file in both', async ({ ide, agent }) => {
  await agent.call('editor_open', { path: 'README.md' })
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md']])
  const { paneId } = await agent.call('editor_open', { path: 'README.md', newPane: true, line: 3, highlight: true })
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md'], ['README.md']])
  expect(await panesOf(agent)).toEqual([['README.md'], ['README.md']])
  const marked = (index: number) => ide.locator(GROUP).nth(index).locator('.openspace-mark')
  for (const index of [0, 1]) await expect(marked(index).first()).toBeVisible()
  await goToLineEnd(ide, 'README.md', 3)
  await ide.keyboard.type(' Both.')
  const typed = ['# Demo', '', 'A small project. Both.']
  await expect.poll(() => textsOf(ide, 'README.md')).toEqual([typed, typed])
  await agent.call('pane_close', { paneId, contentId: 'README.md' })
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md']])
  await expectLines(ide, 'README.md', [...typed, ''])
  expect(await panesOf(agent)).toEqual([['README.md']])
})

test('a file that a person splits is in both panes for agents and after a reload', async ({ ide, agent }) => {
  await openFile(ide, 'README.md')
  await goToLineEnd(ide, 'README.md', 1)
  await ide.keyboard.type('!')
  await ide.keyboard.press('Control+Backslash')
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md'], ['README.md']])
  await expect.poll(() => panesOf(agent)).toEqual([['README.md'], ['README.md']])
  const kept = async () => (await agent.call('editor_read_file', { path: 'README.md' })).content
  await expect.poll(kept).toContain('# Demo!')
  await ide.reload()
  await ready(ide)
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md'], ['README.md']])
  const text = ['# Demo!', '', 'A small project.']
  await expect.poll(() => textsOf(ide, 'README.md')).toEqual([text, text])
  await ide.locator(GROUP).nth(1).locator('.view-lines').click()
  await palette(ide, 'View: Close Editor')
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md']])
  await expect.poll(() => panesOf(agent)).toEqual([['README.md']])
  await expectLines(ide, 'README.md', [...text, ''])
})

test('what an agent shows goes to the next pane while the person types', async ({ ide, agent }) => {
  await openFile(ide, 'README.md')
  await agent.call('editor_open', { path: 'notes/todo.txt', newPane: true })
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md'], ['todo.txt']])
  await goToLineEnd(ide, 'todo.txt', 1)
  await goToLineEnd(ide, 'README.md', 3)
  await ide.keyboard.type(' One')
  await expect.poll(async () => (await agent.call('pane_list', { all: true })).panes[0].active).toBe(true)
  await agent.call('editor_open', { path: 'src/main.rs', line: 80 })
  await ide.keyboard.type(' two')
  await expect.poll(() => groupsOf(ide)).toEqual([['README.md'], ['todo.txt', 'main.rs']])
  await expect.poll(() => visibleText(ide, 'main.rs')).toContain('fn line_80()')
  await expect.poll(() => panesOf(agent)).toEqual([['README.md'], ['notes/todo.txt', 'src/main.rs']])
  await expect(chip(ide)).toBeHidden()
  await ide.keyboard.type(' three.')
  await expectLines(ide, 'README.md', ['# Demo', '', 'A small project. One two three.', ''])
})

test('a terminal that an agent makes while the palette stands over another costs no key', async ({ ide, agent }) => {
  const first = await agent.call('terminal_create', { title: 'first', shellPath: '/bin/bash' })
  await terminal(ide).click()
  await ide.keyboard.type('echo be')
  await expect.poll(() => screen(ide)).toContain('echo be')
  await ide.keyboard.press('F1')
  await ide.keyboard.type('Toggle Pri')
  await agent.call('terminal_create', { title: 'second', shellPath: '/bin/bash' })
  await expect(ide.locator('.terminal-tabs-entry', { hasText: 'second' })).toBeVisible()
  await ide.keyboard.type('mary')
  await expect(ide.locator('.quick-input-widget input').first()).toHaveValue('>Toggle Primary')
  await ide.keyboard.press('Escape')
  await ide.keyboard.type('fore-after\n')
  const output = async () => (await agent.call('terminal_read_output', { terminalId: first.terminalId })).output
  await expect.poll(output).toContain('before-after')
  await expect.poll(() => screen(ide)).toContain('before-after')
})

test('a terminal on the right stays there when the person changes something else', async ({ ide, agent }) => {
  await openFile(ide, 'README.md')
  const { terminalId } = await agent.call('terminal_create', { area: 'right', shellPath: '/bin/bash' })
  await expect(ide.locator(GROUP)).toHaveCount(2)
  await openFileBeside(ide)
  await expect.poll(() => areasOf(agent)).toEqual([
    ['main', ['README.md']], ['main', ['README.md']], ['right', [terminalId]],
  ])
  await ide.reload()
  await ready(ide)
  await expect(ide.locator(GROUP)).toHaveCount(3)
  await ide.locator(GROUP).first().locator('.view-lines').click()
  await palette(ide, 'View: Close Editor')
  await expect.poll(() => areasOf(agent)).toEqual([['main', ['README.md']], ['right', [terminalId]]])
})

async function openFileBeside(page: Page): Promise<void> {
  await editorOf(page, 'README.md').locator('.view-lines').click()
  await page.keyboard.press('Control+Backslash')
}

test('the palette stays open over a tab of a pane that just came', async ({ ide, agent }) => {
  await openFile(ide, 'README.md')
  for (const [index, path] of ['src/main.rs', 'src/lib.rs', 'notes/todo.txt'].entries()) {
    await agent.call('editor_open', { path, newPane: true })
    const name = path.slice(path.lastIndexOf('/') + 1)
    await expect(ide.locator(GROUP)).toHaveCount(index + 2)
    await tab(ide, name).click()
    await ide.keyboard.press('F1')
    await ide.keyboard.type(`number ${index}`, { delay: 40 })
    await expect(ide.locator('.quick-input-widget input').first()).toHaveValue(`>number ${index}`)
    await ide.keyboard.press('Escape')
    await expect(ide.locator('.quick-input-widget')).toBeHidden()
  }
})

/** Keys that are typed during each call of the agent. */
const KEYS_EACH = 5

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return Math.floor((state / 0x8000_0000) * below)
  }
}

const PATHS = ['src/main.rs', 'src/lib.rs', 'notes/todo.txt']

/** Something that an agent may do at any time; refusals are part of it. */
async function doSomething(agent: Agent, below: (limit: number) => number, typed: string | undefined): Promise<string> {
  const one = <T>(items: T[]): T => items[below(items.length)] as T
  const { panes } = await agent.call('pane_list', { all: true })
  const holds = ({ tabs }: { tabs: { contentId: string }[] }) => tabs.some(({ contentId }) => contentId === typed)
  const anyPane = one(panes as { id: string }[]).id
  const others = (panes as { id: string; tabs: { contentId: string }[] }[]).filter((pane) => !holds(pane))
  const otherPane = others.length > 0 ? one(others).id : anyPane
  const { terminals } = await agent.call('terminal_list')
  const free = (terminals as { terminalId: string; title: string }[]).filter(({ title }) => title !== 'person')
  const terminalId = free.length > 0 ? one(free).terminalId : 't0'
  const path = one(PATHS)
  const side = one(['left', 'right', 'above', 'below'])
  const isCrowded = panes.length > 4
  const calls: [tool: string, args: Record<string, unknown>][] = [
    ['editor_open', { path, line: 1 + below(3) }],
    ['editor_open', { path, newPane: !isCrowded }],
    ['editor_open', { path, mode: one(['auto-focus', 'suggest-only', 'disabled']), highlight: true, line: 2 }],
    ['editor_open', { path: typed ?? path, newPane: !isCrowded }],
    ['editor_scroll_to', { path: typed ?? path, line: 1 }],
    ['editor_close', { path }],
    ['editor_highlight', { path: typed ?? path, ranges: [{ startLine: 1, endLine: 2 }], highlightId: 'h', note: 'n' }],
    ['editor_clear_highlight', { highlightId: 'h' }],
    ['pane_focus', { paneId: anyPane }],
    ['pane_resize', { paneId: anyPane, width: 20 + below(60) }],
    ['pane_open', { type: 'editor', contentId: path, targetPaneId: anyPane }],
    ['pane_close', { paneId: otherPane }],
    ['terminal_create', { title: 'agent', shellPath: '/bin/sh', ...(free.length > 2 ? { cwd: 'nowhere' } : {}) }],
    ['terminal_close', { terminalId }],
    ['terminal_send', { terminalId, text: 'echo x\n' }],
    ['workspace_write', { file_path: `made/${below(5)}.txt`, content: `${below(1000)}\n` }],
    ...([
      ['pane.split', { paneId: anyPane, side }],
      ['pane.move', { contentId: typed ?? path, targetPaneId: anyPane }],
      ['pane.move', { contentId: path, targetPaneId: anyPane }],
      ['pane.move_beside', { paneId: anyPane, besidePaneId: otherPane, side }],
      ['pane.pin', { paneId: anyPane, pinned: below(2) === 0 }],
      ['layout.save', { name: `l${below(2)}` }],
      ['layout.apply', { name: `l${below(2)}` }],
    ] as const).filter(([command]) => command !== 'pane.split' || !isCrowded)
      .map(([command, args]): [string, Record<string, unknown>] => ['command_run', { command, arguments: args }]),
  ]
  const [tool, args] = one(calls)
  const { success } = await agent.ask(tool, args)
  return `${success === true ? 'done' : 'refused'} ${tool} ${JSON.stringify(args)}`
}

/** A terminal that is closed as soon as it was made is not there any more when the page asks for it. */
function forgiveClosedTerminals(complaints: string[]): void {
  const isClosed = (line: string) => /api\/terminals\/t\d+[^ ']*' failed.* 404/.test(line)
  complaints.splice(0, complaints.length, ...complaints.filter((line) => !isClosed(line)))
}

/** Type without a pause while an agent does whatever it may; what it did. */
async function typeBeside(
  page: Page, agent: Agent, text: string, { seed, typed }: { seed: number; typed?: string },
): Promise<string[]> {
  const did: string[] = []
  const below = numbers(seed)
  for (let at = 0; at < text.length; at += KEYS_EACH) {
    const keys = page.keyboard.type(text.slice(at, at + KEYS_EACH), { delay: 25 })
    const [what] = await Promise.all([doSomething(agent, below, typed), keys])
    did.push(what)
  }
  return did
}

const LONG = Array.from({ length: 45 }, (_, index) => `word${index}`).join(' ')

for (const seed of [1, 2, 3]) {
  test(`a person types on in a file whatever an agent does (${seed})`, async ({ ide, agent, complaints }, info) => {
    test.setTimeout(180_000)
    await openFile(ide, 'README.md')
    await agent.call('editor_open', { path: 'src/lib.rs', newPane: true })
    await expect(ide.locator(GROUP)).toHaveCount(2)
    await agent.call('command_run', { command: 'layout.save', arguments: { name: 'l0' } })
    await goToLineEnd(ide, 'README.md', 3)
    const did = await typeBeside(ide, agent, ` ${LONG}`, { seed, typed: 'README.md' })
    await info.attach('what the agent did', { body: did.join('\n') })
    expect(did.filter((line) => line.startsWith('done')).length).toBeGreaterThan(20)
    // The caret is where the typing ended: what follows stands behind it.
    await ide.keyboard.type(' end')
    const content = async () => (await agent.call('editor_read_file', { path: 'README.md' })).content
    await expect.poll(content).toBe(`# Demo\n\nA small project. ${LONG} end\n`)
    for (const path of PATHS) {
      const other = await agent.ask('editor_read_file', { path })
      expect(other.content).not.toContain('word')
    }
    forgiveClosedTerminals(complaints)
  })
}

async function outputOf(server: Server, name: string): Promise<string> {
  const { content } = (await server.call('file.read', { path: name })) as { content: string }
  return content
}

for (const seed of [4, 5]) {
  test(`a person types on in a terminal whatever an agent does (${seed})`, async ({
    ide, agent, server, complaints,
  }, info) => {
    test.setTimeout(180_000)
    await openFile(ide, 'README.md')
    await agent.call('terminal_create', { title: 'person', shellPath: '/bin/bash' })
    await terminal(ide).click()
    await ide.keyboard.type('cat > typed.txt\n')
    await expect.poll(() => screen(ide)).toContain('cat > typed.txt')
    // A shell that is just starting shows what is typed, and reads it later.
    await expect.poll(() => outputOf(server, 'typed.txt')).toBe('')
    const did = await typeBeside(ide, agent, LONG, { seed })
    await info.attach('what the agent did', { body: did.join('\n') })
    expect(did.filter((line) => line.startsWith('done')).length).toBeGreaterThan(20)
    await ide.keyboard.press('Enter')
    await ide.keyboard.press('Control+d')
    await expect.poll(() => outputOf(server, 'typed.txt')).toBe(`${LONG}\n`)
    forgiveClosedTerminals(complaints)
  })
}
