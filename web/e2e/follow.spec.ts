// What an agent shows: whoever it is is followed, the line is marked, and the way back leads to what is there.
import { editorOf, groupOf, openFile } from './editor'
import { expect, tab, test, visibleText } from './stage'

test('a person who follows is taken along by who calls over HTTP, too', async ({ ide, server }) => {
  await openFile(ide, 'README.md')
  await editorOf(ide, 'README.md').locator('.view-lines').click()
  await ide.keyboard.press('Control+Alt+f')
  await expect(ide.locator('.statusbar-item', { hasText: 'Following' })).toBeVisible()
  const answer = await fetch(`${server.ready.url}/api/v1/commands/editor.open`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.ready.token}`, 'x-openspace-caller': 'cli' },
    body: JSON.stringify({ path: 'src/main.rs', line: 90, newPane: true }),
  })
  expect(answer.status).toBe(200)
  await expect.poll(() => visibleText(ide, 'main.rs')).toContain('fn line_90()')
  await expect(groupOf(ide, 'main.rs')).toHaveClass(/active/)
})

test('jumping back passes over what is gone', async ({ ide, agent }) => {
  await openFile(ide, 'README.md')
  await editorOf(ide, 'README.md').locator('.view-lines').click()
  await ide.keyboard.press('Control+Alt+f')
  await expect(ide.locator('.statusbar-item', { hasText: 'Following' })).toBeVisible()
  for (const path of ['src/main.rs', 'src/lib.rs', 'src/main.rs', 'src/lib.rs']) {
    await agent.call('editor_open', { path, line: 2, newPane: false })
    await expect(tab(ide, path.slice(4))).toHaveClass(/active/)
  }
  await ide.keyboard.press('Control+Alt+f')
  await agent.call('editor_close', { path: 'src/main.rs' })
  await expect(tab(ide, 'main.rs')).toHaveCount(0)
  await agent.call('workspace_bash', { command: 'rm src/lib.rs' })
  await expect.poll(async () => {
    const { panes } = await agent.call('pane_list', { all: true })
    return panes.flatMap(({ tabs }: { tabs: { contentId: string; missing: boolean }[] }) => tabs)
      .filter((one: { missing: boolean }) => one.missing).length
  }).toBe(1)
  // The page hears of it a moment after the server knows.
  await expect(async () => {
    await ide.keyboard.press('Control+Alt+j')
    await expect(tab(ide, 'README.md')).toHaveClass(/active/, { timeout: 2_000 })
  }).toPass()
  await expect(tab(ide, 'main.rs')).toHaveCount(0)
})

test('the line that an agent shows is marked, for who follows and for who does not', async ({ ide, agent }) => {
  const marked = () => ide.locator('.openspace-shown').count()
  await agent.call('editor_open', { path: 'src/main.rs', line: 5 })
  await expect.poll(marked).toBe(1)
  await expect(ide.locator('.openspace-shown-edge')).toHaveCount(1)
  /** Where the mark is, once it is at its line. */
  const place = async () => {
    const mark = await ide.locator('.openspace-shown').boundingBox()
    const text = await editorOf(ide, 'main.rs').getByText('fn line_5()').boundingBox()
    return mark && text && Math.abs(mark.y - text.y) < mark.height ? mark.y : 0
  }
  let before = 0
  await expect.poll(async () => (before = await place())).toBeGreaterThan(0)
  // It moves with its text.
  const edit = { old_string: 'fn line_2()', new_string: '//\nfn line_2()' }
  await agent.call('workspace_edit', { file_path: 'src/main.rs', ...edit })
  await expect.poll(place).toBeGreaterThan(before)
  await agent.call('editor_open', { path: 'src/main.rs', line: 9 })
  await expect.poll(marked).toBe(1)
  await agent.call('editor_open', { path: 'src/main.rs' })
  await expect.poll(marked).toBe(0)
})
