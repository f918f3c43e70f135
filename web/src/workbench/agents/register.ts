// What agents do, where a person sees it: highlights, carets, problems, what they show, and their activity; and what
// a person decides about them.
import { stat } from '../../protocol/files'
import { Listeners } from '../../protocol/listeners'
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import type { Api } from '../core/api'
import { ACTIONS } from '../core/actions'
import type { Contributions, Feature, Page, Workbench } from '../core/feature'
import type { Later } from '../core/later'
import type { Arrangement } from '../core/panes'
import { revealMode } from '../core/settings'
import type { SharedText } from '../core/shared-text'
import { uriOf } from '../core/uris'
import { registerActivityView } from './activity-view'
import { Highlights } from './highlights'
import type { Managing } from './managing'
import { Presence } from './presence'
import { Problems } from './problems'
import { Revealer } from './reveal'
import { ShownLines } from './shown-lines'

const JUMP_BACK = 'openspace.view.jumpBack'
const ACCEPT_OFFER = 'openspace.view.acceptOffer'

const words = strings.actions
const modes = Object.entries(strings.reveal.modes)

const CONTRIBUTIONS: Contributions = {
  actions: [
    { id: ACTIONS.follow, title: words.follow, key: 'ctrl+alt+f' },
    { id: JUMP_BACK, title: words.jumpBack, key: 'ctrl+alt+j' },
    { id: ACCEPT_OFFER, title: words.acceptOffer, key: 'ctrl+alt+enter' },
    { id: ACTIONS.activity, title: words.activity },
    { id: ACTIONS.agents, title: words.agents },
  ],
  settings: {
    'openspace.reveal': {
      type: 'string',
      enum: modes.map(([mode]) => mode),
      enumDescriptions: modes.map(([, text]) => text),
      default: 'auto-focus',
      description: strings.reveal.setting,
    },
  },
}

interface Needs {
  layout: Later<Arrangement>
  text: SharedText
}

/** `onFollowing` tells whether the person follows agents, whenever that changes. */
export function register({ space }: Page, { layout, text }: Needs): Feature & { onFollowing: Listeners<boolean> } {
  const onFollowing = new Listeners<boolean>()
  let workbench: Workbench | undefined
  let begin: (managing: Managing) => void = () => {}
  const begun = new Promise<Managing>((resolve) => {
    begin = resolve
  })
  const activity = registerActivityView(space, {
    openFile: (path) => {
      if (workbench) void openPath(workbench, path)
    },
    failed: (error) => workbench?.notices.failure(strings.activity.notLoaded, error),
  })
  return {
    onFollowing,
    contributes: CONTRIBUTIONS,
    start: async (started) => {
      workbench = started
      const { api, container } = started
      new Presence(space, text)
      new Highlights(space)
      new ShownLines(space)
      new Problems(api, space)
      watchHighlights(api, space)
      const revealer = await Revealer.start(space, layout.get(), () => revealMode(api), container)
      const { registerCommand } = api.commands
      registerCommand(ACTIONS.activity, () => activity.show())
      registerCommand(ACTIONS.agents, async () => (await begun).open())
      registerCommand(ACTIONS.follow, () => onFollowing.tell(revealer.toggleFollowing()))
      registerCommand(JUMP_BACK, () => revealer.jumpBack())
      registerCommand(ACCEPT_OFFER, () => revealer.accept())
    },
    later: async (started) => {
      const [{ Managing: Begun }, { Consenting }, { ConsentNotices }] = await Promise.all([
        import('./managing'), import('./consenting'), import('./consent-notices'),
      ])
      const consenting = new Consenting(started)
      begin(new Begun(started, space, consenting))
      new ConsentNotices(started, space, consenting)
    },
  }
}

/** Show what somebody's call named: a file as text, a folder in the explorer. */
async function openPath({ api, notices }: Workbench, path: string): Promise<void> {
  try {
    const uri = uriOf(path)
    if ((await stat(path)).kind === 'folder') await api.commands.executeCommand('revealInExplorer', uri)
    else await api.commands.executeCommand('vscode.open', uri)
  } catch (error) {
    notices.failure(strings.activity.notOpened(path), error)
  }
}

/** The key that clears highlights is theirs only while there are some. */
function watchHighlights(api: Api, space: Space): void {
  const tell = () => {
    const isAny = Object.keys(space.part('highlights')).length > 0
    void api.commands.executeCommand('setContext', 'openspace.hasHighlights', isAny)
  }
  space.onPart('highlights', tell)
  tell()
}
