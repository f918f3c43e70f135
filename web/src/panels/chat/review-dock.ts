// What the open session changed in files, and how much of it a person has not reviewed: a line that unfolds to the
// files, each with a way into its changes.
import { toReview, type Missed, type Review, type ReviewCounts } from '../../protocol/chat-review'
import { strings } from '../../strings'
import { button, icon, iconButton, KeyedList, made, setText, type View } from './dom'

const words = strings.chat.review

export interface ReviewHelp {
  /** Show the changes of a file, or the next ones that nobody has reviewed. */
  review(path?: string): void
  acceptFile(path: string | undefined): void
  undoFile(path: string): void
  /** Show a file as it is. */
  openFile(path: string): void
}

interface FileRow {
  path: string
  counts: ReviewCounts
}

export class ReviewDock {
  readonly element = made('details', '', 'dock review')
  private readonly head = made('summary')
  private readonly title = made('span', '', 'said-of')
  private readonly files: KeyedList<FileRow, FileView>
  private readonly missed = made('ul', '', 'missed')
  private readonly acceptAll: HTMLButtonElement
  private readonly next: HTMLButtonElement
  private shown: Review | undefined

  constructor(private readonly help: ReviewHelp) {
    const list = made('ul', '', 'files')
    this.files = new KeyedList(list, ({ path }) => path, ({ path }) => new FileView(path, help), (view, row) =>
      view.show(row))
    this.next = button(words.start, () => help.review(), 'primary')
    this.acceptAll = button(words.acceptAll, () => help.acceptFile(undefined), 'secondary')
    const row = made('div', '', 'row')
    row.append(this.next, this.acceptAll)
    this.head.append(icon('diff-multiple'), this.title)
    this.element.append(this.head, list, this.missed, row)
    this.element.hidden = true
  }

  show(review: Review | undefined): void {
    if (review === this.shown) return
    this.shown = review
    const files = Object.entries(review?.files ?? {}).map(([path, counts]) => ({ path, counts }))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    const missed = Object.entries(review?.missed ?? {})
    this.element.hidden = files.length + missed.length === 0
    const open = review ? toReview(review) : 0
    setText(this.title, words.title(files.length, open, missed.length))
    this.files.show(files)
    this.missed.replaceChildren(...missed.map(([path, why]) => missedRow(path, why, this.help)))
    this.missed.hidden = missed.length === 0
    this.next.disabled = files.length === 0
    this.acceptAll.disabled = open === 0
  }
}

class FileView implements View {
  readonly element = made('li')
  private readonly counts = made('span', '', 'counts')
  private readonly state = made('span', '', 'note')
  private readonly accept: HTMLButtonElement
  private readonly undo: HTMLButtonElement

  constructor(path: string, help: ReviewHelp) {
    const open = button(path, () => help.review(path), 'link')
    open.title = words.show(path)
    this.accept = iconButton('check', words.acceptFile(path), () => help.acceptFile(path))
    this.undo = iconButton('discard', words.undoFile(path), () => help.undoFile(path))
    this.element.append(open, this.counts, this.state, this.accept, this.undo)
  }

  show({ counts: { hunks, reviewed, added, removed } }: FileRow): void {
    setText(this.counts, `+${added} −${removed}`)
    const open = Math.max(0, hunks - reviewed)
    setText(this.state, open === 0 ? words.reviewed : words.open(open))
    this.accept.disabled = open === 0
    this.undo.disabled = open === 0
  }
}

function missedRow(path: string, why: Missed, help: ReviewHelp): HTMLElement {
  const row = made('li', '', 'note')
  const open = button(path, () => help.openFile(path), 'link')
  open.title = words.openFile(path)
  row.append(open, made('span', words.missed[why]))
  return row
}
