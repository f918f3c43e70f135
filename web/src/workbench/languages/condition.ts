// How the language servers of a text are, in one word and as lines. Plain data.
import type { AbsentLanguage, AbsentServer, LanguageServer, Servers } from '../../protocol/languages'
import { strings } from '../../strings'

const words = strings.languages

export type Condition =
  | { is: 'servers'; worst: LanguageServer; all: LanguageServer[] }
  | { is: 'absent' | 'untrusted'; missing: AbsentLanguage }

/** What matters most to whoever looks comes first. */
const ORDER: readonly LanguageServer['state'][] = [
  'failed', 'waiting', 'starting', 'loading', 'stopped', 'ending', 'ready',
]

/** Of a file in a language; nothing when nobody knows a server for it. */
export function conditionOf({ servers, absent }: Servers, path: string, language: string): Condition | undefined {
  const ofLanguage = servers.filter((server) => server.languages.includes(language))
  const fitting = ofLanguage.filter(({ root }) => isWithin(path, root))
  // A project within a project has its own server of the same kind.
  const all = fitting.filter((server) =>
    !fitting.some((other) => other.id === server.id && other.root.length > server.root.length))
  if (all.length > 0) return worstOf(all)
  const missing = absent.find((one) => one.language === language)
  // A server may work on several projects, and names the first.
  if (!missing || missing.servers.length === 0) return worstOf(ofLanguage)
  return { is: missing.servers.some(isUntrusted) ? 'untrusted' : 'absent', missing }
}

function worstOf(all: LanguageServer[]): Condition | undefined {
  const [worst] = all.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
  return worst && { is: 'servers', worst, all }
}

/** Whether a person's yes is all that it lacks. */
export function isUntrusted({ why }: AbsentServer): boolean {
  return why !== 'notInstalled'
}

function isWithin(path: string, root: string): boolean {
  return root === '' || root === '.' || path.startsWith(`${root}/`)
}

/** The sign of a server and how it is, for the status bar. */
export function signOf(server: LanguageServer): string {
  const { status } = words
  switch (server.state) {
    case 'ready':
      return status.ready(server.name)
    case 'starting':
      return status.starting(server.name)
    case 'loading':
      return status.loading(server.name, server.percent ?? undefined)
    case 'waiting':
      return status.waiting(server.name)
    case 'failed':
      return status.failed(server.name)
    case 'ending':
    case 'stopped':
      return status.stopped(server.name)
  }
}

/** A server in a line of a list. */
export function lineOf(server: LanguageServer): string {
  const { list } = words
  const { state, percent, what, why, memory, root } = server
  const progress = typeof percent === 'number' ? `${percent} %` : undefined
  const size = typeof memory === 'number' ? list.megabytes(memory) : undefined
  return [list.states[state], progress, what, why, list.where(root), size].filter(Boolean).join(' · ')
}
