// What a question says: who wants to do what, where, and why somebody has to decide. Drawn once for each question.
//
// Nothing that an agent wrote can look like words of ours: it stands in boxes of its own, nothing in it is hidden, and
// its reason is called its own.
import type { Approval, ShownLine, ShownPart } from '../../protocol/approvals'
import { strings } from '../../strings'
import { drawn } from './visible'

const words = strings.approvals

export interface Body {
  elements: HTMLElement[]
  /** Tell anew how long it waits. */
  tick(now: number): void
}

export function bodyOf(approval: Approval): Body {
  const time = document.createElement('dd')
  const { line, reason, caller } = approval
  const said = reason === null ? [] : [drawn('p', words.reason(caller.id), 'label'), drawn('blockquote', reason)]
  // What decides most comes first: a small window shows no more than that at once.
  const label = made('p', line ? words.wantsLine : words.wants, 'label')
  const what = drawn('pre', line?.text ?? approval.summary, 'line')
  return {
    elements: [label, what, placeOf(approval), ...(line ? judgedOf(line) : []), ...said, restOf(approval, time)],
    tick: (now) => {
      const text = timeOf(approval, now)
      if (time.textContent !== text) time.textContent = text
    },
  }
}

/** How long it waits, or for how long an answer still counts. */
export function timeOf({ askedAt, waiting, until }: Approval, now: number): string {
  // The server's clock is another one.
  const ago = Math.max(0, now - askedAt)
  return waiting || until === null ? words.waits(ago) : words.left(ago, Math.max(0, until - now))
}

function judgedOf({ parts, doubts }: ShownLine): HTMLElement[] {
  const elements: HTMLElement[] = []
  if (parts.length > 0) elements.push(made('p', words.parts, 'label'), list('parts', parts.map(partOf)))
  if (doubts.length > 0) {
    elements.push(made('p', words.doubts, 'label'), list('doubts', doubts.map((doubt) => [drawn('span', doubt)])))
  }
  return elements
}

function partOf({ text, decision, rule, dangers }: ShownPart): HTMLElement[] {
  const verdict = made('span', words.decisions[decision] ?? decision, `verdict ${decision}`)
  const reasons = dangers.map((danger) => drawn('p', danger, 'danger'))
  return [drawn('code', text), verdict, drawn('span', words.byRule(rule), 'rule'), ...reasons]
}

/** Where it takes effect, and why somebody has to decide. */
function placeOf({ site, folder, theirs, why, rule }: Approval): HTMLElement {
  const facts = new Facts()
  facts.add(words.facts.where, made('dd', words.sites[site], `site ${site}`))
  if (folder !== null) facts.add(words.facts.folder, drawn('dd', folder, 'code'))
  if (theirs !== null) facts.add(words.facts.theirs, drawn('dd', theirs))
  facts.add(words.facts.why, drawn('dd', words.whyBy(why, rule)))
  return facts.element
}

function restOf({ command, line, reason, arguments: all }: Approval, time: HTMLElement): HTMLElement {
  const facts = new Facts()
  facts.add(words.facts.command, drawn('dd', command.replace(/^openspace\./, ''), 'code'))
  // What stands elsewhere already is not said twice.
  const shown = new Set([line?.text, reason])
  const rest = all.filter(({ value }) => !shown.has(value))
  const rows = rest.map(({ name, value }) => drawn('dd', words.argument(name, value), 'code argument'))
  if (rows.length > 0) facts.add(words.facts.arguments, ...rows)
  facts.add(words.facts.time, time)
  return facts.element
}

class Facts {
  readonly element = document.createElement('dl')

  add(name: string, ...values: HTMLElement[]): void {
    this.element.append(made('dt', name), ...values)
  }
}

function list(className: string, rows: HTMLElement[][]): HTMLElement {
  const element = document.createElement('ul')
  element.className = className
  element.append(...rows.map((row) => {
    const item = document.createElement('li')
    item.append(...row)
    return item
  }))
  return element
}

/** An element with words of ours. */
export function made<Name extends keyof HTMLElementTagNameMap>(
  name: Name, text = '', className = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  element.textContent = text
  if (className) element.className = className
  return element
}
