// Runs commands: the one way in which a page changes the space.
import { request } from './failure'
import type { CatalogueEntry as ToldEntry, Commands } from './generated'

export type CommandId = keyof Commands

/** Run a command; its answer, or a `Failure`. */
export async function run<Id extends CommandId>(
  id: Id,
  args: Commands[Id]['args'],
  signal?: AbortSignal,
): Promise<Commands[Id]['result']> {
  return (await runAny(id, args, signal)) as Commands[Id]['result']
}

/** Run a command that is only known by name, such as one that a bridge added. */
export async function runAny(id: string, args: unknown, signal?: AbortSignal): Promise<Record<string, unknown>> {
  const response = await request(`/api/commands/${encodeURIComponent(id)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(args),
    signal,
  })
  return (await response.json()) as Record<string, unknown>
}

/** A command as the catalogue describes it, with the schema of its arguments. */
export type CatalogueEntry = Omit<ToldEntry, 'inputSchema'> & { inputSchema: JsonSchema }

/** The part of JSON schema that arguments are described with. */
export interface JsonSchema {
  type?: string | string[]
  description?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  enum?: unknown[]
  const?: unknown
  oneOf?: JsonSchema[]
  anyOf?: JsonSchema[]
  items?: JsonSchema
  default?: unknown
  minimum?: number
  maximum?: number
  /** It is a secret. */
  writeOnly?: boolean
  $ref?: string
  $defs?: Record<string, JsonSchema>
}

export async function catalogue(): Promise<{ version: number; commands: CatalogueEntry[] }> {
  return (await request('/api/commands')).json() as Promise<{ version: number; commands: CatalogueEntry[] }>
}
