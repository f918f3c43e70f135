// Stands for a terminal that the server did not make: the workbench shows why and drops the view.
import type { ITerminalChildProcess } from '@codingame/monaco-vscode-terminal-service-override'
import { Emitter } from 'monaco-editor'
import type { ITerminalLaunchError } from '../core/upstream'

const NEVER = new Emitter<never>().event

export class FailedProcess implements ITerminalChildProcess {
  readonly id = 0
  readonly shouldPersist = false
  readonly onProcessData = NEVER
  readonly onProcessReady = NEVER
  readonly onDidChangeProperty = NEVER
  readonly onProcessExit = NEVER

  constructor(private readonly why: string) {}

  async start(): Promise<ITerminalLaunchError> {
    return { message: this.why }
  }

  shutdown(): void {}
  input(): void {}
  sendSignal(): void {}
  async processBinary(): Promise<void> {}
  resize(): void {}
  clearBuffer(): void {}
  acknowledgeDataEvent(): void {}
  async setUnicodeVersion(): Promise<void> {}
  getInitialCwd = async (): Promise<string> => ''
  getCwd = async (): Promise<string> => ''
  refreshProperty = async (): Promise<never> => {
    throw new Error(this.why)
  }
  async updateProperty(): Promise<void> {}
}
