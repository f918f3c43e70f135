// `.editorconfig`: indentation, ends of lines and what a save puts in order, as the project wants it.
import { strings } from '../../strings'
import type { Feature, Page } from '../core/feature'

export function register({ space }: Page): Feature {
  return {
    contributes: {
      settings: {
        'openspace.editorConfig': { type: 'boolean', default: true, description: strings.editorConfig.setting },
      },
    },
    later: async () => {
      const { EditorConfig } = await import('./applying')
      await EditorConfig.start(space)
    },
  }
}
