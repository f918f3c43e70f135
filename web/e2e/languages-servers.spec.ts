// Language servers as a person meets them: missing, not trusted, failed, ended; and what only some can do.
import { editorOf, openFile } from './editor'
import { notice, terminal, testWithTerminals } from './hands'
import { expectReady, goTo, status, withMissing, withScripted } from './languages'
import { expect, palette, picture, test, visibleText } from './stage'

const CLASSES = 'class Shape\nclass Round < Shape\nclass Oval < Round\n\nsee other.ini\nrgb #ff0000\n<name>x</name>\n'

test.describe('a server of the person', () => {
  test.use({
    files: { 'a.ini': CLASSES, 'other.ini': 'class Other\n', 'boom.ini': 'boom\n' },
    surroundings: withScripted,
  })

  test.beforeEach(async ({ ide }) => {
    await openFile(ide, 'a.ini')
    await expectReady(ide, 'Scripted')
  })

  test('links lead on, colours are drawn, and types have a tree', async ({ ide }) => {
    const text = editorOf(ide, 'a.ini')
    await expect(text.locator('.colorpicker-color-decoration')).toBeAttached()
    await expect(text.locator('.detected-link')).toBeAttached()
    await goTo(ide, 2, 8)
    await palette(ide, 'Peek Type Hierarchy')
    const types = ide.locator('.type-hierarchy .tree .monaco-list-row')
    await expect(types.filter({ hasText: 'Round' })).toBeVisible()
    await expect(types.filter({ hasText: /Shape|Oval/ })).toBeVisible()
    await picture(ide, 'languages-types')
    await ide.keyboard.press('Escape')
    await goTo(ide, 5, 6)
    await palette(ide, 'Open Link')
    await expect(ide.locator('.tab.active', { hasText: 'other.ini' })).toBeVisible()
  })

  test('what a lens offers is done by the server, as one step that can be undone', async ({ ide }) => {
    const lens = editorOf(ide, 'a.ini').locator('.codelens-decoration a', { hasText: 'named 2 times' }).first()
    await expect(lens).toBeVisible()
    await picture(ide, 'languages-lenses')
    await lens.click()
    await expect.poll(() => visibleText(ide, 'a.ini')).toContain('1 class Shape')
    await expect.poll(() => visibleText(ide, 'a.ini')).toContain('7 <name>')
    await editorOf(ide, 'a.ini').locator('.view-line').first().click()
    await ide.keyboard.press('Control+z')
    await expect.poll(() => visibleText(ide, 'a.ini')).not.toContain('1 class Shape')
  })

  test('an action tells what it changes when it is chosen', async ({ ide }) => {
    await goTo(ide, 1, 1)
    await ide.keyboard.press('Control+Shift+r')
    await expect(ide.locator('.action-widget').first()).toContainText('Add a line')
    await ide.keyboard.press('Enter')
    await expect.poll(() => visibleText(ide, 'a.ini')).toContain('# added')
  })

  test('names that belong together change together', async ({ ide, server }) => {
    await server.settings({ 'editor.linkedEditing': true })
    await goTo(ide, 7, 2)
    await expect(async () => {
      await ide.keyboard.press('ArrowRight')
      await expect(editorOf(ide, 'a.ini').locator('.linked-editing-decoration').first())
        .toBeAttached({ timeout: 2_000 })
    }).toPass()
    await ide.keyboard.type('x')
    await expect.poll(() => visibleText(ide, 'a.ini')).toMatch(/<n\w*x\w*>x<\/n\w*x\w*>/)
  })

  test('a file outside the workspace is shown to be read, and only if a server named it', async ({ ide, server }) => {
    await goTo(ide, 1, 8)
    await ide.keyboard.press('F12')
    const library = ide.locator('.editor-group-container .tab.active')
    await expect(library).toContainText('stdio.h')
    await expect.poll(() => visibleText(ide, 'stdio.h')).not.toBe('')
    await picture(ide, 'languages-outside')
    await ide.keyboard.type('x')
    await expect(ide.locator('.monaco-editor-overlaymessage')).toContainText(/read-?only/i)
    const named = await server.get('/api/languages/source?path=/etc/hostname')
    expect(named).toMatchObject({ success: false })
  })

  test('a server that ends is started again, is stopped and restarted by the person', async ({ ide, server }) => {
    await openFile(ide, 'boom.ini')
    await goTo(ide, 1, 2)
    await ide.keyboard.press('Control+k')
    await ide.keyboard.press('Control+i')
    const starts = async () => {
      const { servers } = (await server.call('code.servers', {})) as { servers: { starts: number }[] }
      return servers[0]?.starts
    }
    await expect.poll(starts).toBeGreaterThan(1)
    await expectReady(ide, 'Scripted')
    await palette(ide, 'Languages: Stop Language Server')
    await expect(status(ide)).toContainText('stopped')
    await palette(ide, 'Languages: Restart Language Server')
    await expectReady(ide, 'Scripted')
    await palette(ide, 'Languages: Show Language Servers')
    await expect(ide.locator('.quick-input-list .monaco-list-row', { hasText: 'ready' })).toBeVisible()
    await picture(ide, 'languages-list')
  })
})

testWithTerminals.describe('a server that is not installed', () => {
  testWithTerminals.use({ files: { 'a.ini': CLASSES }, surroundings: withMissing })

  testWithTerminals('is installed with one click, in a terminal that one can watch', async ({ ide }) => {
    await openFile(ide, 'a.ini')
    await expect(status(ide)).toContainText('No server for Ini')
    await ide.getByRole('button', { name: 'Install…' }).click()
    await expect(terminal(ide)).toContainText('it-is-installed-now')
    await picture(ide, 'languages-installing')
  })
})

test.describe('no server', () => {
  test.use({ files: { 'main.yaml': 'a: 1\n', 'notes.txt': 'words\n' } })

  test('what is missing is offered once, and in the status bar as long as it is missing', async ({ ide }) => {
    await openFile(ide, 'notes.txt')
    await expect(status(ide)).toHaveCount(0)
    await openFile(ide, 'main.yaml')
    await expect(status(ide)).toContainText('No server for YAML')
    const offer = notice(ide, /Nothing here knows YAML yet\. YAML Language Server brings/)
    await expect(offer).toBeVisible()
    await picture(ide, 'languages-absent')
    await ide.getByRole('button', { name: 'Don’t Ask Again' }).click()
    await expect(offer).toHaveCount(0)
    await status(ide).click()
    const how = 'npm install --global yaml-language-server'
    const first = ide.locator('.quick-input-list .monaco-list-row', { hasText: how })
    await expect(first).toBeVisible()
    await picture(ide, 'languages-install')
    await ide.keyboard.press('Escape')
    await ide.reload()
    await expect(status(ide)).toContainText('No server for YAML')
    await expect(offer).toHaveCount(0)
  })
})
