// The welcome page as a tab of the workbench. It is the page's own: no pane of the space shows it.
import {
  IEditorService, getService, type IEditorGroup, type EditorInput,
} from '@codingame/monaco-vscode-api'
import {
  registerEditorPane, SimpleEditorInput, SimpleEditorPane,
} from '@codingame/monaco-vscode-workbench-service-override'
import { Uri } from 'monaco-editor'
import { Welcome } from '../panels/welcome/welcome'
import { connectable } from '../protocol/connect'
import { list } from '../protocol/files'
import type { Space } from '../protocol/space'
import { strings } from '../strings'

const TYPE = 'openspace.welcome'
const ADDRESS = Uri.from({ scheme: 'openspace-page', path: '/welcome' })

let current: { space: Space; workspace: string } | undefined

class WelcomePane extends SimpleEditorPane {
  constructor(group: IEditorGroup) {
    super(TYPE, group)
  }

  initialize(): HTMLElement {
    const container = document.createElement('div')
    container.className = 'openspace-welcome-pane'
    return container
  }

  async renderInput(): Promise<{ dispose(): void }> {
    if (!current) return { dispose: () => undefined }
    const { space, workspace } = current
    const welcome = new Welcome()
    this.container.replaceChildren(welcome.element)
    let isEmpty = false
    const show = () => {
      const agents = Object.values(space.part('agents')).map(({ name }) => name)
      welcome.show({ workspace, isEmpty, agents })
    }
    show()
    const subscription = space.onPart('agents', show)
    // What does not load leaves the rest of the page useful.
    const clients = connectable().then((offered) => welcome.offer(offered))
    clients.catch((error: unknown) => welcome.fail(`${strings.welcome.notLoaded}: ${String(error)}`))
    const folder = list('').then(({ entries }) => {
      isEmpty = entries.every(({ name }) => name.startsWith('.'))
      show()
    })
    folder.catch((error: unknown) => console.warn('the folder could not be listed', error))
    return subscription
  }
}

class WelcomeInput extends SimpleEditorInput {
  constructor() {
    super(ADDRESS)
    this.setName(strings.welcome.title)
  }

  override get typeId(): string {
    return TYPE
  }

  override matches(other: EditorInput): boolean {
    return other instanceof WelcomeInput
  }
}

/** Must be called before the workbench starts. */
export function registerWelcome(space: Space, workspace: string): void {
  current = { space, workspace }
  registerEditorPane(TYPE, strings.welcome.title, WelcomePane as never, [WelcomeInput])
}

export async function showWelcome(preserveFocus: boolean): Promise<void> {
  const editors = await getService(IEditorService)
  await editors.openEditor(new WelcomeInput(), { pinned: true, preserveFocus })
}
