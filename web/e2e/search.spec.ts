// Search: the server finds text and files, and the workbench's own view shows and replaces it.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, picture, tab, test, type Page } from './stage'

test.use({
  files: {
    'src/alpha.ts': 'const needle = 1\nconst Needle = 2\nconst needles = 3\n',
    'src/deep/beta.ts': 'export const x = needle\n',
    'docs/gamma.md': 'A needle in the hay.\nnumber 4711 here\n',
    'hidden/ignored.log': 'needle\n',
    '.gitignore': '*.log\n',
    'src/workspace-search-provider.ts': 'export {}\n',
  },
})

const results = (page: Page) => page.locator('.search-view .results .monaco-list-row')
const message = (page: Page) => page.locator('.search-view .messages')
const box = (page: Page, label: string) =>
  page.locator('.search-view').locator(`textarea[aria-label^="${label}"], input[aria-label^="${label}"]`)

const toggle = (page: Page, name: string) => page.locator('.search-view').getByRole('checkbox', { name }).first()

test('text is found while it is typed: plain, by case, by word, by expression, in some files only', async ({ ide }) => {
  await ide.keyboard.press('Control+Shift+f')
  await box(ide, 'Search').first().fill('needle')
  await expect(message(ide)).toContainText('5 results in 3 files')
  await expect(results(ide).filter({ hasText: 'alpha.ts' })).toBeVisible()
  await picture(ide, 'search')
  await toggle(ide, 'Match Case').click()
  await expect(message(ide)).toContainText('4 results in 3 files')
  await toggle(ide, 'Match Whole Word').click()
  await expect(message(ide)).toContainText('3 results in 3 files')
  await toggle(ide, 'Match Case').click()
  await toggle(ide, 'Match Whole Word').click()
  await toggle(ide, 'Use Regular Expression').click()
  await box(ide, 'Search').first().fill('\\d{4}')
  await expect(message(ide)).toContainText('1 result in 1 file')
  await expect(results(ide).filter({ hasText: '4711' })).toBeVisible()
  await toggle(ide, 'Use Regular Expression').click()
  await box(ide, 'Search').first().fill('needle')
  await ide.locator('.search-view').getByRole('button', { name: 'Toggle Search Details' }).click()
  await box(ide, 'files to include').fill('src')
  await expect(message(ide)).toContainText('4 results in 2 files')
  await box(ide, 'files to include').fill('')
  await expect(message(ide)).toContainText('5 results in 3 files')
  await box(ide, 'files to exclude').fill('**/*.md')
  await expect(message(ide)).toContainText('4 results in 2 files')
  await results(ide).filter({ hasText: 'export const x' }).click()
  await expect(tab(ide, 'beta.ts')).toBeVisible()
})

test('a replacement in all files is on the disk', async ({ ide, server }) => {
  await ide.keyboard.press('Control+Shift+h')
  await box(ide, 'Search').first().fill('needle')
  await box(ide, 'Replace').first().fill('pin')
  await expect(message(ide)).toContainText('5 results in 3 files')
  await ide.locator('.search-view').getByRole('button', { name: 'Replace All' }).click()
  await ide.locator('.monaco-dialog-box .monaco-button', { hasText: 'Replace' }).click()
  const read = (path: string) => readFile(join(server.root, path), 'utf8')
  await expect.poll(() => read('src/deep/beta.ts')).toBe('export const x = pin\n')
  await expect.poll(() => read('src/alpha.ts')).toBe('const pin = 1\nconst pin = 2\nconst pins = 3\n')
  await expect.poll(() => read('docs/gamma.md')).toContain('A pin in the hay.')
  expect(await read('hidden/ignored.log')).toBe('needle\n')
})

test('quick open finds a file by some of its letters, as the server ranks them', async ({ ide }) => {
  const asked = ide.waitForResponse((response) => response.url().endsWith('/api/search/files'))
  await ide.keyboard.press('Control+p')
  await expect(ide.locator('.quick-input-widget input').first()).toBeFocused()
  await ide.keyboard.type('wssrchprov')
  const found = ide.locator('.quick-input-list .monaco-list-row', { hasText: 'workspace-search-provider.ts' })
  await expect(found).toBeVisible()
  expect((await asked).status()).toBe(200)
  await expect(found).toHaveClass(/\bfocused\b/)
  await ide.keyboard.press('Enter')
  await expect(tab(ide, 'workspace-search-provider.ts')).toBeVisible()
})
