// Emmet: short forms for HTML and CSS that are offered while one types and expanded by a key.
import { strings } from '../../strings'
import type { Feature } from '../core/feature'
import { EXPAND, KINDS } from './syntaxes'

const words = strings.emmet

export function register(): Feature {
  return {
    contributes: {
      actions: [{
        id: EXPAND,
        title: words.expand,
        category: words.category,
        key: 'tab',
        when: 'config.emmet.triggerExpansionOnTab && editorTextFocus && !editorReadonly && !editorTabMovesFocus '
          + '&& !editorHasSelection && !suggestWidgetVisible && !inSnippetMode && !hasSnippetCompletions',
      }],
      settings: {
        'emmet.showExpandedAbbreviation': {
          type: 'string', enum: ['always', 'never'], default: 'always', description: words.showSetting,
        },
        'emmet.triggerExpansionOnTab': { type: 'boolean', default: false, description: words.tabSetting },
        'emmet.includeLanguages': {
          type: 'object', default: {}, description: words.includeSetting,
          additionalProperties: { type: 'string', enum: [...KINDS] },
        },
        'emmet.excludeLanguages': {
          type: 'array', items: { type: 'string' }, default: ['markdown'], description: words.excludeSetting,
        },
      },
    },
    later: async ({ api, notices }) => {
      const { offerShortForms } = await import('./offering')
      offerShortForms(api, notices)
    },
  }
}
