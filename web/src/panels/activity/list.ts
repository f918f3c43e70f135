// The activity list: what happened in the space, by whom, with what result, newest first.
//
// Plain DOM. One row has the tab stop; the arrow keys, Home and End move it; Enter opens the row's
// first file, and the right arrow goes to the others. It draws what it is given and asks nobody for
// anything; nothing is announced by itself, because agents do much.
import { strings } from '../../strings'
import { duration, everything, fits, sentence, type ActivityEntry, type ActivityFilter } from './entry'

/** Rows that are kept; older ones are in the log. */
export const MOST_ROWS = 1_000
/** Files of one row that can be opened from it. */
const MOST_PATHS = 5

const words = strings.activity

export interface ActivityOptions {
  openFile(path: string): void
  loadOlder(): void
}

export class ActivityList {
  readonly element = document.createElement('div')
  private readonly rows = document.createElement('ol')
  private readonly note = document.createElement('p')
  private readonly older = document.createElement('button')
  private readonly word = document.createElement('input')
  private entries: ActivityEntry[] = []
  private hasOlder = false
  private state: 'loading' | 'loaded' | 'failed' = 'loading'
  private filter: ActivityFilter = everything
  private current: string | undefined

  constructor(private readonly options: ActivityOptions) {
    this.element.className = 'openspace-activity'
    this.rows.setAttribute('aria-label', words.title)
    this.rows.addEventListener('keydown', (event) => this.press(event))
    this.rows.addEventListener('focusin', (event) => this.stopAt((event.target as HTMLElement).closest('li')))
    this.note.className = 'openspace-activity-note'
    this.note.setAttribute('role', 'status')
    this.older.className = 'openspace-activity-older'
    this.older.onclick = () => this.options.loadOlder()
    this.element.append(this.filters(), this.rows, this.note, this.older)
    this.draw()
  }

  /** Take the keyboard: to the row that had it last, or to the filter. */
  focus(): void {
    ;(this.rowOf(this.current) ?? this.word).focus()
  }

  /** Something happened just now. What is known already is not told twice. */
  add(entry: ActivityEntry): void {
    if (this.entries.some(({ key }) => key === entry.key)) return
    this.entries.unshift(entry)
    const [dropped] = this.entries.splice(MOST_ROWS)
    if (dropped) this.drop(dropped.key)
    if (fits(entry, this.filter)) this.rows.prepend(this.row(entry))
    if (!this.rows.contains(document.activeElement)) this.stopAt(this.rows.querySelector('li'))
    this.explain()
  }

  /** The newest of what happened, newest first, in place of what was there. */
  replace(entries: ActivityEntry[], hasOlder: boolean): void {
    this.entries = []
    this.append(entries, hasOlder)
  }

  /** What happened before all that is there, newest first. */
  append(entries: ActivityEntry[], hasOlder: boolean): void {
    const all = new Map([...this.entries, ...entries].map((entry) => [entry.key, entry]))
    this.entries = [...all.values()].slice(0, MOST_ROWS)
    this.hasOlder = hasOlder
    this.state = 'loaded'
    this.draw()
  }

  /** The log could not be asked; the button asks again. */
  fail(): void {
    this.state = 'failed'
    this.hasOlder = true
    this.explain()
  }

  private filters(): HTMLElement {
    const bar = document.createElement('div')
    bar.className = 'openspace-activity-filters'
    bar.setAttribute('role', 'search')
    this.word.type = 'search'
    this.word.placeholder = words.filter
    this.word.setAttribute('aria-label', words.filter)
    this.word.oninput = () => this.refilter({ text: this.word.value })
    const kind = document.createElement('select')
    kind.setAttribute('aria-label', words.who)
    for (const [value, label] of Object.entries(words.kinds)) kind.add(new Option(label, value))
    kind.onchange = () => this.refilter({ kind: kind.value as ActivityFilter['kind'] })
    const label = document.createElement('label')
    const failures = document.createElement('input')
    failures.type = 'checkbox'
    failures.onchange = () => this.refilter({ onlyFailures: failures.checked })
    label.append(failures, words.onlyFailures)
    bar.append(this.word, kind, label)
    return bar
  }

  private refilter(change: Partial<ActivityFilter>): void {
    this.filter = { ...this.filter, ...change }
    this.draw()
  }

  private draw(): void {
    const hadFocus = this.rows.contains(document.activeElement)
    const shown = this.entries.filter((entry) => fits(entry, this.filter))
    if (!shown.some(({ key }) => key === this.current)) this.current = shown[0]?.key
    this.rows.replaceChildren(...shown.map((entry) => this.row(entry)))
    this.explain()
    if (hadFocus) this.rowOf(this.current)?.focus()
  }

  /** Say why there are no rows, or no older ones. */
  private explain(): void {
    const isFull = this.entries.length >= MOST_ROWS
    this.older.hidden = !this.hasOlder || isFull
    this.older.textContent = this.state === 'failed' ? words.again : words.older
    const isEmpty = this.rows.childElementCount === 0
    this.note.textContent =
      this.state === 'loading' ? words.loading
      : this.state === 'failed' ? words.notLoaded
      : isEmpty && this.entries.length === 0 ? words.nothingYet
      : isEmpty ? words.nothingFits
      : this.hasOlder && isFull ? words.inLog
      : ''
    this.note.hidden = this.note.textContent === ''
  }

  private row(entry: ActivityEntry): HTMLElement {
    const row = document.createElement('li')
    row.dataset.key = entry.key
    row.tabIndex = entry.key === this.current ? 0 : -1
    row.setAttribute('aria-label', sentence(entry))
    row.classList.toggle('failed', entry.outcome !== 'done')
    const time = new Date(entry.at)
    row.append(
      part('time', time.toLocaleTimeString(), time.toLocaleString()),
      part(`who ${entry.kind}`, entry.who, words.kinds[entry.kind]),
      part('what', entry.summary || entry.command, entry.command),
      part('result', words.outcome(entry.outcome), entry.error ?? ''),
      part('duration', duration(entry.micros)),
    )
    if (entry.letIn) row.append(part('let-in', entry.letIn, words.letIn(entry.letIn)))
    for (const path of entry.paths.slice(0, MOST_PATHS)) row.append(this.link(path))
    const left = entry.paths.slice(MOST_PATHS)
    if (left.length > 0) row.append(part('more', words.morePaths(left.length), left.join('\n')))
    if (entry.error) row.append(part('error', entry.error))
    return row
  }

  private link(path: string): HTMLElement {
    const link = document.createElement('button')
    link.className = 'path'
    link.textContent = path
    link.setAttribute('aria-label', words.open(path))
    link.tabIndex = -1
    link.onclick = () => this.options.openFile(path)
    return link
  }

  private press(event: KeyboardEvent): void {
    const target = event.target as HTMLElement
    const row = target.closest('li')
    if (!row || event.ctrlKey || event.altKey || event.metaKey) return
    if (event.key === 'Enter') {
      // A file that has the focus opens by itself.
      if (target !== row) return
      row.querySelector<HTMLElement>('.path')?.click()
    } else {
      const next = neighbour(event.key, row, target)
      if (next === undefined) return
      next?.focus()
    }
    event.preventDefault()
    event.stopPropagation()
  }

  /** Give a row the tab stop. */
  private stopAt(row: HTMLElement | null): void {
    const before = this.rowOf(this.current)
    if (before) before.tabIndex = -1
    this.current = row?.dataset.key
    if (row) row.tabIndex = 0
  }

  private drop(key: string): void {
    const row = this.rowOf(key)
    if (row?.contains(document.activeElement)) (row.previousElementSibling as HTMLElement | null)?.focus()
    row?.remove()
  }

  private rowOf(key: string | undefined): HTMLElement | undefined {
    return [...this.rows.querySelectorAll('li')].find(({ dataset }) => dataset.key === key)
  }
}

/** Where a key leads from here; `null` is nowhere, and `undefined` means that it is no such key. */
function neighbour(key: string, row: HTMLElement, target: HTMLElement): HTMLElement | null | undefined {
  const files = [row, ...row.querySelectorAll<HTMLElement>('.path')]
  switch (key) {
    case 'ArrowDown':
      return row.nextElementSibling as HTMLElement | null
    case 'ArrowUp':
      return row.previousElementSibling as HTMLElement | null
    case 'Home':
      return row.parentElement?.firstElementChild as HTMLElement | null
    case 'End':
      return row.parentElement?.lastElementChild as HTMLElement | null
    case 'ArrowRight':
      return files[files.indexOf(target) + 1] ?? null
    case 'ArrowLeft':
      return files[files.indexOf(target) - 1] ?? null
    default:
      return undefined
  }
}

function part(name: string, text: string, title = ''): HTMLElement {
  const element = document.createElement('span')
  element.className = name
  element.textContent = text
  if (title) element.title = title
  return element
}
