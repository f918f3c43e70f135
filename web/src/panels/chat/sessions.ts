// The list of sessions: the one that changed last first, those of sub-agents below theirs, found by their title.
import type { Session, SessionStatus } from '../../protocol/chat-words'
import { strings } from '../../strings'
import { button, icon, iconButton, KeyedList, made, nameIt, setText, type View } from './dom'

const words = strings.chat

export interface ListedSession {
  session: Session
  status: SessionStatus | undefined
  isUnread: boolean
  /** It waits for the person. */
  isAsking: boolean
}

export interface SessionsHelp {
  openSession(id: string): void
  create(): void
  search(text: string): void
  more(): void
  /** What can be done with one, at the element that was used. */
  menu(session: Session, anchor: HTMLElement): void
}

/** Asked for this long after the last letter. */
const SEARCH_MS = 200

interface Placed extends ListedSession {
  depth: number
  isOpen: boolean
}

export class Sessions {
  readonly element = made('div', '', 'sessions')
  private readonly search = made('input')
  private readonly list = made('div', '', 'session-list')
  private readonly rows: KeyedList<Placed, SessionRow>
  private readonly note = made('p', '', 'note')
  private readonly more: HTMLButtonElement
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(help: SessionsHelp) {
    this.search.type = 'search'
    this.search.placeholder = words.searchSessions
    this.search.setAttribute('aria-label', words.searchSessions)
    this.search.oninput = () => {
      clearTimeout(this.timer)
      this.timer = setTimeout(() => help.search(this.search.value.trim()), SEARCH_MS)
    }
    this.list.setAttribute('role', 'list')
    this.list.setAttribute('aria-label', words.sessions)
    this.rows = new KeyedList(
      this.list, ({ session }) => session.id, ({ session }) => new SessionRow(session.id, help),
      (row, placed) => row.show(placed),
    )
    this.list.onkeydown = (event) => this.press(event)
    this.more = button(words.moreSessions, () => help.more(), 'secondary')
    const head = made('div', '', 'row')
    head.append(this.search, iconButton('add', words.newSession, () => help.create()))
    this.element.append(head, this.list, this.note, this.more)
  }

  show({ sessions, open, hasMore, isLoading }: {
    sessions: readonly ListedSession[]; open: string | undefined; hasMore: boolean; isLoading: boolean
  }): void {
    this.rows.show(inOrder(sessions, open))
    this.more.hidden = !hasMore
    const isNone = sessions.length === 0
    this.note.hidden = !isNone
    setText(this.note, isLoading ? words.loading : this.search.value ? words.noneFound : words.noSessions)
  }

  focus(): void {
    this.search.focus()
  }

  private press(event: KeyboardEvent): void {
    const row = (event.target as HTMLElement).closest('.session')
    const { key } = event
    const before = key === 'ArrowUp' ? row?.previousElementSibling : null
    const next = key === 'ArrowDown' ? row?.nextElementSibling : before
    if (!next) return
    event.preventDefault()
    next.querySelector<HTMLElement>('button')?.focus()
  }
}

/** Those of sub-agents after the session that they belong to, where it is listed. */
function inOrder(sessions: readonly ListedSession[], open: string | undefined): Placed[] {
  const children = new Map<string, ListedSession[]>()
  const known = new Set(sessions.map(({ session }) => session.id))
  for (const listed of sessions) {
    const parent = listed.session.parentId
    if (parent !== null && known.has(parent)) children.set(parent, [...(children.get(parent) ?? []), listed])
  }
  const found: Placed[] = []
  const add = (listed: ListedSession, depth: number) => {
    found.push({ ...listed, depth, isOpen: listed.session.id === open })
    // One that says that it is its own parent is listed once.
    if (depth < 5) for (const child of children.get(listed.session.id) ?? []) add(child, depth + 1)
  }
  for (const listed of sessions) {
    const parent = listed.session.parentId
    if (parent === null || !known.has(parent)) add(listed, 0)
  }
  return found
}

class SessionRow implements View {
  readonly element = made('div', '', 'session')
  private readonly open: HTMLButtonElement
  private readonly title = made('span', '', 'title')
  private readonly about = made('span', '', 'about')
  private readonly state = made('span', '', 'state')
  private shown: Placed | undefined

  constructor(id: string, help: SessionsHelp) {
    this.element.setAttribute('role', 'listitem')
    this.open = button('', () => help.openSession(id), 'open')
    this.open.append(this.state, this.title, this.about)
    const menu = iconButton('ellipsis', words.sessionMenu, () => {
      if (this.shown) help.menu(this.shown.session, menu)
    })
    this.element.append(this.open, menu)
  }

  show(placed: Placed): void {
    const { session, status, isUnread, isAsking, depth, isOpen } = placed
    this.shown = placed
    setText(this.title, session.title || words.untitled)
    setText(this.about, session.updated === null ? '' : words.ago(Date.now() - session.updated))
    const isBusy = status !== undefined && status.state !== 'idle'
    const mark = isAsking ? 'question' : isBusy ? 'loading codicon-modifier-spin' : isUnread ? 'circle-filled' : ''
    if (this.state.dataset.mark !== mark) {
      this.state.dataset.mark = mark
      this.state.replaceChildren(...(mark ? [icon(mark)] : []))
    }
    this.element.classList.toggle('unread', isUnread)
    this.element.style.setProperty('--depth', String(depth))
    if (isOpen) this.open.setAttribute('aria-current', 'true')
    else this.open.removeAttribute('aria-current')
    const marks = [isAsking ? words.asking : '', isBusy ? words.working : '', isUnread ? words.unread : '']
    nameIt(this.open, [session.title || words.untitled, ...marks.filter(Boolean)].join(', '))
  }
}
