// What is deleted on disk takes no typed text with it, and what a person deletes comes back whole.
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { dirtyTab, editorOf, expectLines, goToLineEnd } from './editor'
import { answer, notice, openFile, row } from './hands'
import { expect, palette, ready, tab, test, type Page } from './stage'
import type { Server } from './server'

const todo = (server: Server) => join(server.root, 'notes/todo.txt')
const TYPED = 'first\nsecond by the person\nthird\n'

async function typeIntoTodo(ide: Page, server: Server): Promise<void> {
  await openFile(ide, 'notes', 'todo.txt')
  await goToLineEnd(ide, 'todo.txt', 2)
  await ide.keyboard.type(' by the person')
  const state = () => server.get<{ parts: { buffers: object } }>('/api/state')
  await expect.poll(async () => Object.keys((await state()).parts.buffers)).toEqual(['notes/todo.txt'])
  // All of it, not only the first key.
  const read = async () => (await server.call('editor.read_file', { path: 'notes/todo.txt' })).content
  await expect.poll(read).toContain('second by the person')
}

for (const by of ['an agent', 'another program']) {
  test(`a file with unsaved text that ${by} deletes is said to be deleted, and saving makes it again`, async ({
    ide, agent, server,
  }) => {
    await typeIntoTodo(ide, server)
    if (by === 'an agent') await agent.call('file_delete', { path: 'notes/todo.txt' })
    else await rm(todo(server))
    await expect(notice(ide, /was deleted on disk/).first()).toBeVisible()
    await expect(dirtyTab(ide, 'todo.txt')).toHaveCount(1)
    await expect(ide.locator('.tab .monaco-icon-label.strikethrough, .tab .strikethrough').first()).toBeVisible()

    await ide.reload()
    await ready(ide)
    await expectLines(ide, 'todo.txt', TYPED.split('\n'))
    await expect(dirtyTab(ide, 'todo.txt')).toHaveCount(1)
    await editorOf(ide, 'todo.txt').locator('.view-lines').click()
    await ide.keyboard.press('Control+s')
    await expect.poll(() => readFile(todo(server), 'utf8').catch(() => '')).toBe(TYPED)
    await expect(dirtyTab(ide, 'todo.txt')).toHaveCount(0)
  })
}

test('what the person deletes in the explorer comes back when they undo it, also a folder', async ({ ide, server }) => {
  const remove = async (name: string) => {
    await expect(async () => {
      await row(ide, name).click({ timeout: 2_000 })
      await expect(row(ide, name)).toHaveClass(/focused/, { timeout: 1_000 })
    }).toPass()
    await ide.keyboard.press('Delete')
    await answer(ide, 'Move to')
    await expect(row(ide, name)).toHaveCount(0)
  }
  // A row goes with its file, and the deletion can be undone only when its answer has come.
  const undo = async (name: string) => {
    await expect(async () => {
      await ide.locator('.explorer-folders-view').click({ position: { x: 20, y: 300 } })
      await ide.keyboard.press('Control+z')
      await expect(row(ide, name)).toBeVisible({ timeout: 3_000 })
    }).toPass({ timeout: 30_000 })
  }
  await remove('README.md')
  expect(existsSync(join(server.root, 'README.md'))).toBe(false)
  await undo('README.md')
  expect(await readFile(join(server.root, 'README.md'), 'utf8')).toBe('# Demo\n\nA small project.\n')
  await remove('notes')
  expect(existsSync(todo(server))).toBe(false)
  await undo('notes')
  expect(await readFile(todo(server), 'utf8')).toBe('first\nsecond\nthird\n')
})

// The explorer learns of a folder from a list, and looks into it later: in between it can be gone.
const LOOK_INTO_NOTES = '**/api/files/stat?path=notes'

for (const when of ['is opened', 'is listed again']) {
  test(`a folder that goes while it ${when} in the explorer leaves it, and nothing is said`, async ({
    ide, agent, server,
  }) => {
    const isOpen = when === 'is listed again'
    if (isOpen) {
      await row(ide, 'notes').click()
      await expect(row(ide, 'todo.txt')).toBeVisible()
    }
    let looks = 0
    await ide.route(LOOK_INTO_NOTES, async (route) => {
      looks += 1
      await agent.call('file_delete', { path: 'notes' })
      await route.continue()
    }, { times: 1 })
    if (isOpen) await server.write('new.txt', 'new\n')
    else await row(ide, 'notes').click()
    await expect(row(ide, 'notes')).toHaveCount(0)
    await expect(row(ide, 'todo.txt')).toHaveCount(0)
    expect(looks).toBe(1)
    expect(await ide.locator('.notification-toast').count()).toBe(0)
  })
}

test('a folder that is there and cannot be looked into is told', async ({ ide, complaints }) => {
  const failure = { kind: 'denied', error: 'notes is not for you', hint: 'Ask for it.' }
  await ide.route(LOOK_INTO_NOTES, (route) => route.fulfill({ status: 403, json: failure }))
  await row(ide, 'notes').click()
  await expect(notice(ide, /notes is not for you/)).toBeVisible()
  await expect(row(ide, 'notes')).toBeVisible()
  // The browser and the workbench note it as well.
  expect(complaints.splice(0).filter((complaint) => !/403|notes is not for you/.test(complaint))).toEqual([])
})

test('what was deleted is picked from a list and restored', async ({ ide, agent, server }) => {
  await agent.call('file_delete', { path: 'notes' })
  await agent.call('file_delete', { path: 'README.md' })
  for (const name of ['notes', 'README.md']) await expect(row(ide, name)).toHaveCount(0)
  await palette(ide, 'File: Restore Deleted')
  const choices = ide.locator('.quick-input-list .monaco-list-row')
  await expect(choices.nth(0)).toContainText('README.md')
  await expect(choices.nth(1)).toContainText('notes/')
  await choices.nth(1).click()
  await expect(row(ide, 'notes')).toBeVisible()
  expect(await readFile(todo(server), 'utf8')).toBe('first\nsecond\nthird\n')
  await expect(tab(ide, 'todo.txt')).toHaveCount(0)
})
