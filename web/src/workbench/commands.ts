// The server's commands in the workbench's palette and keys, drawn from its catalogue.
//
// No command is declared here. Called with arguments a command runs at once; otherwise a form asks for
// them. When the catalogue changes, so does the palette.
import { ExtensionHostKind, registerExtension, type RegisterLocalExtensionResult } from '@codingame/monaco-vscode-api/extensions'
import type * as vscode from 'vscode'
import { catalogue, runAny, type CatalogueEntry } from '../protocol/commands'
import { Failure } from '../protocol/failure'
import type { Space } from '../protocol/space'
import { strings } from '../strings'
import { askArguments, type Proposals } from './arguments'
import type { Notices } from './notices'

export const RESULT_SCHEME = 'openspace-result'

/** Escape belongs to whatever is open above the text first. */
const WHEN_ESCAPE = [
  'editorTextFocus', 'openspace.hasHighlights', '!findWidgetVisible', '!suggestWidgetVisible', '!parameterHintsVisible',
  '!renameInputVisible', '!inSnippetMode', '!editorHasSelection', '!editorHasMultipleSelections',
  '!markersNavigationVisible', '!referenceSearchVisible', '!notificationToastsVisible', '!accessibleViewIsShown',
].join(' && ')

export class CommandPalette {
  private extension: RegisterLocalExtensionResult | undefined
  private handlers: vscode.Disposable[] = []
  private readonly results = new Map<string, string>()
  private working = Promise.resolve()

  constructor(
    private readonly api: typeof vscode,
    private readonly notices: Notices,
    private readonly proposals: Proposals,
  ) {
    api.workspace.registerTextDocumentContentProvider(RESULT_SCHEME, {
      provideTextDocumentContent: (uri) => this.results.get(uri.path) ?? '',
    })
  }

  async start(space: Space): Promise<void> {
    space.on('catalogue_changed', () => {
      this.working = this.working.then(() => this.load())
    })
    await this.load()
  }

  private async load(): Promise<void> {
    try {
      const { commands } = await catalogue()
      await this.register(commands.filter(({ shown }) => shown !== 'hidden'))
    } catch (error) {
      this.notices.failure(strings.palette.notLoaded, error)
    }
  }

  private async register(commands: CatalogueEntry[]): Promise<void> {
    this.handlers.forEach((handler) => handler.dispose())
    await this.extension?.dispose()
    this.extension = registerExtension(
      {
        name: 'openspace-commands',
        publisher: 'openspace',
        version: '1.0.0',
        engines: { vscode: '*' },
        contributes: {
          commands: commands.map(({ id, title }) => ({ command: id, title, category: strings.product })),
          keybindings: commands.flatMap(({ id, keys }) =>
            keys.map((key) => ({
              command: id,
              key: key.replace('mod+', 'ctrl+'),
              mac: key.replace('mod+', 'cmd+'),
              // A key runs the command as it is; the palette asks.
              args: {},
              when: key === 'escape' ? WHEN_ESCAPE : undefined,
            })),
          ) as never,
        },
      },
      ExtensionHostKind.LocalProcess,
      { system: true },
    )
    await this.extension.whenReady()
    this.handlers = commands.map((entry) =>
      this.api.commands.registerCommand(entry.id, (args?: unknown) => this.run(entry, args)),
    )
  }

  /** Run a command as the person; what goes wrong is shown and is the caller's to know too. */
  private async run(entry: CatalogueEntry, given: unknown): Promise<unknown> {
    const isComplete = typeof given === 'object' && given !== null && !('path' in given && 'scheme' in given)
    const hasArguments = Object.keys(entry.inputSchema.properties ?? {}).length > 0
    const args = isComplete || !hasArguments ? (isComplete ? given : {}) : await askArguments(this.api, entry, this.proposals)
    if (args === undefined) return undefined
    try {
      const result = await runAny(entry.id, args)
      if (!isComplete) await this.show(entry, result)
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
    const path = `/${entry.id}.json`
    this.results.clear()
    this.results.set(path, JSON.stringify(data, null, 2))
    const uri = this.api.Uri.from({ scheme: RESULT_SCHEME, path })
    const document = await this.api.workspace.openTextDocument(uri)
    await this.api.window.showTextDocument(document, { preview: true })
  }
}
