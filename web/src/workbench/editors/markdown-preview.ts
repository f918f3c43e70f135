// Previews of Markdown as tabs of the workbench, live with every keystroke. What draws them is loaded with the first.
import {
  getService, IEditorService, ITextModelService, type EditorInput, type IEditorGroup,
} from '@codingame/monaco-vscode-api'
import {
  registerEditorPane, registerEditorSerializer, SimpleEditorInput, SimpleEditorPane, type IEditorSerializer,
} from '@codingame/monaco-vscode-workbench-service-override'
import { Uri } from 'monaco-editor'
import { strings } from '../../strings'
import { MARKDOWN_TYPE } from '../core/tab-kinds'
import { pathOf } from '../core/uris'

const SCHEME = 'openspace-markdown'
/** What the workbench calls the group beside. */
const SIDE_GROUP = -2

class PreviewPane extends SimpleEditorPane {
  constructor(group: IEditorGroup) {
    super(MARKDOWN_TYPE, group)
  }

  initialize(): HTMLElement {
    const container = document.createElement('div')
    container.className = 'openspace-markdown'
    container.tabIndex = 0
    return container
  }

  async renderInput(input: EditorInput): Promise<{ dispose(): void }> {
    const source = Uri.file(input.resource?.path ?? '/')
    const models = await getService(ITextModelService)
    // Its own hold on the text: the tab with the text may be closed, or not be open yet after a reload.
    const held = await models.createModelReference(source)
    try {
      const { showMarkdown } = await import('./markdown-view')
      const view = await showMarkdown(this.container, source, held.object.textEditorModel, this.group)
      return {
        dispose: () => {
          view.dispose()
          held.dispose()
        },
      }
    } catch (error) {
      held.dispose()
      throw error
    }
  }
}

class PreviewInput extends SimpleEditorInput {
  constructor(source: Uri) {
    super(source.with({ scheme: SCHEME }))
    this.setName(strings.markdown.title(source.path.split('/').at(-1) ?? ''))
  }

  override get typeId(): string {
    return MARKDOWN_TYPE
  }

  override matches(other: EditorInput): boolean {
    return other instanceof PreviewInput && other.resource?.path === this.resource?.path
  }
}

/** So that the tab comes back after a reload. */
class PreviewSerializer implements IEditorSerializer {
  canSerialize(input: EditorInput): boolean {
    return input instanceof PreviewInput
  }

  serialize(input: EditorInput): string | undefined {
    return input.resource?.path
  }

  deserialize(_services: unknown, path: string): EditorInput {
    return new PreviewInput(Uri.file(path))
  }
}

/** Must be called before the workbench starts. */
export function registerMarkdownPreview(): void {
  registerEditorPane(MARKDOWN_TYPE, strings.markdown.name, PreviewPane as never, [PreviewInput])
  registerEditorSerializer(MARKDOWN_TYPE, PreviewSerializer)
}

/** Show the preview of the Markdown file at hand: in its place, or beside it with the keyboard left in the text. */
export async function showMarkdownPreview(where: 'here' | 'beside'): Promise<void> {
  const editors = await getService(IEditorService)
  const source = editors.activeEditor?.resource
  if (!source || pathOf(source) === undefined) return
  const input = new PreviewInput(Uri.file(source.path))
  if (where === 'here') await editors.openEditor(input, { pinned: true })
  else await editors.openEditor(input, { pinned: true, preserveFocus: true }, SIDE_GROUP)
}

/** Show the text of the preview at hand. */
export async function showMarkdownSource(): Promise<void> {
  const editors = await getService(IEditorService)
  const preview = editors.activeEditor
  if (preview instanceof PreviewInput && preview.resource) {
    await editors.openEditor({ resource: Uri.file(preview.resource.path), options: { pinned: true } })
  }
}
