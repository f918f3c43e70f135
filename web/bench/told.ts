// When opencode tells what: its own stream of events, heard beside the server that is measured.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import type { Opencode } from '../e2e/opencode'
import { now } from './browser'

interface Told {
  payload?: { type?: string; properties?: { delta?: string } }
}

/** Hears pieces of text from now on; `end` it. */
export async function listen({ url, password }: Opencode): Promise<{ when(words: string): number; end(): void }> {
  const request = get(`${url}/global/event`, { auth: `opencode:${password}` })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`opencode tells nothing: ${response.statusCode}`)
  const pieces: { text: string; time: number }[] = []
  let text = ''
  const lines = createInterface({ input: response })
  lines.on('line', (line) => {
    if (!line.startsWith('data:')) return
    const { payload } = JSON.parse(line.slice('data:'.length)) as Told
    if (payload?.type !== 'message.part.delta') return
    text += payload.properties?.delta ?? ''
    pieces.push({ text, time: now() })
  })
  // It breaks off when it is ended; what was not heard until then is missed by `when`.
  lines.on('error', () => {})
  return {
    when(words) {
      const piece = pieces.find((heard) => heard.text.includes(words))
      if (!piece) throw new Error(`opencode has not told \`${words}\``)
      return piece.time
    },
    end: () => request.destroy(),
  }
}
