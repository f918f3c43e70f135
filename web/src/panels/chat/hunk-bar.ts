// The buttons of one change in the diff editor: accept it, undo it, say something about it.
import type { ReviewedHunk } from '../../protocol/chat-review'
import { strings } from '../../strings'
import { button, icon, made } from './dom'

const words = strings.chat.review

export interface HunkHelp {
  accept(hunk: ReviewedHunk, isAccepted: boolean): void
  undo(hunk: ReviewedHunk): void
  toChat(hunk: ReviewedHunk): void
}

export function hunkBar(hunk: ReviewedHunk, help: HunkHelp): HTMLElement {
  const element = made('div', '', 'openspace-hunk')
  element.setAttribute('role', 'toolbar')
  element.setAttribute('aria-label', words.hunk(hunk.line, hunk.reviewed))
  element.classList.toggle('reviewed', hunk.reviewed)
  const add = (picture: string, label: string, act: () => void, cannot?: string) => {
    const one = button('', act)
    one.append(icon(picture), made('span', label))
    one.title = cannot ?? label
    one.disabled = cannot !== undefined
    element.append(one)
  }
  if (hunk.reviewed) add('pass-filled', words.reviewed, () => help.accept(hunk, false))
  else add('check', words.accept, () => help.accept(hunk, true))
  const cannot = hunk.state === 'changed' ? words.changedSince : undefined
  add('discard', hunk.state === 'gone' ? words.forget : words.undo, () => help.undo(hunk), cannot)
  add('comment-discussion', words.toChat, () => help.toChat(hunk))
  return element
}
