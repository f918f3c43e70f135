// Offers short forms where they are known. What knows them is loaded with the first text that may have some.
import { languages } from 'monaco-editor'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import type { Notices } from '../core/notices'
import { EXPAND, syntaxOf } from './syntaxes'

/** Besides letters, what may end a short form. */
const TRIGGERS = '!.}:*$]/>0123456789-'.split('')

export function offerShortForms(api: Api, notices: Notices): void {
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
      notices.failure(strings.emmet.failed, error)
    }
  })
}
