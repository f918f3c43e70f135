// What language servers know of a text, as the workbench shows it: asked of the server, which owns them.
import type { Feature, Page } from '../core/feature'
import type { SharedText } from '../core/shared-text'
import { LANGUAGE_CONTRIBUTIONS } from './contributions'

export function register({ space }: Page, text: SharedText): Feature {
  return {
    contributes: LANGUAGE_CONTRIBUTIONS,
    later: async (workbench) => {
      const { startLanguages } = await import('./start')
      await startLanguages(workbench, space, text)
    },
  }
}
