// Choosing, running and stopping tasks. What a task is and does is the server's to know; here is asked what it needs.
import { Failure } from '../../protocol/failure'
import { run } from '../../protocol/commands'
import type { Commands } from '../../protocol/generated'
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import type { Notices } from '../core/notices'
import type { TerminalPanel } from '../core/terminal-panel'
import { pathOf, uriOf } from '../core/uris'

const words = strings.tasks
const FILE = '.vscode/tasks.json'
/** So long a task is waited for, so that what refuses it is said; it goes on after that. */
const WAIT_MS = 2_000

type Task = Commands['openspace.task.list']['result']['tasks'][number]
type Wanted = Commands['openspace.task.run']['args']
type Group = NonNullable<Task['group']>

export class Tasks {
  private static only: Tasks | undefined
  /** What the person ran last, with what was asked for it. */
  private last: { task: Task; wanted: Wanted } | undefined

  static of(api: Api, notices: Notices, space: Space, panel: TerminalPanel): Tasks {
    Tasks.only ??= new Tasks(api, notices, space, panel)
    return Tasks.only
  }

  private constructor(
    private readonly api: Api,
    private readonly notices: Notices,
    private readonly space: Space,
    private readonly panel: TerminalPanel,
  ) {}

  /** Run a task by its label, as keys of people name it, or the one that is chosen. */
  async choose(label?: unknown): Promise<void> {
    const { tasks } = await run('openspace.task.list', {})
    const named = tasks.find((task) => task.label === label)
    const task = named ?? await this.pick(tasks, words.choose)
    if (task) await this.run(task)
  }

  /** Run the usual task of a group; where there is none, one of the group that is chosen. */
  async runGroup(group: Group): Promise<void> {
    const { tasks } = await run('openspace.task.list', {})
    const all = tasks.filter((task) => task.group === group && !task.unusable)
    const usual = all.filter((task) => task.isDefault)
    const written = all.filter((task) => task.isWritten)
    const sure = [usual, written, all].find((some) => some.length === 1)
    if (sure?.[0] && (usual.length === 1 || all.length === 1)) return this.run(sure[0])
    if (all.length === 0) {
      const chosen = await this.api.window.showInformationMessage(words.noneOf(group), words.configure)
      if (chosen !== undefined) await this.configure()
      return undefined
    }
    const task = await this.pick(usual.length > 1 ? usual : all, words.chooseOf(group))
    return task && this.run(task)
  }

  /** Run once more what the person ran last, in this page or before it was loaded. */
  async again(): Promise<void> {
    if (this.last) return this.run(this.last.task, this.last.wanted)
    const mine = Object.entries(this.space.part('tasks')).filter(([, { startedAs }]) => startedAs === 'person')
    const [, newest] = mine.sort(([a], [b]) => a.localeCompare(b)).at(-1) ?? []
    return this.choose(newest?.task)
  }

  async stop(): Promise<void> {
    const all = Object.values(this.space.part('tasks'))
    const active = all.filter(({ state }) => state !== 'ended' && state !== 'failed')
    if (active.length === 0) {
      await this.api.window.showInformationMessage(words.noneRuns)
      return
    }
    const choices = active.map(({ task, startedBy, terminalId }) => ({
      label: task, description: [terminalId, startedBy].filter(Boolean).join(' · '),
    }))
    const chosen = active.length === 1 ? choices[0] : await this.api.window.showQuickPick(choices, {
      placeHolder: words.chooseToStop,
    })
    if (!chosen) return
    const { stopped } = await run('openspace.task.stop', { task: chosen.label })
    if (!stopped) this.notices.error(words.goesOn(chosen.label))
  }

  /** Open the file of tasks; without one, a new one with a task to begin with. */
  async configure(): Promise<void> {
    try {
      await run('openspace.file.read', { path: FILE })
    } catch (error) {
      if (!(error instanceof Failure && error.kind === 'not_found')) throw error
      await run('openspace.file.write', { path: FILE, content: words.template })
    }
    await this.api.window.showTextDocument(uriOf(FILE))
  }

  private async pick(tasks: readonly Task[], placeHolder: string): Promise<Task | undefined> {
    const offered = tasks.filter((task) => !task.hidden)
    if (offered.length === 0) {
      const chosen = await this.api.window.showInformationMessage(words.none, words.configure)
      if (chosen !== undefined) await this.configure()
      return undefined
    }
    const part = (title: string, some: readonly Task[]) => some.length === 0 ? [] : [
      { type: 'separator' as const, label: title },
      ...some.map((task) => ({
        label: task.label,
        description: task.unusable ? words.unusable(task.unusable) : task.detail ?? '',
        ...(task.notes.length > 0 && { detail: task.notes.join('; ') }),
        task,
      })),
    ]
    const chosen = await this.api.window.showQuickPick(
      [
        ...part(words.written, offered.filter(({ isWritten }) => isWritten)),
        ...part(words.found, offered.filter(({ isWritten }) => !isWritten)),
      ],
      { placeHolder, matchOnDescription: true },
    )
    return chosen && 'task' in chosen ? chosen.task : undefined
  }

  private async run(task: Task, before?: Wanted): Promise<void> {
    const wanted = before ?? await this.ask(task)
    if (!wanted) return
    if (this.api.workspace.getConfiguration('openspace').get('saveBeforeTask', true)) {
      await this.api.commands.executeCommand('workbench.action.files.saveFiles')
    }
    this.last = { task, wanted }
    const { terminalId, notes } = await run('openspace.task.run', { ...wanted, timeoutMs: WAIT_MS })
    for (const note of notes) this.notices.warning(note)
    if (terminalId && !task.isQuiet) await showTerminal(this.panel, terminalId, task.takesFocus)
  }

  /** What a task needs to know; nothing when the person does not say. */
  private async ask(task: Task): Promise<Wanted | undefined> {
    const inputs: Record<string, string> = {}
    for (const { id, description, default: value, options = [], password = false } of task.inputs) {
      const prompt = description ?? id
      const answer = options.length > 0
        ? await this.api.window.showQuickPick(inOrder(options, value), { placeHolder: prompt })
        : await this.api.window.showInputBox({ prompt, password, ...(typeof value === 'string' && { value }) })
      if (answer === undefined) return undefined
      inputs[id] = answer
    }
    const shown = this.api.window.activeText()
    const file = pathOf(shown?.uri)
    return {
      task: task.label,
      inputs,
      ...(file && { file, line: shown?.selection.positionLineNumber ?? 1 }),
    }
  }
}

/** What is proposed stands first. */
function inOrder(options: readonly string[], first: string | null | undefined): string[] {
  return [...options].sort((a, b) => Number(b === first) - Number(a === first))
}

export async function showTerminal(panel: TerminalPanel, id: string, focus: boolean): Promise<void> {
  const { ids } = panel.panel()
  await panel.showInPanel(ids.includes(id) ? ids : [...ids, id], id, { reveal: true })
  if (focus) await panel.focus(id)
}
