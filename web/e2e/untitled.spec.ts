// Text that has no file yet is unsaved text like any other.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dirtyTab, editorOf, expectLines } from './editor'
import { answer, dialog } from './hands'
import { forgiveOutage } from './outage'
import { expect, openPage, palette, ready, tab, test, type Page } from './stage'

const NAME = 'untitled:Untitled-1'

/** The tab is called by what is in the text. */
async function note(ide: Page, text: string): Promise<void> {
  await palette(ide, 'File: New Untitled Text File')
  await expect(tab(ide, 'Untitled-1')).toBeVisible()
  await expect(editorOf(ide, 'Untitled-1').locator(':focus')).toHaveCount(1)
  await ide.keyboard.type(text)
  await expect(ide.locator('.tab.dirty')).toHaveCount(1)
}

test('it outlives the page and the server, agents read it, other browsers show it', async ({
  ide, agent, server, browser, complaints,
}) => {
  await note(ide, 'remember the milk')
  const read = async () => (await agent.ask('editor_read_file', { path: NAME })).content as string | undefined
  await expect.poll(read).toBe('remember the milk')
  const seen = async () => {
    const { editors } = await agent.call('editor_state')
    return editors.map(({ path, dirty, missing }: Record<string, unknown>) => ({ path, dirty, missing }))
  }
  await expect.poll(seen).toEqual([{ path: NAME, dirty: true, missing: false }])

  await ide.reload()
  await ready(ide)
  await expect(ide.locator('.tab.dirty')).toHaveCount(1)
  await expectLines(ide, 'remember the milk', ['remember the milk'])

  const other = await openPage(await browser.newContext(), await server.link(), complaints)
  await expectLines(other, 'remember the milk', ['remember the milk'])
  await editorOf(other, 'remember the milk').locator('.view-lines').click()
  await other.keyboard.press('Control+End')
  await other.keyboard.type(' and bread')
  await expectLines(ide, 'remember the milk', ['remember the milk and bread'])

  await server.restart()
  await ide.reload()
  await ready(ide)
  await expectLines(ide, 'remember the milk', ['remember the milk and bread'])
  await expect(ide.locator('.tab.dirty')).toHaveCount(1)
  forgiveOutage(complaints)
})

test('closing it asks, and saving it under a name makes it that file', async ({ ide, agent, server }) => {
  await note(ide, 'a plan')
  await ide.locator('.tab.dirty').click({ button: 'middle' })
  await expect(dialog(ide)).toContainText('a plan')
  await answer(ide, 'Cancel')
  await expect(ide.locator('.tab.dirty')).toHaveCount(1)

  await ide.keyboard.press('Control+s')
  const input = ide.locator('.quick-input-widget input').first()
  // The dialog is there a moment before the name that it proposes, which would replace another.
  await expect(input).toHaveValue(/a plan$/)
  await input.fill(join(server.root, 'plan.txt'))
  await input.press('Enter')
  await expect.poll(() => readFile(join(server.root, 'plan.txt'), 'utf8').catch(() => '')).toBe('a plan')
  await expect(tab(ide, 'plan.txt')).toBeVisible()
  await expect(dirtyTab(ide, 'plan.txt')).toHaveCount(0)
  const state = async () => (await server.get<{ parts: { buffers: object } }>('/api/state')).parts.buffers
  await expect.poll(state).toEqual({})
  const open = async () => (await agent.call('editor_state')).editors.map(({ path }: { path: string }) => path)
  await expect.poll(open).toEqual(['plan.txt'])
})

test('closing it without saving drops it everywhere', async ({ ide, agent, server }) => {
  await note(ide, 'not needed')
  await expect.poll(async () => (await agent.call('editor_state')).editors.length).toBe(1)
  await ide.locator('.tab.dirty').click({ button: 'middle' })
  await answer(ide, 'Don\'t Save')
  await expect(ide.locator('.tab.dirty')).toHaveCount(0)
  const state = async () => (await server.get<{ parts: { buffers: object } }>('/api/state')).parts.buffers
  await expect.poll(state).toEqual({})
  await expect.poll(async () => (await agent.call('editor_state')).editors).toEqual([])
  await ide.reload()
  await ready(ide)
  await expect(ide.locator('.tab.dirty')).toHaveCount(0)
})

test('what is typed into a comparison of two of them outlives the page too', async ({ ide, agent }) => {
  await palette(ide, 'File: Compare New Untitled Text Files')
  const diff = ide.locator('.monaco-diff-editor')
  const texts = { 'untitled:Untitled-1': 'the left one', 'untitled:Untitled-2': 'the right one' }
  const read = async () => Promise.all(Object.keys(texts).map(async (path) =>
    (await agent.ask('editor_read_file', { path })).content as string | undefined))
  await diff.locator('.editor.original .view-lines').click()
  await ide.keyboard.type('the left one')
  await diff.locator('.editor.modified .view-lines').click()
  await ide.keyboard.type('the right one')
  await expect.poll(read).toEqual(Object.values(texts))
  await ide.reload()
  await ready(ide)
  await expect(diff.locator('.editor.original .view-line')).toHaveText('the left one')
  await expect(diff.locator('.editor.modified .view-line')).toHaveText('the right one')
  // Closing it asks for the right one. The left one is shown by nothing until the next start.
  await ide.locator('.tab.active').click({ button: 'middle' })
  await answer(ide, 'Don\'t Save')
  await expect(diff).toHaveCount(0)
  await expect.poll(read).toEqual(['the left one', undefined])
  await ide.reload()
  await ready(ide)
  // It comes back behind what was in front.
  await tab(ide, 'the left one').click()
  await expectLines(ide, 'the left one', ['the left one'])
})
