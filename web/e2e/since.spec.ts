// What an agent hears of the person with its next answer is what their hands did, as the page tells it.
import { editorOf, expectLines, openFile } from './editor'
import { expect, test } from './stage'

const ROWS = ['one', 'two', 'three', 'four', 'five', 'six']

test.use({ files: { 'a.txt': ROWS.map((row) => `${row}\n`).join('') } })

test('lines that a person selects are told once, and not again because an agent moved them', async ({ ide, agent }) => {
  const since: unknown[] = []
  /** Ask something, and keep what is told of the person besides. */
  const ask = async (tool: string, args: Record<string, unknown>) => {
    const answer = await agent.call(tool, args)
    if (answer.since_your_last_call?.selected) since.push(answer.since_your_last_call.selected)
    return answer
  }
  const selection = async () => {
    const { editors } = await ask('editor_state', {})
    return editors[0]?.observed[0]?.selection
  }
  await openFile(ide, 'a.txt')
  await ask('workspace_read', { file_path: 'a.txt' })
  since.splice(0)
  await editorOf(ide, 'a.txt').locator('.view-lines').click()
  await ide.keyboard.press('Control+Home')
  for (let line = 1; line < 4; line += 1) await ide.keyboard.press('ArrowDown')
  for (const key of ['Shift+ArrowDown', 'Shift+End']) await ide.keyboard.press(key)
  await expect.poll(selection).toBe('4:1-5:5')
  // It is told with the first answer after the page's report, which may be the one behind.
  await expect.poll(async () => {
    await ask('pane_list', {})
    return since.at(-1)
  }).toEqual(['a.txt:4-5'])
  since.splice(0)

  await ask('workspace_edit', { file_path: 'a.txt', old_string: 'one\n', new_string: 'zero\nhalf\none\n' })
  await expectLines(ide, 'a.txt', ['zero', 'half', ...ROWS, ''])
  await expect.poll(selection).toBe('6:1-7:5')
  await ask('pane_list', {})
  expect(since).toEqual([])

  // What they select now is told, by the lines as they are.
  await ide.keyboard.press('Shift+ArrowUp')
  await expect.poll(async () => {
    await ask('pane_list', {})
    return since
  }).toEqual([['a.txt:6']])
})
