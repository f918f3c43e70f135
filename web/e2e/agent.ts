// A real MCP client, as an agent has one.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Ready } from './server'

// oxlint-disable-next-line typescript/no-explicit-any -- each tool has its own, and a test says what it expects
type Answer = Record<string, any>

export class Agent {
  private constructor(
    private readonly client: Client,
    private readonly transport: StreamableHTTPClientTransport,
  ) {}

  static async connect({ mcp, token }: Pick<Ready, 'mcp' | 'token'>, name = 'tester'): Promise<Agent> {
    const client = new Client({ name, version: '1.0.0' })
    const headers = { authorization: `Bearer ${token}` }
    const transport = new StreamableHTTPClientTransport(new URL(mcp), { requestInit: { headers } })
    await client.connect(transport)
    return new Agent(client, transport)
  }

  /** The structured answer, also of a refusal. The signal takes the call back. */
  async ask(tool: string, args: Record<string, unknown> = {}, signal?: AbortSignal): Promise<Answer> {
    const { structuredContent } = await this.client.callTool({ name: tool, arguments: args }, undefined, { signal })
    return structuredContent as Answer
  }

  /** The structured answer; a refusal is a failure of the test. */
  async call(tool: string, args: Record<string, unknown> = {}): Promise<Answer> {
    const answer = await this.ask(tool, args)
    if (answer.success !== true) throw new Error(`${tool}: ${answer.error} (${answer.hint})`)
    return answer
  }

  /** Say goodbye, as a client does that is closed by its person. */
  async leave(): Promise<void> {
    await this.transport.terminateSession()
    await this.close()
  }

  async close(): Promise<void> {
    await this.client.close()
  }
}
