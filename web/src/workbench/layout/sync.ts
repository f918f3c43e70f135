// Keeps the workbench's arrangement and the server's layout in step, both ways.
//
// The person's own action shows at once and is then proposed; the server answers with the layout that
// holds it and everything others did. While a proposal is under way nothing else is applied, so that
// nobody's old picture undoes what the person just did. Applying is never mistaken for an action of
// the person: what counts is the difference to how things stood when the last layout was applied.
// Without a connection the person's arrangement stays as it is and is told afterwards.
import {
  IEditorGroupsService, IEditorService, ILifecycleService, IPaneCompositePartService, IStorageService,
  IWorkbenchLayoutService, getService, type IEditorGroup,
} from '@codingame/monaco-vscode-api'
import { Parts } from '@codingame/monaco-vscode-workbench-service-override'
import { run } from '../../protocol/commands'
import { Failure } from '../../protocol/failure'
import { Listeners } from '../../protocol/listeners'
import type { Space } from '../../protocol/space'
import type { Layout, RevealMode, TabKey } from '../../protocol/state'
import { heldKeys } from '../core/held-keys'
import type { MovingText } from '../core/moves'
import type { Arrangement } from '../core/panes'
import type { PanelState, TerminalPanel } from '../core/terminal-panel'
import { isTypedIn } from '../core/typing'
import { elementOf } from '../core/upstream'
import { PaneGroups, type TabShowers } from './groups'
import { Hands } from './hands'
import { KeptArrangement } from './kept'
import { MovedTabs } from './moved-tabs'
import type { NarrowWindow } from './narrow-window'
import { FoldedBars } from './folded-bars'
import { isShown, OnePane } from './one-pane'
import { idsShown, knownAfter, knownOf, propose, type Known, type KnownTab } from './proposal'
import {
  editorArea, filesIn, panelOf, panesOf, sameArrangement, sameSizes, sameTab, SIZE_TOLERANCE, sizedLike, withIntent,
  type PaneShape, type Shape,
} from './shape'
import { ViewFocus } from './view-focus'

/** Changes that come together are looked at together. */
const PAUSE_MS = 16

/** How things stand in the page. */
interface Picture {
  shape: Shape
  active: { group: number; index: number } | undefined
  panel: PanelState
  /** The panel's share of the height, 0 while it is hidden or has all of it. */
  panelShare: number
  /** What sizes depend on besides the person's wish: when it changes, a new size is nobody's doing. */
  frame: { width: number; height: number; ownGroups: number; least: string }
}

/** How things stood when the page and the server last had the same. */
interface Agreed extends Picture {
  layout: Layout
  known: Known
}

export class LayoutSync implements Arrangement {
  readonly onProblem = new Listeners<Failure>()
  /** After the page shows a new layout. */
  readonly onApplied = new Listeners<void>()
  readonly onReplacing = new Listeners<{ group: IEditorGroup; tab: TabKey }>()
  /** What the person wants of files that others open. */
  revealMode: () => RevealMode = () => 'auto-focus'
  /** There is nothing left to tell or to apply. */
  private readonly onRest = new Listeners<void>()
  private readonly hands = new Hands()
  private agreed: Agreed | undefined
  /** The answer to the last proposal, until the stream has told as much. */
  private answer: { revision: number; layout: Layout } | undefined
  private bars: FoldedBars | undefined
  private giveSizesBack: ((wanted: Shape) => void) | undefined
  private isApplying = false
  private isBusy = false
  private isWanted = false
  /** There is something to do that waits for the person's hands or for the connection. */
  private isHeldBack = false
  /** The page shows something that the server does not know of, whether it changed here or not. */
  private mustTell = false
  private timer: ReturnType<typeof setTimeout> | undefined
  /** The page is being closed: what the workbench takes down now nobody closed. */
  private isLeaving = false
  /** How somebody last wanted each file to be seen, and whether it is still to come to the front for that. */
  private readonly reveals = new Map<string, { mode: RevealMode | null; isDue: boolean }>()

  private constructor(
    private readonly space: Space,
    readonly panes: PaneGroups,
    private readonly editors: IEditorService,
    private readonly parts: IWorkbenchLayoutService,
    private readonly terminals: TerminalPanel,
    private readonly moved: MovedTabs,
    private readonly narrow: NarrowWindow,
    private readonly kept: KeptArrangement,
    private readonly focus: ViewFocus,
  ) {}

  static async start(
    space: Space, terminals: TerminalPanel, showers: TabShowers, text: MovingText, narrow: NarrowWindow,
  ): Promise<LayoutSync> {
    const [groups, editors, parts, lifecycle, storage] = await Promise.all([
      getService(IEditorGroupsService), getService(IEditorService), getService(IWorkbenchLayoutService),
      getService(ILifecycleService), getService(IStorageService),
    ])
    const kept = new KeptArrangement(storage)
    const focus = new ViewFocus(parts, await getService(IPaneCompositePartService), terminals)
    const panes = new PaneGroups(groups, editors, showers, narrow, new Map(Object.entries(kept.before?.groups ?? {})))
    const moved = new MovedTabs(space, editors, text)
    const sync = new LayoutSync(space, panes, editors, parts, terminals, moved, narrow, kept, focus)
    // Before side bars are folded, and given back when they are not.
    narrow.onNarrow.on(() => (sync.giveSizesBack = panes.keepSizes(editorArea(sync.latest()))))
    sync.bars = await FoldedBars.start(narrow, () => sync.isApplying)
    await OnePane.start(panes, narrow)
    sync.listen()
    lifecycle.onWillShutdown(() => (sync.isLeaving = true))
    await sync.step()
    // A page that is being closed has written its state, and is taken down with what has the keyboard.
    kept.keep(() => (sync.isLeaving ? undefined : {
      groups: panes.numbers(),
      active: panes.paneOf(groups.mainPart.activeGroup) ?? null,
      focused: focus.focused(),
      panelShare: sync.latest().bottom.fraction,
      terminals: panelOf(sync.latest()).ids,
    }))
    return sync
  }

  /**
   * The keyboard is where it was before a reload: in a view, a terminal, or the active group. Who was never here has
   * typed nowhere: whatever others open is shown to them.
   */
  focusAgain(): void {
    const { before } = this.kept
    if (!before) return
    const { activeElement } = document
    const isElsewhere = activeElement !== null && activeElement !== document.body &&
      !heldKeys.isKeeping(activeElement) &&
      !this.groupsInOrder().some((group) => elementOf(group).contains(activeElement))
    if (isElsewhere || (before.focused && this.focus.giveTo(before.focused))) return
    this.groups.mainPart.activeGroup.focus()
  }

  get groups(): IEditorGroupsService {
    return this.panes.groups
  }

  groupsInOrder(): IEditorGroup[] {
    return this.panes.groupsInOrder()
  }

  groupOf(pane: string): IEditorGroup | undefined {
    return this.panes.groupOf(pane)
  }

  neighbourOf(group: IEditorGroup): IEditorGroup | undefined {
    if (this.narrow.isNarrow) return undefined
    const groups = this.panes.groupsInOrder().filter((other) => other === group || this.panes.paneOf(other))
    const at = groups.indexOf(group)
    return groups[at + 1] ?? groups[at - 1]
  }

  isInSight(group: IEditorGroup): boolean {
    return isShown(this.panes.groups, group) && !(this.bars?.isCovering ?? false)
  }

  async whenInStep(): Promise<void> {
    while (!this.isAtRest) await this.nextRest()
  }

  private get isAtRest(): boolean {
    return !this.isBusy && !this.isHeldBack && this.timer === undefined
  }

  private nextRest(): Promise<void> {
    return new Promise((resolve) => {
      const rest = this.onRest.on(() => {
        rest.dispose()
        resolve()
      })
    })
  }

  private listen(): void {
    const { mainPart } = this.panes.groups
    const changed = () => this.soon()
    const sizes = new ResizeObserver(changed)
    mainPart.groups.forEach((group) => sizes.observe(elementOf(group)))
    mainPart.onDidAddGroup((group) => {
      sizes.observe(elementOf(group))
      changed()
    })
    mainPart.onDidRemoveGroup((group) => {
      sizes.unobserve(elementOf(group))
      changed()
    })
    mainPart.onDidMoveGroup(changed)
    mainPart.onDidChangeActiveGroup(changed)
    this.editors.onDidEditorsChange(changed)
    this.editors.onDidActiveEditorChange(changed)
    this.parts.onDidChangePartVisibility(changed)
    this.terminals.onPanelChanged.on(changed)
    this.terminals.onIdentified.on(changed)
    this.hands.onFree.on(changed)
    this.space.onConnection.on(changed)
    this.narrow.onWide.on(() => this.showSizes())
    this.space.onSnapshot.on(() => (this.answer = undefined))
    this.space.on('reveal', ({ target: { path, mode } }) => this.reveals.set(path, { mode, isDue: true }))
    this.space.onPart('layout', () => {
      this.forgetClosed(this.space.layout())
      this.want()
    })
  }

  /** Something moved here: look once for all that moves together. */
  private soon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      this.want()
    }, PAUSE_MS)
  }

  private want(): void {
    if (this.isLeaving) return
    this.isWanted = true
    if (!this.isBusy) void this.step()
  }

  private get isFree(): boolean {
    return this.hands.areFree && this.space.state.is === 'live'
  }

  private async step(): Promise<void> {
    this.isBusy = true
    try {
      do {
        // What holds it back has us look again when it ends.
        this.isHeldBack = this.agreed !== undefined && !this.isFree
        if (this.isHeldBack || this.isLeaving) return
        this.isWanted = false
        if (this.agreed && (this.mustTell || this.isChanged(this.agreed))) await this.tell(this.agreed)
        else await this.apply(this.latest())
      } while (this.isWanted)
    } catch (error) {
      await this.giveUp(error)
    } finally {
      this.isBusy = false
      if (this.isAtRest) this.onRest.tell()
    }
  }

  /** The server's word stands; the next change is told against it. */
  private async giveUp(error: unknown): Promise<void> {
    const failure = error instanceof Failure ? error : new Failure('internal', String(error))
    // The connection says so itself, and what was not told is told when it is back.
    if (failure.kind === 'unreachable') return
    console.warn('the arrangement was not told', error)
    this.mustTell = false
    this.onProblem.tell(failure)
    try {
      await this.apply(this.latest())
    } catch (again) {
      this.onProblem.tell(new Failure('internal', String(again)))
    }
  }

  /** What the server said last, on whichever way it came. */
  private latest(): Layout {
    if (this.answer && this.answer.revision > this.space.revision) return this.answer.layout
    return this.space.layout()
  }

  private isChanged(agreed: Agreed): boolean {
    const now = this.picture()
    if (!sameArrangement(now.shape, agreed.shape)) return true
    if (now.active && now.active.group !== agreed.active?.group) return true
    if (now.panel.active !== agreed.panel.active || now.panel.ids.join() !== agreed.panel.ids.join()) return true
    // The sizes of a narrow window are nobody's wish.
    if (this.narrow.isNarrow || !isSameFrame(now, agreed)) {
      this.agreed = { ...agreed, ...now }
      return false
    }
    return !sameSizes(now.shape, agreed.shape) || isPanelDragged(now, agreed)
  }

  /** Propose what the person did. What is shown then is what was told; what moved meanwhile is told next. */
  private async tell(agreed: Agreed): Promise<void> {
    const now = this.picture()
    const isActiveMoved = now.active !== undefined && now.active.group !== agreed.active?.group
    const proposal = propose({
      viewId: this.space.viewId,
      layout: agreed.layout,
      known: agreed.known,
      main: withIntent(now.shape, agreed.shape, editorArea(agreed.layout)),
      panel: { ...now.panel, fraction: isPanelDragged(now, agreed) ? now.panelShare : undefined },
      active: isActiveMoved ? now.active?.index : undefined,
    })
    this.mustTell = false
    const answer = await run('openspace.layout.propose', proposal.args)
    this.answer = answer
    this.panes.learn(now.shape, idsShown(proposal, answer))
    this.agreed = { ...now, layout: answer.layout, known: knownAfter(proposal.args, answer) }
    this.isWanted = true
  }

  /** The window has room for all panes again. */
  private showSizes(): void {
    const wanted = editorArea(this.agreed?.layout ?? this.latest())
    if (this.giveSizesBack) this.giveSizesBack(wanted)
    else this.panes.giveSizes(wanted)
    this.giveSizesBack = undefined
  }

  private async apply(layout: Layout): Promise<void> {
    this.isApplying = true
    try {
      await this.bring(layout)
    } finally {
      this.isApplying = false
    }
  }

  private async bring(layout: Layout): Promise<void> {
    const { agreed } = this
    await this.moved.follow(this.groupsInOrder(), filesIn(layout), (editor) => {
      const key = this.panes.keyOf(editor)
      return key?.type === 'editor' ? key.contentId : undefined
    })
    const arranged = await this.panes.arrange(editorArea(layout), {
      mayShow: (group, tab) => !agreed || (!isTypedIn(group) && this.mayCover(group, tab)),
      replacing: (group, tab) => this.onReplacing.tell({ group, tab }),
    })
    if (arranged === 'disturbed') {
      this.noteShown(layout)
      this.isWanted = true
      return
    }
    const panel = panelOf(layout)
    const seen = agreed?.panel.ids ?? this.kept.before?.terminals ?? []
    const isNew = panel.ids.some((id) => !seen.includes(id))
    const isOpening = isNew && !this.parts.isVisible(Parts.PANEL_PART, window)
    const isTerminalKept = await this.terminals.showInPanel(panel.ids, panel.active, { reveal: isOpening })
    const shareBefore = agreed ? agreed.layout.bottom.fraction : this.kept.before?.panelShare
    this.sizePanel(layout.bottom.fraction, shareBefore, isOpening)
    if (!agreed) this.focusFirst(layout)
    this.agreed = { layout, known: knownOf(layout), ...this.picture({ untold: false }, layout) }
    this.mustTell = arranged === 'kept' || isTerminalKept
    if (this.mustTell) this.isWanted = true
    this.onApplied.tell()
  }

  /** What of a layout was brought here before the person acted is the server's, not something that they opened. */
  private noteShown(layout: Layout): void {
    if (!this.agreed) return
    const shown = panesOf(this.panes.observe())
    const { panes, tabs } = knownOf(layout)
    const { known } = this.agreed
    this.agreed.known = {
      panes: [...new Set([...known.panes, ...panes.filter((id) => shown.some((pane) => pane.id === id))])],
      tabs: [
        ...known.tabs,
        ...tabs.filter((tab) => !isKnown(known.tabs, tab) && shown.some((pane) => isIn(pane, tab))),
      ],
    }
  }

  /** Files that are not open any more. What is wanted to be seen is told before the layout that has it. */
  private forgetClosed(layout: Layout): void {
    const open = filesIn(layout)
    for (const path of this.reveals.keys()) if (!open.has(path)) this.reveals.delete(path)
  }

  /** What the person wants to be offered, or to find when they look for it, stays behind what is in front. */
  private mayCover(group: IEditorGroup, { type, contentId }: TabKey): boolean {
    if (type !== 'editor') return true
    const isOwnInFront = group.activeEditor !== null && !this.panes.keyOf(group.activeEditor)
    const reveal = this.reveals.get(contentId)
    const isWanted = reveal?.isDue ?? false
    if (reveal) reveal.isDue = false
    if (!isOwnInFront && !isWanted) return true
    return (reveal?.mode ?? this.revealMode()) === 'auto-focus'
  }

  private picture(tabs = { untold: true }, layout = this.agreed?.layout ?? this.latest()): Picture {
    const seen = this.panes.observe(tabs)
    const shape = this.narrow.isNarrow ? sizedLike(seen, editorArea(layout)) : seen
    const { width, height } = this.panes.groups.mainPart.contentDimension
    const panelHeight = this.panelHeight()
    const whole = height + panelHeight
    return {
      shape,
      active: this.panes.active(shape),
      panel: this.terminals.panel(),
      panelShare: height === 0 || this.narrow.isNarrow ? 0 : panelHeight / whole,
      frame: {
        width,
        height: whole,
        ownGroups: this.panes.groupsInOrder().length - panesOf(shape).length,
        least: this.panes.leastWidths().join(),
      },
    }
  }

  private panelHeight(): number {
    return this.parts.isVisible(Parts.PANEL_PART, window) ? this.parts.getSize(Parts.PANEL_PART).height : 0
  }

  /** Give the panel the share that somebody gave it. */
  private sizePanel(share: number, before: number | undefined, isOpened: boolean): void {
    if (!this.parts.isVisible(Parts.PANEL_PART, window) || (!isOpened && share === before)) return
    const whole = this.panes.groups.mainPart.contentDimension.height + this.panelHeight()
    const { width } = this.parts.getSize(Parts.PANEL_PART)
    this.parts.setSize(Parts.PANEL_PART, { width, height: Math.round(whole * share) })
  }

  private focusFirst(layout: Layout): void {
    const before = this.kept.before?.active ?? undefined
    const group = (before && this.panes.groupOf(before)) ?? this.panes.groupOf(layout.main.active)
    if (group) this.panes.groups.mainPart.activateGroup(group)
  }
}

const isKnown = (tabs: KnownTab[], tab: KnownTab): boolean =>
  tabs.some((other) => sameTab(tab, other) && tab.paneId === other.paneId)

const isIn = ({ id, tabs }: PaneShape, tab: KnownTab): boolean =>
  id === tab.paneId && tabs.some((other) => sameTab(tab, other))

function isSameFrame({ frame: a }: Picture, { frame: b }: Picture): boolean {
  // The border between editors and panel takes a pixel.
  const isSameRoom = a.width === b.width && Math.abs(a.height - b.height) < 2
  return isSameRoom && a.ownGroups === b.ownGroups && a.least === b.least
}

function isPanelDragged({ panelShare: now }: Picture, { panelShare: before }: Picture): boolean {
  return now > 0 && before > 0 && Math.abs(now - before) > SIZE_TOLERANCE
}
