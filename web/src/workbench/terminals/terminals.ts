// Terminals of the workbench: each is a view of a terminal that the server owns.
//
// A person's new terminal is made by the server, an agent's appears by `showInPanel` or `openInGroup`;
// after that there is no difference between them. A view that the person closes ends the server's
// terminal; a view that goes because the layout changed, or the page, does not.
import {
  getService, ILifecycleService, INotificationService, ITerminalInstanceService, ITerminalService, Severity,
  type EditorInput, type IEditorGroup,
} from '@codingame/monaco-vscode-api'
import type { ITerminalBackend, ITerminalChildProcess } from '@codingame/monaco-vscode-terminal-service-override'
import { Uri } from 'monaco-editor'
import { run } from '../../protocol/commands'
import { Listeners } from '../../protocol/listeners'
import type { Space } from '../../protocol/space'
import type { TerminalRecord } from '../../protocol/state'
import { strings } from '../../strings'
import { adviceOf } from '../core/notices'
import type { TabPosition } from '../core/panes'
import type { PanelState, TerminalPanel } from '../core/terminal-panel'
import { isInUse } from '../core/typing'
import {
  TerminalEditorInput, TerminalExitReason, TitleEventSource, type IShellLaunchConfig,
  type ITerminalInstance,
} from '../core/upstream'
import { pathOf } from '../core/uris'
import { chosenShell, SERVERS_SHELL, ServerBackend } from './backend'
import { FailedProcess } from './failed-process'
import { TerminalLocations } from './locations'
import { SharedProcess } from './process'
import { Splits } from './splits'
import { hideWhenTaken } from './unshown'

/** How the server names a person. */
const PERSON = 'browser'
const AGENT_ICON = { id: 'robot' }
const AGENT_COLOR = 'terminal.ansiMagenta'
const ORIGIN_STATUS = 'openspace.origin'

interface View {
  id: string
  instance: ITerminalInstance
  process: SharedProcess | undefined
  /** Its record as the answer to its creation had it, until the space tells. */
  first: TerminalRecord | undefined
  /** Whether the space has told its record: one that is gone then has been closed. */
  wasRecorded: boolean
  isMarked: boolean
  /** The title that the record had last. */
  title: string | undefined
}

type Created = TerminalRecord & { terminalId: string }

export class TerminalViews implements TerminalPanel {
  readonly backend: ITerminalBackend = new ServerBackend((launch, folder) => this.makeProcess(launch, folder))
  readonly onPanelChanged = new Listeners<void>()
  readonly onIdentified = new Listeners<string>()
  private readonly views = new Map<string, View>()
  private readonly instances = new Set<ITerminalInstance>()
  /** Terminals that the server is making for a person. */
  private readonly creations = new Set<Promise<unknown>>()
  /** Terminals that a person has closed, until the server has. */
  private readonly closing = new Set<string>()
  /** Tabs that a person has opened: the server's layout has each in the panel until it hears better. */
  private readonly ownTabs = new Set<string>()
  private locations: TerminalLocations | undefined
  private splits: Splits | undefined
  private told: PanelState = { ids: [], active: undefined }
  private lastChange: Promise<void> = Promise.resolve()
  /** Until the panel was first told what it shows, a terminal in it is one that the workbench made up. */
  private resolvePanelTold = (): void => {}
  private readonly panelTold = new Promise<void>((resolve) => (this.resolvePanelTold = resolve))
  private isApplying = false
  private isLeaving = false
  private isTelling = false
  private hasAdopted = false
  private hasSplit = false

  constructor(private readonly space: Space) {}

  async start(): Promise<void> {
    const [locations, splits, terminals, instances, lifecycle] = await Promise.all([
      TerminalLocations.find(), Splits.find(), getService(ITerminalService), getService(ITerminalInstanceService),
      getService(ILifecycleService),
    ])
    this.locations ??= locations
    this.splits = splits
    for (const instance of terminals.instances) this.know(instance)
    instances.onDidCreateInstance((instance) => this.know(instance))
    lifecycle.onWillShutdown(() => (this.isLeaving = true))
    locations.panel.onDidChangeInstances(() => this.noticePanel())
    locations.panel.onDidChangeActiveInstance(() => this.noticePanel())
    locations.panel.onDidChangeGroups(() => this.noticePanel())
    this.space.onPart('terminals', () => this.followRecords())
    this.space.onConnection.on(({ is }) => {
      if (is === 'live') for (const view of this.views.values()) view.process?.reconnect()
    })
    this.followRecords()
  }

  /** The server's id of a terminal that is a tab; nothing while the server is still making it. */
  idOf(editor: EditorInput): string | undefined {
    const instance = editor instanceof TerminalEditorInput ? editor.terminalInstance : undefined
    return instance && this.viewOf(instance)?.id
  }

  /** Whether a person has opened it as a tab and the server has it in the panel until it is told. */
  isUntold(id: string): boolean {
    return this.ownTabs.has(id)
  }

  /** Whether the person is in it: then it stays where it is, or its keys would go to whatever is next. */
  isHeld(id: string): boolean {
    const view = this.views.get(id)
    if (!view || this.closing.has(id) || !this.recordOf(id)) return false
    return isInUse(view.instance.domElement)
  }

  panel(): PanelState {
    const { panel } = this.found()
    const idIn = (instance: ITerminalInstance) => this.viewOf(instance)?.id
    const active = panel.activeInstance && idIn(panel.activeInstance)
    return { ids: panel.instances.map(idIn).filter((id) => id !== undefined), active }
  }

  async showInPanel(ids: string[], active?: string, { reveal = false } = {}): Promise<boolean> {
    let isKept = false
    await this.afterOthers(async (locations) => {
      for (const id of this.ownTabs) if (!ids.includes(id)) this.ownTabs.delete(id)
      const isHeldAsTab = (id: string) => {
        const instance = this.views.get(id)?.instance
        return instance !== undefined && this.isHeld(id) && locations.isTab(instance)
      }
      isKept = ids.some(isHeldAsTab)
      const wanted = ids.filter((id) => !this.closing.has(id) && !this.ownTabs.has(id) && !isHeldAsTab(id))
      for (const instance of [...locations.panel.instances]) {
        const view = this.viewOf(instance)
        if (!view || wanted.includes(view.id)) continue
        if (this.isHeld(view.id)) isKept = true
        else this.release(view)
      }
      this.adopt(wanted, locations)
      const instances = wanted.map((id) => this.showOneInPanel(id, locations))
      if (!this.hasSplit) this.split(wanted, locations)
      locations.order(instances)
      const front = active === undefined ? undefined : this.views.get(active)?.instance
      if (front && instances.includes(front)) locations.front(front)
      if (reveal && instances.length > 0) await locations.panel.showPanel(false)
    }).finally(this.resolvePanelTold)
    return isKept
  }

  focused(): string | undefined {
    return [...this.views.values()].find(({ instance }) => instance.hasFocus)?.id
  }

  focus(id: string): Promise<void> | undefined {
    const locations = this.found()
    const instance = this.views.get(id)?.instance
    if (instance && !locations.isTab(instance)) locations.panel.setActiveInstance(instance)
    return instance?.isVisible ? instance.focusWhenReady(true) : undefined
  }

  /** Show a terminal as a tab of this group, without the focus; from wherever it is now. */
  openInGroup(id: string, group: IEditorGroup, position: TabPosition): Promise<void> {
    return this.afterOthers(async (locations) => {
      this.ownTabs.delete(id)
      if (this.closing.has(id)) return
      const view = this.views.get(id) ?? this.add(id, locations.createForTab(this.launchOf(id)))
      await locations.moveToGroup(view.instance, group, position)
    })
  }

  /**
   * Drop the view of a terminal, wherever it is, and leave the terminal alone. A tab of a terminal that
   * the layout does not have any more must be closed this way: closing the editor ends the terminal.
   */
  closeView(id: string): Promise<void> {
    return this.afterOthers(async () => {
      const view = this.views.get(id)
      if (view) this.release(view)
    })
  }

  /** One change after the other, and none while it is not known which terminals a person's new ones are. */
  private afterOthers(change: (locations: TerminalLocations) => Promise<void>): Promise<void> {
    const mine = this.lastChange.then(async () => {
      while (this.creations.size > 0) await Promise.allSettled([...this.creations])
      this.isApplying = true
      try {
        await change(this.found())
      } finally {
        this.isApplying = false
        this.told = this.panel()
      }
    })
    this.lastChange = mine.catch(() => undefined)
    return mine
  }

  /**
   * A panel that was open when the page was left fills itself with a terminal before anybody can say
   * what it shows. It becomes a view of the first one that is to be shown, or goes.
   */
  private adopt(wanted: string[], locations: TerminalLocations): void {
    if (this.hasAdopted) return
    this.hasAdopted = true
    const missing = wanted.filter((id) => !this.views.has(id))
    for (const instance of locations.panel.instances.filter((candidate) => !this.viewOf(candidate))) {
      const id = missing.shift()
      if (id === undefined) locations.drop(instance)
      else this.add(id, instance)
    }
  }

  /** Put side by side what was so before the page was opened. */
  private split(ids: string[], locations: TerminalLocations): void {
    this.hasSplit = true
    for (const group of this.splits?.kept(ids) ?? []) {
      locations.join(group.flatMap((id) => this.views.get(id)?.instance ?? []))
    }
  }

  private keepSplits(): void {
    if (!this.hasSplit) return
    const ids = (instances: ITerminalInstance[]) => instances.flatMap((instance) => this.viewOf(instance)?.id ?? [])
    this.splits?.keep(this.found().panel.groups.map(({ terminalInstances }) => ids(terminalInstances)))
  }

  private showOneInPanel(id: string, locations: TerminalLocations): ITerminalInstance {
    const view = this.views.get(id)
    if (!view) return this.add(id, locations.createInPanel(this.launchOf(id))).instance
    locations.moveToPanel(view.instance)
    return view.instance
  }

  /** The person, or something other than us, has changed the panel. */
  private noticePanel(): void {
    if (this.isApplying || this.isTelling) return
    this.isTelling = true
    // One action of the person is several events; a page that is left drops all its views in this moment.
    queueMicrotask(() => {
      this.isTelling = false
      if (this.isLeaving || this.isApplying) return
      this.keepSplits()
      const now = this.panel()
      if (JSON.stringify(now) === JSON.stringify(this.told)) return
      this.told = now
      this.onPanelChanged.tell()
    })
  }

  private async makeProcess(launch: IShellLaunchConfig, folder: string): Promise<ITerminalChildProcess> {
    // The workbench may open its panel, and with it a terminal, before `start`.
    this.locations ??= await TerminalLocations.find()
    const terminals = await getService(ITerminalService)
    await this.panelTold
    for (const instance of terminals.instances) this.know(instance)
    // A split tab is made from the settings of the tab it was split from, so both have the same object.
    const launched = [...this.instances].filter((instance) => instance.shellLaunchConfig === launch)
    const instance = launched.find((candidate) => !this.viewOf(candidate)?.process) ?? launched[0]
    if (!instance) return new FailedProcess(strings.terminals.gone)
    const known = this.viewOf(instance)
    if (known) return this.processFor(known)
    const creation = this.create(launch, folder, instance)
    this.creations.add(creation)
    try {
      const view = await creation
      return this.processFor(view)
    } catch (error) {
      return new FailedProcess(adviceOf(error))
    } finally {
      this.creations.delete(creation)
      this.noticePanel()
    }
  }

  private async create(launch: IShellLaunchConfig, folder: string, instance: ITerminalInstance): Promise<View> {
    const cwd = pathOf(Uri.file(folder)) || undefined
    const created = await run('openspace.terminal.create', { shellPath: chosenShell(launch), cwd }) as Created
    const view = this.add(created.terminalId, instance, created)
    if (this.found().isTab(instance)) this.ownTabs.add(view.id)
    this.onIdentified.tell(view.id)
    return view
  }

  private processFor(view: View): SharedProcess {
    view.process?.detachFromServer()
    const { id } = view
    view.process = new SharedProcess(id, view.instance, {
      record: () => this.recordOf(id),
      restart: () => this.attempt(id, run('openspace.terminal.restart', { terminalId: id })),
      interrupt: async () => void await this.attempt(id, run('openspace.terminal.interrupt', { terminalId: id })),
      problem: (why) => void this.notify(id, why),
      dropped: () => this.dropped(view),
    })
    return view.process
  }

  /** The workbench has dropped a view. Only when a person wanted it, the terminal goes too. */
  private dropped(view: View): void {
    const { id, instance } = view
    if (this.views.get(id) !== view) return
    this.views.delete(id)
    const isWanted = instance.exitReason === TerminalExitReason.User
      || instance.exitReason === TerminalExitReason.Extension
    const record = this.recordOf(id)
    if (this.isLeaving || !isWanted || (view.wasRecorded && !record)) return
    this.closing.add(id)
    const title = record?.title ?? id
    void this.attempt(title, run('openspace.terminal.close', { terminalId: id })).finally(() => this.closing.delete(id))
  }

  private release(view: View): void {
    this.views.delete(view.id)
    view.process?.detachFromServer()
    this.found().drop(view.instance)
  }

  private add(id: string, instance: ITerminalInstance, first?: TerminalRecord): View {
    const view: View = {
      id, instance, first, process: undefined, wasRecorded: false, isMarked: false, title: undefined,
    }
    this.know(instance)
    this.views.set(id, view)
    this.dress(view)
    instance.onTitleChanged(() => this.noticeTitle(view))
    return view
  }

  private launchOf(id: string): IShellLaunchConfig {
    const record = this.recordOf(id)
    const launch: IShellLaunchConfig = { name: record?.title ?? id, executable: record?.shell ?? SERVERS_SHELL }
    return record && record.createdBy !== PERSON ? { ...launch, icon: AGENT_ICON, color: AGENT_COLOR } : launch
  }

  private followRecords(): void {
    const records = this.space.part('terminals')
    for (const view of [...this.views.values()]) {
      if (records[view.id]) {
        view.wasRecorded = true
        this.dress(view)
        view.process?.follow()
      } else if (view.wasRecorded) {
        void this.closeView(view.id)
      }
    }
  }

  /** Bring title, mark and hover in step with the record. */
  private dress(view: View): void {
    const record = this.recordOf(view.id)
    if (!record) return
    const { instance } = view
    // The workbench takes these again when the process is ready.
    const launch = instance.shellLaunchConfig
    if (record.title !== view.title) {
      view.title = record.title
      launch.name = record.title
      void instance.rename(record.title)
    }
    if (view.isMarked) return
    view.isMarked = true
    const isPersons = record.createdBy === PERSON
    const tooltip = isPersons ? strings.terminals.createdByPerson : strings.terminals.createdBy(record.createdBy)
    instance.statusList.add({ id: ORIGIN_STATUS, severity: Severity.Ignore, tooltip })
    if (isPersons || launch.icon === AGENT_ICON) return
    launch.icon = AGENT_ICON
    void instance.changeIcon(AGENT_ICON)
    void instance.changeColor(AGENT_COLOR)
  }

  /** The person has given the view another title, which becomes the terminal's for everybody. */
  private noticeTitle(view: View): void {
    const { id, instance, title: known } = view
    const { title } = instance
    if (this.views.get(id) !== view || known === undefined || title === known) return
    if (instance.titleSource !== TitleEventSource.Api) return
    run('openspace.terminal.rename', { terminalId: id, title }).catch(async (error: unknown) => {
      if (view.title !== undefined) await instance.rename(view.title)
      await this.notify(id, adviceOf(error))
    })
  }

  private know(instance: ITerminalInstance): void {
    if (this.instances.has(instance)) return
    this.instances.add(instance)
    hideWhenTaken(instance)
    instance.onDisposed(() => this.instances.delete(instance))
  }

  private viewOf(instance: ITerminalInstance): View | undefined {
    for (const view of this.views.values()) if (view.instance === instance) return view
    return undefined
  }

  private recordOf(id: string): TerminalRecord | undefined {
    const record = this.space.part('terminals')[id]
    const view = this.views.get(id)
    return record ?? (view?.wasRecorded ? undefined : view?.first)
  }

  private found(): TerminalLocations {
    if (!this.locations) throw new Error('the terminals were used before the workbench had started')
    return this.locations
  }

  /** Whether a call succeeded; what kept it from that is told to the person. */
  private async attempt(id: string, call: Promise<unknown>): Promise<boolean> {
    try {
      await call
      return true
    } catch (error) {
      await this.notify(id, adviceOf(error))
      return false
    }
  }

  private async notify(id: string, why: string): Promise<void> {
    const notices = await getService(INotificationService)
    notices.error(strings.terminals.failed(this.recordOf(id)?.title ?? id, why))
  }
}
