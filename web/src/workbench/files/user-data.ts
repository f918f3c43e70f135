// Settings, keys and snippets as the workbench's user files, kept by the server.
import {
  FileChangeType, FileSystemProviderCapabilities, FileType,
  type IFileChange, type IFileSystemProviderWithFileReadWriteCapability, type IStat,
} from '@codingame/monaco-vscode-files-service-override'
import { Emitter, Uri } from 'monaco-editor'
import { Failure } from '../../protocol/failure'
import type { Space } from '../../protocol/space'
import * as userData from '../../protocol/user-data'
import { strings } from '../../strings'
import { USER_SCHEME } from '../core/tab-kinds'
import { asFileError, forFiles } from './file-errors'

const words = strings.failures

const ROOT = '/User'
const FOLDERS = new Set(['', 'snippets'])
/** What the server keeps. Caches of the workbench live only as long as the page. */
const KEPT = /^(settings|keybindings|tasks)\.json$|^snippets\/[^/]+\.(json|code-snippets)$/

type Provider = IFileSystemProviderWithFileReadWriteCapability

/** Settings, keys, tasks and snippets; what else the workbench writes stays in the page. */
export class UserFiles implements Provider {
  readonly capabilities =
    FileSystemProviderCapabilities.FileReadWrite | FileSystemProviderCapabilities.PathCaseSensitive
  private readonly changes = new Emitter<readonly IFileChange[]>()
  readonly onDidChangeFile = this.changes.event as Provider['onDidChangeFile']
  readonly onDidChangeCapabilities = new Emitter<void>().event as Provider['onDidChangeCapabilities']
  private readonly times = new Map<string, number>()
  /** What exists, asked once: the workbench looks for many files that never do. */
  private readonly existing = userData.atOpening().names.then((names) => new Set(names))
  private readonly passing = new Map<string, Uint8Array>()
  private clock = 1

  constructor(space: Space) {
    space.on('user_data_changed', ({ name }) => void this.note(name))
  }

  async stat(resource: Uri): Promise<IStat> {
    const name = nameOf(resource)
    const time = this.times.get(name) ?? 1
    if (FOLDERS.has(name)) return { type: FileType.Directory, size: 0, mtime: time, ctime: 1 }
    const bytes = await this.contentOf(name)
    return { type: FileType.File, size: bytes.length, mtime: time, ctime: 1 }
  }

  async readdir(resource: Uri): Promise<[string, FileType][]> {
    const folder = nameOf(resource)
    const names = [...(await forFiles(() => this.existing))]
    const prefix = folder === '' ? '' : `${folder}/`
    const here = names.filter((name) => name.startsWith(prefix) && !name.slice(prefix.length).includes('/'))
    return here.map((name) => [name.slice(prefix.length), FileType.File])
  }

  async readFile(resource: Uri): Promise<Uint8Array> {
    return this.contentOf(nameOf(resource))
  }

  async writeFile(resource: Uri, content: Uint8Array): Promise<void> {
    const name = nameOf(resource)
    if (KEPT.test(name)) await forFiles(() => userData.write(name, content))
    else this.passing.set(name, content)
    await this.note(name)
  }

  async delete(resource: Uri): Promise<void> {
    const name = nameOf(resource)
    if (!this.passing.delete(name)) await forFiles(() => userData.remove(name))
    ;(await this.existing).delete(name)
  }

  async mkdir(resource: Uri): Promise<void> {
    if (!FOLDERS.has(nameOf(resource))) throw asFileError(new Failure('denied', words.noFolder(resource.path)))
  }

  async rename(): Promise<void> {
    throw asFileError(new Failure('unsupported', words.notRenamed))
  }

  watch(): { dispose(): void } {
    return { dispose: () => undefined }
  }

  private async contentOf(name: string): Promise<Uint8Array> {
    return forFiles(async () => {
      const passing = this.passing.get(name)
      if (passing) return passing
      if (!(await this.existing).has(name)) throw new Failure('not_found', words.notKept(name))
      return userData.read(name)
    })
  }

  private async note(name: string): Promise<void> {
    ;(await this.existing).add(name)
    this.times.set(name, ++this.clock)
    const resource = Uri.from({ scheme: USER_SCHEME, path: `${ROOT}/${name}` })
    this.changes.fire([{ type: FileChangeType.UPDATED, resource }])
  }
}

function nameOf(resource: Uri): string {
  if (resource.path === ROOT) return ''
  if (!resource.path.startsWith(`${ROOT}/`)) throw asFileError(new Failure('not_found', words.notKept(resource.path)))
  return resource.path.slice(ROOT.length + 1)
}
