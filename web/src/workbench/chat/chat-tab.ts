// The chat as a tab of the workbench. It is the page's own: no pane of the space shows it.
import { getService, IEditorService, type EditorInput, type IEditorGroup } from '@codingame/monaco-vscode-api'
import {
  registerEditorPane, registerEditorSerializer, SimpleEditorInput, SimpleEditorPane, type IEditorSerializer,
} from '@codingame/monaco-vscode-workbench-service-override'
import { Uri } from 'monaco-editor'
import { strings } from '../../strings'
import { CHAT_TYPE } from '../core/tab-kinds'
import type { ChatView } from './chat-view'

const ADDRESS = Uri.from({ scheme: 'openspace-page', path: '/chat' })

let load: (() => Promise<ChatView>) | undefined

class ChatPane extends SimpleEditorPane {
  constructor(group: IEditorGroup) {
    super(CHAT_TYPE, group)
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

class ChatInput extends SimpleEditorInput {
  constructor() {
    super(ADDRESS)
    this.setName(strings.chat.title)
  }

  override get typeId(): string {
    return CHAT_TYPE
  }

  override matches(other: EditorInput): boolean {
    return other instanceof ChatInput
  }
}

/** So that the tab comes back after a reload. */
class ChatSerializer implements IEditorSerializer {
  canSerialize(): boolean {
    return true
  }

  serialize(): string {
    return ''
  }

  deserialize(): EditorInput {
    return new ChatInput()
  }
}

/** Must be called before the workbench starts. */
export function registerChatTab(loadView: () => Promise<ChatView>): void {
  load = loadView
  registerEditorPane(CHAT_TYPE, strings.chat.title, ChatPane as never, [ChatInput])
  registerEditorSerializer(CHAT_TYPE, ChatSerializer)
}

export async function showChatTab(): Promise<void> {
  const editors = await getService(IEditorService)
  await editors.openEditor(new ChatInput(), { pinned: true })
}
