// Git as the server sees it: the Source Control view, diffs, and marks beside changed lines.
import type { Feature, Page } from '../core/feature'
import { ChangeMarks } from './change-marks'
import { GIT_CONTRIBUTIONS } from './contributions'
import { SourceControl } from './source-control'

export function register({ space }: Page): Feature {
  return {
    contributes: GIT_CONTRIBUTIONS,
    start: async ({ api, notices }) => {
      void new SourceControl(api, notices, space).refresh()
      await ChangeMarks.start(api)
    },
    later: async ({ api, notices }) => {
      const { IgnoredFiles } = await import('./ignored')
      void new IgnoredFiles(api, notices, space)
    },
  }
}
