// An agent's file and the welcome page: what comes before it, what stays behind it and is only offered.
import { expectRest, goToLineEnd, groupOf, groupsOf, panesOf } from './editor'
import { expect, openPage, palette, picture, tab, test, visibleText } from './stage'

const chip = '.openspace-chip-take'

test('a welcome page that has the focus is no text being typed: an agent’s file comes before it', async ({
  ide, agent,
}) => {
  await ide.locator('.openspace-welcome h1').click()
  await ide.locator('.openspace-welcome summary').first().focus()
  await agent.call('editor_open', { path: 'src/main.rs', line: 90 })
  await expect.poll(() => visibleText(ide, 'main.rs')).toContain('fn line_90()')
  await expect(ide.locator(chip)).toBeHidden()
})

test('suggest-only leaves the welcome page in front and offers the file', async ({
  context, server, agent, complaints,
}) => {
  await server.settings({ 'openspace.reveal': 'suggest-only' })
  const page = await openPage(context, server.ready.open, complaints)
  await palette(page, 'OpenSpace: Welcome and Connect')
  await expect(tab(page, 'Welcome')).toHaveClass(/active/)
  await agent.call('editor_open', { path: 'src/main.rs', line: 70 })
  await expect(page.locator(chip)).toHaveText('tester wants to show you src/main.rs:70')
  await expect(tab(page, 'main.rs')).toBeVisible()
  await expect(tab(page, 'Welcome')).toHaveClass(/active/)
  await agent.call('editor_open', { path: 'src/lib.rs' })
  await expect(page.locator(chip)).toHaveText('tester wants to show you src/lib.rs')
  await expect(tab(page, 'Welcome')).toHaveClass(/active/)
  await expect.poll(() => panesOf(agent)).toEqual([['src/main.rs', 'src/lib.rs']])
  await picture(page, 'offer-over-welcome')
  await page.locator(chip).click()
  await expect(groupOf(page, 'lib.rs')).toBeVisible()
})

test('what an agent opens while a person types is beside them, in the pane that the answer names', async ({
  ide, agent, server,
}) => {
  await agent.call('editor_open', { path: 'notes/todo.txt' })
  await agent.call('pane_open', { type: 'editor', contentId: 'README.md', splitDirection: 'vertical' })
  await expect.poll(() => groupsOf(ide)).toEqual([['todo.txt'], ['README.md']])
  await goToLineEnd(ide, 'README.md', 3)
  await ide.keyboard.type(' Typed')
  const typedIn = async () => {
    const { observed } = await agent.call('pane_list', { all: true })
    return Object.values(observed as Record<string, { typedIn?: string }>).map((view) => view.typedIn)
  }
  await expect.poll(typedIn).toEqual(['p2'])
  const { paneId } = await agent.call('editor_open', { path: 'src/main.rs', line: 90 })
  expect(paneId).toBe('p1')
  await expect.poll(() => visibleText(ide, 'main.rs')).toContain('fn line_90()')
  await ide.keyboard.type(' on')
  await expect.poll(() => visibleText(ide, 'README.md')).toContain('A small project. Typed on')
  await expectRest(server, 'layout.propose', 500)
  expect(await panesOf(agent)).toEqual([['notes/todo.txt', 'src/main.rs'], ['README.md']])
})

test('disabled leaves the welcome page in front and offers nothing', async ({ context, server, agent, complaints }) => {
  await server.settings({ 'openspace.reveal': 'disabled' })
  const page = await openPage(context, server.ready.open, complaints)
  await palette(page, 'OpenSpace: Welcome and Connect')
  await expect(tab(page, 'Welcome')).toHaveClass(/active/)
  await agent.call('editor_open', { path: 'src/main.rs', line: 70 })
  await expect(tab(page, 'main.rs')).toBeVisible()
  await expect(tab(page, 'Welcome')).toHaveClass(/active/)
  await agent.call('editor_open', { path: 'src/lib.rs', mode: 'auto-focus' })
  await expect(groupOf(page, 'lib.rs')).toBeVisible()
  await expect(page.locator(chip)).toBeHidden()
})

test('a file that was only offered stays behind the one in front, also when something else moves', async ({
  ide, agent,
}) => {
  await agent.call('editor_open', { path: 'README.md' })
  await expect(groupOf(ide, 'README.md')).toBeVisible()
  await agent.call('editor_open', { path: 'src/main.rs', mode: 'suggest-only' })
  await expect(ide.locator(chip)).toHaveText('tester wants to show you src/main.rs')
  await expect(tab(ide, 'main.rs')).toBeVisible()
  await agent.call('pane_open', { type: 'editor', contentId: 'src/lib.rs', splitDirection: 'vertical' })
  await expect(groupOf(ide, 'lib.rs')).toBeVisible()
  await expect(groupOf(ide, 'README.md')).toBeVisible()
  await ide.locator(chip).click()
  await expect(groupOf(ide, 'main.rs')).toBeVisible()
})
