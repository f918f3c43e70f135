// Tabs that nobody has looked at yet know that their file has unsaved text: they have the mark, and ask when they
// are closed. The workbench reads a file when its tab comes to the front; here those are read early whose text the
// server has, one after the other, and no others.
import { getService, IEditorService, type ITextFileService } from '@codingame/monaco-vscode-api'
import type { BufferChannel } from '../../protocol/buffers'
import { run } from '../../protocol/commands'
import type { Space } from '../../protocol/space'
import type { Layout, LayoutNode } from '../../protocol/state'
import { createTextBufferFactory } from '../core/upstream'
import { pathOf, uriOf } from '../core/uris'

/** How long a tab waits for its unsaved text; then it is opened as the file is on disk, and the text comes later. */
const PATIENCE_MS = 3_000

export class UnsavedTabs {
  private editors: IEditorService | undefined
  private reading: Promise<void> | undefined
  /** Files that cannot be read now; opening their tab says why. */
  private readonly unreadable = new Set<string>()

  constructor(
    private readonly space: Space,
    private readonly texts: ITextFileService,
    private readonly channel: BufferChannel,
  ) {}

  /**
   * To be done before tabs are opened: a file that is gone has nothing else that a tab could show, and the caret of
   * one that comes to the front was put into the unsaved text.
   */
  async start(): Promise<void> {
    const buffers = this.space.part('buffers')
    const inFront = new Set(fronts(this.space.layout()))
    for (const path of Object.keys(buffers)) if (buffers[path]?.deleted || inFront.has(path)) await this.read(path)
    const shown = Promise.all([...inFront].map((path) => this.hasText(path)))
    await Promise.race([shown, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))])
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

  /** When a file has the text that the server has, or there is none. */
  private hasText(path: string): Promise<void> {
    const buffer = this.channel.get(path)
    const isWaiting = () => buffer?.state.phase === 'joining' || buffer?.state.phase === 'away'
    if (!buffer || !isWaiting()) return Promise.resolve()
    return new Promise((resolve) => {
      const look = () => {
        if (isWaiting()) return
        listener.dispose()
        resolve()
      }
      const listener = buffer.onState.on(look)
    })
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

/** The files in front of their panes. */
function fronts({ main, bottom, right }: Layout): string[] {
  const visit = (node: LayoutNode): string[] => {
    if ('split' in node) return node.split.children.flatMap(visit)
    const { activeTab, tabs } = node.pane
    const front = activeTab === null ? undefined : tabs[activeTab]
    return front?.type === 'editor' ? [front.contentId] : []
  }
  return [main, bottom.grid, right.grid].flatMap((grid) => (grid ? visit(grid.root) : []))
}

/** The unsaved text of a file that is not on disk any more. */
async function kept(path: string) {
  const { content } = await run('openspace.editor.read_file', { path })
  return createTextBufferFactory(content)
}
