// Snippets of the workspace and of the person are offered while one types, and follow their files.
import { editorOf, expectLines, goToLineEnd, openFile } from './editor'
import { expect, test, type Page } from './stage'

const snippet = (prefix: string, body: string, scope?: string) =>
  JSON.stringify({ [prefix]: { prefix, body: [body], ...(scope && { scope }), description: `a test of ${prefix}` } })

test.use({
  files: {
    'main.rs': '\n',
    'notes.txt': '\n',
    '.vscode/ours.code-snippets': snippet('ourtest', 'fn ${1:name}() { $TM_FILENAME }$0', 'rust'),
  },
})

const offered = (page: Page, label: string) =>
  page.locator('.suggest-widget .monaco-list-row', { hasText: label })

async function accept(page: Page, prefix: string): Promise<void> {
  await page.keyboard.type(prefix)
  await page.keyboard.press('Control+Space')
  await expect(offered(page, prefix).first()).toBeVisible()
  await page.keyboard.press('Enter')
}

test('a snippet of the workspace is put in with its places and variables, in its language', async ({ ide }) => {
  await openFile(ide, 'main.rs')
  await goToLineEnd(ide, 'main.rs', 1)
  await accept(ide, 'ourtest')
  await ide.keyboard.type('seven')
  await expectLines(ide, 'main.rs', ['fn seven() { main.rs }', ''])
  await openFile(ide, 'notes.txt')
  await goToLineEnd(ide, 'notes.txt', 1)
  await ide.keyboard.type('ourtes')
  await ide.keyboard.press('Control+Space')
  await expect(editorOf(ide, 'notes.txt')).toContainText('ourtes')
  await expect(offered(ide, 'ourtest')).toHaveCount(0)
})

test('a snippet that somebody writes is there at once, the person’s own too', async ({ ide, agent, server }) => {
  await openFile(ide, 'main.rs')
  await goToLineEnd(ide, 'main.rs', 1)
  await agent.call('file_write', { path: '.vscode/more.code-snippets', content: snippet('latertest', 'later()') })
  await server.keep('snippets/mine.code-snippets', snippet('minetest', 'mine()'))
  await server.keep('snippets/rust.json', snippet('langtest', 'lang()'))
  for (const [prefix, line] of [['latertest', 'later()'], ['minetest', 'mine()'], ['langtest', 'lang()']] as const) {
    // The workbench hears of files when it does.
    await expect(async () => {
      await ide.keyboard.press('Control+a')
      await ide.keyboard.type(prefix)
      await ide.keyboard.press('Control+Space')
      await expect(offered(ide, `a test of ${prefix}`).or(offered(ide, prefix)).first()).toBeVisible({ timeout: 2_000 })
      await ide.keyboard.press('Enter')
      await expectLines(ide, 'main.rs', [line])
    }).toPass()
  }
})
