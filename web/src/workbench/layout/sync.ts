// Keeps the workbench's arrangement and the server's layout in step, both ways.
//
// The person's own action shows at once and is then proposed; the server answers with the layout that
// holds it and everything others did. While a proposal is under way nothing else is applied, so that
// nobody's old picture undoes what the person just did. Applying is never mistaken for an action of
// the person: what counts is the difference to how things stood when the last layout was applied.
import {
  IEditorGroupsService, IEditorService, IWorkbenchLayoutService, getService, type IEditorGroup,
} from '@codingame/monaco-vscode-api'
import { Parts } from '@codingame/monaco-vscode-workbench-service-override'
import { run } from '../../protocol/commands'
import { Failure } from '../../protocol/failure'
import { Listeners } from '../../protocol/listeners'
import type { Space } from '../../protocol/space'
import type { Layout } from '../../protocol/state'
import type { TerminalViews } from '../terminals'
import { PaneGroups } from './groups'
import { propose } from './proposal'
import { editorArea, panelOf, sameArrangement, sameSizes, SIZE_TOLERANCE, withIntent, type Shape } from './shape'

interface Settled {
  layout: Layout
  shape: Shape
  /** The editor area's size; when the window changes, so may what minimum sizes make of an intent. */
  width: number
  height: number
  panel: { ids: string[]; active: string | undefined }
  panelShare: number
  active: number
}

export class LayoutSync {
  readonly onProblem = new Listeners<Failure>()
  /** After the page shows a new layout. */
  readonly onApplied = new Listeners<void>()
  private settled: Settled | undefined
  private working: Promise<void> = Promise.resolve()
  private isBusy = false
  private isWanted = false
  private frame = 0

  private constructor(
    private readonly space: Space,
    readonly panes: PaneGroups,
    private readonly editors: IEditorService,
    private readonly parts: IWorkbenchLayoutService,
    private readonly terminals: TerminalViews,
  ) {}

  static async start(space: Space, terminals: TerminalViews): Promise<LayoutSync> {
    const [groups, editors, parts] = await Promise.all([
      getService(IEditorGroupsService), getService(IEditorService), getService(IWorkbenchLayoutService),
    ])
    const shower = {
      keyOf: (editor: Parameters<TerminalViews['idOf']>[0]) => {
        const contentId = terminals.idOf(editor)
        return contentId === undefined ? undefined : ({ type: 'terminal', contentId } as const)
      },
      open: (key: { contentId: string }, group: IEditorGroup, options: { index: number; active: boolean }) =>
        terminals.openInGroup(key.contentId, group, options),
      close: (key: { contentId: string }) => terminals.closeView(key.contentId),
    }
    const sync = new LayoutSync(space, new PaneGroups(groups, editors, { terminal: shower }), editors, parts, terminals)
    sync.listen()
    await sync.step()
    return sync
  }

  /** Wait until the page shows what the server last said and has told what the person did. */
  async settle(): Promise<void> {
    while (this.isBusy || this.isWanted || this.frame !== 0) {
      await this.working
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
  }

  private listen(): void {
    const { groups } = this.panes
    const changed = () => this.soon()
    const sizes = new ResizeObserver(changed)
    const watch = (group: IEditorGroup) => {
      // The element is not in the group's type, but a drag of a border tells nobody else.
      sizes.observe((group as unknown as { element: HTMLElement }).element)
    }
    groups.mainPart.groups.forEach(watch)
    groups.mainPart.onDidAddGroup((group) => {
      watch(group)
      changed()
    })
    groups.mainPart.onDidRemoveGroup(changed)
    groups.mainPart.onDidMoveGroup(changed)
    groups.mainPart.onDidChangeActiveGroup(changed)
    this.editors.onDidEditorsChange(changed)
    this.editors.onDidActiveEditorChange(changed)
    this.parts.onDidChangePartVisibility(changed)
    this.terminals.onPanelChanged.on(changed)
    this.terminals.onIdentified.on(changed)
    this.space.onPart('layout', () => this.want())
  }

  /** Something moved here: look once per frame. */
  private soon(): void {
    if (this.frame !== 0) return
    this.frame = requestAnimationFrame(() => {
      this.frame = 0
      this.want()
    })
  }

  private want(): void {
    this.isWanted = true
    if (this.isBusy) return
    this.working = this.step()
  }

  private async step(): Promise<void> {
    this.isBusy = true
    try {
      do {
        this.isWanted = false
        if (this.settled && this.isChanged(this.settled)) await this.tell(this.settled)
        else await this.apply(this.space.part('layout'))
      } while (this.isWanted)
    } catch (error) {
      const failure = error instanceof Failure ? error : new Failure('internal', String(error))
      this.onProblem.tell(failure)
      // The server's word stands; the next change is told against it.
      await this.apply(this.space.part('layout'))
    } finally {
      this.isBusy = false
    }
  }

  private isChanged(settled: Settled): boolean {
    const shape = this.panes.observe()
    if (!sameArrangement(shape, settled.shape)) return true
    if (this.panes.activeIndex() !== settled.active) return true
    const panel = this.terminals.panel()
    if (panel.active !== settled.panel.active || panel.ids.join() !== settled.panel.ids.join()) return true
    if (!this.isSameWindow(settled)) {
      this.rest(settled.layout)
      return false
    }
    return !sameSizes(shape, settled.shape) || Math.abs(this.panelShare() - settled.panelShare) > SIZE_TOLERANCE
  }

  private isSameWindow({ width, height }: Settled): boolean {
    const { mainPart } = this.panes.groups
    return mainPart.contentDimension.width === width && Math.abs(mainPart.contentDimension.height + this.panelHeight() - height) < 2
  }

  /** Propose what the person did, and show the server's answer. */
  private async tell(settled: Settled): Promise<void> {
    const observed = this.panes.observe()
    const main = withIntent(observed, settled.shape, editorArea(settled.layout))
    const share = this.panelShare()
    const isDragged = share > 0 && settled.panelShare > 0 && Math.abs(share - settled.panelShare) > SIZE_TOLERANCE
    const panel = { ...this.terminals.panel(), fraction: isDragged ? share : undefined }
    const isFocusMoved = this.panes.activeIndex() !== settled.active
    const active = isFocusMoved ? this.panes.activeIndex() : undefined
    const proposal = propose(this.space.viewId, settled.layout, main, panel, active)
    const answer = await run('openspace.layout.propose', proposal)
    this.panes.learn(observed, answer.paneIds as string[])
    // What is shown now is what was told; whatever moved meanwhile is the next difference.
    this.settled = { ...settled, layout: answer.layout as Layout, ...this.picture(observed) }
    if (!this.isChanged(this.settled)) await this.apply(answer.layout as Layout)
    else this.isWanted = true
  }

  private async apply(layout: Layout): Promise<void> {
    const isFirst = this.settled === undefined
    const known = this.settled?.panel.ids ?? []
    await this.panes.arrange(editorArea(layout), (group) => isFirst || !hasKeyboard(group))
    const panel = panelOf(layout)
    const isNew = panel.ids.some((id) => !known.includes(id))
    await this.terminals.showInPanel(panel.ids, panel.active)
    if (isNew && !this.parts.isVisible(Parts.PANEL_PART, window)) this.showPanel(layout.bottom.fraction)
    if (isFirst) this.focusFirst(layout)
    this.rest(layout)
    this.onApplied.tell()
  }

  /** From here on, what differs is the person's doing. */
  private rest(layout: Layout): void {
    this.settled = { layout, ...this.picture(this.panes.observe()) }
  }

  private picture(shape: Shape): Omit<Settled, 'layout'> {
    const { width, height } = this.panes.groups.mainPart.contentDimension
    return {
      shape,
      width,
      height: height + this.panelHeight(),
      panel: this.terminals.panel(),
      panelShare: this.panelShare(),
      active: this.panes.activeIndex(),
    }
  }

  private panelHeight(): number {
    return this.parts.isVisible(Parts.PANEL_PART, window) ? this.parts.getSize(Parts.PANEL_PART).height : 0
  }

  /** The panel's share of the height, 0 while it is hidden. */
  private panelShare(): number {
    const panel = this.panelHeight()
    const whole = this.panes.groups.mainPart.contentDimension.height + panel
    return whole === 0 ? 0 : panel / whole
  }

  private showPanel(fraction: number): void {
    const focused = document.activeElement as HTMLElement | null
    this.parts.setPartHidden(false, Parts.PANEL_PART)
    const whole = this.panes.groups.mainPart.contentDimension.height + this.panelHeight()
    const { width } = this.parts.getSize(Parts.PANEL_PART)
    this.parts.setSize(Parts.PANEL_PART, { width, height: Math.round(whole * fraction) })
    focused?.focus()
  }

  private focusFirst(layout: Layout): void {
    const group = this.panes.groupOf(layout.main.active)
    if (group) this.panes.groups.mainPart.activateGroup(group)
  }
}

/** Whether the person's keyboard is in this group. */
function hasKeyboard(group: IEditorGroup): boolean {
  const { element } = group as unknown as { element: HTMLElement }
  return document.hasFocus() && element.contains(document.activeElement)
}
