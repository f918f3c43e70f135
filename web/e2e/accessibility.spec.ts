// What we draw ourselves can be read and used by everybody: no serious finding, in any kind of colours.
import { findings, THEMES } from './findings'
import { openFile } from './hands'
import { png } from './images'
import { expect, openPage, palette, picture, test } from './stage'

for (const [name, theme] of Object.entries(THEMES)) {
  test(`the views have no serious finding in ${name} colours`, async ({ context, server, agent }) => {
    const colours = { 'window.autoDetectColorScheme': false, 'workbench.colorTheme': theme }
    await server.keep('settings.json', JSON.stringify({ ...colours, 'openspace.reveal': 'suggest-only' }))
    // The server goes away below, which the browser complains about.
    const page = await openPage(context, server.ready.open, [])
    await palette(page, 'OpenSpace: Welcome and Connect')
    expect(await findings(page, '.openspace-welcome')).toEqual([])
    await server.write('photo.png', png(64, 48, [34, 170, 119]))
    await openFile(page, 'photo.png')
    await expect(page.locator('.openspace-image-foot p')).toContainText('64 × 48')
    expect(await findings(page, '.openspace-image')).toEqual([])
    await palette(page, 'OpenSpace: Show Activity')
    await expect(page.locator('.openspace-activity')).toBeVisible()
    await agent.call('file_read', { path: 'README.md' })
    await agent.ask('file_read', { path: 'missing.txt' })
    await expect(page.locator('.openspace-activity li')).toHaveCount(2)
    expect(await findings(page, '.openspace-activity')).toEqual([])
    for (const index of [0, 1]) {
      await page.locator('.openspace-activity li').nth(index).focus()
      expect(await findings(page, '.openspace-activity')).toEqual([])
    }
    await page.getByRole('searchbox', { name: 'Filter by word' }).fill('nothing like this')
    expect(await findings(page, '.openspace-activity')).toEqual([])
    await agent.call('editor_open', { path: 'src/main.rs', line: 40 })
    await expect(page.locator('.openspace-chip')).toContainText('wants to show you src/main.rs:40')
    expect(await findings(page, '.openspace-chip')).toEqual([])
    await picture(page, `colours-${name.replace(' ', '-')}`)
    await server.end('SIGKILL')
    expect(await findings(page, '.openspace-banner')).toEqual([])
    await picture(page, `banner-${name.replace(' ', '-')}`)
  })
}

for (const colorScheme of ['dark', 'light'] as const) {
  test(`the pages around have no serious finding in ${colorScheme} colours`, async ({ browser, server, agent }) => {
    const context = await browser.newContext({ colorScheme })
    const page = await context.newPage()
    await page.goto(server.ready.url)
    await expect(page).toHaveTitle('Key needed - OpenSpace')
    expect(await findings(page, 'body')).toEqual([])
    await page.route('**/assets/start-*.js', (route) => route.abort())
    await page.goto(server.ready.open)
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
    expect(await findings(page, '#boot')).toEqual([])
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name: 'Try again' })).toBeFocused()
    await picture(page, `boot-${colorScheme}`)
    const stranger = await browser.newContext({ colorScheme })
    const refused = await stranger.newPage()
    await refused.goto(server.ready.open)
    await expect(refused).toHaveTitle('Link not valid - OpenSpace')
    expect(await findings(refused, 'body')).toEqual([])
    await stranger.close()
    await page.goto(`${server.ready.url}/no-such-page`)
    await expect(page).toHaveTitle('Not found - OpenSpace')
    expect(await findings(page, 'body')).toEqual([])
    await page.goto(`${server.ready.url}/status`)
    await agent.call('editor_open', { path: 'README.md' })
    await agent.ask('file_read', { path: 'missing.txt' })
    await expect(page.locator('#activity .failed')).toBeVisible()
    expect(await findings(page, 'body')).toEqual([])
    await picture(page, `status-${colorScheme}`)
    await context.close()
  })
}

test('an offer and a lost connection are said to those who do not see them', async ({ context, server, agent }) => {
  await server.keep('settings.json', JSON.stringify({ 'openspace.reveal': 'suggest-only' }))
  const page = await openPage(context, server.ready.open, [])
  await agent.call('editor_open', { path: 'src/main.rs' })
  const chip = page.getByRole('status').filter({ hasText: 'wants to show you src/main.rs' })
  await expect(chip.getByRole('button', { name: 'Not now' })).toBeVisible()
  await page.keyboard.press('Control+Alt+Enter')
  await expect(chip).toHaveCount(0)
  await expect(page.locator('.tab.active[aria-label^="main.rs"]')).toBeVisible()
  await server.end('SIGKILL')
  await expect(page.getByRole('alert').filter({ hasText: 'The server cannot be reached' })).toBeVisible()
})
