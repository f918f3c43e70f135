// Text that is not saved yet is the person's, and everybody's: agents, other browsers, the next start.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Server } from './server'
import { dirtyTab, editorOf, expectLines, expectLoaded, goToLineEnd, linesOf, openFile } from './editor'
import { forgiveMergedSaves, forgiveOutage } from './outage'
import { expect, openPage, picture, ready, tab, test, type Page } from './stage'

const ROWS = Array.from({ length: 30 }, (_, index) => `row ${index + 1}: 0`)
const FILE = 'shared.txt'

test.use({ files: { [FILE]: `${ROWS.join('\n')}\n` } })

const onDisk = (server: Server) => readFile(join(server.root, FILE), 'utf8')
const text = (lines: string[]) => lines.join('\n')
/** The editor shows an empty line behind the last line end. */
const withEnd = (rows: string[]) => [...rows, '']

test('typing and two hundred edits of an agent on other lines all arrive, also on disk', async ({
  ide, agent, server,
}) => {
  await openFile(ide, FILE)
  await goToLineEnd(ide, FILE, 2)
  const typed = ' The quick brown fox jumps over the lazy dog.'.repeat(4)
  const editing = (async () => {
    for (let round = 0; round < 10; round++) {
      for (let row = 11; row <= 30; row++) {
        await agent.call('workspace_edit', {
          file_path: FILE, old_string: `row ${row}: ${round}\n`, new_string: `row ${row}: ${round + 1}\n`,
        })
      }
    }
  })()
  await ide.keyboard.type(typed, { delay: 15 })
  await editing
  const rows = ROWS.map((row, index) => (index >= 10 ? row.replace(': 0', ': 10') : row))
  rows[1] += typed
  await expectLines(ide, FILE, withEnd(rows))
  await expect(dirtyTab(ide, FILE)).toHaveCount(1)
  await picture(ide, 'live-text')
  await ide.keyboard.press('Control+s')
  await expect(dirtyTab(ide, FILE)).toHaveCount(0)
  expect(await onDisk(server)).toBe(text(withEnd(rows)))
})

test('a save in the moment of an agent’s edit of other lines asks nothing and loses nothing', async ({
  ide, agent, server, complaints,
}) => {
  await openFile(ide, FILE)
  await goToLineEnd(ide, FILE, 2)
  const edit = async (round: number) => {
    const change = { old_string: `row 30: ${round}\n`, new_string: `row 30: ${round + 1}\n` }
    // What the person saved in between has to be read first.
    while ((await agent.ask('workspace_edit', { file_path: FILE, ...change })).kind === 'conflict') {
      await agent.call('workspace_read', { file_path: FILE })
    }
  }
  for (let round = 0; round < 8; round++) {
    await ide.keyboard.type('x')
    await Promise.all([ide.keyboard.press('Control+s'), edit(round)])
    const rows = ROWS.with(1, `row 2: 0${'x'.repeat(round + 1)}`).with(29, `row 30: ${round + 1}`)
    await expectLines(ide, FILE, withEnd(rows))
    await expect(dirtyTab(ide, FILE)).toHaveCount(0)
    await expect.poll(() => onDisk(server)).toBe(text(withEnd(rows)))
  }
  await expect(ide.locator('.notification-toast')).toHaveCount(0)
  forgiveMergedSaves(complaints)
})

test('twenty-five saves beside an agent that never pauses ask nothing and show what is on disk', async ({
  ide, agent, server, complaints,
}) => {
  test.setTimeout(180_000)
  await openFile(ide, FILE)
  await goToLineEnd(ide, FILE, 2)
  const until = { isEnough: false }
  const editing = (async () => {
    let round = 0
    while (!until.isEnough) {
      const change = { old_string: `row 30: ${round}\n`, new_string: `row 30: ${round + 1}\n` }
      const made = await agent.ask('workspace_edit', { file_path: FILE, ...change })
      // What the person saved in between has to be read first.
      if (made.kind === 'conflict') await agent.call('workspace_read', { file_path: FILE })
      else round += 1
    }
    return round
  })()
  for (let save = 0; save < 25; save += 1) {
    await ide.keyboard.type('x')
    await ide.keyboard.press('Control+s')
  }
  await expect(dirtyTab(ide, FILE)).toHaveCount(0)
  until.isEnough = true
  const rounds = await editing
  const rows = ROWS.with(1, `row 2: 0${'x'.repeat(25)}`).with(29, `row 30: ${rounds}`)
  await expectLines(ide, FILE, withEnd(rows))
  await expect(dirtyTab(ide, FILE)).toHaveCount(0)
  await expect.poll(() => onDisk(server)).toBe(text(withEnd(rows)))
  await expect(ide.locator('.notification-toast')).toHaveCount(0)
  forgiveMergedSaves(complaints)
})

test('an agent reads unsaved text, and may not edit the line that the person has not saved', async ({
  ide, agent, server,
}) => {
  await openFile(ide, FILE)
  await goToLineEnd(ide, FILE, 3)
  await ide.keyboard.type(' is mine')
  await expect.poll(async () => (await agent.call('workspace_read', { file_path: FILE })).unsaved).toBe(true)
  const told = async () => JSON.stringify(await agent.call('workspace_read', { file_path: FILE }))
  await expect.poll(told).toContain('row 3: 0 is mine')
  const read = await agent.call('editor_read_file', { path: FILE })
  expect(read.unsaved).toBe(true)
  expect(read.content).toContain('row 3: 0 is mine')
  const before = await onDisk(server)
  const refused = await agent.ask('workspace_edit', {
    file_path: FILE, old_string: 'row 3: 0 is mine', new_string: 'row 3: of the agent',
  })
  expect(refused).toMatchObject({ success: false, kind: 'conflict' })
  expect(JSON.stringify(refused)).toContain('row 3: 0 is mine')
  expect(JSON.stringify(refused)).toContain('row 3: of the agent')
  expect(await onDisk(server)).toBe(before)
  const rows = [...ROWS]
  rows[2] += ' is mine'
  await expectLines(ide, FILE, withEnd(rows))
})

test('unsaved text survives a reload and a restart of the server', async ({ ide, agent, server, complaints }) => {
  await openFile(ide, FILE)
  await goToLineEnd(ide, FILE, 1)
  await ide.keyboard.type(' before')
  const rows = [...ROWS]
  rows[0] += ' before'
  const kept = async () => JSON.stringify(await agent.call('editor_read_file', { path: FILE }))
  await expect.poll(kept).toContain('row 1: 0 before')
  await ide.reload()
  await ready(ide)
  await expectLines(ide, FILE, withEnd(rows))
  await expect(dirtyTab(ide, FILE)).toHaveCount(1)
  await expectLoaded(ide)
  await server.restart()
  await expect(ide.locator('.openspace-banner')).toBeHidden()
  await goToLineEnd(ide, FILE, 1)
  await ide.keyboard.type(' and after')
  rows[0] += ' and after'
  const again = async () => JSON.stringify(await server.call('editor.read_file', { path: FILE }))
  await expect.poll(again, { timeout: 30_000 }).toContain('row 1: 0 before and after')
  await ide.reload()
  await ready(ide)
  await expectLines(ide, FILE, withEnd(rows))
  await expect(dirtyTab(ide, FILE)).toHaveCount(1)
  expect(await onDisk(server)).toBe(text(withEnd(ROWS)))
  forgiveOutage(complaints)
})

test('undo takes back what the person typed, not what an agent edited', async ({ ide, agent }) => {
  await openFile(ide, FILE)
  await goToLineEnd(ide, FILE, 5)
  await ide.keyboard.type('xyz')
  await agent.call('workspace_edit', { file_path: FILE, old_string: 'row 1: 0\n', new_string: 'row 1: much longer\n' })
  await agent.call('workspace_edit', { file_path: FILE, old_string: 'row 9: 0', new_string: 'row 9: edited' })
  const rows = ROWS.with(0, 'row 1: much longer').with(8, 'row 9: edited')
  await expectLines(ide, FILE, withEnd(rows.with(4, 'row 5: 0xyz')))
  await ide.keyboard.press('Control+z')
  await expectLines(ide, FILE, withEnd(rows))
  await expect(dirtyTab(ide, FILE)).toHaveCount(0)
  await ide.keyboard.press('Control+z')
  await expectLines(ide, FILE, withEnd(rows))
  await ide.keyboard.press('Control+Shift+z')
  await expectLines(ide, FILE, withEnd(rows.with(4, 'row 5: 0xyz')))
})

test('a second browser sees the typing live, and a save makes both clean', async ({
  ide, server, browser, complaints,
}) => {
  await openFile(ide, FILE)
  const context = await browser.newContext()
  const other = await openPage(context, await server.link(), complaints)
  await expect(tab(other, FILE)).toBeVisible()
  await goToLineEnd(ide, FILE, 4)
  await ide.keyboard.type(' from A')
  const rows = [...ROWS]
  rows[3] += ' from A'
  await expectLines(other, FILE, withEnd(rows))
  await expect(dirtyTab(other, FILE)).toHaveCount(1)
  await goToLineEnd(other, FILE, 6)
  await Promise.all([
    other.keyboard.type(' and this is from B', { delay: 20 }),
    ide.keyboard.type(' and more from A', { delay: 20 }),
  ])
  rows[3] += ' and more from A'
  rows[5] += ' and this is from B'
  await expectLines(ide, FILE, withEnd(rows))
  await expectLines(other, FILE, withEnd(rows))
  await ide.keyboard.press('Control+s')
  await expect(dirtyTab(ide, FILE)).toHaveCount(0)
  await expect(dirtyTab(other, FILE)).toHaveCount(0)
  expect(await onDisk(server)).toBe(text(withEnd(rows)))
  const buffers = async () => (await server.get<{ parts: { buffers: object } }>('/api/state')).parts.buffers
  await expect.poll(buffers).toEqual({})
  await context.close()
})

test('a shell of the agent changes other lines of an unsaved file', async ({ ide, agent, server, complaints }) => {
  await openFile(ide, FILE)
  await goToLineEnd(ide, FILE, 2)
  await ide.keyboard.type(' typed')
  await expect(dirtyTab(ide, FILE)).toHaveCount(1)
  await agent.call('workspace_bash', { command: `sed -i 's/^row 20: 0$/row 20: by sed/' ${FILE}` })
  const rows = ROWS.with(1, 'row 2: 0 typed').with(19, 'row 20: by sed')
  await expectLines(ide, FILE, withEnd(rows))
  await expect(dirtyTab(ide, FILE)).toHaveCount(1)
  await ide.keyboard.press('Control+s')
  await expect(dirtyTab(ide, FILE)).toHaveCount(0)
  expect(await onDisk(server)).toBe(text(withEnd(rows)))
  forgiveMergedSaves(complaints)
})

/** How far an agent's caret is from a line. It stays for seconds only: both are looked up at once. */
const caretAway = (page: Page, row: string) =>
  editorOf(page, FILE).evaluate((editor, wanted) => {
    const isIt = ({ textContent }: Element) => (textContent ?? '').replaceAll('\u00a0', ' ').includes(wanted)
    const line = [...editor.querySelectorAll('.view-line')].find(isIt)
    const caret = editor.querySelector('.openspace-caret')
    return caret && line ? Math.abs(caret.getBoundingClientRect().y - line.getBoundingClientRect().y) : Infinity
  }, row)

test('a caret with the agent’s name stands where it edited, also while the person types', async ({ ide, agent }) => {
  await openFile(ide, FILE)
  await goToLineEnd(ide, FILE, 2)
  await ide.keyboard.type(' typed')
  await agent.call('workspace_edit', { file_path: FILE, old_string: 'row 12: 0', new_string: 'row 12: edited' })
  await ide.keyboard.type(' on')
  const name = editorOf(ide, FILE).locator('.openspace-caret-name')
  await expect(name).toHaveText(/tester/)
  await expect.poll(() => caretAway(ide, 'row 12: edited')).toBeLessThan(2)
  await picture(ide, 'caret')
  await expect.poll(async () => (await linesOf(ide, FILE))[1]).toBe('row 2: 0 typed on')
  await expect(name).toHaveCount(0, { timeout: 20_000 })
})

test('the name of an agent moves no text, lets clicks through, and comes back with the next edit', async ({
  ide, agent,
}) => {
  await openFile(ide, FILE)
  const places = () =>
    editorOf(ide, FILE).evaluate((editor) =>
      [...editor.querySelectorAll('.view-line > span > span')].map((span) => {
        const { x, y, width } = span.getBoundingClientRect()
        return [span.textContent, Math.round(x), Math.round(y), Math.round(width)].join(' ')
      }))
  const edit = (from: string, to: string) =>
    agent.call('workspace_edit', { file_path: FILE, old_string: from, new_string: to })
  const name = editorOf(ide, FILE).locator('.openspace-caret-name')
  await edit('row 5: 0', 'row 5: 1')
  await expect(editorOf(ide, FILE).locator('.view-line', { hasText: /row.5:.1/ })).toBeVisible()
  await expect(name).toHaveText('tester')
  // It stays for seconds only: a picture comes later.
  const box = (await name.boundingBox())!
  const shown = await places()
  await ide.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
  await expect(ide.locator('.statusbar-item', { hasText: /Ln 4,/ })).toBeVisible()
  await expect(name).toHaveCount(0, { timeout: 20_000 })
  await expect.poll(places).toEqual(shown)
  // At the very top there is no room above the line.
  await edit('row 1: 0', 'row 1: 1')
  await expect(name).toBeVisible()
  const beneath = () => editorOf(ide, FILE).evaluate((editor) => {
    const lines = [...editor.querySelectorAll('.view-line')]
    const line = lines.find(({ textContent }) => /row.1:.1/.test(textContent ?? ''))
    const label = editor.querySelector('.openspace-caret-name')
    return line && label ? label.getBoundingClientRect().y - line.getBoundingClientRect().bottom : -Infinity
  })
  await expect.poll(beneath).toBeGreaterThanOrEqual(-1)
  await picture(ide, 'caret-dark-or-light')
  // It goes along with its line when text before it changes.
  await edit('row 9: 0', 'row 9: 1')
  const away = () => caretAway(ide, 'row 9: 1')
  await expect.poll(away).toBeLessThan(2)
  await ide.keyboard.press('Control+Home')
  await ide.keyboard.press('Enter')
  // The caret stays for seconds only, and is looked for first: the line that it is at is another now.
  const lineNumber = async () => (await linesOf(ide, FILE)).indexOf('row 9: 1')
  await expect.poll(async () => (await lineNumber()) === 9 ? away() : Infinity).toBeLessThan(2)
  const rows = ROWS.with(0, 'row 1: 1').with(4, 'row 5: 1').with(8, 'row 9: 1')
  await expectLines(ide, FILE, ['', ...withEnd(rows)])
})

test('what is undone while it is saved is unsaved text, not lost', async ({ ide, agent, server }) => {
  await openFile(ide, FILE)
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  let arrived = () => {}
  const saving = new Promise<void>((resolve) => (arrived = resolve))
  await ide.route('**/api/commands/openspace.file.save', async (route) => {
    arrived()
    await released
    await route.continue()
  })
  await goToLineEnd(ide, FILE, 1)
  await ide.keyboard.type(' typed')
  await ide.keyboard.press('Control+s')
  await saving
  await ide.keyboard.press('Control+z')
  await expectLines(ide, FILE, withEnd(ROWS))
  release()
  const saved = withEnd(['row 1: 0 typed', ...ROWS.slice(1)])
  await expect.poll(() => onDisk(server)).toBe(text(saved))
  await expect(dirtyTab(ide, FILE)).toHaveCount(1)
  const read = async () => (await agent.call('editor_read_file', { path: FILE })).content
  await expect.poll(read).toBe(text(withEnd(ROWS)))
})
