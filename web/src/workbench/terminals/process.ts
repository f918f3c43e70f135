// What the workbench takes for a process: one view's end of a terminal that the server owns.
//
// It brings the server's bytes to the screen and the keys to the server. It never ends the server's
// terminal by itself and never tells the workbench that its process has ended: an ended terminal keeps
// its view, says so in one line and can be started again from there.
import type { ITerminalChildProcess } from '@codingame/monaco-vscode-terminal-service-override'
import { Emitter } from 'monaco-editor'
import type { TerminalRecord } from '../../protocol/state'
import { TerminalChannel, type Repaint, type TerminalEnd } from '../../protocol/terminals'
import { strings } from '../../strings'
import {
  DisposableStore, ProcessPropertyType, TerminalCapability, type ICommandDetectionCapability, type IProcessProperty,
  type IProcessPropertyMap, type IProcessReadyEvent, type ITerminalInstance,
} from '../core/upstream'
import { uriOf } from '../core/uris'
import { keepClipboard } from './clipboard'
import { RepaintedMarks } from './marks'
import { mendQueue } from './screen-queue'
import { Sizing } from './sizing'

/** Characters that the screen may be behind before the connection is given up for a repaint. */
const MOST_UNREAD = 1_000_000
/** Above what the workbench keeps unacknowledged (5,000), so that it is always reached. */
const RESUME_BELOW = 100_000
/** Characters that are kept for a shell that is being started. */
const MOST_EARLY = 10_000
/** What a screen answers to a program's question, as opposed to what somebody types. */
// oxlint-disable-next-line no-control-regex -- terminals speak in control characters
const ANSWER = /^\x1b(\[[?>=]?[\d;]*(\$y|[cnRtx])|\[\?\d+u|\][\d;]+(rgb|#)|[P_][\s\S]*\x1b\\)/
/** Ends what a program may have left behind: mouse, pasting, hidden cursor, margins. */
const AT_REST = '\x1b[!p\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?25h'

/** What a view needs to know and to have done. */
export interface ProcessHost {
  record(): TerminalRecord | undefined
  /** Start a new shell in the terminal; whether one was started. What keeps it from that is told to the person. */
  restart(): Promise<boolean>
  interrupt(): Promise<void>
  problem(why: string): void
  /** The workbench has dropped the view. */
  dropped(): void
}

type Ending = ({ is: 'exited' } & TerminalEnd) | { is: 'ended_with_server' | 'lost' | 'gone' }

let numbers = 0

export class SharedProcess implements ITerminalChildProcess {
  readonly id = ++numbers
  readonly shouldPersist = false
  private readonly data = new Emitter<string>()
  private readonly ready = new Emitter<IProcessReadyEvent>()
  private readonly property = new Emitter<IProcessProperty>()
  private readonly listeners = new DisposableStore()
  readonly onProcessData = this.data.event
  readonly onProcessReady = this.ready.event
  readonly onDidChangeProperty = this.property.event
  // Never fired: see above.
  readonly onProcessExit = new Emitter<number | undefined>().event
  private readonly folder: string
  private readonly sizing: Sizing
  private channel: TerminalChannel
  private marks: RepaintedMarks | undefined
  private decoder = new TextDecoder()
  private unread = 0
  /** What the server sent after a change of size that the screen does not have yet. */
  private held: (() => void)[] | undefined
  private heldBytes = 0
  private ending: Ending | undefined
  /** The shell that has ended, while its record may still say that it runs. */
  private endedPid: number | undefined
  /** Whether this view answers what programs ask, as the server says: every view of a terminal would. */
  private answers = false
  /** What was typed since another shell was asked for; it is for that shell. */
  private early: string | undefined
  private isDropped = false

  constructor(
    readonly terminalId: string,
    private readonly instance: ITerminalInstance,
    private readonly host: ProcessHost,
  ) {
    this.folder = uriOf(host.record()?.cwd ?? '').fsPath
    // Replaced by `attach`; this one never connects.
    this.channel = new TerminalChannel(terminalId)
    this.sizing = new Sizing({
      ask: (size) => this.channel.resize(size),
      impose: (size) => this.atRest(() => {
        this.tell(ProcessPropertyType.OverrideDimensions, size && { ...size, forceExactSize: true })
      }),
      isVisible: () => instance.isVisible,
    })
  }

  async start(): Promise<undefined> {
    this.listeners.add(this.instance.onDidFocus(() => this.sizing.take()))
    this.listeners.add(this.instance.onDidChangeVisibility((isVisible) => {
      if (isVisible) this.sizing.takeRoom()
    }))
    const screen = this.instance.xterm?.raw
    if (screen) {
      mendQueue(screen)
      this.listeners.add(keepClipboard(screen))
    }
    this.marks = this.listeners.add(new RepaintedMarks(this.instance))
    this.watchCommands()
    const record = this.host.record()
    // The workbench keeps keys for itself until it knows of a process, also when that has ended.
    this.ready.fire({ pid: record?.state === 'running' ? record.pid : -1, cwd: this.folder, windowsPty: undefined })
    if (record) {
      const { shell: executable } = record
      this.tell(ProcessPropertyType.ResolvedShellLaunchConfig, { ...this.instance.shellLaunchConfig, executable })
    }
    this.attach()
    this.follow()
  }

  /** The record has changed. */
  follow(): void {
    const record = this.host.record()
    if (!record || this.isDropped) return
    if (record.state === 'running') {
      if (this.ending && record.pid !== this.endedPid) this.attach()
      return
    }
    this.endedPid = undefined
    // A shell that has exited is still there to be looked at; its channel says when all is told.
    if (record.state !== 'exited') this.end({ is: record.state })
  }

  /** The server can be reached again. */
  reconnect(): void {
    this.channel.connect()
  }

  /** Leave the server's terminal alone from now on. */
  detachFromServer(): void {
    this.isDropped = true
    this.channel.close()
    this.listeners.dispose()
  }

  shutdown(): void {
    if (this.isDropped) return
    this.detachFromServer()
    this.host.dropped()
  }

  input(data: string): void {
    if (this.ending) {
      if (this.early !== undefined) this.keepEarly(data)
      else if (data === '\r' && this.ending.is !== 'gone') void this.restart()
      return
    }
    if (ANSWER.test(data)) {
      if (!this.answers) return
    } else if (this.instance.hasFocus) {
      this.sizing.take()
    }
    this.channel.type(new TextEncoder().encode(data))
  }

  async processBinary(data: string): Promise<void> {
    if (!this.ending) this.channel.type(Uint8Array.from(data, (character) => character.charCodeAt(0)))
  }

  resize(cols: number, rows: number): void {
    this.sizing.wanted({ rows, cols })
  }

  acknowledgeDataEvent(count: number): void {
    this.unread = Math.max(0, this.unread - count)
    if (this.channel.isPaused && this.unread < RESUME_BELOW) this.channel.resume()
  }

  sendSignal(signal: string): void {
    if (signal === 'SIGINT') void this.host.interrupt()
    else this.host.problem(strings.terminals.noSuchSignal(signal))
  }

  // The workbench has cleared its own screen; what the server keeps is everybody's.
  clearBuffer(): void {}

  async setUnicodeVersion(): Promise<void> {}

  async getInitialCwd(): Promise<string> {
    return this.folder
  }

  async getCwd(): Promise<string> {
    return this.instance.capabilities.get(TerminalCapability.CwdDetection)?.getCwd() || this.folder
  }

  async refreshProperty<T extends ProcessPropertyType>(type: T): Promise<IProcessPropertyMap[T]> {
    // Only the folder is ever asked for.
    const value = type === ProcessPropertyType.Cwd ? await this.getCwd() : undefined
    return value as IProcessPropertyMap[T]
  }

  async updateProperty(): Promise<void> {}

  private attach(): void {
    this.channel.close()
    this.ending = undefined
    const channel = new TerminalChannel(this.terminalId)
    this.channel = channel
    channel.onRepaint.on((repaint) => this.repaint(repaint))
    channel.onOutput.on((bytes) => {
      this.heldBytes += this.held ? bytes.length : 0
      this.afterHeld(() => this.show(this.decoder.decode(bytes, { stream: true })))
      if (this.unread + this.heldBytes > MOST_UNREAD) channel.pause()
    })
    channel.onAnswers.on((answers) => this.atRest(() => (this.answers = answers)))
    channel.onResized.on((size) => this.afterHeld(() => this.sizing.resized(size)))
    channel.onEnd.on((end) => this.afterHeld(() => this.end({ is: 'exited', ...end })))
    channel.onProblem.on((why) => this.host.problem(why))
    channel.onKeysLost.on(() => this.host.problem(strings.terminals.keysLost))
    channel.onRefused.on((times) => this.refused(times))
    channel.connect()
    const { early } = this
    this.early = undefined
    if (early) channel.type(new TextEncoder().encode(early))
  }

  private refused(times: number): void {
    const record = this.host.record()
    if (record?.state === 'exited') {
      this.end({ is: 'exited', code: record.code ?? null, signal: record.signal ?? null })
    } else if (!record && times > 2) {
      // A record that was only late is there by now.
      this.end({ is: 'gone' })
    }
  }

  private repaint({ rows, cols, bytes }: Repaint): void {
    // What was cut off in the middle of a character is in the repaint, and so is what was held.
    this.decoder = new TextDecoder()
    this.held = undefined
    this.heldBytes = 0
    this.sizing.beginRepaint({ rows, cols })
    this.afterHeld(() => {
      this.marks?.begin()
      this.tell(ProcessPropertyType.HasChildProcesses, false)
      this.show(this.decoder.decode(bytes, { stream: true }))
    })
    this.atRest(() => {
      this.marks?.end()
      this.sizing.endRepaint()
    })
  }

  private show(text: string): void {
    if (text === '') return
    this.unread += text.length
    this.data.fire(text)
  }

  private afterHeld(action: () => void): void {
    if (this.held) this.held.push(action)
    else action()
  }

  /**
   * Do something when everything shown so far is on the screen, and show what comes next only then: the
   * size of a screen must not change while output waits in its queue, which knows no sizes.
   */
  private atRest(action: () => void): void {
    this.afterHeld(() => {
      const screen = this.instance.xterm?.raw
      if (!screen) return action()
      const held: (() => void)[] = []
      this.held = held
      // A character that shows nothing: the emulator may lose sight of an empty text.
      screen.write('\0', () => queueMicrotask(() => {
        if (this.held !== held || this.isDropped) return
        this.held = undefined
        this.heldBytes = 0
        action()
        for (const next of held) this.afterHeld(next)
      }))
    })
  }

  private end(ending: Ending): void {
    if (this.ending || this.isDropped) return
    this.channel.close()
    const record = this.host.record()
    this.endedPid = record?.state === 'running' ? record.pid : undefined
    this.ending = ending
    this.tell(ProcessPropertyType.HasChildProcesses, false)
    this.atRest(() => {
      const screen = this.instance.xterm?.raw
      const leave = screen?.buffer.active.type === 'alternate' ? '\x1b[?1047l' : ''
      const fresh = screen?.buffer.active.cursorX === 0 && leave === '' ? '' : '\r\n'
      this.show(`${leave}${AT_REST}${fresh}\x1b[2m${sentence(ending)}\x1b[m\r\n`)
    })
  }

  private async restart(): Promise<void> {
    this.early = ''
    if (await this.host.restart()) return
    // Nobody takes it: the person was told why.
    this.early = undefined
  }

  private keepEarly(data: string): void {
    if (ANSWER.test(data)) return
    const early = (this.early ?? '') + data
    if (early.length > MOST_EARLY) this.host.problem(strings.terminals.keysLost)
    else this.early = early
  }

  private tell<T extends ProcessPropertyType>(type: T, value: IProcessPropertyMap[T]): void {
    this.property.fire({ type, value })
  }

  /**
   * The workbench asks before it closes a terminal in which something runs. Its sticky scroll wants to
   * be told that the marks of the server's shells hold the command line itself.
   */
  private watchCommands(): void {
    const watch = (commands: ICommandDetectionCapability) => {
      commands.setHasRichCommandDetection(true)
      this.listeners.add(commands.onCommandExecuted(() => this.tell(ProcessPropertyType.HasChildProcesses, true)))
      this.listeners.add(commands.onCommandFinished(() => this.tell(ProcessPropertyType.HasChildProcesses, false)))
    }
    const known = this.instance.capabilities.get(TerminalCapability.CommandDetection)
    if (known) watch(known)
    this.listeners.add(this.instance.capabilities.onDidAddCommandDetectionCapability(watch))
  }
}

function sentence(ending: Ending): string {
  const { terminals } = strings
  switch (ending.is) {
    case 'exited':
      return `${terminals.exited(ending.code, ending.signal)} ${terminals.pressEnter}`
    case 'ended_with_server':
      return `${terminals.endedWithServer} ${terminals.pressEnter}`
    case 'lost':
      return `${terminals.lost} ${terminals.pressEnter}`
    case 'gone':
      return terminals.gone
  }
}
