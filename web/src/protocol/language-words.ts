// What a page and the server say to each other about languages, over the socket of `languages.ts`.

/** Which text a question is about: the version of the unsaved text, or the digest of what the disk has. */
export type AskedText = { version: number } | { hash: string }

export interface LanguageQuestion {
  method: string
  path?: string
  text?: AskedText
  params: unknown
  /** Whom it is for, of the process of that number; nobody in particular when left out. */
  server?: string
  generation?: number
}

export interface LanguageAnswer {
  server: string
  generation: number
  /** Whether the server had read everything. */
  complete: boolean
  value: unknown
}

export type ServerState = 'stopped' | 'starting' | 'loading' | 'ready' | 'ending' | 'waiting' | 'failed'

/** What a server can do, by the methods of the protocol. */
export type Abilities = Record<string, unknown>

export interface LanguageServer {
  id: string
  name: string
  root: string
  languages: string[]
  state: ServerState
  percent?: number | null
  /** What it is doing. */
  what?: string | null
  /** Why it failed or waits. */
  why?: string | null
  memory?: number | null
  foundIn: string
  abilities: Abilities
}

export interface AbsentServer {
  id: string
  name: string
  why: string
  install?: string | null
}

/** A language whose files are shown and that has no server. */
export interface AbsentLanguage {
  language: string
  servers: AbsentServer[]
  paths: string[]
}

/** Edits of files that a server asks for while something runs that this page asked it for. */
export interface ServerEdit {
  edit: number
  label?: string | null
  changes: FileEdits[]
}

export interface FileEdits {
  path: string
  text?: AskedText | null
  edits: { range: { start: Place; end: Place }; newText: string }[]
}

export interface Place {
  line: number
  character: number
}

export type RefreshedFeature = 'semanticTokens' | 'inlayHints' | 'codeLenses' | 'diagnostics' | 'foldingRanges'

export type FromLanguagePage =
  | { type: 'shown'; paths: string[] }
  | ({ type: 'ask'; id: number } & LanguageQuestion)
  | { type: 'cancel'; id: number }
  | { type: 'applied'; edit: number; done: boolean; why?: string }

export type ToLanguagePage =
  | { type: 'servers'; servers: LanguageServer[]; absent: AbsentLanguage[] }
  | { type: 'answer'; id: number; answers: LanguageAnswer[] }
  | { type: 'failed'; id: number; kind: string; error: string; hint?: string | null }
  | ({ type: 'apply' } & ServerEdit)
  | { type: 'refresh'; feature: RefreshedFeature }
  | { type: 'notice'; level: 'error' | 'warning' | 'info'; server: string; text: string }
