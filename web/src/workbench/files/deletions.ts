// What was deleted from this page, so that undoing it brings back all of it.
//
// The workbench undoes a deletion by making the file or folder anew: of a folder that would be an empty one, and
// of a file only what it read before. The server has the thing itself in its trash. Who makes a folder for another
// reason gets a new one.
import { getService, IWorkingCopyFileService } from '@codingame/monaco-vscode-api'
import { run } from '../../protocol/commands'
import { Failure } from '../../protocol/failure'
import { FileOperation } from '../core/upstream'
import { pathOf } from '../core/uris'

/** As many as the trash keeps. */
const MOST_DELETED = 200

export class Deletions {
  /** Where in the trash things are, by the path that they had. */
  private readonly trashed = new Map<string, string>()
  /** Paths that are being made because their deletion is undone. */
  private readonly undoing = new Set<string>()

  async start(): Promise<void> {
    const operations = await getService(IWorkingCopyFileService)
    operations.addFileOperationParticipant({
      participate: async (files, operation, undo) => {
        for (const { target } of files) {
          const path = pathOf(target)
          if (path === undefined || operation !== FileOperation.CREATE) continue
          if (undo?.isUndoing && this.trashed.has(path)) this.undoing.add(path)
          else this.undoing.delete(path)
        }
      },
    })
  }

  async delete(path: string): Promise<void> {
    const { trashed } = await run('openspace.file.delete', { path })
    this.trashed.delete(path)
    this.trashed.set(path, trashed)
    const [oldest] = this.trashed.keys()
    if (this.trashed.size > MOST_DELETED && oldest !== undefined) this.trashed.delete(oldest)
  }

  /** Bring back what was deleted, if that is why a path is made; false when it is made for another reason. */
  async restore(path: string): Promise<boolean> {
    const trashed = this.trashed.get(path)
    if (!this.undoing.delete(path) || trashed === undefined) return false
    this.trashed.delete(path)
    await run('openspace.file.restore', { trashed })
    return true
  }

  /** The same of a file whose text is known too: when the trash has lost it, it can be written. */
  async restoreFile(path: string): Promise<boolean> {
    try {
      return await this.restore(path)
    } catch (error) {
      if (error instanceof Failure && error.kind === 'not_found') return false
      throw error
    }
  }
}
