// The welcome page as a tab of the workbench. It is the page's own: no pane of the space shows it.
import {
  IEditorGroupsService, IEditorService, IKeybindingService, IStorageService, StorageScope, StorageTarget, getService,
  type EditorInput, type IEditorGroup,
} from '@codingame/monaco-vscode-api'
import {
  registerEditorPane, registerEditorSerializer, SimpleEditorInput, SimpleEditorPane, type IEditorSerializer,
} from '@codingame/monaco-vscode-workbench-service-override'
import { Uri } from 'monaco-editor'
import { Welcome, type KeyHelp } from '../../panels/welcome/welcome'
import { connectable } from '../../protocol/connect'
import { list } from '../../protocol/files'
import type { Space } from '../../protocol/space'
import type { Welcome as ServerWelcome } from '../../protocol/state'
import { strings } from '../../strings'
import { adviceOf } from '../core/notices'
import { WELCOME_TYPE as TYPE } from '../core/tab-kinds'
import { elementOf } from '../core/upstream'

/** Kept with the state of the UI: the welcome was shown. */
const GREETED = 'openspace.greeted'
const ADDRESS = Uri.from({ scheme: 'openspace-page', path: '/welcome' })

let current: { space: Space; workspace: string; unconfined: ServerWelcome['unconfined'] } | undefined

class WelcomePane extends SimpleEditorPane {
  constructor(group: IEditorGroup) {
    super(TYPE, group)
  }

  initialize(): HTMLElement {
    const container = document.createElement('div')
    container.className = 'openspace-welcome-pane'
    container.tabIndex = 0
    return container
  }

  async renderInput(): Promise<{ dispose(): void }> {
    if (!current) return { dispose: () => undefined }
    const { space, workspace, unconfined } = current
    const warning = unconfined ? strings.status.unconfinedTooltip(unconfined.why, unconfined.hint) : undefined
    const bindings = await getService(IKeybindingService)
    const welcome = new Welcome()
    this.container.replaceChildren(welcome.element)
    // The person's own keys are read from a file, which may come later than this page, and may change.
    const showKeys = () => welcome.showKeys(keysIn(bindings))
    let isEmpty = false
    const show = () => {
      const agents = Object.values(space.part('agents')).map(({ name }) => name)
      welcome.show({ workspace, isEmpty, agents, warning })
    }
    const look = async () => {
      try {
        const { entries } = await list('')
        isEmpty = entries.every(({ name }) => name.startsWith('.'))
        show()
      } catch (error) {
        // The explorer says it too; the rest of the page stays useful.
        console.warn('the folder could not be listed', error)
      }
    }
    const offer = async () => {
      try {
        welcome.offer(await connectable())
      } catch (error) {
        welcome.fail(adviceOf(error), () => void offer())
      }
    }
    show()
    showKeys()
    void look()
    void offer()
    const subscriptions: { dispose(): void }[] = [
      space.onPart('agents', show),
      bindings.onDidUpdateKeybindings(showKeys),
      space.on('files_changed', () => {
        if (isEmpty) void look()
      }),
    ]
    return { dispose: () => subscriptions.forEach((subscription) => subscription.dispose()) }
  }
}

/** The keys as this person has them; what has none is left out. */
function keysIn(bindings: IKeybindingService): KeyHelp[] {
  return Object.entries(strings.welcome.keyList).flatMap(([command, meaning]) => {
    const key = bindings.lookupKeybinding(command)?.getLabel()
    return key ? [{ key, meaning }] : []
  })
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

/** So that the tab comes back after a reload. */
class WelcomeSerializer implements IEditorSerializer {
  canSerialize(): boolean {
    return true
  }

  serialize(): string {
    return ''
  }

  deserialize(): EditorInput {
    return new WelcomeInput()
  }
}

/** Must be called before the workbench starts. */
export function registerWelcome(space: Space, { workspace, unconfined }: ServerWelcome): void {
  current = { space, workspace: workspace.name, unconfined }
  registerEditorPane(TYPE, strings.welcome.title, WelcomePane as never, [WelcomeInput])
  registerEditorSerializer(TYPE, WelcomeSerializer)
}

/** Whether no page of this workspace was opened before; from now on it is not. */
export async function isFirstStart(): Promise<boolean> {
  const storage = await getService(IStorageService)
  const isFirst = storage.get(GREETED, StorageScope.WORKSPACE) === undefined
  if (isFirst) storage.store(GREETED, 'yes', StorageScope.WORKSPACE, StorageTarget.MACHINE)
  return isFirst
}

/**
 * Asked for by the person, it takes the keyboard; by itself it does so only from the empty place that it comes to, and
 * may stay behind what is in front.
 */
export async function showWelcome(byItself?: { inactive: boolean }): Promise<void> {
  const [editors, groups] = await Promise.all([getService(IEditorService), getService(IEditorGroupsService)])
  const isInItsPlace = document.activeElement === elementOf(groups.mainPart.activeGroup)
  const preserveFocus = byItself !== undefined && !isInItsPlace
  const options = { pinned: true, preserveFocus, inactive: byItself?.inactive ?? false }
  await editors.openEditor(new WelcomeInput(), options)
}
