// What the panel asks of the workbench and of the server.
import { Uri } from 'monaco-editor'
import { isInTrouble } from '../../panels/chat/agent-state'
import type { Draft } from '../../panels/chat/prompt-box'
import type { Proposal } from '../../panels/chat/completion'
import type { PanelHelp } from '../../panels/chat/panel'
import type { Problem } from '../../panels/chat/problems'
import type { Target } from '../../panels/chat/places'
import { lineOf, plainOutput } from '../../panels/chat/tool-facts'
import type { Message, PermissionRequest, Session } from '../../protocol/chat-words'
import { Failure } from '../../protocol/failure'
import { stat } from '../../protocol/files'
import { searchFiles } from '../../protocol/search'
import { strings } from '../../strings'
import { ACTIONS } from '../core/actions'
import type { Workbench } from '../core/feature'
import type { TerminalPanel } from '../core/terminal-panel'
import { adviceOf } from '../core/notices'
import { folderUri, pathOf, uriOf } from '../core/uris'
import { applyCode } from './applying'
import type { Chats } from './chats'
import { coloured } from './colours'
import { revealTerminal, runInTerminal } from './in-terminal'
import { mentioned, slashIn } from './mentions'
import { REVIEW_ACTIONS } from './review-actions'
import { OWN_COMMANDS, SessionMenu } from './session-menu'

const words = strings.chat
/** Files that are proposed. */
const MOST_FILES = 10
/** Files that can be picked from a list. */
const MOST_PICKED = 500

export interface Hands {
  /** The last thing that was said, back in the prompt: it was not sent. */
  giveBack(draft: Draft): void
  add(path: string): void
  isDrafting(draft: Draft): void
  /** It is on its way, to a session that is not there yet; or is not any more. */
  sending(text: string | undefined): void
  /** It was said. */
  sent(text: string): void
  /** Whether something that an agent wants to do is asked about in the list of questions. */
  isAskedAbout(agent: string): boolean
  /** Something failed, or does not fail any more. */
  fail(problem: Problem): void
  solve(what: string): void
}

export function helpOf(chats: Chats, workbench: Workbench, terminals: TerminalPanel, hands: Hands): PanelHelp {
  const { api } = workbench
  const { commands } = chats
  const sessionMenu = new SessionMenu(chats, workbench)
  const attempt = (what: string, work: () => Promise<unknown>): void => {
    work().then(() => hands.solve(what), (error: unknown) => {
      if (!isTakenBack(error)) hands.fail({ what, why: adviceOf(error) })
    })
  }
  // How it went is how the agent is from then on, which the panel says.
  const start = (id: string, work: () => Promise<void>): void => attempt(words.startAgain, async () => {
    try {
      await work()
    } catch (error) {
      await chats.lookForAgents()
      const state = chats.agents?.find((agent) => agent.id === id)
      if (!isInTrouble(state) && state?.state !== 'missing') throw error
    }
  })
  const addressOf = (id: string) => `${chats.agent?.id ?? ''}/${id}`
  const ofOpen = (what: string, work: (address: string) => Promise<unknown>) => {
    const { address } = chats
    if (address !== undefined) attempt(what, () => work(address))
  }
  const send = async (draft: Draft): Promise<void> => {
    const { text, attachments } = draft
    const slash = slashIn(text)
    const own = slash && OWN_COMMANDS.find(({ name }) => name === slash.name)
    try {
      if (own) await own.run(sessionMenu, chats, slash.words)
      else if (slash && chats.catalogue.commands.some(({ name }) => name === slash.name)) {
        const address = chats.address ?? (await begin(chats))
        await commands.slash(address, slash.name, slash.words)
      } else {
        const agents = chats.catalogue.modes.filter(({ usable }) => usable !== 'session').map(({ id }) => id)
        const found = await mentioned(text, agents, isFile)
        if (chats.address === undefined) hands.sending(text)
        const { address } = await commands.send(chats.subject, text, [...attachments, ...found])
        if (address !== chats.address) await chats.open(address)
      }
      hands.sent(text)
      hands.solve(words.notSent)
    } catch (error) {
      hands.giveBack(draft)
      if (isTakenBack(error)) return
      const again = () => {
        hands.giveBack({ text: '', attachments: [] })
        void send(draft)
      }
      hands.fail({ what: words.notSent, why: adviceOf(error), again })
    } finally {
      hands.sending(undefined)
    }
  }
  return {
    folder: folderUri().path,
    highlight: coloured,
    copy: (text) => attempt(words.copy, () => api.window.copy(text)),
    applyCode: (code, language) => attempt(words.applyCode, () => applyCode(workbench, code, language)),
    open: (target) => attempt(words.notOpened(nameOf(target)), () => openTarget(workbench, target)),
    showTerminal: (terminal) => attempt(words.terminal(terminal), async () => {
      await (terminals.focus(terminal) ?? revealTerminal(terminals, terminal))
    }),
    showSession: (session) => attempt(words.notLoaded, () => chats.open(addressOf(session))),
    whyNot: (ability) => chats.whyNot(ability),
    fork: ({ info }) => ofOpen(words.forkHere, async (address) => {
      const forked = await commands.fork(address, info.id)
      await chats.open(forked.address)
    }),
    revert: (message) => ofOpen(words.revertHere, async (address) => {
      await commands.revert(address, message.info.id)
      hands.giveBack({ text: textOf(message), attachments: [] })
    }),
    again: (message) => {
      const said = chats.conversation?.messages.findLast(({ info }) =>
        info.role === 'user' && info.created <= message.info.created)
      if (said) void send({ text: textOf(said), attachments: [] })
    },
    review: (path) => ofOpen(words.review.notShown, (address) =>
      api.commands.executeCommand(REVIEW_ACTIONS.review, address, path)),
    acceptFile: (path) => ofOpen(words.review.notAccepted, (address) =>
      api.commands.executeCommand(REVIEW_ACTIONS.acceptFile, address, path)),
    undoFile: (path) => ofOpen(words.review.notUndone(path), (address) =>
      api.commands.executeCommand(REVIEW_ACTIONS.undoFile, address, path)),
    openFile: (path) => attempt(words.notOpened(path), () => openTarget(workbench, { kind: 'file', path })),
    unrevert: () => ofOpen(words.restore, (address) => commands.unrevert(address)),
    answerPermission: (request) => attempt(words.answer, () => answerPermission(chats, workbench, hands, request)),
    answerQuestions: ({ id }, answers) =>
      ofOpen(words.sendAnswer, () => commands.answer(chats.agent?.id ?? '', id, answers)),
    dismissQuestions: ({ id }) => ofOpen(words.dismiss, () => commands.answer(chats.agent?.id ?? '', id, undefined)),
    openSession: (id) => attempt(words.notLoaded, () => chats.open(addressOf(id))),
    create: () => chats.leave(),
    search: (text) => void chats.listSessions(text),
    more: () => attempt(words.sessions, () => chats.listMore()),
    menu: (session: Session) => attempt(words.sessionMenu, () => sessionMenu.open(session)),
    send: (draft) => void send(draft),
    stop: () => ofOpen(words.stop, (address) => commands.abort(address)),
    keepDraft: (draft) => hands.isDrafting(draft),
    choose: ({ model, mode }) => attempt(words.model, () => commands.select(chats.subject, model, mode)),
    attach: () => attempt(words.attach, async () => {
      const path = await pickFile(workbench)
      if (path !== undefined) hands.add(path)
    }),
    propose: (trigger, typed) => (trigger === '/' ? Promise.resolve(slashes(chats, typed)) : things(chats, typed)),
    droppedPaths,
    failed: (text) => hands.fail({ what: text, why: '' }),
    loadOlder: () => attempt(words.older, () => chats.loadOlder()),
    reload: () => attempt(words.lookAgain, async () => {
      await chats.lookForAgents()
      chats.refresh()
    }),
    chooseAgent: (id) => chats.chooseAgent(id),
    startAgent: (id) => start(id, () => commands.startAgent(id)),
    restartAgent: (id) => start(id, async () => {
      await commands.stopAgent(id)
      await commands.startAgent(id)
    }),
    runInTerminal: (title, command) => attempt(words.notRun, () => runInTerminal(terminals, title, command)),
    setUp: () => void api.commands.executeCommand(ACTIONS.setUpAgents),
  }
}

/** What is asked of the person is in one place, whoever asks; but where nobody judges it is in none, and asked here. */
async function answerPermission(
  chats: Chats, { api }: Workbench, hands: Hands, request: PermissionRequest,
): Promise<void> {
  const agent = chats.agent?.id ?? ''
  if (hands.isAskedAbout(agent)) {
    await api.commands.executeCommand(ACTIONS.answer)
    return
  }
  const { id, permission, title, patterns } = request
  const detail = lineOf(request) ?? plainOutput([...new Set([title, ...patterns])].filter(Boolean).join('\n'))
  const { allowOnce, refuse } = words
  const answer = await api.window.ask({ message: words.wants(permission), detail }, allowOnce, refuse)
  if (answer !== undefined) await chats.commands.permit(agent, id, answer === allowOnce ? 'once' : 'no')
}

/** The person themselves gave it up. */
function isTakenBack(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'cancelled'
}

async function begin(chats: Chats): Promise<string> {
  const { address } = await chats.commands.create(chats.agent?.id ?? '')
  await chats.open(address)
  return address
}

function textOf({ parts }: Message): string {
  return parts.flatMap(({ content }) => (content.type === 'text' && !content.isSynthetic ? [content.text.text] : []))
    .join('\n')
}

async function isFile(path: string): Promise<boolean> {
  if (path.startsWith('/') || path.split('/').includes('..')) return false
  try {
    return (await stat(path)).kind === 'file'
  } catch {
    // It is only a word.
    return false
  }
}

function nameOf(target: Target): string {
  return target.kind === 'file' ? target.path : target.url
}

async function openTarget({ api }: Workbench, target: Target): Promise<void> {
  if (target.kind === 'web') {
    window.open(target.url, '_blank', 'noopener,noreferrer')
    return
  }
  const { path, line, lastLine } = target
  const uri = uriOf(path)
  if ((await stat(path)).kind === 'folder') {
    await api.commands.executeCommand('revealInExplorer', uri)
    return
  }
  const last = lastLine ?? line
  const selection = line === undefined || last === undefined ? undefined : {
    startLineNumber: line, startColumn: 1, endLineNumber: last, endColumn: last > line ? Number.MAX_SAFE_INTEGER : 1,
  }
  await api.window.showTextDocument(uri, { pinned: true, ...(selection ? { selection } : {}) })
}

function slashes(chats: Chats, typed: string): Proposal[] {
  const own = OWN_COMMANDS.filter(({ ability }) => ability === undefined || chats.whyNot(ability) === undefined)
  const all = [
    ...own.map(({ name, about }) => ({ icon: 'layout', label: `/${name}`, detail: about, insert: `/${name} ` })),
    ...chats.catalogue.commands.filter(({ name }) => !own.some((known) => known.name === name))
      .map(({ name, description, hint }) => ({
        icon: 'terminal', label: `/${name}`, detail: [hint, description].filter(Boolean).join(' '), insert: `/${name} `,
      })),
  ]
  return all.filter(({ label }) => label.slice(1).toLowerCase().startsWith(typed.toLowerCase()))
}

async function things(chats: Chats, typed: string): Promise<Proposal[]> {
  const agents = chats.catalogue.modes
    .filter(({ usable, id }) => usable !== 'session' && id.toLowerCase().startsWith(typed.toLowerCase()))
    .map(({ id, description }) => ({
      icon: 'organization', label: `@${id}`, detail: description ?? '', insert: `@${id} `,
    }))
  const { paths } = await searchFiles(typed, MOST_FILES)
  const files = paths.map((path) => {
    const name = path.split('/').at(-1) ?? path
    return { icon: 'file', label: name, detail: path === name ? '' : path, insert: `@${path} ` }
  })
  return [...agents, ...files]
}

async function pickFile({ api }: Workbench): Promise<string | undefined> {
  const { paths } = await searchFiles('', MOST_PICKED)
  const placeHolder = paths.length < MOST_PICKED ? words.attach : words.attachFirst(MOST_PICKED)
  return api.window.showQuickPick(paths, { placeHolder })
}

/** Files of the explorer, of tabs and of other places of the workbench, by their addresses. */
function droppedPaths(data: DataTransfer): string[] {
  const written = data.getData('ResourceURLs')
  const listed = data.getData('text/uri-list').split(/\r?\n/)
  let addresses: unknown = listed
  try {
    if (written) addresses = JSON.parse(written)
  } catch {
    // Somebody else's words under the same name.
    addresses = listed
  }
  if (!Array.isArray(addresses)) return []
  return addresses.flatMap((address: unknown) => {
    if (typeof address !== 'string' || !address.startsWith('file:')) return []
    const path = pathOf(Uri.parse(address))
    return path ? [path] : []
  })
}
