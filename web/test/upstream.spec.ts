// The packages of the workbench and the note of which version of them was looked into.
import { expect, test } from '@playwright/test'
import { readFile } from 'node:fs/promises'

const read = (path: string) => readFile(new URL(`../${path}`, import.meta.url), 'utf8')

test('upstream.ts_was_compared_with_the_version_of_the_workbench_that_is_installed', async () => {
  const [, checked] = /export const CHECKED = '([^']+)'/.exec(await read('src/workbench/core/upstream.ts')) ?? []
  const { dependencies } = JSON.parse(await read('package.json')) as { dependencies: Record<string, string> }
  const isOfWorkbench = (name: string) => /^(@codingame\/|monaco-editor$|vscode$)/.test(name)
  const ofWorkbench = Object.entries(dependencies).filter(([name]) => isOfWorkbench(name))
  expect(ofWorkbench.length).toBeGreaterThan(10)
  const others = ofWorkbench.filter(([, version]) => version.split('@').at(-1) !== checked)
  expect(others, 'raise CHECKED when all of `upstream.ts` was compared with the new version').toEqual([])
})
