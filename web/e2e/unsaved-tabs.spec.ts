// A tab with unsaved text says so and is not closed without a word, whoever closes it and whether it was looked at.
import { dirtyTab, expectLines, goToLineEnd, openFile } from './editor'
import { answer, dialog } from './hands'
import { expect, ready, tab, test } from './stage'

test.use({ files: { 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' } })

test('after a reload tabs that nobody has looked at have their mark and ask when they are closed', async ({
  ide, server,
}) => {
  for (const name of ['a.txt', 'b.txt']) {
    await openFile(ide, name)
    await goToLineEnd(ide, name, 1)
    await ide.keyboard.type(' typed')
  }
  await openFile(ide, 'c.txt')
  const state = () => server.get<{ parts: { buffers: object } }>('/api/state')
  const unsaved = async () => Object.keys((await state()).parts.buffers)
  await expect.poll(unsaved).toEqual(['a.txt', 'b.txt'])
  const read: string[] = []
  ide.on('request', (request) => {
    const address = new URL(request.url())
    if (address.pathname === '/api/files/content') read.push(address.searchParams.get('path') ?? '')
  })
  await ide.reload()
  await ready(ide)
  for (const name of ['a.txt', 'b.txt']) await expect(dirtyTab(ide, name)).toHaveCount(1)
  await expect(tab(ide, 'c.txt')).toHaveClass(/active/)
  await expect(dirtyTab(ide, 'c.txt')).toHaveCount(0)
  await expect.poll(() => new Set(read)).toEqual(new Set(['c.txt', 'a.txt', 'b.txt']))

  await tab(ide, 'a.txt').click({ button: 'middle' })
  await expect(dialog(ide)).toContainText('a.txt')
  await answer(ide, 'Cancel')
  await expect(dirtyTab(ide, 'a.txt')).toHaveCount(1)
  await tab(ide, 'a.txt').click()
  await expectLines(ide, 'a.txt', ['one typed', ''])
})

test('an agent cannot close a tab with unsaved text, and is told why', async ({ ide, agent }) => {
  await openFile(ide, 'a.txt')
  await goToLineEnd(ide, 'a.txt', 1)
  await ide.keyboard.type(' typed')
  await expect.poll(async () => (await agent.call('editor_state')).editors[0]?.dirty).toBe(true)
  for (const [tool, args] of [
    ['editor_close', { path: 'a.txt' }], ['pane_close', { contentId: 'a.txt' }], ['pane_close', { paneId: 'p1' }],
  ] as const) {
    const refused = await agent.ask(tool, args)
    expect(refused).toMatchObject({ kind: 'conflict', error: '`a.txt` has unsaved changes; nothing was closed' })
  }
  await expect(dirtyTab(ide, 'a.txt')).toHaveCount(1)
  await expectLines(ide, 'a.txt', ['one typed', ''])
})
