// Talking to agents: the chat in the secondary side bar and as a tab, and ways to send it what is elsewhere.
import { IViewsService, getService } from '@codingame/monaco-vscode-api'
import { registerCustomView, ViewContainerLocation } from '@codingame/monaco-vscode-workbench-service-override'
import { strings } from '../../strings'
import type { Contributions, Feature, Page, Workbench } from '../core/feature'
import { ACTIONS } from '../core/actions'
import type { TerminalPanel } from '../core/terminal-panel'
import { registerChatTab, showChatTab } from './chat-tab'
import type { ChatView } from './chat-view'
import { registerSetupTab, showSetupTab } from './setup-tab'
import type { SetupView } from './setup-view'

const VIEW = 'openspace.chat'
const NEW = 'openspace.view.newChat'
const SESSIONS = 'openspace.view.chatSessions'
const TAB = 'openspace.view.chatTab'
const SELECTION = 'openspace.chat.sendSelection'
const FILE = 'openspace.chat.sendFile'

const words = strings.chat.actions
const IS_FILE = 'resourceScheme == file'

const CONTRIBUTIONS: Contributions = {
  actions: [
    { id: ACTIONS.chat, title: words.show, key: 'ctrl+alt+i' },
    { id: NEW, title: words.fresh },
    { id: SESSIONS, title: words.sessions },
    { id: TAB, title: words.tab },
    { id: ACTIONS.setUpAgents, title: words.setUp },
    { id: SELECTION, title: words.sendSelection, key: 'ctrl+alt+l', when: 'editorTextFocus' },
    { id: FILE, title: words.sendFile },
  ],
  menus: {
    'editor/context': [{ command: SELECTION, group: '9_chat@1', when: IS_FILE }],
    'explorer/context': [{ command: FILE, group: '9_chat@1', when: '!explorerResourceIsFolder' }],
  },
}

export function register({ space }: Page, { panel }: { panel: TerminalPanel }): Feature {
  let started: (workbench: Workbench) => void = () => {}
  const workbench = new Promise<Workbench>((resolve) => {
    started = resolve
  })
  let view: Promise<ChatView> | undefined
  const load = () => {
    view ??= Promise.all([workbench, import('./chat-view')])
      .then(([there, { ChatView: Loaded }]) => Loaded.start(there, space, panel))
      .catch((error: unknown) => {
        // The next one who wants it tries again.
        view = undefined
        throw error
      })
    return view
  }
  let setup: Promise<SetupView> | undefined
  const loadSetup = () => {
    setup ??= Promise.all([workbench, load(), import('./setup-view'), import('../../protocol/chat-setup')])
      .then(([there, { model }, { SetupView: Loaded }, { SetupCommands }]) =>
        new Loaded(there, panel, model, new SetupCommands()))
      .catch((error: unknown) => {
        setup = undefined
        throw error
      })
    return setup
  }
  registerChatTab(load)
  registerSetupTab(loadSetup)
  registerCustomView({
    id: VIEW,
    name: strings.chat.title,
    location: ViewContainerLocation.AuxiliaryBar,
    icon: new URL('./chat.svg', import.meta.url).toString(),
    order: 0,
    renderBody: (container) => {
      let isGone = false
      let mounted: { dispose(): void } | undefined
      const fail = async (error: unknown) => (await workbench).notices.failure(strings.chat.notShown, error)
      load().then((loaded) => {
        if (!isGone) mounted = loaded.mount(container)
      }).catch(fail)
      return {
        dispose: () => {
          isGone = true
          mounted?.dispose()
        },
      }
    },
  })
  const show = async (): Promise<ChatView> => {
    await (await getService(IViewsService)).openView(VIEW, true)
    const loaded = await load()
    loaded.focus()
    return loaded
  }
  return {
    contributes: CONTRIBUTIONS,
    start: (there) => {
      started(there)
      const { registerCommand } = there.api.commands
      registerCommand(ACTIONS.chat, () => show())
      registerCommand(NEW, async () => (await show()).fresh())
      registerCommand(SESSIONS, async () => (await show()).list())
      registerCommand(TAB, () => showChatTab())
      registerCommand(ACTIONS.setUpAgents, async () => {
        await showSetupTab()
        ;(await loadSetup()).focus()
      })
      const { statusItem: text, statusTooltip: tooltip } = strings.setup
      there.api.window.createStatusBarItem('openspace.setUpAgents', 98)
        .set({ text, tooltip, command: ACTIONS.setUpAgents })
      registerCommand(SELECTION, async () => {
        const { selected } = await import('./sending')
        const attachment = selected(there)
        if (attachment) (await show()).attach(attachment)
      })
      registerCommand(FILE, async (uri?: unknown) => {
        const { fileAt } = await import('./sending')
        const attachment = fileAt(there, uri)
        if (attachment) (await show()).attach(attachment)
      })
    },
  }
}
