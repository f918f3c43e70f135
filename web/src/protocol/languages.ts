// Questions to language servers over one WebSocket, which comes back by itself.
//
// The server owns the language servers, their documents and what is wrong with them; this only carries. A question
// that is under way when the connection breaks fails: who asked knows whether it still matters. Nothing is remembered
// but which files are shown, which is told anew after each break.
import { strings } from '../strings'
import { Failure, request, query, type FailureKind } from './failure'
import type {
  AbsentLanguage, FromLanguagePage, LanguageKind, NotAnswered, PageAnswer as LanguageAnswer, PageFeature,
  PageServer as LanguageServer, ToLanguagePage,
} from './generated'
import { Listeners } from './listeners'
import { socketAddress } from './page-key'

export type {
  AbsentLanguage, AbsentServer, KnownText, LanguageKind, PageAnswer as LanguageAnswer, PageFeature,
  PageServer as LanguageServer, ShownText,
} from './generated'

export type LanguageQuestion = Omit<Extract<FromLanguagePage, { type: 'ask' }>, 'type' | 'id'>
export type ServerEdit = Omit<Extract<ToLanguagePage, { type: 'apply' }>, 'type'>

/** The part of a WebSocket that is needed here. */
export interface LanguageSocket {
  onopen: (() => void) | null
  onclose: (() => void) | null
  onmessage: ((message: { data: unknown }) => void) | null
  send(text: string): void
  close(): void
}

/** All that is known of language servers, as of the last message. */
export interface Servers {
  servers: readonly LanguageServer[]
  absent: readonly AbsentLanguage[]
}

/** Why a server's edit was not made; nothing when it was. */
export type Applying = (edit: ServerEdit) => Promise<string | undefined>

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000
/** Questions that are under way at most; the server refuses more of one page sooner. */
const MOST_ASKED = 128
/** Files of which the server is told that they are shown. */
export const MOST_SHOWN = 100

interface Asked {
  resolve: (answers: LanguageAnswer[]) => void
  reject: (failure: Failure) => void
}

/** Refusals by the page's names for them. */
const KINDS: Record<NotAnswered, FailureKind> = {
  stale: 'stale', changed: 'changed', busy: 'busy', unsupported: 'unsupported', denied: 'denied', lost: 'lost',
  timedOut: 'timed_out', refused: 'refused', invalidArgs: 'invalid_args', notFound: 'not_found', internal: 'internal',
}

const NOBODY: Servers = { servers: [], absent: [] }
const words = strings.failures

export class LanguageChannel {
  readonly onServers = new Listeners<Servers>()
  /** Languages that servers are known for. */
  readonly onKinds = new Listeners<readonly LanguageKind[]>()
  readonly onRefresh = new Listeners<PageFeature>()
  readonly onNotice = new Listeners<{ level: 'error' | 'warning' | 'info'; server: string; text: string }>()
  /** Makes the edits that a server asks for. */
  applying: Applying | undefined
  private known = NOBODY
  private shown: readonly string[] = []
  private readonly asked = new Map<number, Asked>()
  private socket: LanguageSocket | undefined
  private isOpen = false
  private pause = FIRST_PAUSE_MS
  private questions = 0

  constructor(
    private readonly makeSocket: () => LanguageSocket = socketToServer,
    private readonly later: (work: () => void, pauseMs: number) => void = (work, pause) => void setTimeout(work, pause),
  ) {}

  get servers(): Servers {
    return this.known
  }

  connect(): void {
    const socket = this.makeSocket()
    this.socket = socket
    socket.onopen = () => {
      if (this.socket !== socket) return
      this.isOpen = true
      this.post({ type: 'shown', paths: [...this.shown] })
    }
    socket.onmessage = ({ data }) => {
      if (this.socket === socket) this.receive(String(data))
    }
    socket.onclose = () => {
      if (this.socket === socket) this.lose()
    }
  }

  /** Do not wait any longer: the server is there. */
  retry(): void {
    if (!this.socket) this.connect()
  }

  /** Files whose text is shown; those beyond the bound have no languages. */
  show(paths: readonly string[]): void {
    const shown = paths.slice(0, MOST_SHOWN)
    if (shown.length === this.shown.length && shown.every((path, index) => path === this.shown[index])) return
    this.shown = shown
    this.post({ type: 'shown', paths: shown })
  }

  /** What the servers answer, one or several; fails with a `Failure`. */
  async ask(question: LanguageQuestion, signal?: AbortSignal): Promise<LanguageAnswer[]> {
    if (signal?.aborted) throw new Failure('cancelled', words.takenBack)
    if (!this.isOpen) throw new Failure('unreachable', words.unreachable)
    if (this.asked.size >= MOST_ASKED) throw new Failure('busy', strings.languages.tooMany)
    this.questions += 1
    const id = this.questions
    const cancel = () => {
      const asked = this.asked.get(id)
      if (!asked) return
      this.asked.delete(id)
      this.post({ type: 'cancel', id })
      asked.reject(new Failure('cancelled', words.takenBack))
    }
    const answered = new Promise<LanguageAnswer[]>((resolve, reject) => this.asked.set(id, { resolve, reject }))
    signal?.addEventListener('abort', cancel, { once: true })
    this.post({ type: 'ask', id, ...question })
    return answered.finally(() => signal?.removeEventListener('abort', cancel))
  }

  private post(message: FromLanguagePage): void {
    if (this.isOpen) this.socket?.send(JSON.stringify(message))
  }

  private receive(data: string): void {
    const message = JSON.parse(data) as ToLanguagePage
    this.pause = FIRST_PAUSE_MS
    switch (message.type) {
      case 'servers':
        this.known = { servers: message.servers, absent: message.absent }
        this.onServers.tell(this.known)
        break
      case 'kinds':
        this.onKinds.tell(message.kinds)
        break
      case 'answer':
        // One that was taken back may still be answered.
        this.take(message.id)?.resolve(message.answers)
        break
      case 'failed': {
        const { kind, error, hint } = message
        this.take(message.id)?.reject(new Failure(KINDS[kind], error, hint ?? undefined))
        break
      }
      case 'apply':
        void this.apply(message)
        break
      case 'refresh':
        this.onRefresh.tell(message.feature)
        break
      case 'notice':
        this.onNotice.tell(message)
        break
      case 'error':
        // Whatever it was about, its answer will not come.
        this.breakOff(message.error)
        break
      default:
        this.breakOff(`a message of an unknown kind: ${data.slice(0, 100)}`)
    }
  }

  private take(id: number): Asked | undefined {
    const asked = this.asked.get(id)
    this.asked.delete(id)
    return asked
  }

  private async apply(edit: ServerEdit): Promise<void> {
    let why: string | undefined = strings.languages.notApplied
    try {
      if (this.applying) why = await this.applying(edit)
    } catch (error) {
      why = String(error)
    }
    this.post({ type: 'applied', edit: edit.edit, done: why === undefined, ...(why !== undefined && { why }) })
  }

  private breakOff(why: string): void {
    console.error(`the connection for languages is made anew: ${why}`)
    const socket = this.socket
    this.lose()
    socket?.close()
  }

  private lose(): void {
    this.socket = undefined
    this.isOpen = false
    for (const id of [...this.asked.keys()]) this.take(id)?.reject(new Failure('unreachable', words.unreachable))
    this.known = NOBODY
    this.onServers.tell(this.known)
    const pause = this.pause * (0.75 + Math.random() / 2)
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS)
    this.later(() => this.retry(), pause)
  }
}

/** The text of a file outside the workspace that a language server has named. */
export async function sourceText(path: string): Promise<string> {
  return (await request(`/api/languages/source?${query({ path })}`)).text()
}

function socketToServer(): LanguageSocket {
  return new WebSocket(socketAddress('/api/languages')) as LanguageSocket
}
