// A preview of Markdown beside its text, live with every keystroke. The workbench's own renderer makes
// it, which drops scripts and foreign elements; pictures and links work inside the workspace only.
import {
  EditorInput, IEditorService, IMarkdownRendererService, getService, type IEditorGroup,
} from '@codingame/monaco-vscode-api'
import {
  registerEditorPane, SimpleEditorInput, SimpleEditorPane,
} from '@codingame/monaco-vscode-workbench-service-override'
import { editor as monacoEditor, Uri } from 'monaco-editor'
import { contentAddress } from '../protocol/files'
import { strings } from '../strings'
import { pathOf, uriOf } from './place'

const TYPE = 'openspace.markdown'
const SCHEME = 'openspace-markdown'

class PreviewPane extends SimpleEditorPane {
  constructor(group: IEditorGroup) {
    super(TYPE, group)
  }

  initialize(): HTMLElement {
    const container = document.createElement('div')
    container.className = 'openspace-markdown'
    container.tabIndex = 0
    return container
  }

  async renderInput(input: EditorInput): Promise<{ dispose(): void }> {
    const source = Uri.file(input.resource?.path ?? '/')
    const [renderer, editors] = await Promise.all([getService(IMarkdownRendererService), getService(IEditorService)])
    const model = () => monacoEditor.getModels().find(({ uri }) => uri.toString() === source.toString())
    let shown: { element: HTMLElement; dispose(): void } | undefined
    const draw = () => {
      const value = model()?.getValue() ?? ''
      const next = renderer.render(
        { value, supportHtml: false, isTrusted: false },
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
    const frame = { id: 0 }
    const changed = model()?.onDidChangeContent(() => {
      cancelAnimationFrame(frame.id)
      frame.id = requestAnimationFrame(draw)
    })
    return {
      dispose: () => {
        changed?.dispose()
        shown?.dispose()
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
    return TYPE
  }

  override matches(other: EditorInput): boolean {
    return other instanceof PreviewInput && other.resource?.path === this.resource?.path
  }
}

/** Must be called before the workbench starts. */
export function registerMarkdownPreview(): void {
  registerEditorPane(TYPE, strings.markdown.name, PreviewPane as never, [PreviewInput])
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
  const path = address.startsWith('/') ? uriOf(address.slice(1)).path : new URL(address, `file://${source.path}`).pathname
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
