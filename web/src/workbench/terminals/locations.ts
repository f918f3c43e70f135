// Where terminals are in the workbench: in the panel or as tabs of editor groups.
//
// Everything here moves views and nothing ends a terminal or takes the keyboard focus.
import {
  getService, IEditorGroupsService, ITerminalEditorService, ITerminalGroupService, ITerminalInstanceService,
  TerminalLocation, type IEditorGroup,
} from '@codingame/monaco-vscode-api'
import type { TabPosition } from '../core/panes'
import { isInUse } from '../core/typing'
import { TerminalExitReason, type IShellLaunchConfig, type ITerminalInstance } from '../core/upstream'

export class TerminalLocations {
  private constructor(
    readonly panel: ITerminalGroupService,
    private readonly tabs: ITerminalEditorService,
    private readonly instances: ITerminalInstanceService,
    private readonly groups: IEditorGroupsService,
  ) {}

  static async find(): Promise<TerminalLocations> {
    const services = [
      getService(ITerminalGroupService), getService(ITerminalEditorService),
      getService(ITerminalInstanceService), getService(IEditorGroupsService),
    ] as const
    return new TerminalLocations(...await Promise.all(services))
  }

  isTab(instance: ITerminalInstance): boolean {
    return instance.target === TerminalLocation.Editor
  }

  createInPanel(launch: IShellLaunchConfig): ITerminalInstance {
    const instance = this.panel.createGroup(launch).terminalInstances[0]
    if (!instance) throw new Error('the workbench made no terminal')
    return instance
  }

  createForTab(launch: IShellLaunchConfig): ITerminalInstance {
    return this.instances.createInstance(launch, TerminalLocation.Editor)
  }

  moveToPanel(instance: ITerminalInstance): void {
    if (!this.isTab(instance)) return
    this.tabs.detachInstance(instance)
    instance.target = TerminalLocation.Panel
    this.panel.createGroup(instance)
  }

  /** Show it as a tab of this group, from wherever it is now. */
  async moveToGroup(instance: ITerminalInstance, group: IEditorGroup, { index, active }: TabPosition): Promise<void> {
    this.takeFromPanel(instance)
    const input = this.tabs.getInputFromResource(this.tabs.resolveResource(instance))
    const options = { pinned: true, preserveFocus: true, inactive: !active, index }
    const from = this.groups.groups.find((candidate) => candidate.contains(input))
    if (from && from !== group) from.moveEditor(input, group, options)
    else await group.openEditor(input, options)
  }

  /** Drop the view. Only its reason keeps the server's terminal alive: see `TerminalViews`. */
  drop(instance: ITerminalInstance): void {
    if (this.isTab(instance)) {
      // Closing the tab would ask the person, who has nothing to decide here.
      this.tabs.detachInstance(instance)
    } else {
      this.step(instance)
    }
    instance.dispose(TerminalExitReason.Unknown)
  }

  /** Put terminals of the panel side by side; who is in front stays there. */
  join(instances: ITerminalInstance[]): void {
    if (instances.length < 2) return
    const active = this.panel.activeInstance
    this.panel.joinInstances(instances)
    if (active) this.panel.setActiveInstance(active)
  }

  order(wanted: ITerminalInstance[]): void {
    const groups = [...new Set(wanted.map((instance) => this.panel.getGroupForInstance(instance)))]
    const active = this.panel.activeInstance
    let isMoved = false
    for (const [index, group] of groups.entries()) {
      const present = this.panel.groups[index]
      if (!group?.terminalInstances[0] || !present?.terminalInstances[0] || present === group) continue
      this.panel.moveGroup(group.terminalInstances[0], present.terminalInstances[0])
      isMoved = true
    }
    // The workbench keeps the number of the group in front, not the group.
    if (isMoved && active) this.panel.setActiveInstance(active)
  }

  /** Bring it to the front of the panel, unless the person is in the one that is there. */
  front(instance: ITerminalInstance): void {
    const present = this.panel.activeInstance
    if (present !== instance && !isInUse(present?.domElement)) this.panel.setActiveInstance(instance)
  }

  private takeFromPanel(instance: ITerminalInstance): void {
    const group = this.panel.getGroupForInstance(instance)
    if (!group) return
    this.step(instance)
    group.removeInstance(instance)
    instance.detachFromElement()
  }

  /** When the active one of several side by side leaves, the workbench would focus the next one. */
  private step(instance: ITerminalInstance): void {
    const group = this.panel.getGroupForInstance(instance)
    if (!group || group.activeInstance !== instance || instance.hasFocus) return
    const other = group.terminalInstances.findIndex((candidate) => candidate !== instance)
    if (other >= 0) group.setActiveInstanceByIndex(other)
  }
}
