// Where agents' programs run, as a person sees it.
import { screen, terminal, testWithTerminals as test } from './hands'
import { git } from './scm'
import { expect, palette, ready } from './stage'

const unconfined = '.statusbar-item', words = 'Agents not confined'

test.describe('on a machine that can confine nothing', () => {
  test.use({ surroundings: { variables: { OPENSPACE_RUNNER: '/no/runner' } } })

  test('the status bar and the welcome page say that agents are not confined, and why', async ({ ide }) => {
    const item = ide.locator(unconfined, { hasText: words })
    await expect(item).toBeVisible()
    const why = ide.locator('.monaco-hover', { hasText: 'the runner /no/runner is not there' })
    // What the bar draws anew beneath the mouse is not hovered any more.
    await expect(async () => {
      await ide.mouse.move(700, 400)
      await item.hover()
      await expect(why).toBeVisible({ timeout: 3_000 })
    }).toPass()
    await palette(ide, 'Welcome and Connect')
    await expect(ide.locator('.openspace-welcome')).toContainText('the runner /no/runner is not there')
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
    await expect.poll(() => screen(ide)).toMatch(/^one$[^]*\.env: Permission denied/m)
    expect(await screen(ide)).not.toContain('kept-to-myself')
  })
})

test.describe('with a secret in git’s history', () => {
  test.use({ files: { '.env': 'API_KEY=kept-to-myself\n' } })

  test('the person is told once that agents can read it there', async ({ ide, agent, server }) => {
    const { root } = server
    await git(root, 'init', '-q')
    await git(root, '-c', 'user.name=T', '-c', 'user.email=t@example.org', 'add', '-f', '.env')
    await git(root, '-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-q', '-m', 'first')
    await agent.ask('workspace_bash', { command: 'true' })
    const told = ide.locator('.notification-toast', { hasText: 'agents can read them there: .env' })
    await expect(told).toBeVisible()
    await ide.reload()
    await ready(ide)
    await expect(ide.locator('.explorer-folders-view')).toContainText('.env')
    await expect(told).toHaveCount(0)
  })
})

test.describe('with settings that an agent could have written into the workspace', () => {
  const shells = { bash: { path: '${workspaceFolder}/theirs.sh' }, theirs: { path: 'theirs.sh' } }
  const settings = {
    'terminal.integrated.profiles.linux': shells, 'terminal.integrated.defaultProfile.linux': 'theirs',
    'terminal.integrated.automationProfile.linux': shells.theirs,
  }
  test.use({ files: { '.vscode/settings.json': JSON.stringify(settings), 'theirs.sh': '#!/bin/sh\necho theirs\n' } })

  test('a terminal of the person has the shell of the machine all the same', async ({ ide, server }) => {
    await palette(ide, 'Terminal: Create New Terminal')
    await expect(terminal(ide)).toBeVisible()
    const shellsOf = async () => {
      const { terminals } = await server.call('terminal.list', {}) as { terminals: { shell: string }[] }
      return terminals.map(({ shell }) => shell)
    }
    await expect.poll(shellsOf).toHaveLength(1)
    expect(await shellsOf()).not.toEqual([expect.stringContaining('theirs')])
  })
})
