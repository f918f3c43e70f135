// Git as the server sees it: the Source Control view, diffs, and marks beside changed lines.
import type { Feature, Page } from '../core/feature'
import { Later } from '../core/later'
import type { SharedText } from '../core/shared-text'
import { Blame } from './blame'
import { Branches } from './branches'
import { Changes } from './changes'
import { CommitActions } from './commit-actions'
import { Committing } from './committing'
import { Conflicts } from './conflicts'
import { GIT_CONTRIBUTIONS } from './contributions'
import { FileHistory } from './file-history'
import { History } from './history'
import { MergeEditors } from './merge-editor'
import { Remotes } from './remotes'
import { Repository } from './repository'
import { Rows } from './rows'
import { SourceControl } from './source-control'
import { Stashes } from './stashes'

export function register({ space }: Page, text: SharedText): Feature {
  const begun = new Later<{ repository: Repository; merges: MergeEditors }>('git')
  return {
    contributes: GIT_CONTRIBUTIONS,
    start: async ({ api, notices }) => {
      const repository = new Repository(api, notices, space)
      const history = new History(repository)
      const view = new SourceControl(repository, (control) => history.attach(control))
      const merges = await MergeEditors.start(repository, text)
      begun.set({ repository, merges })
      const rows = new Rows(repository, view, merges)
      void new Committing(repository, view, rows)
      void new CommitActions(repository, new Branches(repository))
      void new Remotes(repository)
      void new Stashes(repository)
      void new Conflicts(repository)
      void new FileHistory(repository)
      void new Blame(repository)
      void repository.refresh()
      await Changes.start(repository, text)
    },
    later: async ({ api, notices }) => {
      const { repository, merges } = begun.get()
      merges.stageWhatIsCompleted()
      const [{ IgnoredFiles }, { FileTimeline }] = await Promise.all([import('./ignored'), import('./timeline')])
      void new IgnoredFiles(api, notices, space)
      await FileTimeline.start(repository)
    },
  }
}
