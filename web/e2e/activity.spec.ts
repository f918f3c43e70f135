// The activity: everything that happens in the space, by whom, with what result, as it happens.
import { Agent } from './agent'
import { Bridge } from './bridge'
import { hasKeyboard } from './editor'
import { expect, openPage, palette, picture, tab, test, type Page } from './stage'

const rows = (page: Page) => page.locator('.openspace-activity li')

async function showActivity(page: Page): Promise<void> {
  await palette(page, 'OpenSpace: Show Activity')
  await expect(page.getByRole('list', { name: 'Activity', exact: true })).toBeAttached()
}

/** What is shown as an error is in the console too, which is no complaint then. */
const forgive = (complaints: string[], words: string) => {
  const expected = complaints.filter((complaint) => complaint.includes(words))
  expect(expected).not.toEqual([])
  complaints.splice(0, complaints.length, ...complaints.filter((complaint) => !expected.includes(complaint)))
}

const toasts = (page: Page) => page.locator('.notifications-toasts .notification-list-item')

test('calls are listed as they end, and found by word, caller and failure', async ({ ide, agent, server }) => {
  await showActivity(ide)
  await agent.call('file_read', { path: 'README.md' })
  await agent.ask('file_read', { path: 'no-such.txt' })
  await server.call('file.list', {})
  await expect(rows(ide)).toHaveCount(3)
  const [listed, missing, read] = [0, 1, 2].map((index) => rows(ide).nth(index))
  await expect(read!.locator('.who')).toHaveText('tester')
  await expect(read!.locator('.what')).toHaveText('read README.md')
  await expect(read!.locator('.result')).toHaveText('done')
  await expect(read!.locator('.duration')).toHaveText(/^[\d.]+ (µs|ms|s)$/)
  await expect(missing!.locator('.result')).toHaveText('not found')
  await expect(missing!.locator('.error')).toContainText('no-such.txt')
  await expect(listed!.locator('.who')).toHaveAttribute('title', 'Scripts')
  await picture(ide, 'activity')

  const word = ide.getByRole('searchbox', { name: 'Filter by word' })
  await word.fill('README tester')
  await expect(rows(ide)).toHaveCount(1)
  await word.fill('no such words')
  await expect(ide.getByText('Nothing fits the filter.')).toBeVisible()
  await word.fill('')
  const kind = ide.getByRole('combobox', { name: 'Whose actions' })
  await kind.selectOption('Scripts')
  await expect(rows(ide).locator('.what')).toHaveText([await listed!.locator('.what').innerText()])
  await kind.selectOption('Everybody')
  await ide.getByRole('checkbox', { name: 'Only failures' }).check()
  await expect(rows(ide).locator('.result')).toHaveText(['not found'])
  // What fits the filter comes in live, the rest does not.
  await agent.call('file_read', { path: 'README.md' })
  await agent.ask('file_read', { path: 'nor-this.txt' })
  await expect(rows(ide).locator('.error')).toHaveCount(2)
  await expect(rows(ide)).toHaveCount(2)
})

test('the list is walked and heard with the keyboard alone', async ({ ide, agent }) => {
  await showActivity(ide)
  await expect(ide.getByText('Nothing has happened yet.')).toBeVisible()
  await expect(ide.getByRole('searchbox', { name: 'Filter by word' })).toBeFocused()
  for (const path of ['README.md', 'src/lib.rs', 'notes/todo.txt']) await agent.call('file_read', { path })
  await expect(rows(ide)).toHaveCount(3)
  await expect(ide.getByRole('listitem', { name: /, tester, read notes\/todo\.txt, done, / })).toBeVisible()
  await ide.getByRole('checkbox', { name: 'Only failures' }).focus()
  await ide.keyboard.press('Tab')
  await expect(rows(ide).nth(0)).toBeFocused()
  await ide.keyboard.press('ArrowUp')
  await expect(rows(ide).nth(0)).toBeFocused()
  await ide.keyboard.press('End')
  await expect(rows(ide).nth(2)).toBeFocused()
  // What an agent does meanwhile does not move the keyboard.
  await agent.call('file_list', {})
  await expect(rows(ide)).toHaveCount(4)
  await expect(rows(ide).nth(3)).toBeFocused()
  await ide.keyboard.press('ArrowUp')
  await expect(rows(ide).nth(2)).toBeFocused()
  await ide.keyboard.press('ArrowRight')
  await expect(ide.getByRole('button', { name: 'Open src/lib.rs' })).toBeFocused()
  await ide.keyboard.press('ArrowLeft')
  await ide.keyboard.press('Enter')
  await expect(tab(ide, 'lib.rs')).toBeVisible()
  // Opening takes the keyboard along.
  await expect.poll(() => ide.evaluate(() => document.activeElement?.closest('.monaco-editor') !== null)).toBe(true)
  await rows(ide).nth(2).focus()
  await ide.keyboard.press('Home')
  await expect(rows(ide).nth(0)).toBeFocused()
  await tab(ide, 'lib.rs').click()
  await hasKeyboard(ide)
  await palette(ide, 'OpenSpace: Show Activity')
  await expect(rows(ide).nth(0)).toBeFocused()
})

test('older calls come page by page, below what was heard meanwhile', async ({ ide, agent, server }) => {
  for (let index = 0; index < 130; index += 1) await server.call('file.search', { query: `old-${index}` })
  await showActivity(ide)
  await expect.poll(() => rows(ide).count()).toBeGreaterThan(50)
  const first = await rows(ide).count()
  await agent.call('file_search', { query: 'just-now' })
  await expect(rows(ide)).toHaveCount(first + 1)
  await ide.getByRole('button', { name: 'Show older' }).click()
  await expect(rows(ide).filter({ hasText: 'old-0' })).toHaveCount(1)
  await expect(rows(ide).nth(0)).toContainText('just-now')
  const searches = rows(ide).filter({ hasText: 'old-' })
  await expect(searches).toHaveCount(130)
  await expect(ide.getByRole('button', { name: 'Show older' })).toBeHidden()
})

test('a file that is gone, and a log that cannot be read, are said', async ({ ide, agent, server, complaints }) => {
  await ide.route('**/api/commands/openspace.audit.list', (route) =>
    route.fulfill({ status: 200, json: { records: 'broken' } }), { times: 1 })
  await showActivity(ide)
  await expect(toasts(ide)).toContainText(['The activity could not be loaded'])
  await ide.getByRole('button', { name: 'Try again' }).click()
  await agent.call('file_write', { path: 'gone.txt', content: 'x' })
  await agent.call('file_delete', { path: 'gone.txt' })
  await rows(ide).first().focus()
  await ide.keyboard.press('Enter')
  await expect(toasts(ide).filter({ hasText: 'gone.txt could not be opened' })).toBeVisible()
  await server.call('file.list', { path: 'src' })
  await expect(rows(ide).first()).toContainText('src')
  await rows(ide).first().focus()
  await ide.keyboard.press('Enter')
  await expect(ide.locator('.explorer-folders-view .monaco-list-row.selected')).toContainText('src')
  forgive(complaints, 'The activity could not be loaded')
  forgive(complaints, 'gone.txt could not be opened')
})

test('what the server loses is a notice; what an agent does wrong is one for those who ask', async ({
  ide, agent, server, complaints,
}) => {
  const bridge = await Bridge.register(server.ready, 'deploy')
  await bridge.offer([{ id: 'deploy.start', description: 'Deploy to the test site.', inputSchema: { type: 'object' } }])
  await agent.ask('file_read', { path: 'quiet.txt' })
  const lost = agent.ask('command_run', { command: 'deploy.start', arguments: {} })
  await bridge.call()
  await bridge.close()
  expect(await lost).toMatchObject({ success: false, kind: 'lost' })
  await expect(toasts(ide)).toHaveCount(1)
  await expect(toasts(ide)).toContainText('tester')
  await toasts(ide).getByRole('button', { name: 'Show Activity' }).click()
  await expect(rows(ide).filter({ hasText: 'lost' }).first()).toBeVisible()

  await server.keep('settings.json', JSON.stringify({ 'openspace.noticeWarnings': true }))
  const other = await Agent.connect(server.ready, 'clumsy')
  await expect.poll(async () => {
    await other.ask('file_read', { path: `wrong-${Date.now()}.txt` })
    // Not the notice from before, which may still be on its way out.
    return toasts(ide).filter({ hasText: 'clumsy' }).count()
  }).toBeGreaterThan(0)
  // At once: what fails now and then is no flood.
  await Promise.all(Array.from({ length: 8 }, (_, index) => other.ask('file_read', { path: `wrong-${index}.txt` })))
  await expect(toasts(ide).filter({ hasText: 'More calls fail than are shown here' })).toBeVisible()
  await other.close()
  forgive(complaints, 'went away during the call')
})

test('of calls that fail all at once a few are notices, and one that leads to the rest', async ({
  context, agent, server, complaints,
}) => {
  await server.keep('settings.json', JSON.stringify({ 'openspace.noticeWarnings': true }))
  const page = await openPage(context, server.ready.open, complaints)
  await Promise.all(Array.from({ length: 8 }, (_, index) => agent.ask('file_read', { path: `wrong-${index}.txt` })))
  const more = 'More calls fail than are shown here'
  await expect(toasts(page)).toContainText([more, 'tester: ', 'tester: '])
  await toasts(page).filter({ hasText: more }).getByRole('button', { name: 'Show Activity' }).click()
  await expect(rows(page).filter({ hasText: 'wrong-' })).toHaveCount(8)
})
