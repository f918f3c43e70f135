// Pictures as tabs of the workbench. Such a tab is the file's own: agents see it, and open it for a person.
//
// A drawing in SVG opens as text, which it is; it is shown as a picture when the person asks for it.
import {
  getService, IEditorService, IInstantiationService, type EditorInput, type IEditorGroup,
} from '@codingame/monaco-vscode-api'
import {
  AbstractResourceEditorInput, EditorInputCapabilities, registerEditor, registerEditorPane, RegisteredEditorPriority,
  SimpleEditorPane,
} from '@codingame/monaco-vscode-workbench-service-override'
import type { Uri } from 'monaco-editor'
import { ImageView } from '../../panels/image/image'
import { IMAGE_ENDINGS, imageType } from '../../panels/image/kind'
import { Failure } from '../../protocol/failure'
import { content, stat } from '../../protocol/files'
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import type { Contributions } from '../core/feature'
import { adviceOf } from '../core/notices'
import { createResourceInput, FILE_TYPES } from '../core/upstream'
import { pathOf } from '../core/uris'

const DRAWING = 'svg'
/** Begins as the workbench's own types of files do: the layout knows a file's tab by that. */
const IMAGE_TYPE = `${FILE_TYPES}openspaceImage`

export const AS_IMAGE = 'openspace.view.asImage'
export const AS_TEXT = 'openspace.view.asText'

const IS_DRAWING = `resourceExtname == .${DRAWING}`

export const IMAGE_CONTRIBUTIONS = {
  actions: [
    { id: AS_IMAGE, title: strings.actions.asImage, icon: '$(file-media)' },
    { id: AS_TEXT, title: strings.actions.asText, icon: '$(code)' },
  ],
  menus: {
    'editor/title': [
      // A drawing is text and a picture.
      {
        command: AS_IMAGE, group: 'navigation@1',
        when: `${IS_DRAWING} && activeEditor == ${FILE_TYPES}textFileEditor`,
      },
      { command: AS_TEXT, group: 'navigation@1', when: `${IS_DRAWING} && activeEditor == ${IMAGE_TYPE}` },
    ],
  },
} satisfies Contributions

let shownSpace: Space | undefined

class ImageInput extends AbstractResourceEditorInput {
  override get typeId(): string {
    return IMAGE_TYPE
  }

  override get editorId(): string {
    return IMAGE_TYPE
  }

  override get capabilities(): EditorInputCapabilities {
    return EditorInputCapabilities.Readonly
  }

  override matches(other: Parameters<EditorInput['matches']>[0]): boolean {
    if (other instanceof ImageInput) return other.resource.toString() === this.resource.toString()
    return super.matches(other)
  }

  /** The tab goes with a file that is moved. */
  override async rename(_group: number, target: Uri) {
    return { editor: { resource: target } }
  }

  override toUntyped() {
    return { resource: this.resource, options: { override: IMAGE_TYPE } }
  }
}

class ImagePane extends SimpleEditorPane {
  private view: ImageView | undefined

  constructor(group: IEditorGroup) {
    super(IMAGE_TYPE, group)
  }

  initialize(): HTMLElement {
    this.view = new ImageView()
    return this.view.element
  }

  override focus(): void {
    this.view?.focus()
  }

  async renderInput(input: EditorInput): Promise<{ dispose(): void }> {
    const path = pathOf(input.resource)
    const { view } = this
    if (path === undefined) throw new Error(strings.failures.notInWorkspace(input.resource?.path ?? ''))
    if (!view || !shownSpace) throw new Error('pictures were used before the workbench had started')
    return follow(shownSpace, path, view)
  }
}

/** Show a file's picture and each new one that the file becomes. */
function follow(space: Space, path: string, view: ImageView): { dispose(): void } {
  const name = path.split('/').at(-1) ?? path
  let asked = 0
  let shown: string | undefined
  const look = async () => {
    const number = ++asked
    try {
      // What is not there any more is no failed request when it is asked for in this way.
      await stat(path)
      const { bytes, token } = await content(path)
      if (number !== asked || token === shown) return
      shown = token
      await view.show({ name, type: imageType(path) ?? '', bytes })
    } catch (error) {
      if (number !== asked || (error instanceof Failure && error.kind === 'unreachable' && shown !== undefined)) return
      shown = undefined
      const isGone = error instanceof Failure && error.kind === 'not_found'
      view.fail(isGone ? strings.image.gone(name) : strings.image.notLoaded(name, adviceOf(error)))
    }
  }
  const subscriptions = [
    space.on('files_changed', ({ changes, rescan }) => {
      if (rescan || changes.some((change) => path === change.path || path.startsWith(`${change.path}/`))) void look()
    }),
    // What changed while the connection was away nobody told.
    space.onSnapshot.on(() => void look()),
  ]
  view.clear()
  void look()
  return {
    dispose: () => {
      asked += 1
      subscriptions.forEach((subscription) => subscription.dispose())
      view.clear()
    },
  }
}

/** Must be called before the workbench starts. */
export function registerImages(space: Space): void {
  shownSpace = space
  registerEditorPane(IMAGE_TYPE, strings.image.name, ImagePane as never, [ImageInput as never])
  const { option } = RegisteredEditorPriority
  const register = (endings: readonly string[], priority: RegisteredEditorPriority) =>
    registerEditor(
      `*.{${endings.join(',')}}`,
      { id: IMAGE_TYPE, label: strings.image.name, priority: { editor: priority, diff: option, merge: option } },
      { canSupportResource: (resource) => pathOf(resource) !== undefined },
      {
        createEditorInput: async ({ resource, options }) => {
          const services = await getService(IInstantiationService)
          return { editor: createResourceInput(services, ImageInput, resource), options }
        },
      },
    )
  register(IMAGE_ENDINGS.filter((ending) => ending !== DRAWING), RegisteredEditorPriority.default)
  register([DRAWING], option)
}

/** Show the file at hand as a picture where its text was, or as text where its picture was. */
export async function reopenAs(kind: 'image' | 'text'): Promise<void> {
  const editors = await getService(IEditorService)
  const pane = editors.activeEditorPane
  const resource = pane?.input?.resource
  if (!pane?.input || !resource || imageType(resource.path) === undefined) return
  const options = { override: kind === 'image' ? IMAGE_TYPE : 'default', pinned: true }
  await editors.replaceEditors([{ editor: pane.input, replacement: { resource, options } }], pane.group)
}
