// Tabs that show something in another way than as text: pictures, previews of Markdown, the welcome page.
import { strings } from '../../strings'
import { ACTIONS } from '../core/actions'
import type { Feature, Page } from '../core/feature'
import type { Later } from '../core/later'
import type { Arrangement } from '../core/panes'
import { MARKDOWN_TYPE } from '../core/tab-kinds'
import { AS_IMAGE, AS_TEXT, IMAGE_CONTRIBUTIONS, registerImages, reopenAs } from './image-editor'
import { registerMarkdownPreview, showMarkdownPreview, showMarkdownSource } from './markdown-preview'
import { isFirstStart, registerWelcome, showWelcome } from './welcome-editor'

const MARKDOWN = 'openspace.view.markdown'
const MARKDOWN_BESIDE = 'openspace.view.markdownBeside'
const MARKDOWN_SOURCE = 'openspace.view.markdownSource'

const IS_MARKDOWN = 'editorLangId == markdown && resourceScheme == file'
const IS_PREVIEW = `activeEditor == ${MARKDOWN_TYPE}`

const words = strings.actions

export function register({ space, welcome }: Page, layout: { arrangement: Later<Arrangement> }): Feature {
  registerWelcome(space, welcome)
  registerMarkdownPreview()
  registerImages(space)
  return {
    contributes: {
      actions: [
        { id: ACTIONS.welcome, title: words.welcome },
        { id: MARKDOWN, title: words.markdown, key: 'ctrl+shift+v', when: 'editorLangId == markdown' },
        {
          id: MARKDOWN_BESIDE, title: words.markdownBeside, icon: '$(open-preview)', key: 'ctrl+k v',
          when: 'editorLangId == markdown',
        },
        {
          id: MARKDOWN_SOURCE, title: words.markdownSource, icon: '$(go-to-file)', key: 'ctrl+shift+v',
          when: IS_PREVIEW,
        },
        ...IMAGE_CONTRIBUTIONS.actions,
      ],
      menus: {
        'editor/title': [
          ...IMAGE_CONTRIBUTIONS.menus['editor/title'],
          { command: MARKDOWN_BESIDE, group: 'navigation@1', when: IS_MARKDOWN },
          { command: MARKDOWN_SOURCE, group: 'navigation@1', when: IS_PREVIEW },
        ],
      },
    },
    start: async ({ api }) => {
      const { registerCommand } = api.commands
      registerCommand(ACTIONS.welcome, () => showWelcome())
      registerCommand(MARKDOWN, () => showMarkdownPreview('here'))
      registerCommand(MARKDOWN_BESIDE, () => showMarkdownPreview('beside'))
      registerCommand(MARKDOWN_SOURCE, () => showMarkdownSource())
      registerCommand(AS_IMAGE, () => reopenAs('image'))
      registerCommand(AS_TEXT, () => reopenAs('text'))
      const isNobodyThere = Object.keys(space.part('agents')).length === 0
      const isNothingOpen = layout.arrangement.get().groupsInOrder().every((group) => group.editors.length === 0)
      const isFirst = await isFirstStart()
      // What an agent has put there stays in front; the welcome stands beside it.
      if (isNothingOpen ? isFirst || isNobodyThere : isFirst) await showWelcome({ inactive: !isNothingOpen })
    },
  }
}
