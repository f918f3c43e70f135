// Advice in words, in which commands stand between backticks: each can be copied, and run where that is possible.
import { strings } from '../../strings'
import { iconButton, made } from './dom'

const words = strings.chat

export interface CommandHelp {
  copy(text: string): void
  /** Runs it in a terminal that the person watches. */
  runInTerminal(title: string, command: string): void
}

/** Sentences with the commands in them as code; each command again below, to be copied. */
export function advice(text: string, help: CommandHelp): HTMLElement {
  const element = made('div', '', 'advice')
  const said = made('p')
  const commands: string[] = []
  for (const [index, piece] of text.split('`').entries()) {
    if (index % 2 === 0) said.append(piece)
    else {
      said.append(made('code', piece))
      commands.push(piece)
    }
  }
  element.append(said)
  for (const command of commands.filter((one) => one.includes(' '))) element.append(commandRow(command, help))
  return element
}

/** A command to copy, and to run where a title for its terminal is given. */
export function commandRow(command: string, help: CommandHelp, run?: { label: string; title: string }): HTMLElement {
  const row = made('div', '', 'row command')
  row.append(made('code', command), iconButton('copy', words.copyCommand(command), () => help.copy(command)))
  if (run) {
    const start = iconButton('terminal', run.label, () => help.runInTerminal(run.title, command))
    row.append(start)
  }
  return row
}
