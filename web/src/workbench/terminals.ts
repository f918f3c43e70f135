// Terminals of the workbench: each is a view of a terminal that the server owns.
import {
  SimpleTerminalBackend, SimpleTerminalProcess, type ITerminalChildProcess,
} from '@codingame/monaco-vscode-terminal-service-override'
import { Emitter } from 'monaco-editor'
import { run } from '../protocol/commands'
import { Listeners } from '../protocol/listeners'
import type { Space } from '../protocol/space'
import type { EditorInput, IEditorGroup } from '@codingame/monaco-vscode-api'
import { TerminalChannel } from '../protocol/terminals'

class SharedProcess extends SimpleTerminalProcess {
  private readonly channel: TerminalChannel
  private readonly exit = new Emitter<number | undefined>()
  private readonly decoder = new TextDecoder()

  constructor(number: number, readonly terminalId: string, folder: string, private readonly data: Emitter<string>) {
    super(number, number, folder, data.event)
    this.onProcessExit = this.exit.event
    this.channel = new TerminalChannel(terminalId)
  }

  async start(): Promise<undefined> {
    this.channel.onOutput.on((bytes) => this.data.fire(this.decoder.decode(bytes, { stream: true })))
    this.channel.onRepaint.on(() => this.data.fire('\x1bc'))
    this.channel.onEnd.on(({ code }) => this.exit.fire(code ?? undefined))
    this.channel.connect()
    return undefined
  }

  shutdown(): void {
    this.channel.close()
    this.exit.fire(undefined)
  }

  input(data: string): void {
    this.channel.type(new TextEncoder().encode(data))
  }

  resize(cols: number, rows: number): void {
    this.channel.resize(rows, cols)
  }

  clearBuffer(): void {}

  sendSignal(): void {}
}

let numbers = 0

export class ServerTerminals extends SimpleTerminalBackend {
  override getDefaultSystemShell = async () => '/bin/sh'
  override createProcess = async (): Promise<ITerminalChildProcess> => {
    const created = await run('openspace.terminal.create', {})
    return new SharedProcess(++numbers, created.terminalId, created.cwd, new Emitter<string>())
  }
}

export class TerminalViews {
  readonly backend = new ServerTerminals()
  readonly onPanelChanged = new Listeners<void>()
  constructor(readonly space: Space) {}
  async start(): Promise<void> {}
  idOf(_editor: EditorInput): string | undefined { return undefined }
  panel(): { ids: string[]; active: string | undefined } { return this.shown }
  private shown: { ids: string[]; active: string | undefined } = { ids: [], active: undefined }
  async showInPanel(ids: string[], active?: string): Promise<void> { this.shown = { ids, active } }
  async openInGroup(_id: string, _group: IEditorGroup, _options: { index?: number; active: boolean }): Promise<void> {}
}
