// Emmet: short forms for HTML and CSS that are offered while one types and expanded by a key. What knows them is loaded
// with the first text that may have some.
import { languages } from 'monaco-editor'
import { strings } from '../../strings'
import type { Feature } from '../core/feature'
import { KINDS, syntaxOf } from './syntaxes'

const words = strings.emmet
/** The name by which people's keys know it from VS Code. */
const EXPAND = 'editor.emmet.action.expandAbbreviation'
/** Besides letters, what may end a short form. */
const TRIGGERS = '!.}:*$]/>0123456789-'.split('')

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
    later: ({ api, notices }) => {
      const settings = api.workspace.getConfiguration('emmet')
      languages.registerCompletionItemProvider('*', {
        triggerCharacters: TRIGGERS,
        provideCompletionItems: async (text, position) => {
          const syntax = syntaxOf(text.getLanguageId(), settings)
          if (!syntax || settings.get<string>('showExpandedAbbreviation', 'always') === 'never') return undefined
          const { offered } = await import('./expanding')
          return offered(text, position, syntax)
        },
      })
      api.commands.registerCommand(EXPAND, async () => {
        try {
          const shown = api.window.activeText()
          const syntax = shown && syntaxOf(shown.text.getLanguageId(), settings)
          const { expand } = await import('./expanding')
          // What is no short form is a key like any other.
          if (!syntax || !(await expand(api, shown, syntax))) await api.commands.executeCommand('tab')
        } catch (error) {
          notices.failure(words.failed, error)
        }
      })
    },
  }
}
