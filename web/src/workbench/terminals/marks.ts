// What marks say of the shell's commands, brought to the workbench.
//
// The workbench finds commands by marks in the output. A repaint has them too, but prints in a moment what
// was typed and done over minutes: the workbench, which watches somebody type and looks at the clock, would
// know no command line and no time. Here it is told instead. Of live output it takes the marks itself, but for the
// line: it prefers what it saw somebody type, and has seen nothing yet when all of it comes at once.
import {
  commandsIn, commandTimesOf, deserializeVSCodeOscMessage, DisposableStore, setBegan, TerminalCapability,
  type ICommandDetectionCapability, type ITerminalCommand, type ITerminalInstance,
} from '../core/upstream'

/** The number of the operating system command that is a mark. */
const MARK = 633
/** The server's own: how many milliseconds ago the next mark came. */
const AGE = 7633

export class RepaintedMarks {
  private readonly listeners = new DisposableStore()
  private isRepainting = false
  private age = 0
  private began: number | undefined
  private ended = 0
  /** What the shell says that it is about to run. */
  private line: string | undefined

  constructor(private readonly instance: ITerminalInstance) {
    const parser = instance.xterm?.raw.parser
    if (!parser) return
    this.listeners.add(parser.registerOscHandler(MARK, (data) => this.take(data)))
    this.listeners.add(parser.registerOscHandler(AGE, (data) => {
      this.age = Number(data)
      return true
    }))
    const watch = (commands: ICommandDetectionCapability) => {
      this.listeners.add(commands.onCommandExecuted((command) => this.executed(command)))
      this.listeners.add(commands.onCommandFinished((command) => this.finished(command)))
    }
    const known = this.commands()
    if (known) watch(known)
    this.listeners.add(instance.capabilities.onDidAddCommandDetectionCapability(watch))
  }

  /** A repaint replaces the whole buffer: places in the old one mean nothing any more. */
  begin(): void {
    this.isRepainting = true
    this.began = undefined
    this.line = undefined
    const commands = this.commands()
    if (commands) commandsIn(commands).splice(0)
    const current = commands?.currentCommand
    if (current) {
      delete current.promptStartMarker
      delete current.commandStartMarker
      delete current.commandExecutedMarker
      delete current.command
    }
    this.instance.xterm?.clearDecorations()
  }

  end(): void {
    this.isRepainting = false
    const current = this.commands()?.currentCommand
    if (!current?.commandExecutedMarker || this.began === undefined) return
    setBegan(current, this.began)
  }

  dispose(): void {
    this.listeners.dispose()
  }

  /** Whether the workbench need not look at it any more. */
  private take(data: string): boolean {
    const [mark, text = ''] = data.split(';')
    if (mark === 'E') this.line = deserializeVSCodeOscMessage(text)
    if (!this.isRepainting) return false
    if (mark === 'C') this.began = Date.now() - this.age
    if (mark === 'D') this.ended = Date.now() - this.age
    const commands = this.commands()
    if (mark !== 'E' || !commands) return false
    // Of marks, the server repeats only those that the shell itself has sent.
    commands.setCommandLine(this.line ?? '', true)
    return true
  }

  private executed(command: { command?: string }): void {
    if (this.line !== undefined) command.command = this.line
    this.line = undefined
  }

  private finished(command: ITerminalCommand): void {
    if (!this.isRepainting || this.began === undefined) return
    const times = commandTimesOf(command)
    if (times) {
      // The workbench means the end by it.
      times.timestamp = this.ended
      times.duration = Math.max(0, this.ended - this.began)
    }
    this.began = undefined
  }

  private commands(): ICommandDetectionCapability | undefined {
    return this.instance.capabilities.get(TerminalCapability.CommandDetection)
  }
}
