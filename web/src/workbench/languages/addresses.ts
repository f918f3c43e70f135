// Addresses of files: as the server says them, wherever the workspace is, and as the workbench has them.
//
// A language server may name anything. Only files are taken: of the workspace, or outside of it to be read.
import { Uri } from 'monaco-editor'
import { SOURCE_SCHEME } from '../core/tab-kinds'
import { pathOf, uriOf } from '../core/uris'

/** What a path relative to the workspace's root begins with. */
const WORKSPACE = 'workspace:/'
/** Links of a text may lead there besides. */
const WEB = new Set(['http', 'https', 'mailto'])

export function toUri(address: string): Uri | undefined {
  try {
    if (address.startsWith(WORKSPACE)) return uriOf(decodeURIComponent(address.slice(WORKSPACE.length)))
    const uri = Uri.parse(address, true)
    if (uri.scheme === SOURCE_SCHEME) return uri
    return pathOf(uri) === undefined ? undefined : uri
  } catch {
    // It is none.
    return undefined
  }
}

/** Where a link leads; a command is no place. */
export function linkTo(target: string): Uri | undefined {
  return toUri(target) ?? (WEB.has(target.slice(0, target.indexOf(':')).toLowerCase()) ? Uri.parse(target) : undefined)
}
