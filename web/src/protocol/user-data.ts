// Settings, keys and the state of the UI, which the server keeps for all of a person's browsers.
import { request } from './failure'
import type { UiScope, UiState, UiStateChange, UserDataNames } from './generated'

/** What there was when the page was opened, asked for once. */
let opening: { names: Promise<string[]>; ui: Promise<UiState['scopes']> } | undefined

/** The answers come long before the workbench's code, if they are asked for first. */
export function atOpening(): NonNullable<typeof opening> {
  opening ??= { names: names(), ui: uiState() }
  return opening
}

async function names(): Promise<string[]> {
  const body = (await (await request('/api/user-data')).json()) as UserDataNames
  return body.names
}

export async function read(name: string): Promise<Uint8Array> {
  return new Uint8Array(await (await request(`/api/user-data/${name}`)).arrayBuffer())
}

export async function write(name: string, content: Uint8Array): Promise<void> {
  await request(`/api/user-data/${name}`, { method: 'PUT', body: content as Uint8Array<ArrayBuffer> })
}

export async function remove(name: string): Promise<void> {
  await request(`/api/user-data/${name}`, { method: 'DELETE' })
}

export type { UiScope }

/** What a browser sends on after the page is gone, with room for what other requests take. */
const MOST_KEPT_ALIVE = 60_000

let isLeaving = false

/** Whether the page is going away: what is told meanwhile must not go with it. */
export function leaving(is: boolean): void {
  isLeaving = is
}

export function isGoing(): boolean {
  return isLeaving
}

async function uiState(): Promise<UiState['scopes']> {
  const body = (await (await request('/api/ui-state')).json()) as UiState
  return body.scopes
}

export async function updateUiState(scope: UiScope, set: Record<string, string>, removed: string[]): Promise<void> {
  const change: UiStateChange = { scope, set, remove: removed }
  const body = JSON.stringify(change)
  const response = await request('/api/ui-state', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    // Only the last state has to outlive the page: browsers allow 64 KB of such requests at a time.
    keepalive: isLeaving && body.length < MOST_KEPT_ALIVE,
  })
  // An answer that nobody reads keeps its request open.
  await response.arrayBuffer()
}

