// What a page that comes later knows of a terminal: commands, folder, colours, title; and who answers programs.
import { expect, openPage, palette, picture, tab, type Agent, type Page } from './stage'
import { openFile, screen, terminal, testWithTerminals as test, typeInTerminal } from './hands'

const BASH = '/bin/bash'
const panel = '.part.panel'

/** A terminal of which the prompt is there. */
async function shell(ide: Page, agent: Agent, args: Record<string, unknown> = {}): Promise<string> {
  const { terminalId } = await agent.call('terminal_create', { shellPath: BASH, ...args })
  await agent.call('terminal_run', { terminalId, command: 'PS1="> "' })
  await expect.poll(() => screen(ide)).toMatch(/^> $|^>$/m)
  return terminalId
}

/** How commands ended, as the marks beside them say, from the top of what is visible. */
const ends = (page: Page): Promise<string[]> =>
  page.locator('.terminal-command-decoration:visible').evaluateAll((marks) => {
    const seen = marks.map((mark) => ({
      top: mark.getBoundingClientRect().top,
      end: /success|error|incomplete/.exec(mark.className)?.[0] ?? mark.className,
    }))
    return seen.sort((one, other) => one.top - other.top).map(({ end }) => end)
  })

test('after a reload the commands, the way between them and the folder are as before', async ({ ide, agent }) => {
  const terminalId = await shell(ide, agent)
  await agent.call('terminal_run', { terminalId, command: 'cd src && echo far-$((1+1))' })
  await agent.call('terminal_run', { terminalId, command: 'seq 1 60' })
  await agent.call('terminal_run', { terminalId, command: 'sleep 1.2; false' })
  await agent.call('terminal_run', { terminalId, command: 'echo near-$((2+2))' })
  await expect.poll(() => screen(ide)).toContain('\nnear-4\n')
  const lastEnds = async () => (await ends(ide)).filter((end) => /success|error/.test(end)).slice(-2)
  await expect.poll(lastEnds).toEqual(['error', 'success'])
  const [before, beforeEnds] = [await screen(ide), await ends(ide)]
  await ide.reload()
  await expect.poll(() => screen(ide)).toBe(before)
  await expect.poll(() => ends(ide)).toEqual(beforeEnds)
  // A mark that is drawn anew says it when the mouse comes again.
  await expect(async () => {
    await ide.mouse.move(700, 200)
    await ide.locator('.terminal-command-decoration.codicon-terminal-decoration-error:visible').hover()
    const told = ide.locator('.monaco-hover').getByText(/took [1-9]\d*\.\d+s and failed/)
    await expect(told).toBeVisible({ timeout: 3_000 })
  }).toPass()
  await picture(ide, 'terminal-marks-after-reload')
  await terminal(ide).click()
  for (const _ of ['near', 'false', 'seq', 'cd']) await ide.keyboard.press('Control+ArrowUp')
  await expect.poll(() => screen(ide)).toContain('far-2')
  expect(await screen(ide)).not.toContain('near-4')
  await palette(ide, 'Terminal: Run Recent Command...')
  await expect(ide.locator('.quick-input-list').getByText('echo near-$((2+2))')).toBeVisible()
  await ide.keyboard.press('Escape')
  await palette(ide, 'Terminal: Split Terminal')
  await expect.poll(async () => (await agent.call('terminal_list')).terminals.map(({ cwd }: { cwd: string }) => cwd))
    .toEqual(['.', 'src'])
})

test('after a reload a running command is known, and the end of it', async ({ ide, agent }) => {
  await shell(ide, agent)
  await typeInTerminal(ide, 'read -p say-$((1+1)): answer; echo got-$answer\n')
  // Typed is what the terminal has heard, and run is what answers.
  await expect.poll(() => screen(ide)).toContain('\nsay-2:')
  await ide.reload()
  await expect.poll(() => screen(ide)).toMatch(/^> read -p .*\nsay-2:$/m)
  await typeInTerminal(ide, 'yes\n')
  await expect.poll(() => screen(ide)).toContain('\ngot-yes\n')
  await expect.poll(async () => (await ends(ide)).at(-2)).toBe('success')
})

test('what scrolled away keeps its colours through a reload, and what was cleared stays away', async ({
  ide, agent,
}) => {
  const terminalId = await shell(ide, agent)
  await agent.call('terminal_run', { terminalId, command: String.raw`printf '\033[31mred-%s\033[0m\n' row; seq 1 80` })
  await ide.reload()
  await expect.poll(() => screen(ide)).toContain('\n80\n')
  await terminal(ide).click()
  await palette(ide, 'Terminal: Scroll to Top')
  await expect(ide.locator('.xterm-rows:visible span.xterm-fg-1', { hasText: 'red-row' })).toBeVisible()
  await agent.call('terminal_run', { terminalId, command: 'clear' })
  await expect.poll(() => screen(ide)).toBe('>')
  await ide.reload()
  await expect.poll(() => screen(ide)).toBe('>')
  await terminal(ide).click()
  await palette(ide, 'Terminal: Scroll to Top')
  expect(await screen(ide)).toBe('>')
})

test('a title that either side gives is everybody’s, whatever programs ask for', async ({
  ide, agent, server, browser, complaints,
}) => {
  const terminalId = await shell(ide, agent, { title: 'first' })
  const context = await browser.newContext()
  const other = await openPage(context, await server.link(), complaints)
  await expect(other.locator(panel).getByText('first')).toBeVisible()
  await agent.call('terminal_rename', { terminalId, title: 'second' })
  for (const page of [ide, other]) await expect(page.locator(panel).getByText('second')).toBeVisible()
  await agent.call('terminal_run', { terminalId, command: String.raw`printf '\033]0;programs\007'` })
  await terminal(ide).click()
  await palette(ide, 'Terminal: Rename...')
  await ide.locator('.quick-input-widget input').first().fill('third')
  await ide.keyboard.press('Enter')
  for (const page of [ide, other]) await expect(page.locator(panel).getByText('third')).toBeVisible()
  await expect.poll(async () => (await agent.call('terminal_list')).terminals[0].title).toBe('third')
  const panes = async () => (await agent.call('pane_list', { all: true })).panes
  await expect.poll(async () => (await panes())[1].tabs[0].title).toBe('third')
  await ide.reload()
  await expect(ide.locator(panel).getByText('third')).toBeVisible()
  await context.close()
})

test('the agent opens a terminal beside a file', async ({ ide, agent }) => {
  await openFile(ide, 'README.md')
  const terminalId = await shell(ide, agent, { title: 'beside', area: 'main', splitDirection: 'vertical' })
  await expect(tab(ide, 'beside')).toBeVisible()
  await expect(ide.locator('.editor-group-container')).toHaveCount(2)
  await agent.call('terminal_send', { terminalId, text: 'echo tab-$((3+3))\n' })
  await expect.poll(() => screen(ide)).toContain('\ntab-6\n')
  await expect(ide.locator(panel)).not.toBeVisible()
})

test('of two equal browsers one answers a program', async ({ ide, agent, server, browser, complaints }) => {
  const terminalId = await shell(ide, agent)
  const context = await browser.newContext({ viewport: ide.viewportSize() ?? { width: 1280, height: 720 } })
  const other = await openPage(context, await server.link(), complaints)
  await expect.poll(() => screen(other)).toContain('>')
  // Waits for answers until there was none for three seconds.
  const ask = (number: number) => `${String.raw`stty raw -echo min 0 time 30; printf '\033[c\033[6n\033]11;?\007'; `
     }all=$(tr -dc 'cRg'); stty sane; echo answers-${number}:$all`
  await typeInTerminal(ide, `${ask(1)}\n`)
  for (const page of [ide, other]) await expect.poll(() => screen(page)).toContain('answers-1:cRg\n')
  await typeInTerminal(other, `${ask(2)}\n`)
  for (const page of [ide, other]) await expect.poll(() => screen(page)).toContain('answers-2:cRg\n')
  await context.close()
  // A question that comes in the moment in which the other browser goes may miss an answer.
  const answers = async () => (await agent.call('terminal_run', { terminalId, command: ask(3) })).output
  await expect.poll(answers).toEqual(['answers-3:cRg'])
})
