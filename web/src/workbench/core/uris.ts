// Where the workspace's files are for the workbench: its folder as a `file:` address.
import { Uri } from 'monaco-editor'

let folder = '/'

/** Set once, before the workbench starts. */
export function setFolder(path: string): void {
  folder = path === '/' ? '/' : path.replace(/\/+$/, '')
}

export function folderUri(): Uri {
  return Uri.file(folder)
}

/** The address of a path relative to the workspace's root. */
export function uriOf(path: string): Uri {
  return Uri.file(path === '' || path === '.' ? folder : `${folder === '/' ? '' : folder}/${path}`)
}

/** The path relative to the root; `undefined` for what is not in the workspace. */
export function pathOf(uri: { scheme: string; path: string } | undefined): string | undefined {
  if (uri?.scheme !== 'file') return undefined
  if (uri.path === folder) return ''
  const prefix = folder === '/' ? '/' : `${folder}/`
  return uri.path.startsWith(prefix) ? uri.path.slice(prefix.length) : undefined
}
