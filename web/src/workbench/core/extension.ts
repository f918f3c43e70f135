// What the page itself adds to the workbench: its settings, and the keys for what only a view can do.
//
// Commands of the space are not here; they come from the server's catalogue.
import { ExtensionHostKind, registerExtension } from '@codingame/monaco-vscode-api/extensions'
import { strings } from '../../strings'
import { GIT_COLORS, SCM_ACTIONS } from '../git/source-control'

const words = strings.actions

/** What a view can do by itself. None of it changes the space. */
export const VIEW_ACTIONS = {
  follow: { id: 'openspace.view.follow', title: words.follow, key: 'ctrl+alt+f' },
  jumpBack: { id: 'openspace.view.jumpBack', title: words.jumpBack, key: 'ctrl+alt+j' },
  acceptOffer: { id: 'openspace.view.acceptOffer', title: words.acceptOffer, key: 'ctrl+alt+enter' },
  welcome: { id: 'openspace.view.welcome', title: words.welcome, key: undefined },
  activity: { id: 'openspace.view.activity', title: words.activity, key: undefined },
  pin: { id: 'openspace.view.pin', title: words.pin, key: undefined, icon: '$(pin)' },
  unpin: { id: 'openspace.view.unpin', title: words.unpin, key: undefined, icon: '$(pinned)' },
  markdown: {
    id: 'openspace.view.markdown', title: words.markdown, key: 'ctrl+shift+v', when: 'editorLangId == markdown',
  },
  asImage: { id: 'openspace.view.asImage', title: words.asImage, key: undefined, icon: '$(file-media)' },
  asText: { id: 'openspace.view.asText', title: words.asText, key: undefined, icon: '$(code)' },
} as const

/** Tabs that show pictures. Begins as the workbench's own types of files do: the layout knows a file's tab by that. */
export const IMAGE_TYPE = 'workbench.editors.files.openspaceImage'

const scm = strings.scm

const SCM_COMMANDS = [
  { command: SCM_ACTIONS.refresh, title: scm.refresh, icon: '$(refresh)' },
  { command: SCM_ACTIONS.init, title: scm.init },
  { command: SCM_ACTIONS.commit, title: scm.commit, icon: '$(check)' },
  { command: SCM_ACTIONS.stage, title: scm.stage, icon: '$(add)' },
  { command: SCM_ACTIONS.unstage, title: scm.unstage, icon: '$(remove)' },
  { command: SCM_ACTIONS.discard, title: scm.discard, icon: '$(discard)' },
  { command: SCM_ACTIONS.stageAll, title: scm.stageAll, icon: '$(add)' },
  { command: SCM_ACTIONS.unstageAll, title: scm.unstageAll, icon: '$(remove)' },
  { command: SCM_ACTIONS.discardAll, title: scm.discardAll, icon: '$(discard)' },
  { command: SCM_ACTIONS.openFile, title: scm.openFile, icon: '$(go-to-file)' },
  { command: SCM_ACTIONS.checkout, title: scm.checkout },
  { command: SCM_ACTIONS.push, title: scm.pushTitle },
  { command: SCM_ACTIONS.pull, title: scm.pullTitle },
  { command: SCM_ACTIONS.proceed, title: scm.continueTitle },
  { command: SCM_ACTIONS.abort, title: scm.abort },
]

const IN_GIT = 'scmProvider == git'
const UNDER_WAY = `${IN_GIT} && openspace.gitOperation != ''`

const SCM_MENUS = {
  'scm/title': [
    { command: SCM_ACTIONS.commit, group: 'navigation@1', when: IN_GIT },
    { command: SCM_ACTIONS.refresh, group: 'navigation@2', when: IN_GIT },
    { command: SCM_ACTIONS.pull, group: '1_sync@1', when: IN_GIT },
    { command: SCM_ACTIONS.push, group: '1_sync@2', when: IN_GIT },
    { command: SCM_ACTIONS.checkout, group: '2_branch@1', when: IN_GIT },
    { command: SCM_ACTIONS.proceed, group: '3_under_way@1', when: UNDER_WAY },
    { command: SCM_ACTIONS.abort, group: '3_under_way@2', when: UNDER_WAY },
  ],
  'scm/resourceGroup/context': [
    { command: SCM_ACTIONS.stageAll, group: 'inline', when: `${IN_GIT} && scmResourceGroup == change` },
    { command: SCM_ACTIONS.discardAll, group: 'inline', when: `${IN_GIT} && scmResourceGroup == change` },
    { command: SCM_ACTIONS.unstageAll, group: 'inline', when: `${IN_GIT} && scmResourceGroup == staged` },
  ],
  'scm/resourceState/context': [
    { command: SCM_ACTIONS.openFile, group: 'inline@0', when: IN_GIT },
    { command: SCM_ACTIONS.discard, group: 'inline@1', when: `${IN_GIT} && scmResourceGroup == change` },
    { command: SCM_ACTIONS.stage, group: 'inline@2', when: `${IN_GIT} && scmResourceGroup != staged` },
    { command: SCM_ACTIONS.unstage, group: 'inline@2', when: `${IN_GIT} && scmResourceGroup == staged` },
  ],
}

/** The tabs of pinned panes, by which a group's title finds out about its own. */
export const PINNED = 'openspace.pinned'
const IN_PANE = 'resourceScheme =~ /^(file|vscode-terminal)$/'

const TITLE_MENU = [
  // A pinned pane shows its pin; another one has it in its menu.
  { command: VIEW_ACTIONS.unpin.id, group: 'navigation@100', when: `resource in ${PINNED}` },
  { command: VIEW_ACTIONS.pin.id, group: '9_openspace', when: `${IN_PANE} && resource not in ${PINNED}` },
  // A drawing in SVG is text and a picture.
  {
    command: VIEW_ACTIONS.asImage.id, group: 'navigation@1',
    when: 'resourceExtname == .svg && activeEditor == workbench.editors.files.textFileEditor',
  },
  {
    command: VIEW_ACTIONS.asText.id, group: 'navigation@1',
    when: `resourceExtname == .svg && activeEditor == ${IMAGE_TYPE}`,
  },
]

/** Browsers zoom with these; the workbench would only move the focus. */
const LEFT_TO_BROWSER = [{ command: '-workbench.action.focusSideBar', key: 'ctrl+0', mac: 'cmd+0' }]

type ViewAction = (typeof VIEW_ACTIONS)[keyof typeof VIEW_ACTIONS]

function keyOf(action: ViewAction): object[] {
  const when = 'when' in action ? action.when : undefined
  return action.key ? [{ command: action.id, key: action.key, when }] : []
}

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
        commands: [
          ...actions.map(({ id, title, ...rest }) => ({
            command: id, title, category: strings.product, icon: 'icon' in rest ? rest.icon : undefined,
          })),
          ...SCM_COMMANDS.map((entry) => ({ ...entry, category: scm.name })),
        ],
        menus: { ...SCM_MENUS, 'editor/title': TITLE_MENU } as never,
        colors: GIT_COLORS,
        keybindings: [...actions.flatMap(keyOf), ...LEFT_TO_BROWSER] as never,
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
