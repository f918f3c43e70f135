// The disk with the server's own state is full: what a person sees of it, what goes on meanwhile, and that nothing
// is lost once there is room again.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Response } from '@playwright/test'
import { dirtyTab, expectLines, goToLineEnd, openFile } from './editor'
import { notice } from './hands'
import { forgiveKill, forgiveNotSaved } from './outage'
import { SmallDisk } from './small-disk'
import { expect, palette, picture, ready, tab, test as base, type Page } from './stage'

const test = base.extend<{ place: { folder: string; disk: SmallDisk } }>({
  place: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'openspace-disk-'))
    const disk = await SmallDisk.at(folder)
    await use({ folder, disk })
    await disk.remove()
    await rm(folder, { recursive: true })
  },
  surroundings: async ({ place: { folder, disk } }, use) =>
    use({ variables: { XDG_STATE_HOME: folder }, entry: disk.entry }),
})

const banner = (page: Page) => page.locator('.openspace-store-banner')

async function saveLayout(page: Page, name: string): Promise<void> {
  await palette(page, 'OpenSpace: Layout: Save')
  // The palette has the same box.
  await expect(page.locator('.quick-input-title', { hasText: 'Layout: Save' })).toBeVisible()
  await page.locator('.quick-input-widget input').first().fill(name)
  await page.keyboard.press('Enter')
}

test('a full disk is said while it lasts; the person works on, and nothing is lost once there is room', async ({
  ide, agent, server, place: { disk }, complaints,
}) => {
  await openFile(ide, 'README.md')
  await goToLineEnd(ide, 'README.md', 1)
  await ide.keyboard.type(' before')
  await expect(banner(ide)).toHaveCount(0)

  const ranges = [{ startLine: 1, endLine: 1 }]
  const highlight = { path: 'README.md', ranges, highlightId: 'h', note: 'x'.repeat(900) }
  // Half a megabyte is held back and given away first.
  await expect.poll(async () => {
    await disk.fill()
    return (await agent.call('editor_highlight', highlight)).warning as string | undefined
  }, { intervals: [0], timeout: 45_000 }).toContain('cannot save its own state now')
  await expect(banner(ide)).toHaveText(
    'The server cannot save its state: database or disk is full. What changes now is lost if the server stops. ' +
    'Make room on its disk; this goes away by itself.')
  await expect(banner(ide)).toHaveAttribute('role', 'alert')
  await picture(ide, 'disk-full')

  // The work lies elsewhere and goes on: typing, saving, opening, closing.
  await ide.keyboard.type(', while it was full')
  await ide.keyboard.press('Control+s')
  await expect(dirtyTab(ide, 'README.md')).toHaveCount(0)
  const text = '# Demo before, while it was full'
  const onDisk = () => readFile(join(server.root, 'README.md'), 'utf8')
  await expect.poll(onDisk).toBe(`${text}\n\nA small project.\n`)
  await ide.keyboard.type(', unsaved')
  const read = async () => (await agent.call('editor_read_file', { path: 'README.md' })).content as string
  await expect.poll(read).toContain(`${text}, unsaved`)
  await tab(ide, 'Welcome').hover()
  await tab(ide, 'Welcome').locator('.codicon-close').click()
  await expect(tab(ide, 'Welcome')).toHaveCount(0)

  const tellsSideBar = (response: Response) =>
    response.url().endsWith('/api/ui-state') && (response.request().postData() ?? '').includes('sideBar.hidden')
  const refused = ide.waitForResponse(tellsSideBar)
  await ide.keyboard.press('Control+b')
  await expect(ide.locator('.part.sidebar')).toBeHidden()
  expect((await refused).status()).toBe(507)

  // What has no worth unless it is kept is refused.
  await saveLayout(ide, 'during')
  await expect(notice(ide, /Layout: Save: .*make room/)).toBeVisible()
  expect((await agent.call('layout_list')).layouts).toEqual([])
  await expect(banner(ide)).toBeVisible()

  const kept = ide.waitForResponse((response) => tellsSideBar(response) && response.ok())
  await disk.free()
  await kept
  await expect(banner(ide)).toHaveCount(0)
  // The layout is there for others before the page has its answer, which a server that is killed would not give.
  const saved = ide.waitForResponse((response) => response.url().endsWith('openspace.layout.save'))
  await saveLayout(ide, 'after')
  expect((await saved).status()).toBe(200)
  expect((await agent.call('layout_list')).layouts).toEqual(['after'])

  await agent.close()
  await server.end('SIGKILL')
  await server.begin()
  await expectLines(ide, 'README.md', [`${text}, unsaved`, '', 'A small project.', ''])
  await ide.reload()
  await ready(ide)
  await expectLines(ide, 'README.md', [`${text}, unsaved`, '', 'A small project.', ''])
  await expect(dirtyTab(ide, 'README.md')).toHaveCount(1)
  await expect(ide.locator('.part.sidebar')).toBeHidden()
  const { parts } = await server.get<{ parts: { highlights: object; layouts: object } }>('/api/state')
  expect([Object.keys(parts.highlights), Object.keys(parts.layouts)]).toEqual([['h'], ['after']])
  forgiveNotSaved(complaints)
  forgiveKill(complaints)
})
