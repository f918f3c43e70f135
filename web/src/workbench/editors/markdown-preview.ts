// A preview of Markdown beside its text, live with every keystroke. The workbench's own renderer makes
// it, which drops scripts and foreign elements; pictures and links work inside the workspace only.
import {
  getService, IEditorService, IMarkdownRendererService, ITextModelService, type EditorInput, type IEditorGroup,
} from '@codingame/monaco-vscode-api'
import {
  registerEditorPane, registerEditorSerializer, SimpleEditorInput, SimpleEditorPane, type IEditorSerializer,
} from '@codingame/monaco-vscode-workbench-service-override'
import { Uri } from 'monaco-editor'
import { contentAddress } from '../../protocol/files'
import { strings } from '../../strings'
import { MARKDOWN_TYPE } from '../core/tab-kinds'
import { pathOf, uriOf } from '../core/uris'

const SCHEME = 'openspace-markdown'

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
    const [renderer, editors, models] = await Promise.all([
      getService(IMarkdownRendererService), getService(IEditorService), getService(ITextModelService),
    ])
    // Its own hold on the text: the tab with the text may be closed, or not be open yet after a reload.
    const held = await models.createModelReference(source)
    const model = held.object.textEditorModel
    let shown: { element: HTMLElement; dispose(): void } | undefined
    const draw = () => {
      const next = renderer.render(
        { value: model.getValue(), supportHtml: false, isTrusted: false },
        {
          markedOptions: { gfm: true, breaks: false },
          actionHandler: (link) => void open(editors, source, link),
          transformUri: (address, kind) => (kind === 'image' ? picture(source, address) : address),
          sanitizerConfig: { remoteImageIsAllowed: ({ authority }) => authority === location.host },
        },
      )
      shown?.dispose()
      shown = next
      this.container.replaceChildren(next.element)
    }
    draw()
    let frame = 0
    const changed = model.onDidChangeContent(() => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(draw)
    })
    return {
      dispose: () => {
        cancelAnimationFrame(frame)
        changed.dispose()
        shown?.dispose()
        held.dispose()
      },
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

/** Show the preview of the Markdown file at hand, beside it. */
export async function showMarkdownPreview(): Promise<void> {
  const editors = await getService(IEditorService)
  const source = editors.activeEditor?.resource
  if (!source || pathOf(source) === undefined) return
  await editors.openEditor(new PreviewInput(Uri.file(source.path)), { pinned: true, preserveFocus: true }, -2)
}

/** A relative address, seen from the file that it stands in. */
function beside(source: Uri, address: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(address)) return undefined
  const isFromRoot = address.startsWith('/')
  const path = isFromRoot ? uriOf(address.slice(1)).path : new URL(address, `file://${source.path}`).pathname
  return pathOf({ scheme: 'file', path: decodeURIComponent(path) })
}

function picture(source: Uri, address: string): string {
  const path = beside(source, address)
  return path === undefined ? address : new URL(contentAddress(path), location.href).toString()
}

async function open(editors: IEditorService, source: Uri, link: string): Promise<void> {
  const [address = '', anchor] = link.split('#')
  const path = address === '' ? undefined : beside(source, address)
  if (path !== undefined) await editors.openEditor({ resource: uriOf(path), options: { pinned: true } })
  else if (/^https?:/i.test(link)) window.open(link, '_blank', 'noopener,noreferrer')
  else if (anchor) document.getElementById(anchor)?.scrollIntoView()
}
