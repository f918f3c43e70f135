// A file that only begins as text does is never damaged by an editor.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { row } from './hands'
import { expect, test } from './stage'

/** Text until far behind where an editor looks, and then not. */
const LATE_NUL = Buffer.concat([Buffer.from('a line of text\n'.repeat(300)), Buffer.from([0, 1, 2, 0xff, 0xfe, 0])])
const BROKEN = Buffer.concat([Buffer.from('a line of text\n'.repeat(300)), Buffer.from([0xff, 0xe4, 0x0a])])

for (const [name, bytes] of [['late.bin', LATE_NUL], ['latin.txt', BROKEN]] as const) {
  test(`${name} is not opened as text, and whoever opens it anyway cannot change it`, async ({ ide, server }) => {
    await server.write(name, bytes)
    await row(ide, name).dblclick()
    await expect(ide.getByText(/is either binary or uses an unsupported text encoding/)).toBeVisible()
    await ide.getByText('Open Anyway').click()
    const picker = ide.locator('.quick-input-list .monaco-list-row', { hasText: 'Text Editor' })
    const text = ide.locator('.editor-group-container .monaco-editor .view-lines').first()
    await expect(picker.first().or(text).first()).toBeVisible()
    if (await picker.first().isVisible()) await picker.first().click()
    await expect(text).toContainText('a line of text')
    await text.click()
    await ide.keyboard.type('typed')
    await ide.keyboard.press('Control+s')
    await expect(ide.locator('.tab.dirty')).toHaveCount(0)
    await expect(text).not.toContainText('typed')
    expect(await readFile(join(server.root, name))).toEqual(bytes)
    const state = await server.get<{ parts: { buffers: object } }>('/api/state')
    expect(state.parts.buffers).toEqual({})
  })
}
