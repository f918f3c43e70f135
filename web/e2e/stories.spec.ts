// What a person sees when an agent works in the same space: the stories that the product is for.
import { openFile, openInFolder } from './editor'
import { expect, palette, picture, ready, tab, test, visibleText } from './stage'

test('a file that the agent opens at a line comes into view there', async ({ ide, agent }) => {
  await agent.call('editor_open', { path: 'src/main.rs', line: 90 })
  await expect(tab(ide, 'main.rs')).toBeVisible()
  await expect.poll(() => visibleText(ide, 'main.rs')).toContain('fn line_90()')
  await picture(ide, 'opened-at-line')
})

test('a file that does not exist is an answer to the agent and changes nothing', async ({ ide, agent }) => {
  const answer = await agent.ask('editor_open', { path: 'src/missing.rs' })
  expect(answer).toMatchObject({ success: false, kind: 'not_found' })
  await expect(tab(ide, 'missing.rs')).toHaveCount(0)
})

test('a highlight stays on its lines when the file is saved and then changes on disk', async ({ ide, agent }) => {
  const marked = () => ide.evaluate(() => {
    const top = (element: Element) => Math.round(element.getBoundingClientRect().top)
    const marks = new Set([...document.querySelectorAll('.openspace-mark')].map(top))
    const lines = [...document.querySelectorAll('.view-line')].filter((line) => marks.has(top(line)))
    return lines.map((line) => line.textContent?.replaceAll('\u00a0', ' ')).sort()
  })
  const content = 'a\nb\nc\nd\nfirst marked\nsecond marked\ng\n'
  await agent.call('workspace_write', { file_path: 'marked.txt', content })
  await openFile(ide, 'marked.txt')
  await agent.call('editor_highlight', { path: 'marked.txt', ranges: [{ startLine: 5, endLine: 6 }] })
  await expect.poll(marked).toEqual(['first marked', 'second marked'])
  await ide.locator('.view-line', { hasText: /^g$/ }).click()
  await ide.keyboard.press('End')
  await ide.keyboard.type(' typed')
  await ide.keyboard.press('Control+s')
  await expect(ide.locator('.tab.dirty')).toHaveCount(0)
  await agent.call('workspace_read', { file_path: 'marked.txt' })
  await agent.call('workspace_edit', { file_path: 'marked.txt', old_string: 'a\nb\n', new_string: 'new\nnew\na\nb\n' })
  await expect(ide.locator('.view-line', { hasText: /^new$/ })).toHaveCount(2)
  await expect.poll(marked).toEqual(['first marked', 'second marked'])
})

test('highlights with a note light up, live together, survive a reload and go with Escape', async ({
  ide, agent, server,
}) => {
  await agent.call('editor_open', { path: 'src/main.rs', line: 10 })
  await agent.call('editor_highlight', {
    path: 'src/main.rs', ranges: [{ startLine: 8, endLine: 12 }], highlightId: 'fix-1', note: 'Look at these lines',
  })
  await agent.call('editor_highlight', {
    path: 'src/main.rs', ranges: [{ startLine: 15, endLine: 15 }], highlightId: 'fix-2', color: 'blue',
  })
  await expect(ide.locator('.openspace-mark')).toHaveCount(6)
  await expect(ide.locator('.openspace-note')).toContainText('Look at these lines')
  await picture(ide, 'highlights')
  await ide.reload()
  await ready(ide)
  await expect(ide.locator('.openspace-mark')).toHaveCount(6)
  await ide.locator('.view-lines').first().click()
  await ide.keyboard.press('Escape')
  await expect(ide.locator('.openspace-mark')).toHaveCount(0)
  const state = () => server.get<{ parts: { highlights: object } }>('/api/state')
  await expect.poll(async () => (await state()).parts.highlights).toEqual({})
})

test('panes that the agent opens stand where it said, in the shares it said', async ({ ide, agent }) => {
  await agent.call('editor_open', { path: 'src/lib.rs' })
  await agent.call('pane_open', { type: 'editor', contentId: 'src/main.rs', splitDirection: 'vertical' })
  await expect(tab(ide, 'main.rs')).toBeVisible()
  const boxes = () => ide.locator('.editor-group-container').evaluateAll((groups) =>
    groups.map((group) => group.getBoundingClientRect()).map(({ x, width }) => ({ x, width })))
  await expect(async () => {
    const [left, right, ...others] = await boxes()
    expect(others).toEqual([])
    expect(right!.x).toBeGreaterThan(left!.x)
    expect(Math.abs(right!.width - left!.width)).toBeLessThan(20)
  }).toPass({ timeout: 15_000 })
  const { panes } = await agent.call('pane_list', { all: true })
  const [first] = panes
  await agent.call('pane_resize', { paneId: first.id, width: 70 })
  await expect.poll(async () => {
    const [left, right] = await boxes()
    return Math.round(left!.width / (left!.width + right!.width) * 100)
  }).toBe(70)
  await picture(ide, 'panes')
})

test('the person’s own tabs and splits are the agent’s too', async ({ ide, agent }) => {
  await ide.locator('.explorer-folders-view').getByText('README.md').dblclick()
  await expect(tab(ide, 'README.md')).toBeVisible()
  const shared = async () => {
    const { panes } = await agent.call('pane_list', { all: true })
    return panes.map((pane: { tabs: { contentId: string }[] }) => pane.tabs.map(({ contentId }) => contentId))
  }
  await expect.poll(shared).toEqual([['README.md']])
  await openInFolder(ide, 'notes', 'todo.txt', 'beside')
  await expect.poll(shared).toEqual([['README.md'], ['notes/todo.txt']])
  await tab(ide, 'todo.txt').hover()
  await tab(ide, 'todo.txt').locator('.codicon-close').click()
  await expect.poll(shared).toEqual([['README.md']])
})

test('the keyboard stays with the person while the agent opens files', async ({ ide, agent }) => {
  await ide.locator('.explorer-folders-view').getByText('README.md').dblclick()
  await ide.locator('.view-lines').first().click()
  await ide.keyboard.press('Control+End')
  const typed = 'The keyboard is mine.'
  const opening = (async () => {
    for (const path of ['src/lib.rs', 'src/main.rs', 'notes/todo.txt']) {
      await agent.call('editor_open', { path, newPane: true })
    }
  })()
  await ide.keyboard.type(typed, { delay: 20 })
  await opening
  await expect.poll(() => visibleText(ide, 'README.md')).toContain(typed)
})

test('every command of the space is in the palette', async ({ ide, server }) => {
  test.slow()
  const { commands } = await server.get<{ commands: { title: string; shown: string }[] }>('/api/commands')
  const shown = commands.filter((command) => command.shown !== 'hidden')
  await ide.keyboard.press('F1')
  for (const { title } of shown) {
    await ide.locator('.quick-input-widget input').first().fill(`>OpenSpace: ${title}`)
    const rows = ide.locator('.quick-input-list .monaco-list-row', { hasText: `OpenSpace: ${title}` })
    await expect(rows.first()).toBeVisible()
  }
})

test('the palette asks for arguments and runs the command as the person', async ({ ide, server }) => {
  await palette(ide, 'OpenSpace: Editor: Open')
  const input = ide.locator('.quick-input-widget input').first()
  await input.fill('src/lib.rs')
  await ide.keyboard.press('Enter')
  await ide.locator('.quick-input-list .monaco-list-row', { hasText: 'Run Editor: Open' }).click()
  await expect(tab(ide, 'lib.rs')).toBeVisible()
  // The tab is there before the command is over.
  const ran = async () => {
    const { records } = (await server.call('audit.list', { command: 'editor.open' })) as {
      records: { callerKind: string; summary: string }[]
    }
    return records.map(({ callerKind, summary }) => [callerKind, summary])
  }
  await expect.poll(ran).toEqual([['person', 'open src/lib.rs']])
})
