// Setting agents up as a tab of the workbench. It is the page's own: no pane of the space shows it.
import { getService, IEditorService, type EditorInput, type IEditorGroup } from '@codingame/monaco-vscode-api'
import {
  registerEditorPane, registerEditorSerializer, SimpleEditorInput, SimpleEditorPane, type IEditorSerializer,
} from '@codingame/monaco-vscode-workbench-service-override'
import { Uri } from 'monaco-editor'
import { strings } from '../../strings'
import { SETUP_TYPE } from '../core/tab-kinds'
import type { SetupView } from './setup-view'

const ADDRESS = Uri.from({ scheme: 'openspace-page', path: '/agents' })

let load: (() => Promise<SetupView>) | undefined

class SetupPane extends SimpleEditorPane {
  constructor(group: IEditorGroup) {
    super(SETUP_TYPE, group)
  }

  initialize(): HTMLElement {
    const container = document.createElement('div')
    container.className = 'openspace-chat-tab'
    return container
  }

  async renderInput(): Promise<{ dispose(): void }> {
    const view = await load?.()
    return view?.mount(this.container) ?? { dispose: () => undefined }
  }
}

class SetupInput extends SimpleEditorInput {
  constructor() {
    super(ADDRESS)
    this.setName(strings.setup.title)
  }

  override get typeId(): string {
    return SETUP_TYPE
  }

  override matches(other: EditorInput): boolean {
    return other instanceof SetupInput
  }
}

/** So that the tab comes back after a reload. */
class SetupSerializer implements IEditorSerializer {
  canSerialize(): boolean {
    return true
  }

  serialize(): string {
    return ''
  }

  deserialize(): EditorInput {
    return new SetupInput()
  }
}

/** Must be called before the workbench starts. */
export function registerSetupTab(loadView: () => Promise<SetupView>): void {
  load = loadView
  registerEditorPane(SETUP_TYPE, strings.setup.title, SetupPane as never, [SetupInput])
  registerEditorSerializer(SETUP_TYPE, SetupSerializer)
}

export async function showSetupTab(): Promise<void> {
  const editors = await getService(IEditorService)
  await editors.openEditor(new SetupInput(), { pinned: true })
}
