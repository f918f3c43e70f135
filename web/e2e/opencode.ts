// A real opencode for a test, with a model that says what a script says, in folders of its own that go with it.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

/** What the model says to one request: `crates/scripted`. */
export interface Step {
  text?: string
  reasoning?: string
  gapMs?: number
  tools?: { name: string; arguments: unknown }[]
  /** So many bytes after the text. */
  filler?: number
  end?: { type: 'refused'; status: number; message: string; retryAfterMs?: number } | { type: 'never' }
}

/** The key that opencode has for its model. Nobody but the two is ever told it. */
export const MODEL_KEY = 'Vr7-kQ2-mZ9x-0pLw-TnB4'
/** Said when it may be asked, and not before. */
const LISTENS = 'opencode server listening on '
/** Without these it would look for its plugin in the registry for a minute and more. */
const PLUGIN = { '@opencode-ai/plugin': '1.18.33' }
/** Times that it may end before it listens. */
const MOST_STARTS = 5
const OFF = ['AUTOUPDATE', 'MODELS_FETCH', 'LSP_DOWNLOAD', 'DEFAULT_PLUGINS', 'EXTERNAL_SKILLS', 'CLAUDE_CODE']

export class Opencode {
  private constructor(
    readonly url: string,
    readonly password: string,
    private readonly home: string,
    private readonly variables: NodeJS.ProcessEnv,
    private agent: ChildProcess,
    private readonly model: ChildProcess,
  ) {}

  /** Without a key its model can be asked all the same; the log-in is what is tried then. `asks` names its own tools
   * that it wants leave for. */
  static async start({ hasKey = true, asks = [] as readonly string[] } = {}): Promise<Opencode> {
    const home = await mkdtemp(join(tmpdir(), 'openspace-opencode-'))
    await withoutPlugin(join(home, 'config/opencode'))
    const { model, baseURL } = await scripted()
    const password = 'password-of-the-test'
    const variables = variablesOf(home, password, configOf(baseURL, hasKey, asks))
    const { url, agent } = await listening(home, variables)
    return new Opencode(url, password, home, variables, agent, model)
  }

  /** A session of this folder as `opencode export` writes it, as if it had happened here. */
  async import(folder: string, session: object): Promise<void> {
    const file = join(this.home, 'session.json')
    await writeFile(file, JSON.stringify(session))
    await promisify(execFile)(named('OPENSPACE_OPENCODE'), ['import', file], { cwd: folder, env: this.variables })
  }

  /** What the model says next, request by request. */
  say(...steps: Step[]): void {
    say(this.model, steps)
  }

  /** Its program ends, as if it had crashed. */
  async kill(): Promise<void> {
    await ended(this.agent)
  }

  /** It is started again where it was. */
  async again(): Promise<void> {
    this.agent = begin(this.home, this.variables, new URL(this.url).port)
    if ((await addressOf(this.agent)) === undefined) throw new Error('opencode ended before it listened')
  }

  async stop(): Promise<void> {
    for (const child of [this.agent, this.model]) await ended(child)
    await rm(this.home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** An opencode that the server under test starts by itself, confined, and its model. */
export class OwnOpencode {
  private constructor(private readonly model: ChildProcess, private readonly baseURL: string) {}

  static async start(): Promise<OwnOpencode> {
    const { model, baseURL } = await scripted()
    return new OwnOpencode(model, baseURL)
  }

  /** What a server has to be started with. */
  get args(): string[] {
    return ['--agents-read', dirname(named('OPENSPACE_OPENCODE'))]
  }

  /** Make it the agent of a server's folder, whose person may have written more into their `agents.toml`. */
  async install(root: string, more = '', asks: readonly string[] = []): Promise<void> {
    const home = dirname(root)
    const settings = join(home, 'config/opencode')
    await withoutPlugin(settings)
    // The person's own: settings of the workspace do not count.
    await writeFile(join(settings, 'opencode.json'), JSON.stringify(configOf(this.baseURL, true, asks)))
    const switches = OFF.map((name) => `OPENCODE_DISABLE_${name} = '1'\n`).join('')
    const folders = ['.cache', '.local/share', '.local/state'].map((folder) => `'${folder}/opencode/'`)
    const entry = `[[agent]]\nid = 'opencode'\nname = 'opencode'\ncommand = ['${named('OPENSPACE_OPENCODE')}', 'acp']\n`
      + `api = 'opencode'\nnpm = 'opencode-ai'\nhome = [${folders.join(', ')}]\n`
      + `home_read = ['.config/opencode/']\nhome_made = ['.config/opencode/.gitignore']\n`
      + `[agent.set]\nNPM_CONFIG_FETCH_RETRIES = '0'\n${switches}`
      // The server of a test has other folders than those of a home.
      + `XDG_CONFIG_HOME = '${home}/config'\nXDG_CACHE_HOME = '${home}/.cache'\n`
      + `XDG_DATA_HOME = '${home}/.local/share'\nXDG_STATE_HOME = '${home}/.local/state'\n`
    const config = join(home, 'config/openspace')
    await mkdir(config, { recursive: true })
    await writeFile(join(config, 'agents.toml'), `${more}\n${entry}`)
  }

  /** What the model says next, request by request. */
  say(...steps: Step[]): void {
    say(this.model, steps)
  }

  /** The agent that a server started ends, as if it had crashed. */
  async kill(server: number): Promise<void> {
    const parents = new Map<number, number>()
    const agents: number[] = []
    for (const name of await readdir('/proc')) {
      const pid = Number(name)
      if (!Number.isInteger(pid)) continue
      // Any of them may be gone by now.
      const [stat, line] = await Promise.all(['stat', 'cmdline'].map((file) =>
        readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')))
      parents.set(pid, Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
      if (line?.startsWith(`${named('OPENSPACE_OPENCODE')}\0serve`)) agents.push(pid)
    }
    const isOf = (pid: number): boolean => pid === server || (pid > 1 && isOf(parents.get(pid) ?? 0))
    const ours = agents.filter(isOf)
    if (ours.length !== 1) throw new Error(`the server runs ${ours.length} agents`)
    process.kill(ours[0] as number, 'SIGKILL')
  }

  async stop(): Promise<void> {
    await ended(this.model)
  }
}

async function scripted(): Promise<{ model: ChildProcess; baseURL: string }> {
  const model = spawn(named('OPENSPACE_SCRIPTED'), [], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [baseURL] = (await once(createInterface({ input: model.stdout }), 'line')) as [string]
  return { model, baseURL }
}

function say(model: ChildProcess, steps: Step[]): void {
  for (const step of steps) model.stdin?.write(`${JSON.stringify(step)}\n`)
}

/** Settings for which opencode looks for nothing in the registry. */
async function withoutPlugin(settings: string): Promise<void> {
  await mkdir(join(settings, 'node_modules'), { recursive: true })
  await writeFile(join(settings, 'package.json'), JSON.stringify({ dependencies: PLUGIN }))
  await writeFile(join(settings, 'package-lock.json'), JSON.stringify({
    lockfileVersion: 3, packages: { '': { dependencies: PLUGIN } },
  }))
}

/** Somebody else may take the port before the agent does, which then ends. */
async function listening(home: string, env: NodeJS.ProcessEnv): Promise<{ url: string; agent: ChildProcess }> {
  for (let start = 1; ; start += 1) {
    const agent = begin(home, env, await freePort())
    const url = await addressOf(agent)
    if (url !== undefined) return { url, agent }
    if (start === MOST_STARTS) throw new Error(`opencode ended ${start} times before it listened`)
  }
}

function begin(home: string, env: NodeJS.ProcessEnv, port: string): ChildProcess {
  const words = ['serve', '--hostname', '127.0.0.1', '--port', port]
  return spawn(named('OPENSPACE_OPENCODE'), words, { cwd: home, stdio: ['ignore', 'pipe', 'ignore'], env })
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

function variablesOf(home: string, password: string, config: object): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: home,
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_STATE_HOME: join(home, 'state'),
    NPM_CONFIG_FETCH_RETRIES: '0',
    OPENCODE_SERVER_PASSWORD: password,
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    ...Object.fromEntries(OFF.map((name) => [`OPENCODE_DISABLE_${name}`, '1'])),
  }
}

function configOf(baseURL: string, hasKey = true, asks: readonly string[] = []): object {
  const model = { name: 'Scripted', tool_call: true, limit: { context: 100_000, output: 10_000 } }
  const options = { baseURL, ...(hasKey ? { apiKey: MODEL_KEY } : {}) }
  return {
    autoupdate: false,
    share: 'disabled',
    enabled_providers: ['scripted'],
    model: 'scripted/scripted',
    small_model: 'scripted/scripted',
    ...(asks.length > 0 ? { permission: Object.fromEntries(asks.map((tool) => [tool, 'ask'])) } : {}),
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible', name: 'Scripted', options,
        models: { scripted: model, second: { ...model, name: 'Second' } },
      },
    },
  }
}

/** Where it listens; nothing when it ended before. */
async function addressOf(agent: ChildProcess): Promise<string | undefined> {
  if (!agent.stdout) throw new Error('opencode has no output')
  for await (const line of createInterface({ input: agent.stdout })) {
    if (line.startsWith(LISTENS)) {
      agent.stdout.resume()
      return line.slice(LISTENS.length).trim()
    }
  }
  return undefined
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return String(port)
}

function named(variable: string): string {
  const program = process.env[variable]
  if (program === undefined) throw new Error(`run it with \`cargo xtask test\`, which names a program in ${variable}`)
  return program
}
