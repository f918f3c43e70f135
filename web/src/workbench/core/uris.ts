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

/** What the names of texts begin with that have no file yet. The workbench has a scheme of the same name. */
export const UNTITLED = 'untitled'

/** What a tab of a text shows, as the space names it: a file by its path, or a text that has no file yet. */
export function contentOf(uri: { scheme: string; path: string } | undefined): string | undefined {
  const isNameless = uri?.scheme === UNTITLED && uri.path !== '' && !uri.path.includes('/')
  return isNameless ? `${UNTITLED}:${uri.path}` : pathOf(uri)
}

/** The address of such content. */
export function uriOfContent(content: string): Uri {
  const name = content.startsWith(`${UNTITLED}:`) ? content.slice(UNTITLED.length + 1) : ''
  return name === '' || name.includes('/') ? uriOf(content) : Uri.from({ scheme: UNTITLED, path: name })
}

/** Whether it is a text that has no file yet. */
export function isUntitled(content: string): boolean {
  return uriOfContent(content).scheme === UNTITLED
}
