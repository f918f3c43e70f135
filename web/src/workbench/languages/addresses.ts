// Addresses of files: as the server says them, wherever the workspace is, and as the workbench has them.
import { Uri } from 'monaco-editor'
import { SOURCE_SCHEME } from '../core/tab-kinds'
import { pathOf, uriOf } from '../core/uris'

/** What a path relative to the workspace's root begins with. */
const WORKSPACE = 'workspace:/'

export function toUri(address: string): Uri {
  return address.startsWith(WORKSPACE) ? uriOf(decodeURIComponent(address.slice(WORKSPACE.length))) : Uri.parse(address)
}

export function toAddress(uri: Uri): string {
  const path = pathOf(uri)
  const encoded = (text: string) => text.split('/').map(encodeURIComponent).join('/')
  if (path !== undefined) return WORKSPACE + encoded(path)
  return uri.scheme === SOURCE_SCHEME ? `${SOURCE_SCHEME}:${encoded(uri.path)}` : uri.toString()
}
