// The server's layout and the workbench's arrangement, in step; pins, the page's own tabs, and what is seen.
import { strings } from '../../strings'
import type { Feature, Page } from '../core/feature'
import { Later } from '../core/later'
import type { MovingText } from '../core/moves'
import type { Arrangement } from '../core/panes'
import { revealMode } from '../core/settings'
import { keepBars } from '../core/storage'
import type { TerminalPanel } from '../core/terminal-panel'
import type { TabShowers } from './groups'
import { foldDetails } from './narrow-details'
import { NarrowWindow } from './narrow-window'
import { OwnTabs } from './own-tabs'
import { PIN_CONTRIBUTIONS, Pins } from './pins'
import { Reporter } from './report'
import { showUntitledTexts } from './shown-texts'
import { LayoutSync } from './sync'
import { tellZenMode } from './zen-mode'

interface Shown {
  panel: TerminalPanel
  tabs: TabShowers
  text: MovingText
}

export function register({ space }: Page, shown: Shown): Feature & { arrangement: Later<Arrangement> } {
  const arrangement = new Later<Arrangement>('the layout')
  // Before the workbench is there: it is to hear of a new width first.
  const narrow = new NarrowWindow()
  // The page may go before its bars are folded, with sizes that were made to fit.
  if (narrow.beganNarrow) keepBars('nothing')
  return {
    arrangement,
    contributes: PIN_CONTRIBUTIONS,
    start: async ({ api, notices }) => {
      await Promise.all([foldDetails(narrow), tellZenMode()])
      const layout = await LayoutSync.start(space, shown.panel, shown.tabs, shown.text, narrow)
      layout.onProblem.on((failure) => notices.failure(strings.layout.notTold, failure))
      layout.revealMode = () => revealMode(api)
      new Pins(api, space, layout, notices)
      new Reporter(space, layout)
      arrangement.set(layout)
      // Before the person can do much that it would undo.
      await OwnTabs.start(layout.panes)
      await showUntitledTexts(space)
      layout.focusAgain()
    },
  }
}
