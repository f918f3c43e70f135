// JSON: what its schemas know is offered, explained and checked, and a settings file that is broken says so.
import { editorOf, openFile } from './editor'
import { notice } from './hands'
import { expect, palette, picture, test } from './stage'

test.use({
  files: {
    'package.json': '{\n  "name": "demo",\n  "private": "yes",\n  \n}\n',
    'plain.json': '{\n  "$schema": "http://example.org/schema.json",\n  "a": 1,\n}\n',
  },
})

test('a package is completed, explained and checked, and no schema is fetched from elsewhere', async ({ ide }) => {
  await ide.waitForSelector('html[data-openspace-rest="ready"]', { state: 'attached' })
  await openFile(ide, 'package.json')
  const problems = ide.locator('.editor-group-container .squiggly-error, .editor-group-container .squiggly-warning')
  await expect(problems.first()).toBeAttached()
  const editor = editorOf(ide, 'package.json')
  // A line that gets its colours is drawn anew.
  await expect(async () => {
    await ide.mouse.move(700, 600)
    await editor.locator('.view-line', { hasText: 'private' }).getByText('"private"').hover({ timeout: 2_000 })
    const explained = ide.locator('.monaco-hover').getByText('The package is not to be published.')
    await expect(explained).toBeVisible({ timeout: 5_000 })
  }).toPass()
  await editor.locator('.view-lines').click()
  await ide.keyboard.press('Control+Home')
  for (let line = 1; line < 4; line++) await ide.keyboard.press('ArrowDown')
  await ide.keyboard.press('End')
  await ide.keyboard.press('Control+Space')
  const offered = ide.locator('.suggest-widget .monaco-list-row')
  await expect(offered.filter({ hasText: 'devDependencies' })).toBeVisible()
  await picture(ide, 'json-completion')
  await ide.keyboard.press('Escape')
  await openFile(ide, 'plain.json')
  await expect(problems.first()).toBeAttached()
})

test('settings stay in effect while their file is broken, and the mended file counts', async ({
  ide, server, agent,
}) => {
  const size = () => ide.locator('.editor-group-container .view-lines').first()
    .evaluate((lines) => getComputedStyle(lines).fontSize)
  await ide.waitForSelector('html[data-openspace-rest="ready"]', { state: 'attached' })
  await openFile(ide, 'plain.json')
  await server.keep('settings.json', '{\n  "editor.fontSize": 21\n}\n')
  await expect.poll(size).toBe('21px')
  await server.keep('settings.json', '{\n  "editor.fontSize" 30,\n  "editor.wordWrap": "on"\n')
  await expect(notice(ide, /settings.json is not valid JSON: see line 2\. What it set before stays/)).toBeVisible()
  expect(await size()).toBe('21px')
  await server.keep('settings.json', '{\n  "editor.fontSize": 17,\n}\n')
  await expect.poll(size).toBe('17px')
  // A folder's settings are held the same way.
  await agent.call('file_write', { path: '.vscode/settings.json', content: '{ "editor.fontSize": 23 }' })
  await expect.poll(size).toBe('23px')
  await agent.call('file_write', { path: '.vscode/settings.json', content: '{ "editor.fontSize" }' })
  await expect(notice(ide, /\.vscode\/settings.json is not valid JSON: see line 1/)).toBeVisible()
  expect(await size()).toBe('23px')
  await agent.call('file_write', { path: '.vscode/settings.json', content: '{}' })
  await expect.poll(size).toBe('17px')
})

test('settings that cannot be read name their line, and their editor knows what there is to set', async ({
  ide, server,
}) => {
  await ide.waitForSelector('html[data-openspace-rest="ready"]', { state: 'attached' })
  await server.keep('settings.json', '{\n  "editor.fontSize": 15,\n  "editor.wordWrap" "on"\n}\n')
  await expect(notice(ide, /settings.json is not valid JSON: see line 3/)).toBeVisible()
  await server.keep('settings.json', '{\n  "editor.fontSize": "large"\n}\n')
  await palette(ide, 'Preferences: Open User Settings (JSON)')
  const problems = ide.locator('.editor-group-container .squiggly-error, .editor-group-container .squiggly-warning')
  await expect(problems.first()).toBeAttached()
})
