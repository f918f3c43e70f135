// Views of the chat as tabs of the workbench, one of each kind: the page's own, which no pane of the space shows.
import { getService, IEditorService, type EditorInput, type IEditorGroup } from '@codingame/monaco-vscode-api'
import {
  registerEditorPane, registerEditorSerializer, SimpleEditorInput, SimpleEditorPane,
} from '@codingame/monaco-vscode-workbench-service-override'
import { Uri } from 'monaco-editor'

interface TabView {
  mount(container: HTMLElement): { dispose(): void }
}

export interface PageTab {
  /** Opens it, or brings it to the front. */
  show(): Promise<void>
}

/** Must be called before the workbench starts. The view is loaded when the tab is first seen, also after a reload. */
export function registerPageTab(type: string, name: string, title: string, load: () => Promise<TabView>): PageTab {
  const address = Uri.from({ scheme: 'openspace-page', path: `/${name}` })

  class Pane extends SimpleEditorPane {
    constructor(group: IEditorGroup) {
      super(type, group)
    }

    initialize(): HTMLElement {
      const container = document.createElement('div')
      container.className = 'openspace-chat-tab'
      return container
    }

    async renderInput(): Promise<{ dispose(): void }> {
      return (await load()).mount(this.container)
    }
  }

  class Input extends SimpleEditorInput {
    constructor() {
      super(address)
      this.setName(title)
    }

    override get typeId(): string {
      return type
    }

    override matches(other: EditorInput): boolean {
      return other instanceof Input
    }
  }

  /** So that the tab comes back after a reload. */
  class Serializer {
    canSerialize(): boolean {
      return true
    }

    serialize(): string {
      return ''
    }

    deserialize(): EditorInput {
      return new Input()
    }
  }

  registerEditorPane(type, title, Pane as never, [Input])
  registerEditorSerializer(type, Serializer)
  return {
    show: async () => {
      const editors = await getService(IEditorService)
      await editors.openEditor(new Input(), { pinned: true })
    },
  }
}
