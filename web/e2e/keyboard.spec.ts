// The keyboard stays where the person has it: whatever agents open, move and close, no key is lost and none
// goes elsewhere. And a file that is shown twice is one file.
import { editorOf, expectLines, goToLineEnd, groupOf, groupsOf, openFile, panesOf } from './editor'
import { screen, terminal, testWithTerminals as test } from './hands'
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
