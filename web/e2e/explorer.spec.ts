// The explorer: what git says about files and folders, and what a person does with them from its menu and the desktop.
import { execFileSync } from 'node:child_process'
import { mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { row, screen, testWithTerminals as base } from './hands'
import { expect, picture, tab, type Page } from './stage'

const test = base.extend({
  server: async ({ server }, use) => {
    await server.write('.gitignore', 'build/\n*.log\n')
    await server.write('build/out.txt', 'out\n')
    const git = (...args: string[]) => execFileSync('git', args, { cwd: server.root })
    git('init', '-q', '-b', 'main')
    git('add', '.')
    git('-c', 'user.name=Tester', '-c', 'user.email=tester@example.org', 'commit', '-q', '-m', 'first')
    await use(server)
  },
})

const colour = (page: Page, name: string) =>
  row(page, name).locator('.label-name').first().evaluate((label) => getComputedStyle(label).color)

async function choose(page: Page, name: string, entry: string): Promise<void> {
  const menu = page.locator('.monaco-menu')
  // A menu that has just opened passes over a click, which may belong to its opening.
  await expect(async () => {
    if (!(await menu.isVisible())) await row(page, name).click({ button: 'right', timeout: 3_000 })
    await menu.locator('.action-item', { hasText: entry }).first().click({ timeout: 3_000 })
    await expect(menu).toBeHidden({ timeout: 1_000 })
  }).toPass()
}

test('ignored files are greyed, and folders have the colour of what changed in them', async ({ ide, server }) => {
  const plain = await colour(ide, 'README.md')
  // What has the focus has a colour for that.
  const leave = () => ide.locator('.openspace-welcome h1').click()
  await expect.poll(() => colour(ide, 'build')).not.toBe(plain)
  const grey = await colour(ide, 'build')
  await row(ide, 'build').click()
  await leave()
  await expect.poll(() => colour(ide, 'out.txt')).toBe(grey)
  await server.write('later.log', 'log\n')
  await expect.poll(() => colour(ide, 'later.log')).toBe(grey)
  expect(await colour(ide, 'src')).toBe(plain)
  await writeFile(join(server.root, 'src/lib.rs'), '// changed\n')
  await expect.poll(() => colour(ide, 'src')).not.toBe(plain)
  const changed = await colour(ide, 'src')
  await row(ide, 'src').click()
  await expect.poll(() => colour(ide, 'lib.rs')).toBe(changed)
  await picture(ide, 'explorer-colours')
})

test('files are compared, downloaded and opened in a terminal from the menu', async ({ ide }) => {
  await row(ide, 'notes').click()
  // What is beneath the folder moves as it opens.
  await expect(row(ide, 'todo.txt')).toBeVisible()
  await choose(ide, 'README.md', 'Select for Compare')
  await choose(ide, 'todo.txt', 'Compare with Selected')
  await expect(tab(ide, 'README.md ↔ todo.txt')).toBeVisible()
  await expect(ide.locator('.monaco-diff-editor .modified .view-lines')).toContainText('first')

  const coming = ide.waitForEvent('download')
  await choose(ide, 'README.md', 'Download...')
  const download = await coming
  expect(download.suggestedFilename()).toBe('README.md')
  expect(await readFile(await download.path(), 'utf8')).toBe('# Demo\n\nA small project.\n')

  await ide.waitForSelector('html[data-openspace-rest="ready"]', { state: 'attached' })
  await choose(ide, 'notes', 'Open in Integrated Terminal')
  await expect(ide.locator('.terminal-wrapper.active .xterm-screen')).toBeVisible()
  await expect.poll(() => ide.evaluate(() => !!document.activeElement?.closest('.xterm'))).toBe(true)
  await ide.keyboard.type('pwd; ls\n')
  await expect.poll(() => screen(ide)).toContain('/project/notes')
  await expect.poll(() => screen(ide)).toContain('todo.txt')
})

/** Drop files of the machine on a folder of the explorer, as from the desktop. */
async function drop(page: Page, folder: string, files: string[]): Promise<void> {
  const box = await row(page, folder).boundingBox()
  if (!box) throw new Error(`${folder} is not in sight`)
  const session = await page.context().newCDPSession(page)
  const at = { x: box.x + 40, y: box.y + box.height / 2, data: { items: [], files, dragOperationsMask: 1 } }
  const steps = ['dragEnter', 'dragOver', 'drop'] as const
  for (const type of steps) await session.send('Input.dispatchDragEvent', { type, ...at })
}

test('files and folders that are dropped from the desktop are there, and what is too large says so', async ({
  ide, server,
}) => {
  await ide.waitForSelector('html[data-openspace-rest="ready"]', { state: 'attached' })
  const desk = join(server.root, '..', 'desk')
  await mkdir(join(desk, 'album/deep'), { recursive: true })
  const bytes = Buffer.from([0, 255, 1, 254, 10])
  await writeFile(join(desk, 'dropped.bin'), bytes)
  await writeFile(join(desk, 'album/deep/a.txt'), 'a\n')
  await drop(ide, 'notes', [join(desk, 'dropped.bin'), join(desk, 'album')])
  await expect.poll(() => readFile(join(server.root, 'notes/dropped.bin')).catch(() => undefined)).toEqual(bytes)
  await expect.poll(() => readFile(join(server.root, 'notes/album/deep/a.txt'), 'utf8').catch(() => '')).toBe('a\n')

  await writeFile(join(desk, 'large.iso'), '')
  await truncate(join(desk, 'large.iso'), 80 * 1024 * 1024)
  await drop(ide, 'notes', [join(desk, 'large.iso')])
  await expect(ide.locator('.notification-toast', { hasText: 'large.iso has 80 MB' })).toContainText('up to 64 MB')
})

const progress = (page: Page) => page.locator('.part.statusbar', { hasText: /Uploading|Downloading/ })

/** Stop what is under way, as a person does: in the list that the status bar opens. */
async function stop(page: Page): Promise<void> {
  await page.locator('.part.statusbar').getByRole('button', { name: /Uploading|Downloading/ }).click()
  await page.locator('.notifications-center').getByRole('button', { name: 'Cancel' }).click()
}

/** A request that waits: `seen` when it came, and `release` lets it go. */
function gate(): { seen: Promise<void>; came: () => void; open: Promise<void>; release: () => void } {
  let came = () => {}
  let release = () => {}
  const seen = new Promise<void>((resolve) => (came = resolve))
  const open = new Promise<void>((resolve) => (release = resolve))
  return { seen, came, open, release }
}

test('a folder that is uploaded shows how far it is, and what was not sent when it is stopped stays away', async ({
  ide, server,
}) => {
  await ide.waitForSelector('html[data-openspace-rest="ready"]', { state: 'attached' })
  const desk = join(server.root, '..', 'desk')
  await mkdir(join(desk, 'album/later'), { recursive: true })
  await writeFile(join(desk, 'album/a.txt'), 'a\n')
  await writeFile(join(desk, 'album/later/z.txt'), 'z\n')
  const { seen, came, open, release } = gate()
  await ide.route('**/openspace.file.save', async (route) => {
    came()
    await open
    await route.continue()
  }, { times: 1 })
  await drop(ide, 'notes', [join(desk, 'album')])
  await seen
  await expect(progress(ide)).toBeVisible()
  await stop(ide)
  release()
  await expect.poll(() => readFile(join(server.root, 'notes/album/a.txt'), 'utf8').catch(() => '')).toBe('a\n')
  await expect(progress(ide)).toBeHidden()
  expect(await readFile(join(server.root, 'notes/album/later/z.txt'), 'utf8').catch(() => 'none')).toBe('none')
})

test('a folder that is downloaded shows how far it is, and a file that cannot be brought is named', async ({
  ide, server, complaints,
}) => {
  await ide.waitForSelector('html[data-openspace-rest="ready"]', { state: 'attached' })
  await server.write('notes/a.txt', 'a\n')
  await server.write('notes/b.txt', 'b\n')
  await row(ide, 'notes').click()
  await expect(row(ide, 'b.txt')).toBeVisible()
  // A folder that only the browser has, in place of one that a person picks.
  await ide.evaluate(() => Object.assign(window, { showDirectoryPicker: () => navigator.storage.getDirectory() }))
  const { seen, came, open, release } = gate()
  await ide.route('**/api/files/content?path=notes%2Fa.txt', async (route) => {
    came()
    await open
    await route.continue()
  })
  await choose(ide, 'notes', 'Download...')
  await seen
  await expect(progress(ide)).toBeVisible()
  await rm(join(server.root, 'notes/b.txt'))
  release()
  await expect(ide.locator('.notification-toast', { hasText: 'notes/b.txt was not downloaded' })).toBeVisible()
  await expect(progress(ide)).toBeHidden()
  // The browser and the workbench note it as well, and nothing else.
  complaints.splice(0, complaints.length, ...complaints.filter((complaint) => !complaint.includes('b.txt')))
})
