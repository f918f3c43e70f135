// The server's failures in the workbench's own words, so that it reacts as it does to any disk.
import { FileSystemProviderError, FileSystemProviderErrorCode } from '@codingame/monaco-vscode-files-service-override'
import { Failure } from '../../protocol/failure'

const CODES: Partial<Record<Failure['kind'], FileSystemProviderErrorCode>> = {
  not_found: FileSystemProviderErrorCode.FileNotFound,
  denied: FileSystemProviderErrorCode.NoPermissions,
  unsupported: FileSystemProviderErrorCode.FileTooLarge,
  unreachable: FileSystemProviderErrorCode.Unavailable,
}

export function asFileError(error: unknown): Error {
  if (!(error instanceof Failure)) return error instanceof Error ? error : new Error(String(error))
  return FileSystemProviderError.create(error.advice, CODES[error.kind] ?? FileSystemProviderErrorCode.Unknown)
}

/** Run something that may be refused by the server. */
export async function forFiles<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asFileError(error)
  }
}
