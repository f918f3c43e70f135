// What the server refuses, as an exception that keeps its kind and its hint.
import { strings } from '../strings'
import type { ErrorKind } from './generated'
import { signed } from './page-key'

const words = strings.failures

/**
 * The server's kinds, its absence, and of questions about languages: that it has another text than was meant, that the
 * text changed meanwhile, that a language server said no.
 */
export type FailureKind = ErrorKind | 'unreachable' | 'stale' | 'changed' | 'refused'

export class Failure extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly hint?: string,
  ) {
    super(message)
    this.name = 'Failure'
  }

  /** The sentence with its next step, for people. */
  get advice(): string {
    return this.hint ? `${this.message} (${this.hint})` : this.message
  }
}

/** The failure that a response carries. */
export async function failureOf(response: Response): Promise<Failure> {
  try {
    const body = (await response.json()) as { error?: string; kind?: FailureKind; hint?: string | null }
    return new Failure(body.kind ?? 'internal', body.error ?? response.statusText, body.hint ?? undefined)
  } catch {
    return new Failure('internal', words.answered(response.status, response.statusText))
  }
}

/** A request that fails with a `Failure`, also when the server cannot be reached. */
export async function request(path: string, init?: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, { credentials: 'same-origin', ...init, headers: signed(init?.headers) })
  } catch (error) {
    if (init?.signal?.aborted) throw new Failure('cancelled', words.takenBack)
    throw new Failure('unreachable', words.unreachable, String(error))
  }
  if (!response.ok) throw await failureOf(response)
  return response
}

/** A path for a query. */
export function query(values: Record<string, string | number | boolean | undefined>): string {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined)
  return new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
}
