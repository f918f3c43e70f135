// The workspace's files for the workbench, over the server's protocol.
//
// The workbench compares modification times to notice that a file changed beneath an editor. Clocks
// of disks are coarse, so each new content of a file gets a later time here than the one before; and
// right before a write the server compares once more, by the file's token.
import {
  FileChangeType, FileSystemProviderCapabilities, FileType, type IFileChange, type IFileDeleteOptions,
  type IFileOverwriteOptions, type IFileSystemProviderWithFileReadWriteCapability, type IFileWriteOptions, type IStat,
} from '@codingame/monaco-vscode-files-service-override'
import { Emitter, type Uri } from 'monaco-editor'
import { run } from '../../protocol/commands'
import { Failure } from '../../protocol/failure'
import * as files from '../../protocol/files'
import type { FileSaveResult } from '../../protocol/generated'
import { Listeners } from '../../protocol/listeners'
import type { Space } from '../../protocol/space'
import type { FileChange } from '../../protocol/state'
import { strings } from '../../strings'
import type { FileVersions, WrittenText } from '../core/shared-text'
import {
  FileOperationError, FileOperationResult, type IFileSystemProviderWithFileFolderCopyCapability,
} from '../core/upstream'
import { folderUri, pathOf, uriOf } from '../core/uris'
import { Deletions } from './deletions'
import { forFiles, asFileError } from './file-errors'
import { NotText } from './not-text'

/** Contents whose times are remembered. */
const MOST_TIMES = 10_000
/** How often the server is asked to write a text that does not go together with what is on disk. */
const MOST_TRIES = 3
/** How long a program that changes the file all the time is left alone between them. */
const PAUSE_MS = 300

const CHANGE_TYPES = {
  created: FileChangeType.ADDED,
  changed: FileChangeType.UPDATED,
  deleted: FileChangeType.DELETED,
} as const

interface Known {
  /** Nothing when there was no file at the last look. */
  token: string | undefined
  mtime: number
  /** The latest time that was ever given out for the path: a new content is later. */
  latest: number
}

type Provider = IFileSystemProviderWithFileReadWriteCapability & IFileSystemProviderWithFileFolderCopyCapability

export class WorkspaceFiles implements Provider, FileVersions {
  readonly capabilities =
    FileSystemProviderCapabilities.FileReadWrite |
    FileSystemProviderCapabilities.FileFolderCopy |
    FileSystemProviderCapabilities.PathCaseSensitive |
    FileSystemProviderCapabilities.Trash
  private readonly changes = new Emitter<readonly IFileChange[]>()
  readonly onDidChangeFile = this.changes.event as Provider['onDidChangeFile']
  readonly onDidChangeCapabilities = new Emitter<void>().event as Provider['onDidChangeCapabilities']
  /** A folder has more entries than the server lists: its path, and how many are shown. */
  readonly onCut = new Listeners<{ path: string; shown: number }>()
  readonly deletions = new Deletions()
  readonly notText = new NotText()
  private readonly known = new Map<string, Known>()
  private readonly shared = new Map<string, WrittenText>()

  constructor(space: Space) {
    space.on('files_changed', ({ changes, rescan }) => {
      if (rescan) this.tellAll()
      else this.tell(changes)
    })
    // What changed while the connection was away nobody told.
    space.onSnapshot.on(() => this.tellAll())
  }

  async stat(resource: Uri): Promise<IStat> {
    const path = this.path(resource)
    const found = await forFiles(() => files.stat(path).catch((error: unknown) => {
      // The workbench looks at the root by itself and does not expect that to fail. That it is a folder is so
      // whether the server can be reached or not.
      if (path === '' && error instanceof Failure && error.kind === 'unreachable') return undefined
      if (isMissing(error)) this.forgetContent(path)
      throw error
    }))
    if (!found) return { type: FileType.Directory, size: 0, mtime: 0, ctime: 0 }
    const kind = found.kind === 'folder' ? FileType.Directory : FileType.File
    return {
      type: found.link ? kind | FileType.SymbolicLink : kind,
      size: found.size,
      mtime: this.shared.get(path)?.heldTime ?? this.timeOf(path, found.token, found.mtimeMs),
      ctime: found.ctimeMs,
    }
  }

  async readdir(resource: Uri): Promise<[string, FileType][]> {
    const path = this.path(resource)
    const { entries, truncated } = await forFiles(() => files.list(path))
    if (truncated) this.onCut.tell({ path, shown: entries.length })
    return entries.map(({ name, kind, link }) => {
      const type = kind === 'folder' ? FileType.Directory : kind === 'file' ? FileType.File : FileType.Unknown
      return [name, link ? type | FileType.SymbolicLink : type]
    })
  }

  async readFile(resource: Uri): Promise<Uint8Array> {
    const path = this.path(resource)
    // The workbench tries to read files that rarely exist: asking first is no failed request.
    if (this.known.get(path)?.token === undefined) await this.stat(resource)
    const { bytes } = await forFiles(() => files.content(path))
    this.notText.saw(path, bytes)
    return bytes
  }

  async writeFile(resource: Uri, content: Uint8Array, options: IFileWriteOptions): Promise<void> {
    const path = this.path(resource)
    // The workbench has looked at the file right before; what it saw then is what may be replaced.
    const known = this.known.get(path)
    const wasMissing = known !== undefined && known.token === undefined
    const createOnly = options.create && !options.overwrite
    const shared = this.shared.get(path)
    try {
      if (await this.deletions.restoreFile(path)) return
      const saved = shared?.heldTime === undefined || wasMissing
        ? await files.save(path, content, createOnly ? undefined : known?.token, createOnly || wasMissing)
        : await this.saveShared(path, content, shared)
      shared?.wrote(this.timeOf(path, saved.token, saved.mtimeMs))
    } catch (error) {
      if (isConflict(error) && !createOnly) {
        throw new FileOperationError(error.advice, FileOperationResult.FILE_MODIFIED_SINCE)
      }
      throw asFileError(error)
    }
  }

  /** What is replaced is what the text has. Where the disk has more than that, the server writes both. */
  private async saveShared(path: string, content: Uint8Array, shared: WrittenText): Promise<FileSaveResult> {
    const known = this.known.get(path)
    let refusal = new Failure('conflict', strings.buffers.conflict(path))
    const unlessConflict = async (
      save: Promise<FileSaveResult | undefined>,
    ): Promise<FileSaveResult | undefined> => {
      try {
        return await save
      } catch (error) {
        if (!isConflict(error)) throw error
        refusal = error
        return undefined
      }
    }
    const isSeen = known?.token !== undefined && known.mtime === shared.heldTime
    const saved = isSeen ? await unlessConflict(files.save(path, content, known.token)) : undefined
    if (saved) return saved
    try {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        if (tries > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
        const merged = await unlessConflict(shared.write())
        if (merged) return merged
      }
    } catch (error) {
      // Nothing is there that could be replaced by mistake.
      if (isMissing(error)) return files.save(path, content, undefined, true)
      throw error
    }
    throw refusal
  }

  async mkdir(resource: Uri): Promise<void> {
    const path = this.path(resource)
    await forFiles(async () => {
      if (!(await this.deletions.restore(path))) await run('openspace.file.create_folder', { path })
    })
  }

  async delete(resource: Uri, _options: IFileDeleteOptions): Promise<void> {
    await forFiles(() => this.deletions.delete(this.path(resource)))
  }

  async rename(from: Uri, to: Uri, { overwrite }: IFileOverwriteOptions): Promise<void> {
    await forFiles(() => run('openspace.file.move', { from: this.path(from), to: this.path(to), overwrite }))
  }

  async copy(from: Uri, to: Uri, { overwrite }: IFileOverwriteOptions): Promise<void> {
    await forFiles(() => run('openspace.file.copy', { from: this.path(from), to: this.path(to), overwrite }))
  }

  /** The server tells of every change by itself. */
  watch(): { dispose(): void } {
    return { dispose: () => undefined }
  }

  adopt(path: string, token: string, mtime = this.known.get(path)?.mtime): void {
    if (mtime === undefined) return
    this.remember(path, { token, mtime, latest: Math.max(mtime, this.known.get(path)?.latest ?? mtime) })
  }

  share(path: string, text: WrittenText): { dispose(): void } {
    this.shared.set(path, text)
    return {
      dispose: () => {
        if (this.shared.get(path) === text) this.shared.delete(path)
      },
    }
  }

  private path(resource: Uri): string {
    const path = pathOf(resource)
    if (path === undefined) throw asFileError(new Failure('not_found', strings.failures.notInWorkspace(resource.path)))
    return path
  }

  /** A time that grows whenever the content is another. */
  private timeOf(path: string, token: string, mtime: number): number {
    const known = this.known.get(path)
    if (known?.token === token) return known.mtime
    const time = known ? Math.max(mtime, known.latest + 1) : mtime
    this.remember(path, { token, mtime: time, latest: time })
    return time
  }

  /** There is nothing at a path: what comes there next is another content. */
  private forgetContent(path: string): void {
    const known = this.known.get(path)
    if (known) this.remember(path, { ...known, token: undefined })
  }

  private remember(path: string, known: Known): void {
    this.known.delete(path)
    this.known.set(path, known)
    if (this.known.size > MOST_TIMES) {
      const [oldest] = this.known.keys()
      if (oldest !== undefined) this.known.delete(oldest)
    }
  }

  private tell(changes: FileChange[]): void {
    this.changes.fire(changes.map(({ path, change }) => ({ type: CHANGE_TYPES[change], resource: uriOf(path) })))
  }

  /** Everything may have changed: the explorer and every open file look again. */
  private tellAll(): void {
    const looked = [...this.known.keys()].map((path) => ({ type: FileChangeType.UPDATED, resource: uriOf(path) }))
    this.changes.fire([{ type: FileChangeType.UPDATED, resource: folderUri() }, ...looked])
  }
}

function isConflict(error: unknown): error is Failure {
  return error instanceof Failure && error.kind === 'conflict'
}

function isMissing(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'not_found'
}
