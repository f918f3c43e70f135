// Leads a person to what an agent shows, and back again.
//
// The keyboard is never taken: where the person is typing nothing else comes to the front. What an agent
// shows goes to a pane beside it, and is only offered where there is none. A person who follows an agent
// has asked to be taken along. A wish that is outdated by the time the page has the
// layout is let go: a tab that was closed meanwhile is not opened again, and of several files that would
// come to the front of one group only the last one does.
import { getService, IEditorService, type IEditorGroup, type IEditorPane } from '@codingame/monaco-vscode-api'
import type { editor as monacoEditor } from 'monaco-editor'
import { isInFront, isOpen, tabOf } from '../../protocol/layout'
import type { Space } from '../../protocol/space'
import type { Reveal, RevealMode } from '../../protocol/state'
import { strings } from '../../strings'
import { IN_BACKGROUND, type Arrangement } from '../core/panes'
import { isTypedIn } from '../core/typing'
import { isCodeEditor } from '../core/upstream'
import { pathOf, uriOf } from '../core/uris'
import { Chip } from './chip'
import { rangeOf } from './highlights'

/** Views that can be gone back to. */
const MOST_LEFT = 50
/** Wishes that wait for the layout; the oldest are outdated when there are more. */
const MOST_WAITING = 100

/** A file, and the pane or group where it is meant, if it is in several. */
interface Place {
  path: string
  pane?: string | null
  group?: number
}

/** What the person saw before something else was shown. */
interface LeftView {
  path: string
  group: number
  view: monacoEditor.ICodeEditorViewState | null
}

export class Revealer {
  private readonly left: LeftView[] = []
  /** What the layout brought to the front of a group, after the view before it was noted. */
  private readonly arrived = new Map<number, string>()
  private readonly chip: Chip
  private isFollowing = false
  /** The layout that has it in front is told next. */
  private announced: Reveal | undefined
  /** By path, the newest last. */
  private readonly waiting = new Map<string, Reveal>()
  /** Files that nobody had open when an agent wanted them to be seen. */
  private readonly fresh = new Set<string>()
  private isLeading = false

  private constructor(
    private readonly space: Space,
    private readonly layout: Arrangement,
    private readonly editors: IEditorService,
    private readonly mode: () => RevealMode,
    container: HTMLElement,
  ) {
    this.chip = new Chip(container)
  }

  static async start(
    space: Space, layout: Arrangement, mode: () => RevealMode, container: HTMLElement,
  ): Promise<Revealer> {
    const revealer = new Revealer(space, layout, await getService(IEditorService), mode, container)
    space.on('reveal', ({ target }) => {
      if (!isOpen(space.part('layout'), target.path)) revealer.fresh.add(target.path)
      if (isInFront(space.part('layout'), target.path, target.pane)) void revealer.hear(target)
      else revealer.announced = target
    })
    // The layout itself heard of it before, so that what waits for it waits for this change.
    space.onPart('layout', () => {
      const { announced } = revealer
      revealer.announced = undefined
      if (announced) void revealer.hear(announced)
    })
    layout.onReplacing.on(({ group, tab }) => {
      revealer.remember(group)
      revealer.arrived.set(group.id, tab.contentId)
    })
    return revealer
  }

  /** Go wherever agents go, or no more; which of both it is now. */
  toggleFollowing(): boolean {
    this.isFollowing = !this.isFollowing
    return this.isFollowing
  }

  /** Take what is offered, as with a click on it. */
  async accept(): Promise<void> {
    await this.chip.accept()
  }

  /** Go back to where the person was before something was shown; what is gone by now is passed over. */
  async jumpBack(): Promise<boolean> {
    const { back, group } = this.lastLeft()
    if (!back || !group) return false
    const pane = await this.editors.openEditor({ resource: uriOf(back.path), options: { pinned: true } }, group)
    const control = pane?.getControl()
    if (isCodeEditor(control) && back.view) control.restoreViewState(back.view)
    return true
  }

  /** The last view whose tab is still there and still has its file. */
  private lastLeft(): { back?: LeftView; group?: IEditorGroup } {
    for (let back = this.left.pop(); back; back = this.left.pop()) {
      const group = this.editorGroup(back)
      if (group && tabOf(this.space.part('layout'), back.path)?.missing === false) return { back, group }
    }
    return {}
  }

  private async hear(reveal: Reveal): Promise<void> {
    this.waiting.delete(reveal.path)
    this.waiting.set(reveal.path, reveal)
    for (const path of [...this.waiting.keys()].slice(0, -MOST_WAITING)) this.waiting.delete(path)
    if (this.isLeading) return
    this.isLeading = true
    try {
      while (this.waiting.size > 0) {
        await this.layout.whenInStep()
        for (const current of this.takeNewest()) await this.lead(current)
      }
      this.fresh.clear()
    } finally {
      this.isLeading = false
    }
  }

  /** The last wish of each group. */
  private takeNewest(): Reveal[] {
    const newest = new Map<number, Reveal>()
    for (const reveal of this.waiting.values()) {
      const group = this.editorGroup(reveal)
      if (group) newest.set(group.id, reveal)
    }
    this.waiting.clear()
    return [...newest.values()]
  }

  private async lead(reveal: Reveal): Promise<void> {
    const { path, range, mode, by } = reveal
    const group = this.editorGroup(reveal)
    if (!group) return
    const wanted = mode ?? this.mode()
    const isInSight = this.layout.isInSight(group)
    // An agent may call over MCP, HTTP or the command line; the person who follows means all but themselves.
    if (this.isFollowing && by.kind !== 'person') {
      await this.show(reveal, false)
    } else if (by.kind === 'person' || (wanted === 'auto-focus' && isInSight && !this.isTyping(reveal))) {
      await this.show(reveal, true)
    } else if (wanted === 'auto-focus' && (await this.bringBeside(reveal))) {
      this.chip.hide()
    } else if (wanted !== 'disabled') {
      this.chip.offer(strings.reveal.offer(by.id, path, range?.startLine), () => this.show(reveal, false))
    }
  }

  /** Whether showing a file would move the text under the person's hands. */
  private isTyping(place: Place): boolean {
    const group = this.editorGroup(place)
    return group !== undefined && isTypedIn(group)
  }

  /**
   * Let a file that would stand behind what the person types in stand in the next pane instead: moved there
   * when it just came, shown once more when it was theirs. Whether there is such a pane.
   */
  private async bringBeside(reveal: Reveal): Promise<boolean> {
    const group = this.editorGroup(reveal)
    const neighbour = group && this.layout.neighbourOf(group)
    const editor = group?.editors.find(({ resource }) => pathOf(resource) === reveal.path)
    if (!neighbour || !editor || group.activeEditor === editor) return false
    await this.show(reveal, true, neighbour)
    if (this.fresh.has(reveal.path)) await group.closeEditor(editor, { preserveFocus: true })
    return true
  }

  /** The group of the pane that was named, where it has the file, else one that has it. */
  private editorGroup({ path, pane = null, group }: Place): IEditorGroup | undefined {
    const hasIt = ({ editors }: IEditorGroup) => editors.some((editor) => pathOf(editor.resource) === path)
    const groups = this.layout.groupsInOrder().filter(hasIt)
    const named = pane === null ? groups.find(({ id }) => id === group) : this.layout.groupOf(pane)
    return named && hasIt(named) ? named : groups[0]
  }

  private async show(reveal: Reveal, preserveFocus: boolean, group = this.editorGroup(reveal)): Promise<void> {
    const { path, range } = reveal
    // Who is taken along leaves the place where they are; who is not may find their text scrolled.
    const left = preserveFocus ? group : this.layout.groups.mainPart.activeGroup
    if (left && this.arrived.get(left.id) !== path) this.remember(left)
    this.arrived.clear()
    const control = (await this.bring(path, group, preserveFocus))?.getControl()
    if (!range || !isCodeEditor(control)) return
    control.revealRangeInCenterIfOutsideViewport(rangeOf(range))
    if (!preserveFocus) control.setPosition({ lineNumber: range.startLine, column: range.startColumn ?? 1 })
  }

  /** The layout has brought most of what is shown already. */
  private async bring(
    path: string, group: IEditorGroup | undefined, preserveFocus: boolean,
  ): Promise<IEditorPane | undefined> {
    const shown = group?.activeEditorPane
    if (preserveFocus && shown && pathOf(shown.input?.resource) === path) return shown
    const options = preserveFocus ? IN_BACKGROUND : { pinned: true }
    return this.editors.openEditor({ resource: uriOf(path), options }, group)
  }

  /** Note what the group shows before something else is shown there. */
  private remember(group: IEditorGroup): void {
    const pane = group.activeEditorPane
    const path = pathOf(pane?.input?.resource)
    if (!pane || path === undefined) return
    const control = pane.getControl()
    const view = isCodeEditor(control) ? control.saveViewState() : null
    this.left.push({ path, group: group.id, view })
    if (this.left.length > MOST_LEFT) this.left.shift()
  }
}
