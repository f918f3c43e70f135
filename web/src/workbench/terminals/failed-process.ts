// Stands for a terminal that the server did not make: the workbench shows why and drops the view.
import type { ITerminalChildProcess } from '@codingame/monaco-vscode-terminal-service-override'
import type { ITerminalLaunchError } from '@codingame/monaco-vscode-api/vscode/vs/platform/terminal/common/terminal'
import { Event } from '@codingame/monaco-vscode-api/vscode/vs/base/common/event'

export class FailedProcess implements ITerminalChildProcess {
  readonly id = 0
  readonly shouldPersist = false
  readonly onProcessData = Event.None
  readonly onProcessReady = Event.None
  readonly onDidChangeProperty = Event.None
  readonly onProcessExit = Event.None

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
