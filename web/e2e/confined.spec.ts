// Where agents' programs run, as a person sees it.
import { screen, terminal, testWithTerminals as test } from './hands'
import { expect } from './stage'

const unconfined = '.statusbar-item', words = 'Agents not confined'

test.describe('on a machine that can confine nothing', () => {
  test.use({ surroundings: { variables: { OPENSPACE_RUNNER: '/no/runner' } } })

  test('the status bar says that agents are not confined, and why', async ({ ide }) => {
    const item = ide.locator(unconfined, { hasText: words })
    await expect(item).toBeVisible()
    await item.hover()
    await expect(ide.locator('.monaco-hover', { hasText: 'the runner /no/runner is not there' })).toBeVisible()
  })
})

test.describe('on this machine', () => {
  test.use({ files: { '.env': 'API_KEY=kept-to-myself\n', 'a.txt': 'one\n' } })

  test('a terminal of an agent has the workspace and not its secrets, whoever types', async ({ ide, agent }) => {
    await expect(ide.locator(unconfined, { hasText: words })).toHaveCount(0)
    const made = await agent.ask('terminal_create', { title: 'its own' })
    expect(made).toMatchObject({ success: true, confined: true })
    await terminal(ide).click()
    await ide.keyboard.type('cat a.txt .env\n')
    await expect.poll(() => screen(ide)).toContain('.env: Permission denied')
    const shown = await screen(ide)
    expect([shown.includes('one'), shown.includes('kept-to-myself')]).toEqual([true, false])
  })
})
