// The server's commands in the workbench's palette and keys, drawn from its catalogue.
//
// No command is declared here. Called with arguments a command runs at once; otherwise a form asks for
// them. When the catalogue changes, so does the palette.
import { registerExtension, type RegisterExtensionResult } from '@codingame/monaco-vscode-api/extensions'
import { Emitter, Uri, type IDisposable } from 'monaco-editor'
import { catalogue, runAny, type CatalogueEntry } from '../../protocol/commands'
import { Failure } from '../../protocol/failure'
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import type { Notices } from '../core/notices'
import { askArguments, type Proposals } from './arguments'

export const RESULT_SCHEME = 'openspace-result'

/** Escape belongs to whatever is open above the text first. */
const WHEN_ESCAPE = [
  'editorTextFocus', 'openspace.hasHighlights', '!findWidgetVisible', '!suggestWidgetVisible', '!parameterHintsVisible',
  '!renameInputVisible', '!inSnippetMode', '!editorHasSelection', '!editorHasMultipleSelections',
  '!markersNavigationVisible', '!referenceSearchVisible', '!notificationToastsVisible', '!accessibleViewIsShown',
].join(' && ')

/** Results whose text is kept for the tabs that show them. */
const MOST_RESULTS = 20

export class CommandPalette {
  private extension: RegisterExtensionResult | undefined
  private readonly handlers = new Map<string, IDisposable>()
  private entries = new Map<string, CatalogueEntry>()
  private readonly results = new Map<string, string>()
  private readonly resultChanged = new Emitter<Uri>()
  private loading: Promise<void> | undefined
  private isStale = false

  constructor(
    private readonly api: Api,
    private readonly notices: Notices,
    private readonly proposals: Proposals,
  ) {
    api.workspace.registerTextDocumentContentProvider(RESULT_SCHEME, {
      onDidChange: this.resultChanged.event,
      provideTextDocumentContent: (uri) => this.results.get(uri.path) ?? '',
    })
  }

  async start(space: Space): Promise<void> {
    space.on('catalogue_changed', () => void this.load())
    // A new snapshot means that changes may have been missed.
    space.onSnapshot.on(() => void this.load())
    await this.load()
  }

  /** Take over the catalogue; asked for meanwhile, it is read once more afterwards. */
  private load(): Promise<void> {
    this.isStale = this.loading !== undefined
    this.loading ??= this.read().finally(() => {
      this.loading = undefined
      if (this.isStale) void this.load()
    })
    return this.loading
  }

  private async read(): Promise<void> {
    try {
      const { commands } = await catalogue()
      await this.register(commands.filter(({ shown }) => shown !== 'hidden'))
    } catch (error) {
      // The banner says so, and when the connection is back they are loaded again.
      if (error instanceof Failure && error.kind === 'unreachable') return
      this.notices.failure(strings.palette.notLoaded, error)
    }
  }

  private async register(commands: CatalogueEntry[]): Promise<void> {
    const entries = new Map(commands.map((entry) => [entry.id, entry]))
    if (JSON.stringify([...entries]) === JSON.stringify([...this.entries])) return
    this.entries = entries
    await this.extension?.dispose()
    this.extension = registerExtension(
      {
        name: 'openspace-commands',
        publisher: 'openspace',
        version: '1.0.0',
        engines: { vscode: '*' },
        contributes: {
          commands: commands.map(({ id, title }) => ({ command: id, title, category: strings.product })),
          keybindings: commands.flatMap(keysOf) as never,
        },
      },
      undefined,
      { system: true },
    )
    await this.extension.whenReady()
    for (const [id, handler] of this.handlers) {
      if (entries.has(id)) continue
      handler.dispose()
      this.handlers.delete(id)
    }
    for (const id of entries.keys()) {
      if (this.handlers.has(id)) continue
      const handler = this.api.commands.registerCommand(id, async (args?: unknown) => {
        const entry = this.entries.get(id)
        return entry && this.run(entry, args)
      })
      this.handlers.set(id, handler)
    }
  }

  /** Run a command as the person; what goes wrong is shown and is the caller's to know too. */
  private async run(entry: CatalogueEntry, given: unknown): Promise<unknown> {
    // A menu hands over the place where it was opened, which is no argument.
    const isGiven = typeof given === 'object' && given !== null && !(given instanceof Uri)
    try {
      const args = isGiven ? given : await askArguments(this.api, entry, this.proposals)
      if (args === undefined) return undefined
      const result = await runAny(entry.id, args)
      if (!isGiven) await this.show(entry, result)
      return result
    } catch (error) {
      this.notices.failure(entry.title, error)
      if (error instanceof Failure) return { success: false, error: error.message, kind: error.kind, hint: error.hint }
      throw error
    }
  }

  /** What a command found is shown as text; what it did is seen where it happened. */
  private async show(entry: CatalogueEntry, result: Record<string, unknown>): Promise<void> {
    if (entry.access === 'view') return
    if (entry.access !== 'read' && entry.access !== 'execute') {
      this.notices.done(strings.palette.done(entry.title))
      return
    }
    const { success: _, ...data } = result
    const uri = Uri.from({ scheme: RESULT_SCHEME, path: `/${entry.id}.json` })
    this.keep(uri, JSON.stringify(data, null, 2))
    await this.api.window.showTextDocument(uri)
  }

  private keep(uri: Uri, text: string): void {
    this.results.delete(uri.path)
    this.results.set(uri.path, text)
    const [oldest] = this.results.keys()
    if (this.results.size > MOST_RESULTS && oldest !== undefined) this.results.delete(oldest)
    // A tab that shows an earlier result shows this one now.
    this.resultChanged.fire(uri)
  }
}

/** A key runs the command as it is; the palette asks. */
function keysOf({ id, keys }: CatalogueEntry): object[] {
  return keys.map((key) => ({
    command: id,
    key: key.replace('mod+', 'ctrl+'),
    mac: key.replace('mod+', 'cmd+'),
    args: {},
    when: key === 'escape' ? WHEN_ESCAPE : undefined,
  }))
}
