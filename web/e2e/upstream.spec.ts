// The insides of the workbench that the page uses are as it expects them. Read this first after an upgrade.
//
// What is compared is listed in `src/workbench/core/upstream-checks.ts`; the page offers it on debug builds.
import { screen, testWithTerminals as test, typeInTerminal } from './hands'
import { expect } from './stage'

test('every module and private part that the page uses is there, and is what it was', async ({ ide, agent }) => {
  const { terminalId } = await agent.call('terminal_create', { shellPath: '/bin/bash' })
  await agent.call('terminal_run', { terminalId, command: 'sleep 0.1; echo slept-$((1+1))' })
  await expect.poll(() => screen(ide)).toContain('slept-2')
  await typeInTerminal(ide, 'echo wait-$((2+2)); read answer\n')
  await expect.poll(() => screen(ide)).toContain('wait-4')
  const findings = () => ide.evaluate(async () => {
    const page = window as unknown as { openspaceUpstream(): Promise<Record<string, string | undefined>> }
    return Object.entries(await page.openspaceUpstream())
  })
  expect((await findings()).length).toBeGreaterThan(0)
  // What the shell told of its commands is read after what it wrote.
  await expect.poll(async () => (await findings()).filter(([, flaw]) => flaw !== undefined)).toEqual([])
})
