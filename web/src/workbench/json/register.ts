// JSON with its schemas: what fits is offered, explained on hover, and what does not fit is underlined.
import type { Feature, Page } from '../core/feature'
import { keepLastGoodSettings } from './last-good-settings'

export function register({ space }: Page): Feature {
  keepLastGoodSettings()
  return {
    later: async ({ api, notices }) => {
      const [{ JsonLanguage }, { watchSettings }] = await Promise.all([
        import('./language'), import('./broken-settings'),
      ])
      void new JsonLanguage(api)
      watchSettings(api, notices, space)
    },
  }
}
