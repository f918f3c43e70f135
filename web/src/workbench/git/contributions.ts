// What the Source Control view has: its actions, where they are offered, and the colours of changed files.
import { strings } from '../../strings'
import type { Action, Contributions, MenuEntry } from '../core/feature'

const words = strings.scm

export const SCM_ACTIONS = {
  refresh: 'openspace.scm.refresh', init: 'openspace.scm.init', commit: 'openspace.scm.commit',
  stage: 'openspace.scm.stage', unstage: 'openspace.scm.unstage', discard: 'openspace.scm.discard',
  stageAll: 'openspace.scm.stageAll', stageAllConflicts: 'openspace.scm.stageAllConflicts',
  unstageAll: 'openspace.scm.unstageAll', discardAll: 'openspace.scm.discardAll',
  openFile: 'openspace.scm.openFile', openChange: 'openspace.scm.openChange', checkout: 'openspace.scm.checkout',
  ignore: 'openspace.scm.ignore', reveal: 'openspace.scm.reveal',
  copyPath: 'openspace.scm.copyPath', copyRelativePath: 'openspace.scm.copyRelativePath',
  nextChange: 'openspace.scm.nextChange', previousChange: 'openspace.scm.previousChange',
  showNextChange: 'openspace.scm.showNextChange', showPreviousChange: 'openspace.scm.showPreviousChange',
  closeChange: 'openspace.scm.closeChange', stageSelected: 'openspace.scm.stageSelected',
  unstageSelected: 'openspace.scm.unstageSelected', revertSelected: 'openspace.scm.revertSelected',
  acceptCurrent: 'openspace.scm.acceptCurrent', acceptIncoming: 'openspace.scm.acceptIncoming',
  mergeEditor: 'openspace.scm.mergeEditor', restartMerge: 'openspace.scm.restartMerge',
  acceptBoth: 'openspace.scm.acceptBoth', compareSides: 'openspace.scm.compareSides',
  nextConflict: 'openspace.scm.nextConflict', previousConflict: 'openspace.scm.previousConflict',
  amend: 'openspace.scm.amend', cancelAmend: 'openspace.scm.cancelAmend',
  stash: 'openspace.scm.stash', stashAll: 'openspace.scm.stashAll', applyStash: 'openspace.scm.applyStash',
  popStash: 'openspace.scm.popStash', dropStash: 'openspace.scm.dropStash',
  fileHistory: 'openspace.scm.fileHistory', showCommit: 'openspace.scm.showCommit',
  toggleBlame: 'openspace.scm.toggleBlame',
  createTag: 'openspace.scm.createTag', deleteTag: 'openspace.scm.deleteTag',
  push: 'openspace.scm.push', pull: 'openspace.scm.pull', pullRebase: 'openspace.scm.pullRebase',
  pullMerge: 'openspace.scm.pullMerge', fetch: 'openspace.scm.fetch', sync: 'openspace.scm.sync',
  publish: 'openspace.scm.publish', addRemote: 'openspace.scm.addRemote', removeRemote: 'openspace.scm.removeRemote',
  commitAll: 'openspace.scm.commitAll', undoCommit: 'openspace.scm.undoCommit', viewStash: 'openspace.scm.viewStash',
  createBranch: 'openspace.scm.createBranch', mergeBranch: 'openspace.scm.mergeBranch',
  rebaseBranch: 'openspace.scm.rebaseBranch', renameBranch: 'openspace.scm.renameBranch',
  deleteBranch: 'openspace.scm.deleteBranch',
  checkoutCommit: 'openspace.scm.checkoutCommit', branchCommit: 'openspace.scm.branchCommit',
  tagCommit: 'openspace.scm.tagCommit', cherryPick: 'openspace.scm.cherryPick',
  revertCommit: 'openspace.scm.revertCommit', copyCommitId: 'openspace.scm.copyCommitId',
  copyCommitMessage: 'openspace.scm.copyCommitMessage',
  abort: 'openspace.scm.abort', proceed: 'openspace.scm.continue',
} as const

/** Whether the status bar tells who wrote the line at the caret. */
export const BLAME = 'openspace.gitBlame'

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

/** Diffs have ways of their own to go from change to change. */
const IN_TEXT = 'editorTextFocus && !isInDiffEditor || openspace.inlineDiff && editorTextFocus'
const CLOSES = 'openspace.inlineDiff && editorTextFocus && !suggestWidgetVisible && !findWidgetVisible'

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
  { id: SCM_ACTIONS.stageAllConflicts, title: words.stageAllConflicts, icon: '$(add)' },
  { id: SCM_ACTIONS.openFile, title: words.openFile, icon: '$(go-to-file)' },
  { id: SCM_ACTIONS.openChange, title: words.openChange, icon: '$(git-compare)' },
  { id: SCM_ACTIONS.mergeEditor, title: words.merge.resolve, icon: '$(git-merge)' },
  { id: SCM_ACTIONS.restartMerge, title: words.merge.restart },
  { id: SCM_ACTIONS.ignore, title: words.ignore },
  { id: SCM_ACTIONS.reveal, title: words.reveal },
  { id: SCM_ACTIONS.copyPath, title: words.copyPath },
  { id: SCM_ACTIONS.copyRelativePath, title: words.copyRelativePath },
  { id: SCM_ACTIONS.checkout, title: words.checkout },
  { id: SCM_ACTIONS.push, title: words.remotes.push },
  { id: SCM_ACTIONS.pull, title: words.remotes.pull },
  { id: SCM_ACTIONS.pullRebase, title: words.remotes.pullRebase },
  { id: SCM_ACTIONS.pullMerge, title: words.remotes.pullMerge },
  { id: SCM_ACTIONS.fetch, title: words.remotes.fetch },
  { id: SCM_ACTIONS.sync, title: words.sync },
  { id: SCM_ACTIONS.publish, title: words.remotes.publish },
  { id: SCM_ACTIONS.addRemote, title: words.remotes.add },
  { id: SCM_ACTIONS.removeRemote, title: words.remotes.remove },
  { id: SCM_ACTIONS.commitAll, title: words.commitAllTitle },
  { id: SCM_ACTIONS.undoCommit, title: words.undoCommit },
  { id: SCM_ACTIONS.createBranch, title: words.createBranch },
  { id: SCM_ACTIONS.mergeBranch, title: words.mergeBranch },
  { id: SCM_ACTIONS.rebaseBranch, title: words.rebaseBranch },
  { id: SCM_ACTIONS.renameBranch, title: words.renameBranch },
  { id: SCM_ACTIONS.deleteBranch, title: words.deleteBranch },
  { id: SCM_ACTIONS.checkoutCommit, title: words.commits.checkout },
  { id: SCM_ACTIONS.branchCommit, title: words.commits.branch },
  { id: SCM_ACTIONS.tagCommit, title: words.commits.tag },
  { id: SCM_ACTIONS.cherryPick, title: words.commits.cherryPick },
  { id: SCM_ACTIONS.revertCommit, title: words.commits.revert },
  { id: SCM_ACTIONS.copyCommitId, title: words.commits.copyId },
  { id: SCM_ACTIONS.copyCommitMessage, title: words.commits.copyMessage },
  { id: SCM_ACTIONS.proceed, title: words.continueTitle },
  { id: SCM_ACTIONS.abort, title: words.abort },
  { id: SCM_ACTIONS.nextChange, title: words.nextChange, key: 'alt+f5', when: IN_TEXT },
  { id: SCM_ACTIONS.previousChange, title: words.previousChange, key: 'shift+alt+f5', when: IN_TEXT },
  { id: SCM_ACTIONS.showNextChange, title: words.showNextChange, key: 'alt+f3', when: IN_TEXT },
  { id: SCM_ACTIONS.showPreviousChange, title: words.showPreviousChange, key: 'shift+alt+f3', when: IN_TEXT },
  { id: SCM_ACTIONS.closeChange, title: words.closeChange, key: 'escape', when: CLOSES },
  { id: SCM_ACTIONS.stageSelected, title: words.stageSelected, key: 'ctrl+k ctrl+alt+s', when: 'editorTextFocus' },
  { id: SCM_ACTIONS.unstageSelected, title: words.unstageSelected, key: 'ctrl+k ctrl+n', when: 'editorTextFocus' },
  { id: SCM_ACTIONS.revertSelected, title: words.revertSelected, key: 'ctrl+k ctrl+r', when: 'editorTextFocus' },
  { id: SCM_ACTIONS.acceptCurrent, title: words.conflicts.acceptCurrent },
  { id: SCM_ACTIONS.acceptIncoming, title: words.conflicts.acceptIncoming },
  { id: SCM_ACTIONS.acceptBoth, title: words.conflicts.acceptBoth },
  { id: SCM_ACTIONS.compareSides, title: words.conflicts.compare },
  { id: SCM_ACTIONS.nextConflict, title: words.conflicts.next },
  { id: SCM_ACTIONS.previousConflict, title: words.conflicts.previous },
  { id: SCM_ACTIONS.amend, title: words.amend },
  { id: SCM_ACTIONS.cancelAmend, title: words.cancelAmend, icon: '$(discard)' },
  { id: SCM_ACTIONS.stash, title: words.stash },
  { id: SCM_ACTIONS.stashAll, title: words.stashAll },
  { id: SCM_ACTIONS.applyStash, title: words.applyStash },
  { id: SCM_ACTIONS.popStash, title: words.popStash },
  { id: SCM_ACTIONS.viewStash, title: words.viewStash },
  { id: SCM_ACTIONS.dropStash, title: words.dropStash },
  { id: SCM_ACTIONS.fileHistory, title: words.fileHistory },
  { id: SCM_ACTIONS.toggleBlame, title: words.toggleBlame },
  { id: SCM_ACTIONS.createTag, title: words.createTag },
  { id: SCM_ACTIONS.deleteTag, title: words.deleteTag },
]

const IN_GIT = 'scmProvider == git'
const inGroup = (group: string) => `${IN_GIT} && scmResourceGroup == ${group}`
const UNDER_WAY = `${IN_GIT} && openspace.gitOperation != ''`

/** The parts of the menu of the view. */
const SUBMENUS = {
  'openspace.scm.commits': words.menus.commit,
  'openspace.scm.exchange': words.menus.exchange,
  'openspace.scm.branches': words.menus.branch,
  'openspace.scm.remotes': words.menus.remote,
  'openspace.scm.stashes': words.menus.stash,
  'openspace.scm.tags': words.menus.tags,
}

const entries = (...commands: string[]): MenuEntry[] =>
  commands.map((command, index) => ({ command, group: `1_all@${index}` }))

const SCM_MENUS = {
  'openspace.scm.commits': [
    ...entries(SCM_ACTIONS.commit, SCM_ACTIONS.commitAll),
    { command: SCM_ACTIONS.amend, group: '1_all@5', when: '!openspace.amending' },
    { command: SCM_ACTIONS.undoCommit, group: '2_undo@1' },
    { command: SCM_ACTIONS.cherryPick, group: '3_other@1' },
    { command: SCM_ACTIONS.revertCommit, group: '3_other@2' },
  ],
  'openspace.scm.exchange': entries(SCM_ACTIONS.sync, SCM_ACTIONS.fetch, SCM_ACTIONS.pull, SCM_ACTIONS.pullRebase,
    SCM_ACTIONS.pullMerge, SCM_ACTIONS.push),
  'openspace.scm.branches': entries(SCM_ACTIONS.checkout, SCM_ACTIONS.createBranch, SCM_ACTIONS.mergeBranch,
    SCM_ACTIONS.rebaseBranch, SCM_ACTIONS.renameBranch, SCM_ACTIONS.deleteBranch, SCM_ACTIONS.publish),
  'openspace.scm.remotes': entries(SCM_ACTIONS.addRemote, SCM_ACTIONS.removeRemote),
  'openspace.scm.stashes': entries(SCM_ACTIONS.stash, SCM_ACTIONS.stashAll, SCM_ACTIONS.applyStash,
    SCM_ACTIONS.popStash, SCM_ACTIONS.viewStash, SCM_ACTIONS.dropStash),
  'openspace.scm.tags': entries(SCM_ACTIONS.createTag, SCM_ACTIONS.deleteTag),
  'scm/title': [
    { command: SCM_ACTIONS.commit, group: 'navigation@1', when: IN_GIT },
    { command: SCM_ACTIONS.refresh, group: 'navigation@2', when: IN_GIT },
    { command: SCM_ACTIONS.cancelAmend, group: 'navigation@0', when: `${IN_GIT} && openspace.amending` },
    { command: SCM_ACTIONS.pull, group: '1_sync@1', when: IN_GIT },
    { command: SCM_ACTIONS.push, group: '1_sync@2', when: IN_GIT },
    { command: SCM_ACTIONS.sync, group: '1_sync@3', when: IN_GIT },
    { command: SCM_ACTIONS.checkout, group: '1_sync@4', when: IN_GIT },
    ...Object.keys(SUBMENUS).map((submenu, index) => ({ submenu, group: `2_more@${index}`, when: IN_GIT })),
    { command: SCM_ACTIONS.proceed, group: '3_under_way@1', when: UNDER_WAY },
    { command: SCM_ACTIONS.abort, group: '3_under_way@2', when: UNDER_WAY },
  ],
  'scm/resourceGroup/context': [
    ...everywhere(SCM_ACTIONS.stageAllConflicts, 1, inGroup('conflict')),
    ...everywhere(SCM_ACTIONS.stageAll, 2, inGroup('change')),
    ...everywhere(SCM_ACTIONS.discardAll, 1, inGroup('change')),
    ...everywhere(SCM_ACTIONS.unstageAll, 1, inGroup('staged')),
  ],
  // Rows of a folder, where the view is a tree.
  'scm/resourceFolder/context': [
    ...everywhere(SCM_ACTIONS.discard, 1, inGroup('change')),
    ...everywhere(SCM_ACTIONS.stage, 2, `${IN_GIT} && scmResourceGroup != staged`),
    ...everywhere(SCM_ACTIONS.unstage, 2, inGroup('staged')),
  ],
  'scm/resourceState/context': [
    { command: SCM_ACTIONS.openChange, group: 'navigation@1', when: IN_GIT },
    { command: SCM_ACTIONS.openFile, group: 'navigation@2', when: IN_GIT },
    { command: SCM_ACTIONS.openFile, group: 'inline@0', when: IN_GIT },
    ...everywhere(SCM_ACTIONS.mergeEditor, 1, inGroup('conflict')),
    { command: SCM_ACTIONS.restartMerge, group: '1_change@3', when: inGroup('conflict') },
    ...everywhere(SCM_ACTIONS.discard, 1, inGroup('change')),
    ...everywhere(SCM_ACTIONS.stage, 2, `${IN_GIT} && scmResourceGroup != staged`),
    ...everywhere(SCM_ACTIONS.unstage, 2, inGroup('staged')),
    { command: SCM_ACTIONS.ignore, group: '2_ignore@1', when: `${inGroup('change')} && scmResourceState == untracked` },
    { command: SCM_ACTIONS.reveal, group: '3_file@1', when: IN_GIT },
    { command: SCM_ACTIONS.copyPath, group: '3_file@2', when: IN_GIT },
    { command: SCM_ACTIONS.copyRelativePath, group: '3_file@3', when: IN_GIT },
  ],
}

/** An action as a button of the row and as an entry of its menu. */
function everywhere(command: string, place: number, when: string): MenuEntry[] {
  return [{ command, group: `inline@${place}`, when }, { command, group: `1_change@${place}`, when }]
}

export const GIT_CONTRIBUTIONS: Contributions = {
  actions: SCM_COMMANDS.map((action) => ({ ...action, category: words.name })),
  submenus: SUBMENUS,
  menus: SCM_MENUS,
  colors: GIT_COLORS,
  settings: { [BLAME]: { type: 'boolean', default: true, description: words.blameSetting } },
}
