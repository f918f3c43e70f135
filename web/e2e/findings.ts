// What axe finds in parts of a page.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { expect, type Page } from './stage'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The kinds of colours that a person may have. */
export const THEMES = {
  dark: 'Dark Modern',
  light: 'Light Modern',
  contrast: 'Default High Contrast',
  'light contrast': 'Default High Contrast Light',
}

/** Everything serious that axe finds in these elements. */
export async function findings(page: Page, ...selectors: string[]): Promise<string[]> {
  for (const selector of selectors) await expect(page.locator(selector).first()).toBeVisible()
  // The policy forbids scripts of others in the page; a debugger may run them.
  await page.evaluate(axe)
  const { violations } = await page.evaluate(async (include) => {
    const loaded = window as unknown as { axe: { run(context: unknown, options: unknown): Promise<AxeResults> } }
    return loaded.axe.run({ include }, { resultTypes: ['violations'] })
  }, selectors)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`))
}
