// What the tests of languages have in common: a project, a real language server for it, and where its state is seen.
import { join } from 'node:path'
import { symlink, mkdir } from 'node:fs/promises'
import { expect, test, type Page } from './stage'

/** Where real language servers are installed (`xtask/languages`). */
const SERVERS = process.env.OPENSPACE_LANGUAGE_SERVERS ?? ''

export const PROJECT: Record<string, string> = {
  'package.json': '{ "name": "demo", "type": "module" }\n',
  'tsconfig.json': '{ "compilerOptions": { "strict": true, "module": "nodenext", "noUnusedLocals": true } }\n',
  '.vscode/settings.json': JSON.stringify({
    // What is drawn among a text is no text of a line; it has a test of its own.
    'editor.tabSize': 2, 'editor.detectIndentation': false, 'editor.inlayHints.enabled': 'off',
    'editor.formatOnType': true, 'editor.formatOnSave': true,
    'editor.codeActionsOnSave': { 'source.organizeImports': 'explicit' },
  }),
  'shape.ts': [
    'export class Shape {', '  /** How large it is. */', '  area(width: number, height: number): number {',
    '    return width * height', '  }', '}', '', 'export function grow(by: number): number {', '  return by * 2', '}', '',
  ].join('\n'),
  'main.ts': [
    "import { Shape } from './shape.js'", '', 'const shape = new Shape()', 'const size = shape.area(2, 3)',
    'console.log(size, shape.area(4, 5))', '',
  ].join('\n'),
  'loose.ts': 'export function loose( by:number ){\nreturn by*2\n}\n',
  'imports.ts': "import { grow, Shape } from './shape.js'\nimport { join } from 'node:path'\n\nconsole.log(new Shape(), grow(1))\n",
}

export const languagesTest = test.extend({
  server: async ({ server }, use) => {
    await mkdir(join(server.root, 'node_modules', '.bin'), { recursive: true })
    await symlink(join(SERVERS, 'node_modules', 'typescript'), join(server.root, 'node_modules', 'typescript'))
    await use(server)
  },
})

export const status = (page: Page) => page.locator('[id="openspace.languages"]')

export async function expectReady(page: Page, name: string): Promise<void> {
  await expect(status(page).locator('.codicon-check')).toBeVisible({ timeout: 30_000 })
  await expect(status(page)).toContainText(name)
}

/** Put the caret there, by the keyboard. */
export async function goTo(page: Page, line: number, column: number): Promise<void> {
  await page.keyboard.press('Control+g')
  await page.locator('.quick-input-widget input').first().fill(`:${line}:${column}`)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: `Ln ${line}, Col ${column}` })).toBeVisible()
}
