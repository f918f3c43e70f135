// Settings, keys and the state of the UI, which the server keeps for all of a person's browsers.
import { request } from './failure'

export async function names(): Promise<string[]> {
  const body = (await (await request('/api/user-data')).json()) as { names: string[] }
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

export type UiScope = 'application' | 'profile' | 'workspace'

export async function uiState(): Promise<Record<UiScope, Record<string, string>>> {
  const body = (await (await request('/api/ui-state')).json()) as { scopes: Record<UiScope, Record<string, string>> }
  return body.scopes
}

export async function updateUiState(scope: UiScope, set: Record<string, string>, removed: string[]): Promise<void> {
  await request('/api/ui-state', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ scope, set, remove: removed }),
    // The last state is told while the page is being closed.
    keepalive: JSON.stringify(set).length < 60_000,
  })
}

