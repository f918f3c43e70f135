// Runs a command in a terminal that the person watches: it is theirs, with their rights, and stays when the command
// ends.
import { run } from '../../protocol/commands'
import type { TerminalPanel } from '../core/terminal-panel'

export async function runInTerminal(terminals: TerminalPanel, title: string, command: string): Promise<void> {
  const { terminalId } = await run('openspace.terminal.create', { title })
  await run('openspace.terminal.send', { terminalId, text: `${command}\n` })
  await revealTerminal(terminals, terminalId)
  // A log-in asks there.
  await terminals.focus(terminalId)
}

export async function revealTerminal(terminals: TerminalPanel, terminal: string): Promise<void> {
  const ids = [...new Set([...terminals.panel().ids, terminal])]
  await terminals.showInPanel(ids, terminal, { reveal: true })
}
