// What can be done with the changes of a session, from the palette, by keys, and over the diff editor.
import { strings } from '../../strings'
import type { Contributions } from '../core/feature'

const words = strings.chat.review.actions

export const REVIEW_ACTIONS = {
  review: 'openspace.review.start', next: 'openspace.review.next', previous: 'openspace.review.previous',
  accept: 'openspace.review.accept', undo: 'openspace.review.undo', acceptFile: 'openspace.review.acceptFile',
  undoFile: 'openspace.review.undoFile', toChat: 'openspace.review.toChat',
} as const

/** Whether the editor in front shows changes of a session. */
const IS_REVIEW = 'openspace.review'
const over = (command: string, place: number) => ({ command, group: `navigation@-${place}`, when: IS_REVIEW })

export const REVIEW_CONTRIBUTIONS = {
  actions: [
    { id: REVIEW_ACTIONS.review, title: words.review, key: 'ctrl+alt+r' },
    { id: REVIEW_ACTIONS.next, title: words.next, icon: '$(arrow-down)', key: 'ctrl+alt+.', when: IS_REVIEW },
    { id: REVIEW_ACTIONS.previous, title: words.previous, icon: '$(arrow-up)', key: 'ctrl+alt+,', when: IS_REVIEW },
    { id: REVIEW_ACTIONS.accept, title: words.accept, key: 'ctrl+alt+y', when: IS_REVIEW },
    { id: REVIEW_ACTIONS.undo, title: words.undo, key: 'ctrl+alt+u', when: IS_REVIEW },
    { id: REVIEW_ACTIONS.acceptFile, title: words.acceptFile, icon: '$(check-all)' },
    { id: REVIEW_ACTIONS.undoFile, title: words.undoFile, icon: '$(discard)' },
    { id: REVIEW_ACTIONS.toChat, title: words.toChat },
  ],
  menus: {
    'editor/title': [
      over(REVIEW_ACTIONS.previous, 4), over(REVIEW_ACTIONS.next, 3), over(REVIEW_ACTIONS.acceptFile, 2),
      over(REVIEW_ACTIONS.undoFile, 1),
    ],
    'editor/context': [
      { command: REVIEW_ACTIONS.accept, group: '0_review@1', when: IS_REVIEW },
      { command: REVIEW_ACTIONS.undo, group: '0_review@2', when: IS_REVIEW },
      { command: REVIEW_ACTIONS.toChat, group: '0_review@3', when: IS_REVIEW },
    ],
  },
} satisfies Contributions
