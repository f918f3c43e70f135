// What was done to a file, as lines. A change that is told as two texts is shown from its first to its last
// difference.
import { strings } from '../../strings'
import type { FileDiff } from '../../protocol/chat-words'
import { made } from './dom'

const words = strings.chat

export interface DiffLine {
  kind: 'same' | 'added' | 'deleted' | 'hunk'
  text: string
}

/** Lines of a change that are drawn; the editor shows the others. */
const MOST_LINES = 400
/** Lines around a change. */
const AROUND = 3

export function diffLines({ text }: FileDiff): DiffLine[] {
  switch (text.form) {
    case 'untold':
      return []
    case 'patch':
      return patchLines(text.patch.text)
    case 'texts':
      return textLines(text.before?.text ?? '', text.after.text)
  }
}

function patchLines(patch: string): DiffLine[] {
  const found: DiffLine[] = []
  let isInside = false
  for (const line of patch.split('\n')) {
    if (line.startsWith('@@')) {
      isInside = true
      found.push({ kind: 'hunk', text: line.replace(/^(@@[^@]*@@).*/, '$1') })
    } else if (!isInside || line.startsWith('\\')) continue
    else if (line.startsWith('+')) found.push({ kind: 'added', text: line.slice(1) })
    else if (line.startsWith('-')) found.push({ kind: 'deleted', text: line.slice(1) })
    else if (line.startsWith(' ')) found.push({ kind: 'same', text: line.slice(1) })
    else isInside = false
  }
  return found
}

function textLines(before: string, after: string): DiffLine[] {
  const isEnded = [before, after].every((text) => text === '' || text.endsWith('\n'))
  const linesOf = (text: string) => (text === '' ? [] : (isEnded ? text.slice(0, -1) : text).split('\n'))
  const [old, now] = [linesOf(before), linesOf(after)]
  let first = 0
  while (first < old.length && first < now.length && old[first] === now[first]) first += 1
  let last = 0
  while (last < old.length - first && last < now.length - first && old.at(-1 - last) === now.at(-1 - last)) last += 1
  if (first === old.length && first === now.length) return []
  const same = (lines: string[]): DiffLine[] => lines.map((text) => ({ kind: 'same', text }))
  return [
    ...same(now.slice(Math.max(0, first - AROUND), first)),
    ...old.slice(first, old.length - last).map((text) => ({ kind: 'deleted', text }) as const),
    ...now.slice(first, now.length - last).map((text) => ({ kind: 'added', text }) as const),
    ...same(now.slice(now.length - last, now.length - last + AROUND)),
  ]
}

/** How much was added and deleted, where the agent counts it or it can be seen. */
export function countsOf(diff: FileDiff): { additions: number; deletions: number } | undefined {
  const { additions, deletions } = diff
  if (additions !== null && deletions !== null) return { additions, deletions }
  const lines = diffLines(diff)
  if (lines.length === 0) return undefined
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  return { additions: count('added'), deletions: count('deleted') }
}

export function drawDiff(diff: FileDiff): HTMLElement {
  const pre = made('pre', '', 'diff')
  pre.tabIndex = 0
  pre.setAttribute('aria-label', words.diffOf(diff.path))
  const lines = diffLines(diff)
  for (const { kind, text } of lines.slice(0, MOST_LINES)) {
    const mark = { same: ' ', added: '+', deleted: '-', hunk: '' }[kind]
    pre.append(made('span', `${mark}${text}\n`, kind))
  }
  if (lines.length > MOST_LINES) pre.append(made('span', words.moreLines(lines.length - MOST_LINES), 'hunk'))
  if (lines.length === 0) pre.append(made('span', words.noDiff, 'hunk'))
  return pre
}
