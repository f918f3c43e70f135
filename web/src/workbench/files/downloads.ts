// A folder that is downloaded: the workbench shows how far it is and lets the person stop it, but notes only in its
// log that a file could not be brought, and ends there. Here the person is told, and which file it was.
import { fileDownloads } from '../core/upstream'
import type { Notices } from '../core/notices'
import { strings } from '../../strings'
import { pathOf } from '../core/uris'

export function tellFailedDownloads(notices: Notices): void {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the object that it is asked of
  const download = fileDownloads.downloadFileBrowser
  fileDownloads.downloadFileBrowser = async function tell(folder, file, operation, token) {
    try {
      await download.call(this, folder, file, operation, token)
    } catch (error) {
      const path = pathOf(file.resource) ?? file.name
      if (!token.isCancellationRequested) notices.failure(strings.files.notDownloaded(path), error)
      throw error
    }
  }
}
