// Tabs that nobody has looked at yet know that their file has unsaved text: they have the mark, and ask when they
// are closed. The workbench reads a file when its tab comes to the front; here those are read early whose text the
// server has, one after the other, and no others.
import { getService, IEditorService, type ITextFileService } from '@codingame/monaco-vscode-api'
import { run } from '../../protocol/commands'
import type { Space } from '../../protocol/space'
import { createTextBufferFactory } from '../core/upstream'
import { pathOf, uriOf } from '../core/uris'

export class UnsavedTabs {
  private editors: IEditorService | undefined
  private reading: Promise<void> | undefined
  /** Files that cannot be read now; opening their tab says why. */
  private readonly unreadable = new Set<string>()

  constructor(
    private readonly space: Space,
    private readonly texts: ITextFileService,
  ) {}

  /** To be done before tabs are opened: a file that is gone has nothing else that a tab could show. */
  async start(): Promise<void> {
    const buffers = this.space.part('buffers')
    for (const path of Object.keys(buffers)) if (buffers[path]?.deleted) await this.read(path)
    this.editors = await getService(IEditorService)
    this.editors.onDidEditorsChange(() => this.look())
  }

  /** Read what has a tab and is not read yet. */
  look(): void {
    this.reading ??= this.readAll().finally(() => {
      this.reading = undefined
    })
  }

  private async readAll(): Promise<void> {
    for (let path = this.next(); path !== undefined; path = this.next()) await this.read(path)
  }

  private next(): string | undefined {
    const open = new Set(this.editors?.editors.map(({ resource }) => pathOf(resource)))
    const isUnread = (path: string) => !this.unreadable.has(path) && !this.texts.files.get(uriOf(path))?.isResolved()
    return Object.keys(this.space.part('buffers')).find((path) => open.has(path) && isUnread(path))
  }

  private async read(path: string): Promise<void> {
    try {
      const isGone = this.space.part('buffers')[path]?.deleted ?? false
      await this.texts.files.resolve(uriOf(path), isGone ? { contents: await kept(path) } : {})
      this.unreadable.delete(path)
    } catch (error) {
      this.unreadable.add(path)
      console.warn(`the unsaved text of ${path} cannot be shown yet`, error)
    }
  }
}

/** The unsaved text of a file that is not on disk any more. */
async function kept(path: string) {
  const { content } = await run('openspace.editor.read_file', { path })
  return createTextBufferFactory(content)
}
