// What the page itself adds to the workbench: its settings, and the keys for what only a view can do.
//
// Commands of the space are not here; they come from the server's catalogue.
import { ExtensionHostKind, registerExtension } from '@codingame/monaco-vscode-api/extensions'
import { strings } from '../strings'

const words = strings.actions

/** What a view can do by itself. None of it changes the space. */
export const VIEW_ACTIONS = {
  follow: { id: 'openspace.view.follow', title: words.follow, key: 'ctrl+alt+f' },
  jumpBack: { id: 'openspace.view.jumpBack', title: words.jumpBack, key: 'ctrl+alt+j' },
  acceptOffer: { id: 'openspace.view.acceptOffer', title: words.acceptOffer, key: 'ctrl+alt+enter' },
  welcome: { id: 'openspace.view.welcome', title: words.welcome, key: undefined },
  activity: { id: 'openspace.view.activity', title: words.activity, key: undefined },
} as const

export function registerOwnExtension(version: string) {
  const actions = Object.values(VIEW_ACTIONS)
  const modes = Object.entries(strings.reveal.modes)
  return registerExtension(
    {
      name: 'openspace',
      publisher: 'openspace',
      version,
      engines: { vscode: '*' },
      contributes: {
        commands: actions.map(({ id, title }) => ({ command: id, title, category: strings.product })),
        keybindings: actions.flatMap(({ id, key }) => (key ? [{ command: id, key }] : [])) as never,
        configuration: {
          title: strings.product,
          properties: {
            'openspace.reveal': {
              type: 'string',
              enum: modes.map(([mode]) => mode),
              enumDescriptions: modes.map(([, text]) => text),
              default: 'auto-focus',
              description: strings.reveal.setting,
            },
            'openspace.noticeWarnings': {
              type: 'boolean',
              default: false,
              description: strings.notices.warningsSetting,
            },
          },
        } as never,
      },
    },
    ExtensionHostKind.LocalProcess,
    { system: true },
  )
}
