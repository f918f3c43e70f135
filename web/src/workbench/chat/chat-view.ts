// The chat in the workbench: one copy of what there is, shown in the side bar, as a tab, or in both.
//
// It is loaded when it is shown first. Which session is open, and drafts, are kept: the first by this page, the others
// by the server, for all pages.
import { getService, IStorageService, StorageScope, StorageTarget } from '@codingame/monaco-vscode-api'
import '../../panels/chat/chat.css'
import { isInTrouble } from '../../panels/chat/agent-state'
import { ChatPanel, type PanelState } from '../../panels/chat/panel'
import type { Draft } from '../../panels/chat/prompt-box'
import { questionsIn } from '../../protocol/approvals'
import { ChatChannel } from '../../protocol/chat'
import { ChatCommands } from '../../protocol/chat-commands'
import type { Attachment } from '../../protocol/chat-words'
import { Failure } from '../../protocol/failure'
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import type { Workbench } from '../core/feature'
import { adviceOf } from '../core/notices'
import type { TerminalPanel } from '../core/terminal-panel'
import { Chats } from './chats'
import { helpOf } from './help'
import { ChatNotes } from './notes'
import { Said } from './said'

const words = strings.chat
const OPEN = 'openspace.chat.open'
/** How often it is looked whether an agent was installed, while none is there and somebody looks. */
const LOOK_MS = 4_000
/** Under what a draft is while nobody knows which agents there are. */
const NOBODY = '/'

export class ChatView {
  private readonly panels = new Set<ChatPanel>()
  private last: ChatPanel | undefined
  private looking: ReturnType<typeof setTimeout> | undefined
  private readonly said: Said
  /** What is on its way to a session that is not there yet. */
  private sending: string | undefined
  /** What was sent here before there was a prompt. */
  private waiting: Attachment[] = []
  /** Of which session the prompts show the draft. */
  private draftOf: string | undefined

  private constructor(
    private readonly workbench: Workbench,
    private readonly space: Space,
    private readonly terminals: TerminalPanel,
    private readonly chats: Chats,
    private readonly notes: ChatNotes,
    private readonly storage: IStorageService,
  ) {
    this.said = new Said(storage)
    chats.onChange.on(() => this.show())
    chats.onFailure.on(({ error }) => this.fail(error))
    notes.onChange.on(() => this.show())
  }

  static async start(workbench: Workbench, space: Space, terminals: TerminalPanel): Promise<ChatView> {
    const channel = new ChatChannel()
    const chats = new Chats(channel, new ChatCommands())
    const storage = await getService(IStorageService)
    const view = new ChatView(workbench, space, terminals, chats, new ChatNotes(space, chats), storage)
    space.onConnection.on(({ is }) => {
      if (is === 'live') channel.retry()
    })
    const open = storage.get(OPEN, StorageScope.WORKSPACE)
    if (open !== undefined && open.includes('/')) void chats.open(open)
    channel.connect()
    return view
  }

  /** Another place shows the chat. */
  mount(container: HTMLElement): { dispose(): void } {
    const panel: ChatPanel = new ChatPanel(helpOf(this.chats, this.workbench, this.terminals, {
      giveBack: (draft) => panel.prompt.setDraft(draft),
      add: (path) => panel.prompt.add({ type: 'file', path }),
      isDrafting: (draft) => this.keepDraft(panel, draft),
      sent: (text) => this.said.add(text),
      sending: (text) => {
        this.sending = text
        this.show()
      },
      isAskedAbout: (agent) => Object.values(questionsIn(this.space))
        .some(({ caller, state }) => caller.id === agent && state === 'open'),
      fail: (problem) => panel.fail(problem),
      solve: (what) => panel.solve(what),
    }))
    this.panels.add(panel)
    this.last = panel
    panel.element.addEventListener('focusin', () => {
      this.last = panel
    })
    container.append(panel.element)
    panel.prompt.setDraft(this.notes.draft())
    for (const attachment of this.waiting.splice(0)) panel.prompt.add(attachment)
    this.show()
    return {
      dispose: () => {
        this.panels.delete(panel)
        if (this.last === panel) this.last = [...this.panels].at(-1)
        panel.dispose()
        panel.element.remove()
      },
    }
  }

  focus(): void {
    this.last?.focus()
  }

  fresh(): void {
    this.chats.leave()
    this.last?.showList(false)
    this.focus()
  }

  list(): void {
    this.last?.showList(true)
    this.focus()
  }

  /** Something from elsewhere goes with what is said next. */
  attach(attachment: Attachment): void {
    const { last } = this
    if (!last) this.waiting.push(attachment)
    last?.showList(false)
    last?.prompt.add(attachment)
    this.focus()
  }

  /** Whether a person sees it somewhere. */
  get isShown(): boolean {
    return [...this.panels].some(({ element }) => element.isConnected && element.offsetParent !== null)
  }

  get model(): Chats {
    return this.chats
  }

  private show(): void {
    const { chats, notes } = this
    this.remember()
    const state: PanelState = {
      agents: chats.agents, agent: chats.agent, isConnected: chats.channel.isConnected,
      sessions: chats.sessions.map((listed) => ({
        session: listed.session, status: listed.status, isUnread: notes.isUnread(listed),
        isAsking: chats.isAsking(listed.agent, listed.session.id),
      })),
      hasMoreSessions: chats.moreSessions !== undefined, isLoadingSessions: chats.isLoadingSessions,
      conversation: chats.conversation, isLoading: chats.isLoading, sending: this.sending,
      failure: chats.failure === undefined ? undefined : `${words.notLoaded}: ${adviceOf(chats.failure)}`,
      models: chats.catalogue.models, modes: chats.catalogue.modes, chosen: chats.chosen(notes.note()),
      earlier: this.said.all,
      review: notes.review(),
    }
    // How the agent is says why nothing was listed.
    const isTold = isInTrouble(chats.agent) || !this.canBeAsked
    if (isTold) for (const panel of this.panels) panel.solve(words.sessionsNotLoaded)
    for (const panel of this.panels) panel.show(state)
    if (this.isShown && !document.hidden) notes.see()
    this.lookLater()
  }

  private get canBeAsked(): boolean {
    const { agent } = this.chats
    return agent !== undefined && agent.state !== 'missing'
  }

  /** One problem for all that could not be read, and none where the panel says anyway that the agent is not there. */
  private fail(error: unknown): void {
    if (isInTrouble(this.chats.agent) || !this.canBeAsked) return
    if (error instanceof Failure && ['cancelled', 'unreachable'].includes(error.kind)) return
    const again = () => this.chats.refresh()
    for (const panel of this.panels) panel.fail({ what: words.sessionsNotLoaded, why: adviceOf(error), again })
  }

  /** While no agent is there, one may be installed at any time. */
  private lookLater(): void {
    const { chats } = this
    if (this.looking !== undefined || chats.agents === undefined || this.canBeAsked) return
    this.looking = setTimeout(() => {
      this.looking = undefined
      if (!this.isShown || document.hidden || !chats.channel.isConnected) return this.lookLater()
      chats.lookForAgents().catch((error: unknown) => {
        console.warn('it could not be looked which agents there are', error)
        this.lookLater()
      })
    }, LOOK_MS)
  }

  /** Another session has another draft. */
  private remember(): void {
    const { address } = this.chats
    const key = this.notes.key
    if (key === this.draftOf) return
    // What was begun before it was known with which agent is not lost when it is.
    const begun = this.draftOf === NOBODY ? this.last?.prompt.draft : undefined
    this.draftOf = key
    if (address === undefined) this.storage.remove(OPEN, StorageScope.WORKSPACE)
    else this.storage.store(OPEN, address, StorageScope.WORKSPACE, StorageTarget.MACHINE)
    const draft = joined(this.notes.draft(), begun)
    for (const panel of this.panels) panel.prompt.setDraft(draft)
    if (begun && !isEmpty(begun)) this.notes.keepDraft(draft)
  }

  private keepDraft(from: ChatPanel, draft: Draft): void {
    for (const panel of this.panels) if (panel !== from) panel.prompt.setDraft(draft)
    this.notes.keepDraft(draft)
  }
}

function isEmpty({ text, attachments }: Draft): boolean {
  return text === '' && attachments.length === 0
}

/** What was kept, and after it what was begun since. */
function joined(kept: Draft, begun: Draft | undefined): Draft {
  if (!begun || isEmpty(begun)) return kept
  const text = [kept.text, begun.text].filter(Boolean).join('\n')
  return { text, attachments: [...kept.attachments, ...begun.attachments] }
}
