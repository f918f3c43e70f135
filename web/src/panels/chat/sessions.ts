// The list of sessions: the one that changed last first, those of sub-agents below theirs, found by their title.
//
// However many there are, the keyboard comes by one of them: arrows go from row to row, and within a row to what else
// can be done with it.
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
/** Rows that a key for a page goes by. */
const PAGE = 10

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
  /** The last row there was when more were asked for, until they are there. */
  private before: Element | undefined
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
    this.element.onkeydown = (event) => this.press(event)
    this.list.addEventListener('focusin', ({ target }) => this.stop(rowAt(target)))
    this.more = button(words.moreSessions, () => {
      if (this.before) return
      this.before = this.list.lastElementChild ?? undefined
      help.more()
    }, 'secondary')
    const head = made('div', '', 'row')
    head.append(this.search, iconButton('add', words.newSession, () => help.create()))
    this.element.append(head, this.list, this.note, this.more)
  }

  show({ sessions, open, hasMore, isLoading }: {
    sessions: readonly ListedSession[]; open: string | undefined; hasMore: boolean; isLoading: boolean
  }): void {
    const held = rowAt(document.activeElement)
    const place = held ? this.all.indexOf(held) : -1
    const isAtMore = document.activeElement === this.more
    this.rows.show(inOrder(sessions, open))
    if (held && !held.element.isConnected) (this.all[Math.min(place, this.all.length - 1)] ?? this).focus()
    this.more.hidden = !hasMore
    // One that is disabled would lose the keyboard.
    this.more.setAttribute('aria-disabled', String(isLoading))
    setText(this.more, isLoading ? words.loading : words.moreSessions)
    if (this.before && !isLoading) {
      // Who asked for more goes on with what came.
      if (isAtMore) rowAt(this.before.nextElementSibling)?.focus()
      this.before = undefined
    }
    const { all } = this
    if (!all.some((row) => row.isStop)) this.stop(all[0])
    const isNone = sessions.length === 0
    this.note.hidden = !isNone
    setText(this.note, isLoading ? words.loading : this.search.value ? words.noneFound : words.noSessions)
  }

  focus(): void {
    this.search.focus()
  }

  private get all(): SessionRow[] {
    return [...this.list.children].flatMap((element) => rowAt(element) ?? [])
  }

  /** The keyboard comes by this row, and by no other. */
  private stop(row: SessionRow | undefined): void {
    if (!row || row.isStop) return
    for (const other of this.all) other.isStop = other === row
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const row = rowAt(event.target)
    const isInSearch = event.target === this.search
    const { key } = event
    const { all } = this
    const place = row ? all.indexOf(row) : isInSearch ? -1 : all.length
    const last = all.length - 1
    const to = (index: number) => all[Math.max(0, Math.min(last, index))]
    // Those that move in a text are the text's.
    const goesTo: Record<string, () => { focus(): void } | undefined> = {
      ArrowDown: () => (place < last ? to(place + 1) : this.more.hidden ? undefined : this.more),
      ArrowUp: () => (place > 0 ? to(place - 1) : this.search),
      PageDown: () => to(place + PAGE), PageUp: () => to(place - PAGE),
      ...(row ? {
        Home: () => to(0), End: () => to(last), ArrowRight: () => row.menu, ArrowLeft: () => row,
      } : {}),
    }
    if (key === 'ContextMenu' || (key === 'F10' && event.shiftKey)) row?.act()
    else if (key in goesTo && !event.shiftKey) goesTo[key]?.()?.focus()
    else return
    if (isInSearch || row || event.target === this.more) event.preventDefault()
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

const ROWS = new WeakMap<Element, SessionRow>()

/** The row that an element is, or is in. */
function rowAt(target: EventTarget | null): SessionRow | undefined {
  const element = target instanceof Element ? target.closest('.session') : null
  return element ? ROWS.get(element) : undefined
}

class SessionRow implements View {
  readonly element = made('div', '', 'session')
  readonly menu: HTMLButtonElement
  private readonly open: HTMLButtonElement
  private readonly title = made('span', '', 'title')
  /** What the marks and the age say to those who do not see them. */
  private readonly said = made('span', '', 'openspace-said')
  private readonly about = made('span', '', 'about')
  private readonly state = made('span', '', 'state')
  private shown: Placed | undefined

  constructor(id: string, help: SessionsHelp) {
    this.element.setAttribute('role', 'listitem')
    this.open = button('', () => help.openSession(id), 'open')
    this.about.setAttribute('aria-hidden', 'true')
    this.open.append(this.state, this.title, this.said, this.about)
    this.menu = iconButton('ellipsis', words.sessionMenu, () => {
      if (this.shown) help.menu(this.shown.session, this.menu)
    })
    this.menu.tabIndex = -1
    this.open.tabIndex = -1
    this.element.oncontextmenu = (event) => {
      event.preventDefault()
      this.act()
    }
    this.element.append(this.open, this.menu)
    ROWS.set(this.element, this)
  }

  /** Whether the keyboard comes by it. */
  get isStop(): boolean {
    return this.open.tabIndex === 0
  }

  set isStop(isStop: boolean) {
    this.open.tabIndex = isStop ? 0 : -1
  }

  focus(): void {
    this.open.focus()
  }

  act(): void {
    this.menu.click()
  }

  show(placed: Placed): void {
    const { session, status, isUnread, isAsking, depth, isOpen } = placed
    this.shown = placed
    const age = session.updated === null ? undefined : Date.now() - session.updated
    setText(this.about, age === undefined ? '' : words.ago(age))
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
    const title = session.title || words.untitled
    setText(this.title, title)
    const said = [
      isAsking ? words.asking : '', isBusy ? words.working : '', isUnread ? words.unread : '',
      depth > 0 ? words.ofSubAgent : '', age === undefined ? '' : words.agoSaid(age),
    ]
    setText(this.said, words.marks(said.filter(Boolean)))
    this.open.title = title
    const label = words.menuOf(title)
    if (this.menu.title !== label) nameIt(this.menu, label)
  }
}
