// An agent moves the file that a person is typing in: the person types on.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dirtyTab, editorOf, expectLines, goToLineEnd, linesOf, openFile } from './editor'
import { expect, tab, test } from './stage'

const FILE = 'draft.txt'
const MOVED = 'renamed.txt'
const ROWS = Array.from({ length: 20 }, (_, index) => `row ${index + 1}`)
const MOVES = 6

test.use({ files: { [FILE]: `${ROWS.join('\n')}\n` } })

test('a file that an agent moves to and fro while it is typed in keeps every key, the caret and the keyboard', async ({
  ide, agent, server,
}) => {
  await openFile(ide, FILE)
  await goToLineEnd(ide, FILE, 5)
  const until = { isEnough: false }
  const typing = (async () => {
    let typed = ''
    for (let count = 0; !until.isEnough; count += 1) {
      const next = ` w${count}`
      await ide.keyboard.type(next, { delay: 20 })
      typed += next
    }
    return typed
  })()
  let name = FILE
  for (let move = 0; move < MOVES; move += 1) {
    const to = name === FILE ? MOVED : FILE
    await agent.call('file_move', { from: name, to })
    name = to
    await expect(tab(ide, name)).toBeVisible()
    await expect(tab(ide, name === FILE ? MOVED : FILE)).toHaveCount(0)
  }
  until.isEnough = true
  const typed = await typing
  const rows = [...ROWS, '']
  rows[4] += typed
  await expectLines(ide, name, rows)
  await expect(editorOf(ide, name)).toHaveClass(/focused/)
  await expect(dirtyTab(ide, name)).toHaveCount(1)
  await expect(ide.locator('.editor-group-container .tab.dirty')).toHaveCount(1)
  const content = async () => (await agent.call('editor_read_file', { path: name })).content
  await expect.poll(content).toBe(rows.join('\n'))
  // The caret is where the person was: what they type next is right behind.
  await ide.keyboard.type('!')
  rows[4] += '!'
  await expectLines(ide, name, rows)
  await ide.keyboard.press('Control+s')
  await expect(dirtyTab(ide, name)).toHaveCount(0)
  expect(await readFile(join(server.root, name), 'utf8')).toBe(rows.join('\n'))
  await expect(ide.locator('.notification-toast')).toHaveCount(0)
})

test('undo goes on behind a move, and a file without unsaved text keeps its caret', async ({ ide, agent }) => {
  await openFile(ide, FILE)
  await goToLineEnd(ide, FILE, 3)
  await agent.call('file_move', { from: FILE, to: MOVED })
  await expect(tab(ide, MOVED)).toBeVisible()
  await ide.keyboard.type(' more')
  await expectLines(ide, MOVED, [...ROWS.with(2, 'row 3 more'), ''])
  await agent.call('file_move', { from: MOVED, to: FILE })
  await expect(tab(ide, FILE)).toBeVisible()
  await expect(dirtyTab(ide, FILE)).toHaveCount(1)
  // A move in the middle of a word makes two steps of it.
  await expect(async () => {
    await ide.keyboard.press('Control+z')
    await expect.poll(() => linesOf(ide, FILE), { timeout: 1_000 }).toEqual([...ROWS, ''])
  }).toPass()
  await expect(dirtyTab(ide, FILE)).toHaveCount(0)
})
