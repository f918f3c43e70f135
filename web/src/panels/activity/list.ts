// The activity list: what happened in the space, by whom, with what result, newest first.
//
// Plain DOM. One row has the tab stop; the arrow keys, Home and End move it; Enter opens the row's
// first file. It draws what it is given and asks nobody for anything.
import { strings } from '../../strings'
import { duration, everything, fits, type ActivityEntry, type ActivityFilter } from './entry'

/** Rows that are kept; older ones are in the log. */
export const MOST_ROWS = 500

const words = strings.activity

export interface ActivityOptions {
  openFile(path: string): void
  loadOlder(): void
}

export class ActivityList {
  readonly element = document.createElement('div')
  private readonly rows = document.createElement('ol')
  private readonly empty = document.createElement('p')
  private readonly older = document.createElement('button')
  private entries: ActivityEntry[] = []
  private filter: ActivityFilter = everything
  private current: string | undefined

  constructor(private readonly options: ActivityOptions) {
    this.element.className = 'openspace-activity'
    this.rows.setAttribute('aria-label', words.title)
    this.rows.addEventListener('keydown', (event) => this.move(event))
    this.empty.className = 'openspace-activity-empty'
    this.older.className = 'openspace-activity-older'
    this.older.textContent = words.older
    this.older.onclick = () => this.options.loadOlder()
    this.element.append(this.filters(), this.empty, this.rows, this.older)
    this.draw()
  }

  /** New things go on top. */
  add(entry: ActivityEntry): void {
    this.entries = [entry, ...this.entries].slice(0, MOST_ROWS)
    this.draw()
  }

  /** What happened before, newest first; replaces what was there. */
  set(entries: ActivityEntry[], hasOlder: boolean): void {
    this.entries = entries.slice(0, MOST_ROWS)
    this.older.hidden = !hasOlder || this.entries.length >= MOST_ROWS
    this.draw()
  }

  get oldest(): ActivityEntry | undefined {
    return this.entries.at(-1)
  }

  get all(): readonly ActivityEntry[] {
    return this.entries
  }

  private filters(): HTMLElement {
    const bar = document.createElement('div')
    bar.className = 'openspace-activity-filters'
    bar.setAttribute('role', 'search')
    const text = document.createElement('input')
    text.type = 'search'
    text.placeholder = words.filter
    text.setAttribute('aria-label', words.filter)
    text.oninput = () => this.refilter({ text: text.value })
    const kind = document.createElement('select')
    kind.setAttribute('aria-label', words.who)
    for (const [value, label] of Object.entries(words.kinds)) {
      const option = document.createElement('option')
      option.value = value
      option.textContent = label
      kind.append(option)
    }
    kind.onchange = () => this.refilter({ kind: kind.value as ActivityFilter['kind'] })
    const label = document.createElement('label')
    const failures = document.createElement('input')
    failures.type = 'checkbox'
    failures.onchange = () => this.refilter({ onlyFailures: failures.checked })
    label.append(failures, words.onlyFailures)
    bar.append(text, kind, label)
    return bar
  }

  private refilter(change: Partial<ActivityFilter>): void {
    this.filter = { ...this.filter, ...change }
    this.draw()
  }

  private draw(): void {
    const shown = this.entries.filter((entry) => fits(entry, this.filter))
    const hadFocus = this.rows.contains(document.activeElement)
    if (!shown.some(({ key }) => key === this.current)) this.current = shown[0]?.key
    this.rows.replaceChildren(...shown.map((entry) => this.row(entry)))
    this.empty.hidden = shown.length > 0
    this.empty.textContent = this.entries.length === 0 ? words.nothingYet : words.nothingFits
    if (hadFocus) this.focusCurrent()
  }

  private row(entry: ActivityEntry): HTMLElement {
    const row = document.createElement('li')
    row.dataset.key = entry.key
    row.tabIndex = entry.key === this.current ? 0 : -1
    row.className = entry.outcome === 'done' ? '' : 'failed'
    const time = new Date(entry.at)
    const result = entry.outcome === 'done' ? words.done : entry.outcome
    row.append(
      part('time', time.toLocaleTimeString(), time.toLocaleString()),
      part(`who ${entry.kind}`, entry.who, words.kinds[entry.kind]),
      part('what', entry.summary || entry.command, entry.command),
      part('result', result, entry.error ?? ''),
      part('duration', duration(entry.micros)),
    )
    if (entry.error) row.append(part('error', entry.error))
    for (const path of entry.paths.slice(0, 5)) row.append(this.link(path))
    row.onfocus = () => {
      this.current = entry.key
      this.rows.querySelectorAll<HTMLElement>('li').forEach((other) => (other.tabIndex = other === row ? 0 : -1))
    }
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

  private move(event: KeyboardEvent): void {
    const rows = [...this.rows.querySelectorAll<HTMLElement>('li')]
    const index = rows.findIndex((row) => row.dataset.key === this.current)
    const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key]
    if (next !== undefined) {
      this.current = rows[Math.min(Math.max(next, 0), rows.length - 1)]?.dataset.key
      this.focusCurrent()
    } else if (event.key === 'Enter') {
      const path = this.entries.find(({ key }) => key === this.current)?.paths[0]
      if (path !== undefined) this.options.openFile(path)
    } else {
      return
    }
    event.preventDefault()
    event.stopPropagation()
  }

  private focusCurrent(): void {
    const row = [...this.rows.querySelectorAll<HTMLElement>('li')].find(({ dataset }) => dataset.key === this.current)
    row?.focus()
  }
}

function part(name: string, text: string, title = ''): HTMLElement {
  const element = document.createElement('span')
  element.className = name
  element.textContent = text
  if (title) element.title = title
  return element
}
