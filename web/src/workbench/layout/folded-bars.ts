// In a narrow window the side bars are folded. One that the person opens has the whole width until they open a
// file from it or fold it again; then it is as it was when the window is wide again.
//
// What the server keeps of the UI is not touched meanwhile (`core/storage.ts`): it is for wide windows too.
import {
  getService, IEditorService, IPaneCompositePartService, IStorageService, IWorkbenchLayoutService, StorageScope,
} from '@codingame/monaco-vscode-api'
import { Parts } from '@codingame/monaco-vscode-workbench-service-override'
import { atOpening } from '../../protocol/user-data'
import { IN_FRONT } from '../core/rest'
import { keepBars } from '../core/storage'
import { cachedSizeOf, isHorizontal, saveStateNow, wrapLeastWidth } from '../core/upstream'
import { keepingFocus } from './focus'
import type { NarrowWindow } from './narrow-window'

type Bar = Parts.SIDEBAR_PART | Parts.AUXILIARYBAR_PART | Parts.PANEL_PART

/** How a bar was while the window was wide. */
interface Before {
  bar: Bar
  isShown: boolean
  size: number
  /** The view in front. */
  view: string | undefined
}

/** What the server keeps of the width of each. */
const KEPT: Record<Bar, string> = {
  [Parts.SIDEBAR_PART]: 'workbench.sideBar.size',
  [Parts.AUXILIARYBAR_PART]: 'workbench.auxiliaryBar.size',
  [Parts.PANEL_PART]: 'workbench.panel.size',
}

/** What the workbench gives each of them when nothing is kept. */
const FIRST_SIZE = 300

const ALL = Object.keys(KEPT) as Bar[]

const FRONTS = new Map<string, (typeof IN_FRONT)[number]>(IN_FRONT.map((front) => [front.part, front]))

/** Where the workbench has the view in front of a bar. */
function frontOf(bar: Bar): (typeof IN_FRONT)[number] {
  const front = FRONTS.get(bar)
  if (!front) throw new Error(`${bar} shows no views`)
  return front
}

export class FoldedBars {
  private before: Before[] = []

  private constructor(
    private readonly parts: IWorkbenchLayoutService,
    private readonly storage: IStorageService,
    private readonly views: IPaneCompositePartService,
    private readonly narrow: NarrowWindow,
  ) {}

  static async start(narrow: NarrowWindow, isOthers: () => boolean): Promise<FoldedBars> {
    const [parts, editors, storage, views, { workspace }] = await Promise.all([
      getService(IWorkbenchLayoutService), getService(IEditorService), getService(IStorageService),
      getService(IPaneCompositePartService), atOpening().ui,
    ])
    const bars = new FoldedBars(parts, storage, views, narrow)
    bars.letOthersVanish()
    // A page that starts narrow never had the sizes of a wide one, and views that are loaded later not at all.
    if (narrow.beganNarrow) {
      const size = (bar: Bar) => storage.getNumber(KEPT[bar], StorageScope.PROFILE, FIRST_SIZE)
      bars.fold(size, (bar) => workspace?.[frontOf(bar).key])
      if (!narrow.isNarrow) bars.unfold()
    }
    narrow.onNarrow.on(() => {
      // The workbench writes its state now and then. What it has not written yet would go with the page.
      saveStateNow(storage)
      bars.fold((bar) => bars.sizeOf(bar), (bar) => bars.viewIn(bar))
    })
    narrow.onWide.on(() => bars.unfold())
    parts.onDidChangePartVisibility(({ partId, visible }) => {
      // The workbench is in the middle of showing it.
      queueMicrotask(() => (visible ? bars.give(partId as Bar) : undefined))
    })
    parts.onDidLayoutMainContainer(() => bars.fit())
    editors.onWillOpenEditor(() => {
      if (narrow.isNarrow && !isOthers()) bars.hideAll()
    })
    return bars
  }

  /** Whether a bar has all of the width. */
  get isCovering(): boolean {
    return this.narrow.isNarrow && this.aside().some((bar) => this.isShown(bar))
  }

  /** The bars that stand beside the editors: the panel does where the person moved it there. */
  private aside(): Bar[] {
    const isBeside = !isHorizontal(this.parts.getPanelPosition())
    return ALL.filter((bar) => bar !== Parts.PANEL_PART || isBeside)
  }

  private isShown(bar: Bar): boolean {
    return this.parts.isVisible(bar, window)
  }

  private sizeOf(bar: Bar): number {
    const { width, height } = this.parts.getSize(bar)
    const size = this.aside().includes(bar) ? width : height
    return this.isShown(bar) ? size : (cachedSizeOf(this.parts, bar) ?? size)
  }

  private setSize(bar: Bar, size: number): void {
    const now = this.parts.getSize(bar)
    this.parts.setSize(bar, this.aside().includes(bar) ? { ...now, width: size } : { ...now, height: size })
  }

  private viewIn(bar: Bar): string | undefined {
    return this.views.getActivePaneComposite(frontOf(bar).location)?.getId()
  }

  private fold(size: (bar: Bar) => number, view: (bar: Bar) => string | undefined): void {
    this.before = ALL.map((bar) => ({ bar, isShown: this.isShown(bar), size: size(bar), view: view(bar) }))
    keepBars('nothing')
    this.hideAll()
  }

  private hideAll(except?: Bar): void {
    const open = this.aside().filter((bar) => bar !== except && this.isShown(bar))
    const hide = () => open.forEach((bar) => this.parts.setPartHidden(true, bar))
    // The keyboard of a bar that goes is for what is seen then.
    if (open.some((bar) => this.parts.hasFocus(bar))) hide()
    else if (open.length > 0) keepingFocus(hide)
  }

  private unfold(): void {
    this.parts.layout()
    keepingFocus(() => {
      for (const { bar, isShown, size } of this.before) {
        // A panel beneath the editors was not folded: while it is hidden, nothing made its size another.
        const isOther = (isShown || this.aside().includes(bar)) && this.sizeOf(bar) !== size
        // One that is hidden cannot be given a size.
        if ((isShown || isOther) && !this.isShown(bar)) this.parts.setPartHidden(false, bar)
        if (isOther) this.setSize(bar, size)
        if (!isShown && this.isShown(bar)) this.parts.setPartHidden(true, bar)
      }
    })
    // What the workbench shows now takes the place of what it showed on the phone, before anything else happens: the
    // page may be gone in a moment.
    saveStateNow(this.storage)
    keepBars('sizes')
    const views = this.before.flatMap(({ bar, isShown, view }) =>
      isShown && view !== undefined && this.viewIn(bar) !== view
        ? [this.views.openPaneComposite(view, frontOf(bar).location, false)] : [])
    void Promise.all(views).then(() => {
      if (this.narrow.isNarrow) return
      saveStateNow(this.storage)
      keepBars('all')
    })
  }

  /** The whole width for what was just opened. */
  private give(bar: Bar): void {
    if (!this.narrow.isNarrow || !this.aside().includes(bar)) return
    this.hideAll(bar)
    this.fit()
  }

  private fit(): void {
    if (!this.narrow.isNarrow) return
    const open = this.aside().find((bar) => this.isShown(bar))
    if (!open) return
    const activity = Parts.ACTIVITYBAR_PART
    const taken = this.parts.isVisible(activity, window) ? this.parts.getSize(activity).width : 0
    const width = this.parts.mainContainerDimension.width - taken
    if (this.parts.getSize(open).width !== width) this.setSize(open, width)
  }

  /** Editors and the panel keep a least width beside a side bar. Here the side bar is instead of them. */
  private letOthersVanish(): void {
    const { parts } = this
    wrapLeastWidth(parts, Parts.PANEL_PART, (least) => (this.isCovering ? 0 : least))
    const room = parts.getMaximumEditorDimensions.bind(parts)
    parts.getMaximumEditorDimensions = (container) =>
      this.isCovering ? { ...room(container), width: 0 } : room(container)
  }
}
