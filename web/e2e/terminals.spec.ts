// Terminals are shared: what one side opens, types, sees and closes, the other does too.
import { expect, openPage, palette, picture, tab, visibleText, type Agent } from './stage'
import { openFile, screen, terminal, testWithTerminals as test, typeInTerminal } from './hands'

const panel = '.part.panel'

const terminalsOf = async (agent: Agent): Promise<{ title: string; terminalId: string; createdBy: string }[]> =>
  (await agent.call('terminal_list')).terminals

const tabsOf = async (agent: Agent): Promise<string[]> => {
  const { panes } = await agent.call('pane_list', { all: true })
  return panes.flatMap((pane: { tabs: { type: string; contentId: string }[] }) =>
    pane.tabs.map(({ type, contentId }) => `${type} ${contentId}`))
}

test('the agent’s terminal stands in the panel, both type in it, and it goes when the agent closes it', async ({
  ide, agent,
}) => {
  await openFile(ide, 'README.md')
  await ide.locator('.view-lines').first().click()
  await ide.keyboard.press('Control+End')
  await ide.keyboard.type('before ')
  const { terminalId } = await agent.call('terminal_create', { title: 'test-runner' })
  await expect(ide.locator(panel).getByText('test-runner')).toBeVisible()
  await ide.keyboard.type('after')
  await expect.poll(() => visibleText(ide, 'README.md')).toContain('before after')
  await agent.call('terminal_send', { terminalId, text: 'echo agent-$((40+2))\n' })
  await expect.poll(() => screen(ide)).toContain('\nagent-42\n')
  await ide.keyboard.type(' and after output')
  await expect.poll(() => visibleText(ide, 'README.md')).toContain('before after and after output')
  await typeInTerminal(ide, 'echo person-$((40+3))\n')
  await expect.poll(() => screen(ide)).toContain('\nperson-43\n')
  const { output } = await agent.call('terminal_read_output', { terminalId: 'test-runner' })
  expect(output).toContain('person-43')
  await picture(ide, 'terminal-of-agent')
  await agent.call('terminal_close', { terminalId })
  await expect(ide.locator(panel).getByText('test-runner')).toHaveCount(0)
  await expect(terminal(ide)).toHaveCount(0)
})

test('the person’s terminal is the agent’s too, is the same after a reload and ends when they close it', async ({
  ide, agent,
}) => {
  await ide.keyboard.press('Control+`')
  await expect.poll(() => screen(ide)).not.toBe('')
  const [created, ...others] = await terminalsOf(agent)
  expect(others).toEqual([])
  await expect.poll(() => tabsOf(agent)).toContain(`terminal ${created!.terminalId}`)
  await typeInTerminal(ide, 'printf \'%s\\n\' one two three; echo sum-$((1+2))\n')
  await expect.poll(() => screen(ide)).toContain('\nsum-3\n')
  const before = await screen(ide)
  await ide.reload()
  await expect.poll(() => screen(ide)).toBe(before)
  await typeInTerminal(ide, 'echo again-$((2+2))\n')
  await expect.poll(() => screen(ide)).toContain('\nagain-4\n')
  await palette(ide, 'Terminal: Kill the Active Terminal Instance')
  await expect(terminal(ide)).toHaveCount(0)
  await expect.poll(() => terminalsOf(agent)).toEqual([])
})

test('the keyboard is not taken by the agent’s terminal when nothing has it either', async ({ ide, agent }) => {
  await agent.call('terminal_create', { title: 'test-runner' })
  await expect.poll(() => screen(ide)).not.toBe('')
  await ide.keyboard.type('nothing')
  const hasKeyboard = () => document.activeElement?.classList.contains('xterm-helper-textarea')
  expect(await ide.evaluate(hasKeyboard)).toBe(false)
})

test('a terminal that goes behind a file before it could be drawn is there when the person looks', async ({
  context, server, agent, complaints,
}) => {
  let letGo = (): void => {}
  const isHeld = new Promise<void>((resolve) => (letGo = resolve))
  await context.route('**/assets/xterm-*.js', async (route) => {
    await isHeld
    await route.continue()
  })
  const { paneId } = await agent.call('pane_open', { type: 'editor', contentId: 'README.md' })
  const ide = await openPage(context, server.ready.open, complaints)
  const { terminalId } = await agent.call('terminal_create', { title: 'covered' })
  await expect(ide.locator(panel).getByText('covered')).toBeVisible()
  await agent.call('terminal_send', { terminalId, text: 'echo drawn-$((40+2))\n' })
  await agent.call('pane_move', { contentId: terminalId, targetPaneId: paneId })
  await expect(tab(ide, 'covered')).toBeVisible()
  await expect(tab(ide, 'README.md')).toHaveClass(/\bactive\b/)
  letGo()
  await tab(ide, 'covered').click()
  await expect.poll(() => screen(ide)).toContain('\ndrawn-42\n')
})

test('a shell that ends says its code, and Enter starts another', async ({ ide, agent }) => {
  await ide.keyboard.press('Control+`')
  await expect.poll(() => screen(ide)).not.toBe('')
  await typeInTerminal(ide, 'exit 3\n')
  await expect.poll(() => screen(ide)).toContain('exit code 3')
  await picture(ide, 'terminal-ended')
  // What is typed before the other shell is there is for it.
  await ide.keyboard.press('Enter')
  await ide.keyboard.type('echo new-$((3+3))\n')
  await expect.poll(() => screen(ide)).toContain('\nnew-6\n')
  expect(await terminalsOf(agent)).toHaveLength(1)
})

test('two browsers show one terminal, and both type in it', async ({ ide, agent, server, browser, complaints }) => {
  await agent.call('terminal_create', { title: 'shared' })
  await expect.poll(() => screen(ide)).not.toBe('')
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 } })
  const other = await openPage(context, await server.link(), complaints)
  await typeInTerminal(ide, 'echo first-$((1+1))\n')
  await expect.poll(() => screen(other)).toContain('\nfirst-2\n')
  await typeInTerminal(other, 'echo second-$((2+2))\n')
  await expect.poll(() => screen(ide)).toContain('\nsecond-4\n')
  await expect.poll(() => screen(other)).toContain('\nsecond-4\n')
  await picture(other, 'terminal-in-second-browser')
  await context.close()
  expect(await terminalsOf(agent)).toHaveLength(1)
})

test('a terminal can be a tab of the editor area, made by either side', async ({ ide, agent }) => {
  await palette(ide, 'Terminal: Create New Terminal in Editor Area')
  await expect.poll(() => screen(ide)).not.toBe('')
  const [own] = await terminalsOf(agent)
  await expect.poll(() => tabsOf(agent)).toContain(`terminal ${own!.terminalId}`)
  await typeInTerminal(ide, 'echo tab-$((5+5))\n')
  await expect.poll(async () => (await agent.call('terminal_read_output', { terminalId: own!.terminalId })).output)
    .toContain('tab-10')
  const { panes } = await agent.call('pane_list', { all: true })
  const { terminalId } = await agent.call('terminal_create', { title: 'beside' })
  await agent.call('pane_open', { type: 'terminal', contentId: terminalId, targetPaneId: panes[0].id })
  await expect(tab(ide, 'beside')).toBeVisible()
  await picture(ide, 'terminal-as-tab')
  await agent.call('terminal_close', { terminalId })
  await expect(tab(ide, 'beside')).toHaveCount(0)
  await ide.reload()
  await expect.poll(() => screen(ide)).toContain('tab-10')
  await tab(ide, own!.title).hover()
  await tab(ide, own!.title).locator('.codicon-close').click()
  await expect.poll(() => terminalsOf(agent)).toEqual([])
})

test('a million lines leave the page responsive', async ({ ide, agent }) => {
  test.slow()
  const { terminalId } = await agent.call('terminal_create', { title: 'flood' })
  await expect.poll(() => screen(ide)).not.toBe('')
  await ide.evaluate(() => {
    const watched = window as unknown as { longest: number }
    watched.longest = 0
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) watched.longest = Math.max(watched.longest, duration)
    }).observe({ type: 'longtask' })
  })
  await agent.call('terminal_send', { terminalId, text: 'seq 1 1000000; echo over-$((7+7))\n' })
  await expect.poll(() => screen(ide)).toMatch(/^\d{3,}$/m)
  await ide.keyboard.press('F1')
  await expect(ide.locator('.quick-input-widget input').first()).toBeVisible({ timeout: 5_000 })
  await ide.keyboard.press('Escape')
  await expect.poll(() => screen(ide), { timeout: 60_000 }).toContain('1000000\nover-14\n')
  const longest = await ide.evaluate(() => (window as unknown as { longest: number }).longest)
  test.info().annotations.push({ type: 'longest task', description: `${Math.round(longest)} ms` })
  expect(longest).toBeLessThan(2_000)
})
