// Tabs that show something in another way than as text: pictures, previews of Markdown, the welcome page.
import { strings } from '../../strings'
import { ACTIONS } from '../core/actions'
import type { Feature, Page } from '../core/feature'
import type { Later } from '../core/later'
import type { Arrangement } from '../core/panes'
import { AS_IMAGE, AS_TEXT, IMAGE_CONTRIBUTIONS, registerImages, reopenAs } from './image-editor'
import { registerMarkdownPreview, showMarkdownPreview } from './markdown-preview'
import { registerWelcome, showWelcome } from './welcome-editor'

const MARKDOWN = 'openspace.view.markdown'

const words = strings.actions

export function register({ space, welcome }: Page, layout: { arrangement: Later<Arrangement> }): Feature {
  registerWelcome(space, welcome.workspace.name)
  registerMarkdownPreview()
  registerImages(space)
  return {
    contributes: {
      actions: [
        { id: ACTIONS.welcome, title: words.welcome },
        { id: MARKDOWN, title: words.markdown, key: 'ctrl+shift+v', when: 'editorLangId == markdown' },
        ...IMAGE_CONTRIBUTIONS.actions,
      ],
      menus: IMAGE_CONTRIBUTIONS.menus,
    },
    start: async ({ api }) => {
      const { registerCommand } = api.commands
      registerCommand(ACTIONS.welcome, () => showWelcome(false))
      registerCommand(MARKDOWN, () => showMarkdownPreview())
      registerCommand(AS_IMAGE, () => reopenAs('image'))
      registerCommand(AS_TEXT, () => reopenAs('text'))
      const isNobodyThere = Object.keys(space.part('agents')).length === 0
      const isNothingOpen = layout.arrangement.get().groupsInOrder().every((group) => group.editors.length === 0)
      if (isNobodyThere && isNothingOpen) await showWelcome(true)
    },
  }
}
