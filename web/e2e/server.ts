// A real server for a test, in folders of its own that go with it.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

export interface Ready {
  url: string
  open: string
  mcp: string
  token: string
  workspace: string
}

const binary = process.env.OPENSPACE_BINARY ?? resolve(import.meta.dirname, '../../target/debug/openspace')

/** What a server is started in. */
export interface Surroundings {
  variables?: Record<string, string>
  /** A program with arguments that starts it. */
  entry?: string[]
  /** More arguments of the server. */
  args?: string[]
  /** How much agents may do unasked; all of it when left out. */
  profile?: string
  /** Whether each client has to be agreed to; none has when left out. */
  consent?: 'ask'
  /** What else is put into the workspace, and into the person's own settings, before the server starts. */
  prepare?: (root: string, config: string) => Promise<void>
}

export class Server {
  ready!: Ready
  private child: ChildProcess | undefined
  private readonly log: string[] = []

  private constructor(
    private readonly home: string,
    readonly root: string,
    private readonly surroundings: Surroundings,
  ) {}

  /** A server on a new folder of this name with these files. */
  static async start(
    files: Record<string, string> = {}, name = 'project', surroundings: Surroundings = {},
  ): Promise<Server> {
    const home = await mkdtemp(join(tmpdir(), 'openspace-e2e-'))
    const root = join(home, name)
    await mkdir(root)
    const server = new Server(home, root, surroundings)
    for (const [path, text] of Object.entries(files)) await server.write(path, text)
    await surroundings.prepare?.(root, join(home, 'config', 'openspace'))
    await server.begin()
    return server
  }

  async write(path: string, text: string | Uint8Array): Promise<void> {
    const file = join(this.root, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }

  /** Stop the process and start it again at the same address. */
  async restart(): Promise<void> {
    await this.end('SIGTERM')
    await this.begin()
  }

  /** Start the process; after an end, at the same address. */
  async begin(): Promise<void> {
    await this.run(this.ready ? Number(new URL(this.ready.url).port) : 0)
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this
    this.child = undefined
    if (!child || child.exitCode !== null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }

  async stop(): Promise<void> {
    await this.end('SIGTERM')
    await rm(this.home, { recursive: true, force: true, maxRetries: 5 })
  }

  /** The process that runs now. */
  get process(): number {
    const pid = this.child?.pid
    if (pid === undefined) throw new Error('the server does not run')
    return pid
  }

  /** What the server said, for a test that failed. */
  get said(): string {
    return this.log.join('\n')
  }

  /** Run a command over HTTP, as a script does. */
  async call(id: string, args: unknown): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.ready.url}/api/commands/openspace.${id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.ready.token}` },
      body: JSON.stringify(args),
    })
    return (await response.json()) as Record<string, unknown>
  }

  async get<T>(path: string): Promise<T> {
    const response = await fetch(this.ready.url + path, { headers: { authorization: `Bearer ${this.ready.token}` } })
    return (await response.json()) as T
  }

  /** The person's settings, for pages that are opened from now on. */
  async settings(values: Record<string, unknown>): Promise<void> {
    await this.keep('settings.json', JSON.stringify(values))
  }

  /** Keep one of the person's files, such as `settings.json`. */
  async keep(name: string, text: string): Promise<void> {
    const headers = { authorization: `Bearer ${this.ready.token}` }
    const response = await fetch(`${this.ready.url}/api/user-data/${name}`, { method: 'PUT', headers, body: text })
    if (!response.ok) throw new Error(`${name} was not kept: ${await response.text()}`)
  }

  /** A new link for another browser, as the person asks for one at a shell. */
  async link(): Promise<string> {
    const { stdout } = await promisify(execFile)(binary, ['link', '--workspace', this.root], { env: this.variables })
    return stdout.trim()
  }

  private get variables(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      HOME: this.home,
      XDG_STATE_HOME: join(this.home, 'state'),
      XDG_CONFIG_HOME: join(this.home, 'config'),
      SHELL: '/bin/bash',
      ...this.surroundings.variables,
    }
  }

  private async run(port: number): Promise<void> {
    const { entry = [], args: more = [], profile = 'off', consent } = this.surroundings
    const args = ['serve', this.root, '--port', String(port), '--json', '--max-calls-per-turn', '1000000']
    args.push('--profile', profile)
    args.push(...more)
    if (consent) args.push('--consent', consent)
    const [program = binary, ...words] = [...entry, binary, ...args]
    const child = spawn(program, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: this.variables,
    })
    this.child = child
    createInterface({ input: child.stderr }).on('line', (line) => {
      this.log.push(line)
      if (this.log.length > 500) this.log.shift()
    })
    const lines = createInterface({ input: child.stdout })
    const first = once(lines, 'line').then(([line]) => line as string)
    const failed = once(child, 'exit').then(() => undefined)
    const line = await Promise.race([first, failed])
    if (line === undefined) throw new Error(`the server did not start\n${this.said}`)
    this.ready = JSON.parse(line) as Ready
  }
}
