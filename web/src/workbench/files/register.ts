// The workspace's files and the person's own, for the workbench.
import { registerCustomProvider } from '@codingame/monaco-vscode-files-service-override'
import { strings } from '../../strings'
import type { Feature, Page } from '../core/feature'
import type { Notices } from '../core/notices'
import type { FileVersions } from '../core/shared-text'
import { USER_SCHEME } from '../core/tab-kinds'
import { pathOf } from '../core/uris'
import { WorkspaceFiles } from './files'
import { passOverGoneFolders } from './gone-folders'
import { UserFiles } from './user-data'

/** Folders with too many files of which a person is told. */
const MOST_TOLD = 20

export function register({ space }: Page): Feature & { versions: FileVersions } {
  const files = new WorkspaceFiles(space)
  registerCustomProvider('file', files)
  registerCustomProvider(USER_SCHEME, new UserFiles(space))
  return {
    versions: files,
    start: async ({ notices }) => {
      tellCutFolders(files, notices)
      passOverGoneFolders()
      await files.deletions.start()
      await files.notText.start(pathOf)
    },
    later: async ({ container, notices }) => {
      const [{ refuseLargeDrops }, { tellFailedDownloads }] = await Promise.all([
        import('./dropped'), import('./downloads'),
      ])
      refuseLargeDrops(container, notices)
      tellFailedDownloads(notices)
    },
  }
}

/** Once for each folder: it is listed again with every change in it. */
function tellCutFolders(files: WorkspaceFiles, notices: Notices): void {
  const told = new Set<string>()
  files.onCut.on(({ path, shown }) => {
    if (told.has(path) || told.size >= MOST_TOLD) return
    told.add(path)
    notices.warning(strings.files.cut(path, shown))
  })
}
