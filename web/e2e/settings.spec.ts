// Settings, keys and themes are the person's, on every browser; the preview of Markdown follows the typing.
import { expect, openPage, palette, picture, ready, test, type Page } from './stage'
import { openFile } from './hands'

const theme = (page: Page) => page.locator('.monaco-workbench').first().getAttribute('class')

test('a setting that is changed in one browser holds in the other at once', async ({
  ide, server, browser, complaints,
}) => {
  await openFile(ide, 'README.md')
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } })
  const other = await openPage(context, await server.link(), complaints)
  await expect(other.locator('.editor-group-container .minimap')).toBeVisible()
  await ide.keyboard.press('Control+,')
  await ide.locator('.settings-editor .suggest-input-container').click()
  await ide.keyboard.type('editor.minimap.enabled')
  // What does not fit goes, and the rows move up.
  await expect(ide.locator('.settings-editor .settings-count-widget')).toContainText('Found')
  await ide.locator('.settings-editor .setting-item-contents', { hasText: 'whether the minimap is shown' })
    .getByRole('checkbox').first().click()
  await expect(other.locator('.editor-group-container .minimap')).toBeHidden()
  await picture(ide, 'settings')
  await palette(other, 'Preferences: Open User Settings (JSON)')
  await expect(other.locator('.view-lines').getByText('editor.minimap.enabled')).toBeVisible()
  await context.close()
})

test('the colour theme is changed from the palette, also to high contrast, and stays', async ({ ide }) => {
  const choose = async (name: string) => {
    await palette(ide, 'Preferences: Color Theme')
    const row = ide.locator('.quick-input-list .monaco-list-row', { hasText: name }).first()
    await expect(row).toBeVisible()
    await ide.keyboard.type(name)
    await expect(ide.locator('.quick-input-list .monaco-list-row.focused')).toContainText(name)
    await ide.keyboard.press('Enter')
    await expect(ide.locator('.quick-input-widget')).toBeHidden()
  }
  await choose('Dark Modern')
  await expect.poll(() => theme(ide)).toContain('vs-dark')
  await choose('Light Modern')
  await expect.poll(() => theme(ide)).not.toContain('vs-dark')
  await choose('Dark High Contrast')
  await expect.poll(() => theme(ide)).toContain('hc-black')
  await picture(ide, 'theme-high-contrast')
  await ide.reload()
  await expect.poll(() => theme(ide)).toContain('hc-black')
})

test('a key that is given to a command works, also after a reload', async ({ ide, server }) => {
  await palette(ide, 'Preferences: Open Keyboard Shortcuts (JSON)')
  await expect(ide.locator('.tab.active')).toContainText('keybindings.json')
  await ide.locator('.view-lines').first().click()
  await ide.keyboard.press('Control+a')
  await ide.keyboard.insertText('[{ "key": "ctrl+alt+u", "command": "workbench.action.toggleSidebarVisibility" }]')
  // The editor has closed the brackets by itself.
  await ide.keyboard.press('Control+Shift+End')
  await ide.keyboard.press('Delete')
  await ide.keyboard.press('Control+s')
  await expect(ide.locator('.tab.dirty')).toHaveCount(0)
  const bar = ide.locator('.part.sidebar')
  await expect(bar).toBeVisible()
  // The workbench reads the keys anew some moments after the file is saved.
  await expect(async () => {
    if (await bar.isVisible()) await ide.keyboard.press('Control+Alt+u')
    await expect(bar).toBeHidden({ timeout: 1_000 })
  }).toPass()
  // A busy page may answer the last key only now.
  await expect(async () => {
    if (!(await bar.isVisible())) await ide.keyboard.press('Control+Alt+u')
    await expect(bar).toBeVisible({ timeout: 1_000 })
  }).toPass()
  await ide.reload()
  await ready(ide)
  await expect(bar).toBeVisible()
  await expect(async () => {
    if (await bar.isVisible()) await ide.keyboard.press('Control+Alt+u')
    await expect(bar).toBeHidden({ timeout: 1_000 })
  }).toPass()
  const { names } = await server.get<{ names: string[] }>('/api/user-data')
  expect(names).toContain('keybindings.json')
})

test('nothing is offered that a page cannot do, such as zooming the window', async ({ ide }) => {
  await ide.keyboard.press('F1')
  await ide.locator('.quick-input-widget input').first().fill('>View: Zoom In')
  await expect(ide.locator('.quick-input-list .monaco-list-row', { hasText: /^View: Zoom In/ })).toHaveCount(0)
})

test('the preview of Markdown stands beside the text and follows the typing', async ({ ide }) => {
  await openFile(ide, 'README.md')
  await ide.locator('.view-lines').first().click()
  await ide.keyboard.press('Control+k')
  await ide.keyboard.press('v')
  const preview = ide.locator('.openspace-markdown')
  await expect(preview.getByRole('heading', { name: 'Demo' })).toBeVisible()
  await ide.keyboard.press('Control+End')
  await ide.keyboard.type('\n## Typed **now**')
  await expect(preview.getByRole('heading', { name: 'Typed now' })).toBeVisible()
  await picture(ide, 'markdown')
})
