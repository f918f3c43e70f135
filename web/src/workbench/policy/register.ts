// What agents may do by the policy, for a person who wants to know before it happens.
import { strings } from '../../strings'
import type { Feature } from '../core/feature'

const TRY_LINE = 'openspace.view.tryLine'

export function register(): Feature {
  return {
    contributes: { actions: [{ id: TRY_LINE, title: strings.actions.tryLine }] },
    start: ({ api, notices }) => {
      api.commands.registerCommand(TRY_LINE, async () => {
        try {
          const { tryLines } = await import('./trying')
          await tryLines({ api, notices })
        } catch (error) {
          notices.failure(strings.policy.failed, error)
        }
      })
    },
  }
}
