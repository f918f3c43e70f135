// Files that are pictures: a person sees them, an agent opens them for a person, and they follow the disk.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { groupOf, panesOf } from './editor'
import { openFile, row } from './hands'
import { bmp, GIF, ico, png, SVG } from './images'
import { expect, openPage, picture, ready, tab, test, type Page } from './stage'

const GREEN = [34, 170, 119] as const
const image = (page: Page, name: string) => groupOf(page, name).locator('.openspace-image img')
const facts = (page: Page, name: string) => groupOf(page, name).locator('.openspace-image-foot p')

test.use({ files: { 'README.md': '# Demo\n', 'drawing.svg': SVG } })
test.beforeEach(async ({ server }) => {
  await server.write('photo.png', png(640, 480, GREEN))
})

test('every common kind of picture is shown with its size', async ({ ide, server }) => {
  const drawn = await ide.evaluate(() =>
    ['image/jpeg', 'image/webp'].map((type) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 8, height: 4 })
      canvas.getContext('2d')!.fillRect(0, 0, 8, 4)
      return canvas.toDataURL(type).split(',')[1] ?? ''
    }))
  const [jpeg = '', webp = ''] = drawn
  const pictures = {
    'one.PNG': [png(20, 10, GREEN), '20 × 10'],
    'two.jpg': [Buffer.from(jpeg, 'base64'), '8 × 4'],
    'three.jpeg': [Buffer.from(jpeg, 'base64'), '8 × 4'],
    'four.webp': [Buffer.from(webp, 'base64'), '8 × 4'],
    'five.gif': [GIF, '1 × 1'],
    'six.bmp': [bmp(5, 7), '5 × 7'],
    'seven.ico': [ico(png(16, 16, GREEN), 16), '16 × 16'],
  } as const
  for (const [name, [bytes]] of Object.entries(pictures)) await server.write(name, bytes)
  // Rows that come move those that are clicked.
  for (const name of Object.keys(pictures)) await expect(row(ide, name)).toBeVisible()
  for (const [name, [bytes, size]] of Object.entries(pictures)) {
    await openFile(ide, name)
    await expect(image(ide, name)).toHaveAttribute('alt', `The picture in ${name}`)
    await expect(facts(ide, name)).toHaveText(`${size} pixels, ${bytes.length} B`)
  }
})

for (const [colours, theme] of [['dark', 'Dark Modern'], ['light', 'Light Modern']] as const) {
  test(`a picture is fitted into its tab, and shown in full size when wanted, in ${colours} colours`, async ({
    context, server, complaints,
  }) => {
    await server.settings({ 'window.autoDetectColorScheme': false, 'workbench.colorTheme': theme })
    await server.write('large.png', png(3000, 2000, GREEN))
    const page = await openPage(context, server.ready.open, complaints)
    await openFile(page, 'large.png')
    await expect(facts(page, 'large.png')).toContainText('3000 × 2000 pixels')
    await expect(async () => {
      const stage = (await groupOf(page, 'large.png').locator('.openspace-image-stage').boundingBox())!
      const fitted = (await image(page, 'large.png').boundingBox())!
      expect(fitted.width).toBeLessThanOrEqual(stage.width)
      expect(fitted.height).toBeLessThanOrEqual(stage.height)
      expect(fitted.width / fitted.height).toBeCloseTo(1.5, 1)
    }).toPass({ timeout: 15_000 })
    await picture(page, `image-${colours}`)
    await page.getByRole('button', { name: 'Show in Full Size' }).click()
    await expect.poll(async () => (await image(page, 'large.png').boundingBox())?.width).toBe(3000)
    await page.getByRole('group', { name: 'large.png, a picture' }).focus()
    await page.keyboard.press('End')
    const scrolled = () => page.locator('.openspace-image-stage').evaluate((element) => element.scrollTop)
    await expect.poll(scrolled).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Fit into the Tab' }).click()
    await openFile(page, 'photo.png')
    await expect(facts(page, 'photo.png')).toContainText('640 × 480 pixels')
    await picture(page, `image-small-${colours}`)
  })
}

test('a picture that an agent opens is shown to the person and is a tab of both', async ({ ide, agent }) => {
  await agent.call('editor_open', { path: 'photo.png' })
  await expect(image(ide, 'photo.png')).toBeVisible()
  await expect.poll(() => panesOf(agent)).toEqual([['photo.png']])
  await openFile(ide, 'README.md')
  await expect.poll(() => panesOf(agent)).toEqual([['photo.png', 'README.md']])
  await ide.reload()
  await ready(ide)
  await tab(ide, 'photo.png').click()
  await expect(image(ide, 'photo.png')).toBeVisible()
  await agent.call('pane_close', { contentId: 'photo.png' })
  await expect(tab(ide, 'photo.png')).toHaveCount(0)
})

test('a picture follows its file: new content, a broken one, none, another name', async ({ ide, server, agent }) => {
  await openFile(ide, 'photo.png')
  await expect(facts(ide, 'photo.png')).toContainText('640 × 480')
  await server.write('photo.png', png(200, 100, [200, 30, 30]))
  await expect(facts(ide, 'photo.png')).toContainText('200 × 100')
  await server.write('photo.png', 'this is text')
  await expect(groupOf(ide, 'photo.png').getByText('photo.png (12 B) cannot be shown')).toBeVisible()
  await expect(image(ide, 'photo.png')).toHaveCount(0)
  await picture(ide, 'image-broken')
  await rm(join(server.root, 'photo.png'))
  await expect(groupOf(ide, 'photo.png').getByText('photo.png no longer exists.')).toBeVisible()
  await server.write('photo.png', png(30, 20, GREEN))
  await expect(facts(ide, 'photo.png')).toContainText('30 × 20')
  await agent.call('file_move', { from: 'photo.png', to: 'renamed.png' })
  await expect(facts(ide, 'renamed.png')).toContainText('30 × 20')
  await expect(tab(ide, 'photo.png')).toHaveCount(0)
  // The tree may be drawn anew after the move, which ends what is typed in it.
  await expect(async () => {
    if (!(await tab(ide, 'mine.png').isVisible())) {
      await row(ide, 'renamed.png').click({ timeout: 2_000 })
      await ide.keyboard.press('F2')
      const input = ide.locator('.explorer-folders-view .explorer-item-edited input')
      await input.fill('mine.png', { timeout: 2_000 })
      await input.press('Enter', { timeout: 2_000 })
    }
    await expect(tab(ide, 'mine.png')).toBeVisible({ timeout: 2_000 })
  }).toPass()
  await expect(facts(ide, 'mine.png')).toContainText('30 × 20')
  await expect.poll(() => panesOf(agent)).toEqual([['mine.png']])
})

test('a drawing opens as the text that it is, and as a picture when the person asks', async ({ ide, agent }) => {
  await openFile(ide, 'drawing.svg')
  await expect(groupOf(ide, 'drawing.svg').locator('.view-lines')).toContainText('svg')
  await groupOf(ide, 'drawing.svg').getByRole('button', { name: 'Show as Image' }).click()
  await expect(facts(ide, 'drawing.svg')).toContainText('40 × 30 pixels')
  await picture(ide, 'image-drawing')
  await agent.call('file_write', { path: 'drawing.svg', content: SVG.replaceAll('40', '60') })
  await expect(facts(ide, 'drawing.svg')).toContainText('60 × 30 pixels')
  await expect.poll(() => panesOf(agent)).toEqual([['drawing.svg']])
  await groupOf(ide, 'drawing.svg').getByRole('button', { name: 'Show as Text' }).click()
  await expect(groupOf(ide, 'drawing.svg').locator('.view-lines')).toContainText('width="60"')
})
