// The state of the workbench's UI (which views are open, what was searched), kept by the server.
import type { IStorageService } from '@codingame/monaco-vscode-api'
import { Emitter } from 'monaco-editor'
import { Listeners } from '../../protocol/listeners'
import { atOpening, isGoing, leaving, updateUiState, type UiScope } from '../../protocol/user-data'
import { saveStateNow, type IStorageDatabase, type IUpdateRequest } from './upstream'

/** What is put away until a person brings it back. */
export const hiddenAtFirst = {
  // Nobody signs in to a space.
  'workbench.activity.showAccounts': false,
  // The keyboard's layout would stand there as "Layout", which is a word for something else here.
  'workbench.statusbar.hidden': '["status.workbench.keyboardLayout"]',
}

/** How wide windows are divided, and the views there. What a narrow one makes of it waits until it is wide again. */
const SIZES_OF_WIDE_WINDOWS =
  /^workbench\.(sideBar|auxiliaryBar|panel)\.(size|hidden|wasLastMaximized|lastNonMaximized[A-Z][a-z]+)$/
const VIEWS_OF_WIDE_WINDOWS = /^workbench\.(sidebar\.activeviewletid|(panelpart|auxiliarybar)\.activepanelid)$/

/** `sizes`: they are those of a wide window again, and the views are not yet. */
type KeptOfBars = 'all' | 'sizes' | 'nothing'

let keptOfBars: KeptOfBars = 'all'

const onBarsKept = new Listeners<void>()
const onLeaving = new Listeners<void>()

/** What of side bars and panel is for the next start too, from now on. */
export function keepBars(kept: KeptOfBars): void {
  keptOfBars = kept
  onBarsKept.tell()
}

/** The page goes, perhaps: what the workbench has not written yet would go with it. */
export function saveBeforeLeaving(storage: IStorageService): void {
  leaving(true)
  saveStateNow(storage)
  onLeaving.tell()
}

/** Not every page is asked before it goes, and one in the background may never be heard of again. */
export function saveWhenHidden(storage: IStorageService): void {
  window.addEventListener('pagehide', () => saveBeforeLeaving(storage), { capture: true })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') saveBeforeLeaving(storage)
  })
}

/** What all three scopes held when the page was opened: one request for all. */
export class UiState {
  private readonly loaded = atOpening().ui

  constructor() {
    // Before the workbench hears of it, which then writes its last state.
    for (const going of ['beforeunload', 'pagehide']) {
      window.addEventListener(going, () => leaving(true), { capture: true })
    }
    // The person may stay, or come back to the page as it was.
    for (const back of ['pageshow', 'focus', 'pointerdown', 'keydown']) {
      window.addEventListener(back, () => leaving(false), { capture: true, passive: true })
    }
  }

  database(scope: UiScope): IStorageDatabase {
    return new ServerDatabase(scope, this.loaded.then((scopes) => scopes[scope] ?? {}))
  }
}

/** After a failure, which mostly is a server that is away or a disk that is full. */
const TRY_AGAIN_MS = 5_000

class ServerDatabase implements IStorageDatabase {
  // Two browsers each keep their own view of the UI until they are opened again.
  readonly onDidChangeItemsExternal = new Emitter<never>().event as IStorageDatabase['onDidChangeItemsExternal']

  /** What the server has not kept yet. When it could not, it hears of it again. */
  private readonly unsaved = new Map<string, string | undefined>()
  /** What a narrow window made of the bars: it must not take the place of what is unsaved of a wide one. */
  private readonly aside = new Map<string, string | undefined>()
  /** What is being told and outlives the page. */
  private readonly lastWords = new Map<string, string | undefined>()
  private telling: Promise<void> | undefined
  private again: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly scope: UiScope,
    private readonly first: Promise<Record<string, string>>,
  ) {
    onBarsKept.on(() => {
      const waiting = [...this.aside]
      this.aside.clear()
      for (const [name, value] of waiting) this.note(name, value)
      void this.save()
    })
    // What is being told without outliving the page is broken off with it.
    onLeaving.on(() => void this.save())
  }

  async getItems(): Promise<Map<string, string>> {
    return new Map(Object.entries(await this.first).map(([name, value]) => [name, withoutAddresses(name, value)]))
  }

  async updateItems({ insert, delete: removed }: IUpdateRequest): Promise<void> {
    for (const [name, value] of insert ?? []) this.note(name, withoutAddresses(name, value))
    for (const name of removed ?? []) this.note(name, undefined)
    await this.save()
  }

  private note(name: string, value: string | undefined): void {
    if (isKept(name)) this.unsaved.set(name, value)
    else this.aside.set(name, value)
  }

  private async save(): Promise<void> {
    // One after the other: of two at a time the older could be heard last. A page that goes cannot wait.
    while (this.telling && !isGoing()) await this.telling
    const telling = this.tell().finally(() => {
      if (this.telling === telling) this.telling = undefined
    })
    this.telling = telling
    await telling
  }

  private async tell(): Promise<void> {
    clearTimeout(this.again)
    const told = [...this.unsaved].filter(
      ([name, value]) => !this.lastWords.has(name) || this.lastWords.get(name) !== value)
    if (told.length === 0) return
    if (isGoing()) for (const [name, value] of told) this.lastWords.set(name, value)
    const set = Object.fromEntries(told.filter((item): item is [string, string] => item[1] !== undefined))
    const gone = told.flatMap(([name, value]) => (value === undefined ? [name] : []))
    try {
      await updateUiState(this.scope, set, gone)
      for (const [name, value] of told) if (this.unsaved.get(name) === value) this.unsaved.delete(name)
    } catch (error) {
      // The state of the UI is a convenience: a piece that comes late must not disturb the person's work.
      console.warn('the state of the UI was not saved', error)
      this.again = setTimeout(() => void this.save(), TRY_AGAIN_MS)
    } finally {
      for (const [name, value] of told) if (this.lastWords.get(name) === value) this.lastWords.delete(name)
    }
  }

  async optimize(): Promise<void> {}

  async close(): Promise<void> {}
}

const isKept = (name: string): boolean =>
  keptOfBars === 'all' ||
  !(VIEWS_OF_WIDE_WINDOWS.test(name) || (keptOfBars === 'nothing' && SIZES_OF_WIDE_WINDOWS.test(name)))

/** How views look until they are there, which may have an icon of this server. */
const PLACEHOLDERS = new Set([
  'workbench.panel.placeholderPanels', 'workbench.auxiliarybar.placeholderPanels',
  'workbench.activity.placeholderViewlets',
])
/** Which icons there are, with a sheet of styles that names fonts of this server. */
const ICON_THEMES = new Set(['iconThemeData', 'productIconThemeData'])

/**
 * The next start may be at another address, also that of a server beside this one: without its icon a view is shown by
 * its name until it is there, and icons of files have their room until the theme is read.
 */
function withoutAddresses(name: string, value: string): string {
  if (!PLACEHOLDERS.has(name) && !ICON_THEMES.has(name)) return value
  try {
    const kept: unknown = JSON.parse(value)
    return JSON.stringify(PLACEHOLDERS.has(name) ? withoutIcons(kept as View[]) : withoutStyles(kept as object))
  } catch {
    return value
  }
}

interface View {
  iconUrl?: { scheme?: string }
}

function withoutIcons(views: View[]): object[] {
  return views.map((view) => {
    const { iconUrl, ...rest } = view
    return iconUrl?.scheme?.startsWith('http') ? rest : view
  })
}

function withoutStyles(theme: object): object {
  return { ...theme, styleSheetContent: undefined }
}
