// What the tests of languages have in common: projects, language servers for them, and where their state is seen.
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join, resolve } from 'node:path'
import type { Surroundings } from './server'
import { expect, type Page } from './stage'

/** Folders of the programs of real language servers (`xtask/languages`), as in a `PATH`. */
const SERVERS = process.env.OPENSPACE_LANGUAGE_SERVERS?.split(delimiter) ?? []

export const TYPESCRIPT: Record<string, string> = {
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
    '    return width * height', '  }', '}', '',
    'export function grow(by: number): number {', '  return by * 2', '}', '',
  ].join('\n'),
  'main.ts': [
    "import { Shape } from './shape.js';", '', 'const shape = new Shape()', 'const size = shape.area(2, 3)',
    'console.log(size, shape.area(4, 5))', '',
  ].join('\n'),
  'loose.ts': 'export function loose( by:number ){\nreturn by*2\n}\n',
  'imports.ts': [
    "import { grow, Shape } from './shape.js'", "import { join } from 'node:path'", '',
    'console.log(new Shape(), grow(1))', '',
  ].join('\n'),
  'wrong.ts': "import { Shape } from './shape.js'\n\nconst one: string = 1\nconsole.log(one, grow(1))\n",
}

/** TypeScript 7 as a program of the project, which is a language server itself. */
export const withTypeScript: Surroundings = {
  prepare: async (root) => {
    // Its program lies in `node_modules/.bin`.
    const installed = SERVERS.map((folder) => dirname(folder)).find((folder) => existsSync(join(folder, 'typescript')))
    if (!installed) throw new Error('no TypeScript in OPENSPACE_LANGUAGE_SERVERS: use `cargo xtask test`')
    const modules = join(root, 'node_modules')
    for (const name of ['typescript', '@typescript']) {
      await cp(join(installed, name), join(modules, name), { recursive: true })
    }
    await mkdir(join(modules, '.bin'))
    const program = join(modules, '.bin', 'tsc')
    await writeFile(program, '#!/bin/sh\nexec node "$(dirname "$0")/../typescript/bin/tsc" "$@"\n')
    await chmod(program, 0o755)
    await writeFile(join(root, '.gitignore'), 'node_modules\n')
  },
}

/** A server that does what its files say (`language-server.py`), in the person's own list. */
export const withScripted: Surroundings = {
  prepare: async (root, config) => {
    await mkdir(config, { recursive: true })
    // Behind the walls of programs the workspace is there, and not where these tests are.
    const script = join(root, '.language-server.py')
    await cp(resolve(import.meta.dirname, 'language-server.py'), script)
    const own = [
      '[[language]]', 'id = "ini"', 'extensions = ["ini"]', '[[server]]', 'id = "scripted"', 'name = "Scripted"',
      'languages = ["ini"]', `command = ["/usr/bin/python3", "${script}"]`,
    ]
    await writeFile(join(config, 'languages.toml'), own.join('\n'))
  },
}

/** One that is not installed. What would install it only says so. */
export const withMissing: Surroundings = {
  prepare: async (_root, config) => {
    await mkdir(config, { recursive: true })
    const own = [
      '[[language]]', 'id = "ini"', 'extensions = ["ini"]', '[[server]]', 'id = "missing"', 'name = "Missing"',
      'languages = ["ini"]', 'command = ["no-such-language-server"]', 'install = "echo it-is-installed-now"',
    ]
    await writeFile(join(config, 'languages.toml'), own.join('\n'))
  },
}

export const status = (page: Page) => page.locator('[id="openspace.languages"]')

export async function expectReady(page: Page, name: string): Promise<void> {
  await expect(status(page).locator('.codicon-check')).toBeVisible({ timeout: 30_000 })
  await expect(status(page)).toContainText(name)
}

/** The person says once that programs of the project may run as language servers. */
export async function trust(page: Page): Promise<void> {
  await status(page).locator('.codicon-shield').click()
  await page.getByRole('button', { name: 'Let Them Run' }).click()
}

/** Put the caret there, by the keyboard. */
export async function goTo(page: Page, line: number, column: number): Promise<void> {
  await page.keyboard.press('Control+g')
  await page.locator('.quick-input-widget input').first().fill(`:${line}:${column}`)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: `Ln ${line}, Col ${column}` })).toBeVisible()
}
