// How each known client of agents is connected to this server.
import { request } from './failure'
import type { Connectable, ConnectableClient } from './generated'

export type { ConnectableClient }

export async function connectable(): Promise<ConnectableClient[]> {
  const body = (await (await request('/api/connect')).json()) as Connectable
  return body.clients
}
