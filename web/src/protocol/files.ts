// Files as bytes: looking is plain requests, changing is commands.
import { strings } from '../strings'
import { run } from './commands'
import type { FileSaveResult, FolderEntry, FolderNames, TextForm, PathStat } from './generated'
import { Failure, query, request } from './failure'

/** The largest file that is read and written. The server holds to it; asking it with more would only take time. */
export const MOST_BYTES = 64 * 1024 * 1024

/** What is at a path where something is. */
export type FileStat = Exclude<PathStat, { kind: 'missing' }>
export type { FolderEntry }

/** What is at a path; a question that has an answer also when nothing is there. */
export async function stat(path: string): Promise<FileStat> {
  const response = await request(`/api/files/stat?${query({ path })}`)
  const found = (await response.json()) as PathStat
  if (found.kind === 'missing') throw new Failure('not_found', strings.failures.noFile(path))
  return found
}

export async function list(path: string): Promise<FolderNames> {
  const response = await request(`/api/files/list?${query({ path })}`)
  if (response.status === 204) throw new Failure('not_found', strings.failures.noFile(path))
  return response.json() as Promise<FolderNames>
}

/** Where a file's bytes are, for a picture. */
export function contentAddress(path: string): string {
  return `/api/files/content?${query({ path })}`
}

/** A file's bytes as git has them in a commit or in the `index`; `undefined` where it is not. */
export async function contentIn(revision: string, path: string): Promise<Uint8Array | undefined> {
  const response = await request(`/api/files/content?${query({ path, revision })}`)
  return response.status === 204 ? undefined : new Uint8Array(await response.arrayBuffer())
}

/** A file's bytes. */
export async function content(path: string): Promise<{ bytes: Uint8Array; token: string }> {
  const response = await request(`/api/files/content?${query({ path })}`)
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { bytes, token: response.headers.get('x-openspace-token') ?? '' }
}

/** Write exactly these bytes, if the file is still what `expectedToken` says. */
export async function save(
  path: string, bytes: Uint8Array, expectedToken?: string, createOnly = false,
): Promise<FileSaveResult> {
  if (bytes.length > MOST_BYTES) throw tooLarge(path, bytes.length)
  const args = { path, ...textOrBase64(bytes), expectedToken, createOnly }
  return run('openspace.file.save', args)
}

/** Write the unsaved text that the server has, merged with what came to the disk meanwhile. */
export async function saveUnsaved(path: string, unsaved: TextForm): Promise<FileSaveResult> {
  return run('openspace.file.save', { path, unsaved })
}

/** That a file is larger than can be written. */
export function tooLarge(path: string, size: number): Failure {
  return new Failure('unsupported', strings.failures.tooLarge(path, inMegabytes(size), inMegabytes(MOST_BYTES)))
}

function inMegabytes(size: number): number {
  return Math.ceil(size / (1024 * 1024))
}

/** Text travels as it is; what is no text, as base64. */
function textOrBase64(bytes: Uint8Array): { content: string } | { base64: string } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return { content: text }
  } catch {
    let binary = ''
    const step = 0x8000
    for (let start = 0; start < bytes.length; start += step) {
      binary += String.fromCharCode(...bytes.subarray(start, start + step))
    }
    return { base64: btoa(binary) }
  }
}
