// A folder that is gone when the explorer looks into it: between the list that names it and that look, an agent, a
// program or the person may delete it. The workbench tells the person of it as of an error. Here it has nothing in it
// until the explorer hears of the deletion and takes it away.
//
// Any other failure is told as before, and so is that the root is gone: nothing above it would take it away.
import { ExplorerItem, FileOperationError, FileOperationResult } from '../core/upstream'

export function passOverGoneFolders(): void {
  const { prototype } = ExplorerItem
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the object that it is asked of
  const fetch = prototype.fetchChildren
  prototype.fetchChildren = function fetchIfThere(order) {
    const children = fetch.call(this, order)
    if (Array.isArray(children)) return children
    return children.catch((error: unknown) => {
      if (this.isRoot || !isGone(error)) throw error
      return []
    })
  }
}

function isGone(error: unknown): boolean {
  return error instanceof FileOperationError && error.fileOperationResult === FileOperationResult.FILE_NOT_FOUND
}
