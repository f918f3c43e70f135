// What agents may only do with the person's yes: their questions, and the answers.
import { strings } from '../../strings'
import { ACTIONS } from '../core/actions'
import type { Feature, Page } from '../core/feature'
import type { Asking } from './asking'
import { keepOwn } from './own-colours'

export function register({ space }: Page): Feature {
  keepOwn()
  let begin: (asking: Asking) => void = () => {}
  const begun = new Promise<Asking>((resolve) => {
    begin = resolve
  })
  return {
    contributes: {
      actions: [
        // Where nobody asks, the key is for whatever has the keyboard.
        { id: ACTIONS.answer, title: strings.actions.answer, key: 'ctrl+alt+a', when: 'openspace.hasQuestions' },
      ],
    },
    start: ({ api }) => {
      api.commands.registerCommand(ACTIONS.answer, async () => (await begun).open())
    },
    later: async (workbench) => {
      const { Asking: Begun } = await import('./asking')
      begin(await Begun.start(workbench, space))
    },
  }
}
