// Terminals that the server owns, in the workbench's panel and as tabs.
import type { ITerminalBackend } from '@codingame/monaco-vscode-terminal-service-override'
import type { Feature, Page } from '../core/feature'
import type { TabShower } from '../core/panes'
import type { TerminalPanel } from '../core/terminal-panel'
import { TerminalViews } from './terminals'

interface Terminals extends Feature {
  /** What the workbench asks for processes. */
  backend: ITerminalBackend
  panel: TerminalPanel
  tabs: TabShower
}

export function register({ space }: Page): Terminals {
  const views = new TerminalViews(space)
  return { backend: views.backend, panel: views, tabs: tabsOf(views), start: () => views.start() }
}

function tabsOf(views: TerminalViews): TabShower {
  return {
    keyOf: (editor) => {
      const contentId = views.idOf(editor)
      return contentId === undefined ? undefined : { type: 'terminal', contentId }
    },
    open: ({ contentId }, group, position) => views.openInGroup(contentId, group, position),
    close: ({ contentId }) => views.closeView(contentId),
    isHeld: ({ contentId }) => views.isHeld(contentId),
    isUntold: ({ contentId }) => views.isUntold(contentId),
  }
}
