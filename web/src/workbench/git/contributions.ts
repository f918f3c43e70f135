// What the Source Control view has: its actions, where they are offered, and the colours of changed files.
import { strings } from '../../strings'
import type { Action, Contributions } from '../core/feature'

const words = strings.scm

export const SCM_ACTIONS = {
  refresh: 'openspace.scm.refresh', init: 'openspace.scm.init', commit: 'openspace.scm.commit',
  stage: 'openspace.scm.stage', unstage: 'openspace.scm.unstage', discard: 'openspace.scm.discard',
  stageAll: 'openspace.scm.stageAll', unstageAll: 'openspace.scm.unstageAll', discardAll: 'openspace.scm.discardAll',
  openFile: 'openspace.scm.openFile', openChange: 'openspace.scm.openChange', checkout: 'openspace.scm.checkout',
  push: 'openspace.scm.push', pull: 'openspace.scm.pull',
  abort: 'openspace.scm.abort', proceed: 'openspace.scm.continue',
} as const

/** The colours of changed files: themes know them, and the workbench only by this. */
const GIT_COLORS = [
  color('added', '#587c0c', '#81b88b', '#a1e3ad'),
  color('modified', '#895503', '#e2c08d', '#e2c08d'),
  color('deleted', '#ad0707', '#c74e39', '#c74e39'),
  color('renamed', '#007100', '#73c991', '#73c991'),
  color('untracked', '#007100', '#73c991', '#73c991'),
  color('ignored', '#8e8e90', '#8c8c8c', '#a7a8a9'),
  color('conflicting', '#ad0707', '#e4676b', '#c74e39'),
]

function color(change: keyof typeof words.colors, light: string, dark: string, highContrast: string) {
  const defaults = { light, dark, highContrast, highContrastLight: light }
  return { id: `gitDecoration.${change}ResourceForeground`, description: words.colors[change], defaults }
}

const SCM_COMMANDS: Action[] = [
  { id: SCM_ACTIONS.refresh, title: words.refresh, icon: '$(refresh)' },
  { id: SCM_ACTIONS.init, title: words.init },
  { id: SCM_ACTIONS.commit, title: words.commit, icon: '$(check)' },
  { id: SCM_ACTIONS.stage, title: words.stage, icon: '$(add)' },
  { id: SCM_ACTIONS.unstage, title: words.unstage, icon: '$(remove)' },
  { id: SCM_ACTIONS.discard, title: words.discard, icon: '$(discard)' },
  { id: SCM_ACTIONS.stageAll, title: words.stageAll, icon: '$(add)' },
  { id: SCM_ACTIONS.unstageAll, title: words.unstageAll, icon: '$(remove)' },
  { id: SCM_ACTIONS.discardAll, title: words.discardAll, icon: '$(discard)' },
  { id: SCM_ACTIONS.openFile, title: words.openFile, icon: '$(go-to-file)' },
  { id: SCM_ACTIONS.checkout, title: words.checkout },
  { id: SCM_ACTIONS.push, title: words.pushTitle },
  { id: SCM_ACTIONS.pull, title: words.pullTitle },
  { id: SCM_ACTIONS.proceed, title: words.continueTitle },
  { id: SCM_ACTIONS.abort, title: words.abort },
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

export const GIT_CONTRIBUTIONS: Contributions = {
  actions: SCM_COMMANDS.map((action) => ({ ...action, category: words.name })),
  menus: SCM_MENUS,
  colors: GIT_COLORS,
}
