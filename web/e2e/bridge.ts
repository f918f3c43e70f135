// A program that adds commands to the space, as docs/guides/bridges.md describes it.
import type { Ready } from './server'

export interface BridgeCall {
  cmd: string
  args: Record<string, unknown>
  callId: string
}

export class Bridge {
  private readonly stop = new AbortController()
  private readonly calls: BridgeCall[] = []
  private waiting: ((call: BridgeCall) => void) | undefined

  private constructor(
    private readonly ready: Ready,
    private readonly id: string,
  ) {}

  static async register(ready: Ready, name: string): Promise<Bridge> {
    const { bridgeId } = (await post(ready, '/openspace/register-bridge', { name })) as { bridgeId: string }
    const bridge = new Bridge(ready, bridgeId)
    await bridge.listen()
    return bridge
  }

  async offer(commands: unknown[]): Promise<void> {
    await post(this.ready, `/openspace/manifest?bridge=${this.id}`, { commands })
  }

  /** The next call that somebody makes. */
  async call(): Promise<BridgeCall> {
    return this.calls.shift() ?? new Promise((resolve) => (this.waiting = resolve))
  }

  async answer(callId: string, output: unknown): Promise<void> {
    await post(this.ready, '/openspace/command-results', { callId, success: true, output })
  }

  async close(): Promise<void> {
    this.stop.abort()
  }

  private async listen(): Promise<void> {
    const { url, token } = this.ready
    const response = await fetch(`${url}/openspace/events?bridge=${this.id}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: this.stop.signal,
    })
    if (!response.ok || !response.body) throw new Error(`the stream was refused: ${response.status}`)
    void this.read(response.body).catch((error: unknown) => {
      if (!this.stop.signal.aborted) throw error
    })
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader()
    const decoder = new TextDecoder()
    let text = ''
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += decoder.decode(part.value, { stream: true })
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        this.hear(text.slice(0, end))
        text = text.slice(end + 2)
      }
    }
  }

  private hear(event: string): void {
    if (!event.includes('event: AGENT_COMMAND')) return
    const data = event.split('\n').find((line) => line.startsWith('data:'))
    const call = JSON.parse(data?.slice(5) ?? '{}') as BridgeCall
    if (this.waiting) this.waiting(call)
    else this.calls.push(call)
    this.waiting = undefined
  }
}

async function post({ url, token }: Ready, path: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer: unknown = await response.json()
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`)
  return answer
}
