// Talking to agents: the chat in the secondary side bar and as a tab, ways to send it what is elsewhere, and the review
// of what its sessions changed.
import { IViewsService, getService } from '@codingame/monaco-vscode-api'
import { registerCustomView, ViewContainerLocation } from '@codingame/monaco-vscode-workbench-service-override'
import { Emitter, type Uri } from 'monaco-editor'
import type { Attachment } from '../../protocol/chat-words'
import { strings } from '../../strings'
import type { Contributions, Feature, Page, Workbench } from '../core/feature'
import { ACTIONS } from '../core/actions'
import { CHAT_TYPE, REVIEW_SCHEME, SETUP_TYPE } from '../core/tab-kinds'
import type { TerminalPanel } from '../core/terminal-panel'
import { MenuId, MenuRegistry } from '../core/upstream'
import type { ChatView } from './chat-view'
import { registerPageTab } from './page-tab'
import type { ReviewEditors } from './review'
import { REVIEW_ACTIONS, REVIEW_CONTRIBUTIONS } from './review-actions'
import type { SetupView } from './setup-view'

const VIEW = 'openspace.chat'
const NEW = 'openspace.view.newChat'
const SESSIONS = 'openspace.view.chatSessions'
const TAB = 'openspace.view.chatTab'
const SELECTION = 'openspace.chat.sendSelection'
const FILE = 'openspace.chat.sendFile'
const PICTURE = 'openspace.chat.sendPicture'
const PROBLEM = 'openspace.chat.sendProblem'
const TERMINAL = ACTIONS.sendTerminal
const RESULT = 'openspace.chat.sendResult'
const CHANGE = 'openspace.chat.sendChange'

const words = strings.chat.actions
/** Sends what is at hand, whatever that is. */
const KEY = 'ctrl+alt+l'
const PICTURES = 'activeEditor == workbench.editors.files.openspaceImage'

const CONTRIBUTIONS: Contributions = {
  actions: [
    { id: ACTIONS.chat, title: words.show, key: 'ctrl+alt+i' },
    { id: NEW, title: words.fresh },
    { id: SESSIONS, title: words.sessions },
    { id: TAB, title: words.tab },
    { id: ACTIONS.setUpAgents, title: words.setUp },
    { id: SELECTION, title: words.sendSelection, key: KEY, when: 'editorTextFocus' },
    { id: FILE, title: words.sendFile },
    { id: PICTURE, title: words.sendPicture, icon: '$(comment-discussion)', key: KEY, when: PICTURES },
    { id: PROBLEM, title: words.sendProblem, key: KEY, when: 'problemFocus' },
    { id: TERMINAL, title: words.sendTerminal, key: KEY, when: 'terminalFocus' },
    { id: RESULT, title: words.sendResult, key: KEY, when: 'fileMatchOrMatchFocus' },
    { id: CHANGE, title: words.sendChange },
    ...REVIEW_CONTRIBUTIONS.actions,
  ],
  menus: {
    'editor/context': [
      { command: SELECTION, group: '9_chat@1' }, ...REVIEW_CONTRIBUTIONS.menus['editor/context'],
    ],
    'editor/title': [
      { command: PICTURE, group: 'navigation@2', when: PICTURES }, ...REVIEW_CONTRIBUTIONS.menus['editor/title'],
    ],
    'explorer/context': [{ command: FILE, group: '9_chat@1', when: '!explorerResourceIsFolder' }],
    'scm/resourceState/context': [{ command: CHANGE, group: '4_chat@1', when: 'scmProvider == git' }],
  },
}

export function register({ space }: Page, { panel }: { panel: TerminalPanel }): Feature {
  let started: (workbench: Workbench) => void = () => {}
  const workbench = new Promise<Workbench>((resolve) => {
    started = resolve
  })
  let shown: ChatView | undefined
  const load = once(async () => {
    const [there, { ChatView: Loaded }] = await Promise.all([workbench, import('./chat-view')])
    shown = await Loaded.start(there, space, panel)
    return shown
  })
  const loadSetup = once<SetupView>(async () => {
    const [there, { model }, { SetupView: Loaded }, { SetupCommands }] = await Promise.all([
      workbench, load(), import('./setup-view'), import('../../protocol/chat-setup'),
    ])
    return new Loaded(there, panel, model, new SetupCommands())
  })
  const originals = new Emitter<Uri>()
  const loadReviews = once(async () => {
    const [there, { ReviewEditors: Loaded }, { ChatCommands }] = await Promise.all([
      workbench, import('./review'), import('../../protocol/chat-commands'),
    ])
    return Loaded.start(there, space, new ChatCommands(), originals)
  })
  const chatTab = registerPageTab(CHAT_TYPE, 'chat', strings.chat.title, load)
  const setupTab = registerPageTab(SETUP_TYPE, 'agents', strings.setup.title, loadSetup)
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
  /** The chat that a person sees, as a tab too; else the one in the side bar. */
  const atHand = async () => (shown?.isShown ? shown : show())
  return {
    contributes: CONTRIBUTIONS,
    start: (there) => {
      started(there)
      const { commands, window, workspace } = there.api
      commands.registerCommand(ACTIONS.chat, () => show())
      commands.registerCommand(NEW, async () => (await show()).fresh())
      commands.registerCommand(SESSIONS, async () => (await show()).list())
      commands.registerCommand(TAB, () => chatTab.show())
      commands.registerCommand(ACTIONS.setUpAgents, async () => {
        await setupTab.show()
        ;(await loadSetup()).focus()
      })
      const { statusItem: text, statusTooltip: tooltip } = strings.setup
      window.createStatusBarItem('openspace.setUpAgents', 98).set({ text, tooltip, command: ACTIONS.setUpAgents })
      registerSending(there, atHand, panel)
      workspace.registerTextDocumentContentProvider(REVIEW_SCHEME, {
        onDidChange: originals.event,
        provideTextDocumentContent: async (uri) => (await loadReviews()).read(uri),
      })
      registerReviews(there, load, loadReviews)
    },
  }
}

/** What is loaded when it is first wanted; when that fails the next one who wants it tries again. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined
      throw error
    })
    return loaded
  }
}

/** Ways to put what is elsewhere into the draft of the chat that is shown, or of a new one. Nothing is sent. */
function registerSending(there: Workbench, atHand: () => Promise<ChatView>, panel: TerminalPanel): void {
  const { notices } = there
  const attach = async (attachment: Attachment | undefined): Promise<void> => {
    if (!attachment) {
      notices.warning(strings.chat.nothingToSend)
      return
    }
    const view = await atHand()
    await view.model.commands.mayAttach([attachment])
    view.attach(attachment)
  }
  const way = (id: string, find: (given: unknown) => Promise<Attachment | undefined>) =>
    there.api.commands.registerCommand(id, async (given?: unknown) => {
      try {
        await attach(await find(given))
      } catch (error) {
        notices.failure(strings.chat.notAttached, error)
      }
    })
  const sending = () => import('./sending')
  way(ACTIONS.attach, async (given) => given as Attachment)
  way(SELECTION, async () => (await sending()).selected(there))
  way(FILE, async (uri) => (await sending()).fileAt(there, uri))
  way(PICTURE, async (uri) => (await sending()).fileAt(there, uri))
  way(PROBLEM, async () => (await sending()).problem(there))
  way(TERMINAL, async () => (await sending()).terminalOutput(panel))
  way(RESULT, async (row) => (await sending()).result(row))
  way(CHANGE, async (row) => (await sending()).change(row))
  // Menus that no manifest of an extension reaches.
  const add = (menu: MenuId, id: string, title: string) =>
    MenuRegistry.appendMenuItem(menu, { group: '9_chat', order: 1, command: { id, title } })
  add(MenuId.ProblemsPanelContext, PROBLEM, words.sendProblem)
  add(MenuId.TerminalInstanceContext, TERMINAL, words.sendTerminal)
  add(MenuId.SearchContext, RESULT, words.sendResult)
}

function registerReviews(
  { api, notices }: Workbench, load: () => Promise<ChatView>, loadReviews: () => Promise<ReviewEditors>,
): void {
  const review = strings.chat.review
  const way = (id: string, what: string, work: (reviews: ReviewEditors, ...given: unknown[]) => unknown) =>
    api.commands.registerCommand(id, async (...given: unknown[]) => {
      try {
        await work(await loadReviews(), ...given)
      } catch (error) {
        notices.failure(what, error)
      }
    })
  const named = (given: unknown) => (typeof given === 'string' ? given : undefined)
  way(REVIEW_ACTIONS.review, review.notShown, async (reviews, session, path) => {
    const address = named(session) ?? (await load()).model.address
    if (address === undefined) notices.warning(review.noSession)
    else await reviews.review(address, named(path))
  })
  way(REVIEW_ACTIONS.next, review.notShown, (reviews) => reviews.move(1))
  way(REVIEW_ACTIONS.previous, review.notShown, (reviews) => reviews.move(-1))
  way(REVIEW_ACTIONS.accept, review.notAccepted, (reviews) => reviews.accept())
  way(REVIEW_ACTIONS.undo, review.actions.undo, (reviews) => reviews.undo())
  way(REVIEW_ACTIONS.toChat, strings.chat.notAttached, (reviews) => reviews.toChat())
  way(REVIEW_ACTIONS.acceptFile, review.notAccepted, (reviews, session, path) =>
    reviews.acceptFile(named(session), named(path)))
  way(REVIEW_ACTIONS.undoFile, review.actions.undoFile, (reviews, session, path) =>
    reviews.undoFile(named(session), named(path)))
}
