// What the workbench asks for a process. Every process it gets is a view of the server's terminal.
import {
  SimpleTerminalBackend, type ITerminalChildProcess,
} from '@codingame/monaco-vscode-terminal-service-override'
import type { IShellLaunchConfig } from '../core/upstream'

/** Stands for the shell that the server chooses: the page does not know which one that is. */
export const SERVERS_SHELL = 'bash'
/** What the workbench says when nobody has chosen a shell, by the system that the browser runs on. */
const UNCHOSEN = ['bash', 'pwsh']

/** The shell that a person's settings name. */
export function chosenShell({ executable }: IShellLaunchConfig): string | undefined {
  return executable === undefined || UNCHOSEN.includes(executable) ? undefined : executable
}

export type MakeProcess = (launch: IShellLaunchConfig, folder: string) => Promise<ITerminalChildProcess>

export class ServerBackend extends SimpleTerminalBackend {
  override getDefaultSystemShell = async () => SERVERS_SHELL
  override createProcess = (launch: IShellLaunchConfig, folder: string) => this.make(launch, folder)

  constructor(private readonly make: MakeProcess) {
    super()
  }
}
