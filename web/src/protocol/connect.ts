// How each known client of agents is connected to this server.
import { request } from './failure'

export interface ConnectableClient {
  name: string
  title: string
  command: string
  file: string
  text: string
}

export async function connectable(): Promise<ConnectableClient[]> {
  const body = (await (await request('/api/connect')).json()) as { clients: ConnectableClient[] }
  return body.clients
}
