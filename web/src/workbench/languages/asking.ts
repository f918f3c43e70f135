// Asks about a text what the person sees of it, and nothing else.
//
// What was typed is on its way to the server by another socket: a question waits for it and names the text it is
// about. A server that has another one says so; then it is asked once more, and after that there is no answer.
import type { CancellationToken } from 'monaco-editor'
import { Failure, type FailureKind } from '../../protocol/failure'
import type { LanguageAnswer, LanguageChannel, LanguageQuestion, LanguageServer } from '../../protocol/languages'
import type { ITextModel } from '../core/upstream'
import { pathOf } from '../core/uris'
import type { ShownTexts } from './texts'

/** The process that an answer is from; what it hands out means something to it alone. */
export interface Origin {
  server: string
  generation: number
}

export interface Answer<T> extends Origin, Pick<LanguageAnswer, 'texts'> {
  value: T
  /** Of a question about a text: the version that the text had here when it was asked. */
  version?: number
}

/** Without these a person misses nothing that they could do anything about: the next key or look asks again. */
const PASSING: ReadonlySet<FailureKind> = new Set([
  'cancelled', 'stale', 'changed', 'busy', 'unsupported', 'lost', 'timed_out', 'unreachable', 'not_found', 'unanswered',
])
/** How long what was typed elsewhere may take to arrive here. */
const ARRIVAL_MS = 150

export class Asking {
  constructor(
    readonly channel: LanguageChannel,
    private readonly texts: ShownTexts,
  ) {}

  /** What all servers answer who were asked; fails with a `Failure`. */
  async all<T>(text: ITextModel, method: string, params: object, token: CancellationToken): Promise<Answer<T>[]> {
    try {
      return await this.once(text, method, params, token)
    } catch (error) {
      const isStale = error instanceof Failure && (error.kind === 'stale' || error.kind === 'changed')
      if (!isStale || token.isCancellationRequested || text.isDisposed()) throw error
      await arrival(text)
      return this.once(text, method, params, token)
    }
  }

  /** What the one answers who was asked. */
  async one<T>(text: ITextModel, method: string, params: object, token: CancellationToken): Promise<Answer<T>> {
    const [answer] = await this.all<T>(text, method, params, token)
    if (!answer) throw new Failure('unsupported', method)
    return answer
  }

  /** Asks the very process that said something about that, such as the rest of an item. */
  async again<T>(
    { server, generation }: Origin, method: string, params: object, token?: CancellationToken,
  ): Promise<Answer<T>> {
    const [answer] = await this.send({ method, params, server, generation }, token)
    if (!answer) throw new Failure('unsupported', method)
    await this.texts.check(answer.texts ?? [])
    return answer as Answer<T>
  }

  /** Asks all servers that run. */
  async everybody<T>(method: string, params: object, token: CancellationToken): Promise<Answer<T>[]> {
    return (await this.send({ method, params }, token)) as Answer<T>[]
  }

  serverOf({ server }: Pick<Origin, 'server'>): LanguageServer | undefined {
    return this.channel.servers.servers.find((one) => one.server === server)
  }

  private async once<T>(
    text: ITextModel, method: string, params: object, token: CancellationToken,
  ): Promise<Answer<T>[]> {
    const path = pathOf(text.uri)
    if (!path) throw new Failure('unsupported', method)
    const name = await this.texts.nameOf(path, text)
    const version = text.getVersionId()
    const answers = await this.send({ method, path, text: name, params }, token)
    // What would be edited must still read as it was.
    for (const answer of answers) await this.texts.check(answer.texts ?? [])
    return answers.map((answer) => ({ ...answer, version }) as Answer<T>)
  }

  private async send(
    question: Omit<LanguageQuestion, 'params'> & { params: object }, token?: CancellationToken,
  ): Promise<LanguageAnswer[]> {
    const aborting = new AbortController()
    if (token?.isCancellationRequested) aborting.abort()
    const listening = token?.onCancellationRequested(() => aborting.abort())
    try {
      return await this.channel.ask({ ...question, params: { ...question.params } }, aborting.signal)
    } finally {
      listening?.dispose()
    }
  }
}

/** Nothing where a question has no answer that a person could do anything about; other failures are told. */
export async function quietly<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (!PASSING.has(error.kind)) console.warn('a language server could not answer', error.advice)
    return undefined
  }
}

/** The text changes, or some time has passed. */
async function arrival(text: ITextModel): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => done(), ARRIVAL_MS)
    const listening = text.onDidChangeContent(() => done())
    const done = () => {
      clearTimeout(timer)
      listening.dispose()
      resolve()
    }
  })
}
