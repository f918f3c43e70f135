// The page's copy of the space and the server's are the same: what the real server says on the page's socket,
// put together by the page's own code, is what it answers when it is asked for everything.
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BrowserContext } from '@playwright/test'
import type { PaneInfo, Parts, SequencedEvent, Snapshot, SocketMessage } from '../src/protocol/generated'
import { layoutOf } from '../src/protocol/layout'
import { applyPatches } from '../src/protocol/patches'
import { editorArea, panesOf } from '../src/workbench/layout/shape'
import { Random } from '../test/random'
import { expectLoaded, expectRest, groupsOf, openFile } from './editor'
import { forgiveOutage } from './outage'
import { expect, openPage, ready, tab, test, type Agent } from './stage'

const COMMANDS = 40
const FILES = Array.from({ length: 12 }, (_, index) => `f${index + 1}.txt`)

test.use({ files: Object.fromEntries(FILES.map((path) => [path, 'one\ntwo\nthree\n'])) })

/** Everything that the server says to pages of this browser, as it comes. */
function listenIn(context: BrowserContext): SocketMessage[] {
  const messages: SocketMessage[] = []
  context.on('page', (page) => page.on('websocket', (socket) => {
    if (new URL(socket.url()).pathname !== '/api/socket') return
    socket.on('framereceived', ({ payload }) => messages.push(JSON.parse(String(payload)) as SocketMessage))
  }))
  return messages
}

const isEvent = (message: SocketMessage): message is SequencedEvent => 'seq' in message

/** One of the things that agents do with panes, tabs and what is in them. Some are refused. */
async function act(agent: Agent, random: Random, step: number): Promise<boolean> {
  const panes = (await agent.call('pane_list')).panes as PaneInfo[]
  const paneId = random.pick(panes).id
  const other = random.pick(panes).id
  const tabs = panes.flatMap((pane) => pane.tabs)
  const file = random.pick(FILES)
  const contentId = (tabs.length > 0 ? random.pick(tabs).contentId : undefined) ?? file
  const side = random.pick(['left', 'right', 'above', 'below'])
  const isCrowded = panes.length > 4
  const acts: [tool: string, args: Record<string, unknown>][] = [
    ['pane_open', { type: 'editor', contentId: file, targetPaneId: paneId }],
    ['editor_open', { path: file, line: 2, highlight: true }],
    ['pane_open', { type: 'editor', contentId: file, ...(isCrowded ? {} : { newPane: true }) }],
    isCrowded ? ['pane_close', { paneId }] : ['pane_split', { paneId, side }],
    ['pane_move', { contentId, targetPaneId: other }],
    ['pane_move_beside', { paneId, besidePaneId: other, side }],
    ['pane_resize', { paneId, width: 20 + random.below(60) }],
    ['pane_divide', { firstPaneId: paneId, secondPaneId: other, fractions: [1, 2] }],
    ['pane_pin', { paneId, pinned: random.chance(0.5) }],
    ['pane_focus', { paneId }],
    ['pane_close', { contentId }],
    ['editor_report_problems', { source: 'lint', problems: [{ path: file, startLine: 1, message: `step ${step}` }] }],
    ['terminal_create', { title: `work ${step}` }],
    ['layout_save', { name: `layout ${random.below(3)}` }],
    ['layout_apply', { name: `layout ${random.below(3)}` }],
  ]
  const [tool, args] = random.pick(acts)
  return (await agent.ask(tool, args)).success === true
}

for (const seed of [1, 2]) {
  test(`after many commands the page has what the server has, seed ${seed}`, async ({
    context, server, agent, complaints,
  }) => {
    const random = new Random(seed)
    const heard = listenIn(context)
    const page = await openPage(context, server.ready.open, complaints)
    // It is the page's own, and would stay in a group of its own when an agent closes its pane.
    await tab(page, 'Welcome').hover()
    await tab(page, 'Welcome').locator('.codicon-close').click()
    await expect(tab(page, 'Welcome')).toHaveCount(0)
    let done = 0
    for (let step = 0; step < COMMANDS; step += 1) done += Number(await act(agent, random, step))
    expect(done, 'most commands are not refused').toBeGreaterThan(COMMANDS / 2)
    // What the page makes of it comes a moment later, and would be between the save and the question.
    await expectRest(server, 'layout.propose', 1_000)
    await agent.call('layout_save', { name: 'now' })

    const state = await server.get<Snapshot>('/api/state')
    await expect.poll(() => heard.findLast(isEvent)?.seq ?? 0).toBeGreaterThanOrEqual(state.seq)
    const [first, ...more] = heard.flatMap((message) => (message.type === 'snapshot' ? [message.snapshot] : []))
    expect(more, 'one connection, one snapshot').toEqual([])
    const events = heard.filter(isEvent).filter(({ seq }) => seq <= state.seq)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => first!.seq + 1 + index))
    const apply = (parts: Parts, event: SequencedEvent) =>
      event.type === 'changed' ? applyPatches(parts, event.patches) : parts
    const parts = events.reduce(apply, first!.parts)
    expect(parts).toEqual(state.parts)
    expect(JSON.stringify(parts), 'in the same order, too').toBe(JSON.stringify(state.parts))

    // The tree that the page makes of the entries is the one that the server saves, and the one that it shows.
    const layout = layoutOf(parts.layout)
    expect(layout).toEqual(state.parts.layouts.now)
    const wanted = panesOf(editorArea(layout)).map(({ tabs }) => tabs.map(({ contentId }) => contentId))
    const files = (groups: string[][]) =>
      groups.map((names) => names.filter((name) => name.endsWith('.txt')).join()).sort()
    await expect.poll(async () => files(await groupsOf(page))).toEqual(files(wanted))

    // Who was away hears the rest from wherever they were, in the same words.
    for (let resumed = 0; resumed < 8; resumed += 1) {
      const since = first!.seq + random.below(state.seq - first!.seq)
      const told = await page.evaluate(([boot, seq, last]) => new Promise<string[]>((resolve) => {
        const messages: string[] = []
        const keys = JSON.parse(localStorage.getItem('openspace-pages')!) as string[]
        const socket = new WebSocket(`/api/socket?boot=${boot}&seq=${seq}&page=${keys.join('.')}`)
        socket.onmessage = ({ data }: { data: string }) => {
          messages.push(data)
          if ((JSON.parse(data) as { seq?: number }).seq !== last) return
          socket.close()
          resolve(messages)
        }
      }), [state.boot, since, state.seq] as const)
      const rest = told.map((text) => JSON.parse(text) as SocketMessage)
      expect(rest[0]?.type).toBe('welcome')
      expect(rest.slice(1)).toEqual(events.filter(({ seq }) => seq > since))
    }
  })
}

test('what was saved and cannot be read is said once for each start of the server', async ({
  ide, agent, server, complaints,
}) => {
  await openFile(ide, 'f1.txt')
  await agent.call('editor_highlight', { path: 'f1.txt', ranges: [{ startLine: 1, endLine: 2 }] })
  const state = join(dirname(server.root), 'state')
  const store = readdirSync(state, { recursive: true }).find((path) => String(path).endsWith('space.db'))
  await expectLoaded(ide)
  await server.end('SIGTERM')
  const damage = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); " +
    "c.execute(\"UPDATE entry SET value = '5' WHERE part = 'highlights'\"); c.commit()"
  execFileSync('python3', ['-c', damage, join(state, String(store))])
  await server.begin()
  const notice = ide.locator('.notification-list-item', { hasText: 'could not be read' })
  await expect(notice).toContainText('highlights. It is kept aside in the store.')
  await expect(ide.locator('.tab', { hasText: 'f1.txt' })).toBeVisible()
  await ide.reload()
  await ready(ide)
  await expect(notice).toHaveCount(0)
  forgiveOutage(complaints)
})
