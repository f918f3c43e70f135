// HTML without a server for it: the two names of an element change together (`editor.linkedEditing`), and a tag that is
// typed gets its end (`html.autoClosingTags`).
import { strings } from '../../strings'
import type { Feature } from '../core/feature'

export function register(): Feature {
  return {
    contributes: {
      settings: {
        'html.autoClosingTags': { type: 'boolean', default: true, description: strings.markup.closingSetting },
      },
    },
    later: async ({ api }) => {
      const { startMarkup } = await import('./editing')
      startMarkup(api)
    },
  }
}
