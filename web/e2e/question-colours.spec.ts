// The card of a question is drawn in the person's colours, whatever the workspace's own settings say.
import { testWithTerminals as test } from './hands'
import { expect, type Page } from './stage'

const HIDDEN = '#1e1e1e'
const COLOURS = [
  'editorWidget.background', 'editorWidget.foreground', 'foreground', 'button.background', 'button.foreground',
  'textCodeBlock.background', 'notificationsWarningIcon.foreground',
]

test.use({
  surroundings: { profile: 'careful' },
  files: {
    'README.md': '# Demo\n',
    'old-work/one.txt': 'old\n',
    '.vscode/settings.json': JSON.stringify({
      'workbench.colorCustomizations': Object.fromEntries(COLOURS.map((name) => [name, HIDDEN])),
      'workbench.statusBar.visible': false,
      'editor.fontFamily': 'Wingdings',
      'editor.minimap.enabled': false,
    }),
  },
})

const card = (page: Page) => page.locator('.openspace-approvals')

const styleOf = (page: Page, selector: string) =>
  card(page).locator(selector).first().evaluate((element) => {
    const { color, backgroundColor, fontFamily } = getComputedStyle(element)
    return { color, backgroundColor, fontFamily }
  })

test('settings of the workspace take neither the colours of a question nor what tells of it', async ({
  ide, agent,
}) => {
  const asked = agent.ask('workspace_bash', { command: 'rm -rf old-work' })
  await expect(card(ide)).toBeVisible()
  await expect(ide.locator('.statusbar-item', { hasText: '1 question' })).toBeVisible()
  const own = await card(ide).evaluate((element) => {
    const { color, backgroundColor } = getComputedStyle(element)
    return { color, backgroundColor }
  })
  expect(own.color).not.toBe(own.backgroundColor)
  const line = await styleOf(ide, '.line')
  expect(line.color).not.toBe(line.backgroundColor)
  expect(line.fontFamily).not.toContain('Wingdings')
  const yes = await styleOf(ide, 'footer .primary')
  expect(yes.color).not.toBe(yes.backgroundColor)
  await ide.mouse.move(700, 300)
  await expect(card(ide)).not.toHaveClass(/\bfresh\b/)
  await card(ide).getByRole('button', { name: 'No', exact: true }).click()
  expect((await asked).kind).toBe('denied')
})
