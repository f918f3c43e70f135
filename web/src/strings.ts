// Every word of ours that a person reads in the page, in one place, ready for translation.

/** What a part of the space is to a person; one that is not listed goes by its name. */
const PARTS: Record<string, string> = {
  layout: 'the arrangement of panes',
  layouts: 'saved layouts',
  editors: 'open files',
  highlights: 'highlights',
  terminals: 'terminals',
  workspaces: 'workspaces',
  'buffer-text': 'unsaved text',
}

const partInWords = (name: string): string => PARTS[name] ?? name

export const strings = {
  product: 'OpenSpace',
  boot: {
    opening: 'Opening the space…',
    refused:
      'This browser has no key to the space. Run “openspace link” in the workspace and open the link it prints.',
    failed: (why: string) => `The space could not be opened: ${why}`,
    again: 'Try again',
    notAll: 'A part of the page could not be loaded. Reload it when the server can be reached',
  },
  terminals: {
    createdByPerson: 'Created by a person.',
    createdBy: (name: string) => `Created by ${name}.`,
    exited: (code: number | null, signal: number | null) =>
      signal !== null ? `The shell was ended by signal ${signal}.`
      : code !== null ? `The shell ended with exit code ${code}.`
      : 'The shell ended.',
    endedWithServer: 'The shell ended when the server was restarted.',
    lost: 'The place where the shell ran was lost, and the shell with it.',
    gone: 'This terminal no longer exists.',
    pressEnter: 'Press Enter to start a new one.',
    failed: (title: string, why: string) => `Terminal “${title}”: ${why}`,
    keysLost: 'the connection is away, and what you type is not kept any more. Wait until it is back.',
    noSuchSignal: (signal: string) => `the signal ${signal} cannot be sent. Press Ctrl+C, or close the terminal.`,
  },
  highlight: {
    hover: (by: string, note: string | null) => (note ? `**${by}**: ${note}` : `**${by}** points here`),
  },
  reveal: {
    offer: (by: string, path: string, line: number | undefined) =>
      `${by} wants to show you ${path}${line === undefined ? '' : `:${line}`}`,
    dismiss: 'Not now',
    shown: (by: string) => `**${by}** shows this`,
    setting: 'How files that an agent opens come into view.',
    modes: {
      'auto-focus': 'Show them at once. The keyboard stays where it is.',
      'suggest-only': 'Offer them; nothing moves until you accept.',
      disabled: 'Open them in the background without asking for attention.',
    },
  },
  form: {
    run: (title: string) => `Run ${title}`,
    review: 'Choose an argument to change it, or run',
    notSet: 'not set',
    optional: 'may be left out',
    now: 'now',
    leaveOut: '(leave out)',
    required: 'This is needed.',
    number: 'This must be a number.',
    integer: 'This must be a whole number.',
    atLeast: (least: number) => `This must be at least ${least}.`,
    atMost: (most: number) => `This must be at most ${most}.`,
    json: 'This must be JSON, such as ["a", "b"] or {"a": 1}.',
    jsonValue: 'JSON',
  },
  palette: {
    notLoaded: 'The commands of the space could not be loaded',
    done: (title: string) => `${title}: done`,
    deletedAt: (time: string) => `Deleted ${time}`,
    nothingDeleted: 'Nothing was deleted that could be restored.',
  },
  notices: {
    failed: (who: string, what: string, why: string) => `${who}: ${what}: ${why}`,
    many: 'More calls fail than are shown here. The activity has them all.',
    showActivity: 'Show Activity',
    warningsSetting: 'Also show a notice when a call of an agent is refused.',
  },
  activity: {
    title: 'Activity',
    filter: 'Filter by word',
    who: 'Whose actions',
    kinds: { all: 'Everybody', person: 'People', agent: 'Agents', script: 'Scripts', bridge: 'Bridges' },
    onlyFailures: 'Only failures',
    nothingYet: 'Nothing has happened yet. What you and agents do is listed here.',
    nothingFits: 'Nothing fits the filter.',
    loading: 'Loading…',
    inLog: 'Older calls are in the log: run “openspace audit” in the workspace.',
    outcome: (word: string) => word.replaceAll('_', ' '),
    morePaths: (count: number) => `and ${count} more`,
    notOpened: (path: string) => `${path} could not be opened`,
    older: 'Show older',
    open: (path: string) => `Open ${path}`,
    notLoaded: 'The activity could not be loaded',
    again: 'Try again',
  },
  welcome: {
    title: 'Welcome',
    heading: (workspace: string) => workspace,
    intro: 'You and an agent share this space: files, panes, terminals and commands.',
    emptyFolder: 'This folder is empty. Create a file in the explorer, or ask an agent to start.',
    waiting: 'No agent is connected yet.',
    connected: (names: string) => `Connected: ${names}`,
    connect: 'Connect an agent',
    about:
      'Run the command in the workspace’s folder, or put the lines into the agent’s own file. ' +
      'No secret is written there.',
    orFile: (file: string) => `or put this into ${file}:`,
    copy: 'Copy',
    copyCommand: (client: string) => `Copy the command for ${client}`,
    copyLines: (client: string, file: string) => `Copy the lines of ${file} for ${client}`,
    copied: 'Copied',
    selected: 'Selected: copy it',
    keys: 'Keys',
    /** What keys are good for, by the command that they run. */
    keyList: {
      'workbench.action.showCommands': 'all commands, the space’s own among them',
      'openspace.editor.clear_highlight': 'clear the highlights',
      'openspace.view.jumpBack': 'jump back to where you were before an agent showed you something',
      'openspace.view.acceptOffer': 'take what an agent offers to show',
      'openspace.view.follow': 'follow agents, or no more',
    },
    notLoaded: (why: string) => `How to connect an agent could not be loaded: ${why}`,
    again: 'Try again',
  },
  status: {
    noAgent: '$(debug-disconnect) No agent',
    noAgentTooltip: 'No agent is connected. Click to see how to connect one.',
    agents: (count: number) => `$(hubot) ${count === 1 ? '1 agent' : `${count} agents`}`,
    running: (count: number) => `$(sync~spin) ${count === 1 ? '1 running' : `${count} running`}`,
    follow: '$(eye) Following',
    notFollow: '$(eye-closed) Follow',
    followTooltip: 'Go where agents go, as they go there',
    followingTooltip: 'You are taken where agents go. Click to stay where you are.',
    connected: (name: string, calls: number) => `${name}: ${calls === 1 ? '1 call' : `${calls} calls`}`,
    more: (count: number) => `and ${count} more`,
    agentsTooltip: 'Click for the activity.',
  },
  connection: {
    lost: 'The server cannot be reached. What you type is kept.',
    tryingIn: (seconds: number) => `Trying again in ${seconds} s.`,
    trying: 'Trying again…',
    retry: 'Try now',
    refused:
      'This browser’s key is no longer good. Run “openspace link” in the workspace and open the link it prints.',
    restarted:
      'The server was restarted. Terminals of before have ended; files, panes and unsaved text are as they were.',
    aside: (parts: string[]) =>
      `Some of what was saved earlier could not be read: ${parts.map(partInWords).join(', ')}. ` +
      'It is kept aside in the store.',
    newVersion: 'The server was updated. Reload the page to use its new version.',
    notCompared: 'It is not known whether the page was updated with the server',
    reload: 'Reload',
  },
  /** Why something failed, where the server did not say it itself. */
  failures: {
    unreachable: 'the server cannot be reached',
    takenBack: 'the request was taken back',
    answered: (status: number, text: string) => `the server answered ${status} ${text}`,
    tooLarge: (path: string, size: number, most: number) =>
      `${path} has ${size} MB, and files of up to ${most} MB can be written. Copy it into the folder by other means.`,
    noFile: (path: string) => `there is no file ${path}`,
    notInWorkspace: (path: string) => `${path} is not in the workspace`,
    noFolder: (path: string) => `${path} cannot be a folder`,
    notRenamed: 'user data cannot be renamed',
    notKept: (name: string) => `${name} is not kept`,
    searchUnanswered: 'the search had no answer',
    searchBrokeOff: 'the search broke off',
    gitUnanswered: 'git had no answer',
    unknownMessage: (type: string) => `the server said something that this page does not know: ${type}`,
  },
  files: {
    notText: 'This file is not a text: it would be damaged if it were edited as one.',
    cut: (path: string, shown: number) =>
      `The folder “${path}” has more files than can be listed: ${shown} are shown. ` +
      'Find the others by name with Ctrl+P.',
  },
  layout: {
    notTold: 'Your arrangement could not be told to the server',
    notPinned: 'The pane was not pinned',
    noPane: 'This group is only in your window: open a file in it, and it can be pinned.',
  },
  scm: {
    name: 'Git',
    notAsked: 'Git could not be asked',
    failed: (action: string) => `git ${action} failed`,
    message: (branch: string) => `Message (Ctrl+Enter to commit on “${branch}”)`,
    detached: 'detached',
    groups: { conflict: 'Conflicts', staged: 'Staged Changes', change: 'Changes' },
    changes: {
      added: 'Added', modified: 'Modified', deleted: 'Deleted', renamed: 'Renamed', copied: 'Copied',
      type_changed: 'Type changed', unmerged: 'In conflict', untracked: 'Untracked',
    },
    colors: {
      added: 'Colour of files that were added to git.',
      modified: 'Colour of changed files.',
      deleted: 'Colour of deleted files.',
      renamed: 'Colour of renamed files.',
      untracked: 'Colour of files that git does not know.',
      conflicting: 'Colour of files in conflict.',
      ignored: 'Colour of files that git ignores.',
    },
    ignored: 'Ignored',
    refresh: 'Refresh',
    init: 'Initialize Repository',
    noRepository: 'This folder is in no git repository.\n[Initialize Repository](command:openspace.scm.init)',
    stage: 'Stage Changes',
    unstage: 'Unstage Changes',
    discard: 'Discard Changes',
    stageAll: 'Stage All Changes',
    unstageAll: 'Unstage All Changes',
    discardAll: 'Discard All Changes',
    openFile: 'Open File',
    openChange: 'Open Changes',
    commit: 'Commit',
    checkout: 'Switch branch or create one',
    newBranch: 'Create a new branch',
    push: (upstream: string) => `Push to ${upstream}`,
    pull: (upstream: string) => `Pull from ${upstream}`,
    pushTitle: 'Push',
    pullTitle: 'Pull',
    continueTitle: 'Continue',
    abort: 'Abort',
    abortQuestion: 'Give up what git has under way? Everything will be as it was before it.',
    discardOne: (path: string) => `Throw away the changes in ${path}? This cannot be undone.`,
    discardMany: (count: number) => `Throw away the changes in ${count} files? This cannot be undone.`,
    deletesUntracked: (count: number) =>
      `${count === 1 ? 'One untracked file' : `${count} untracked files`} will be deleted.`,
    noMessage: 'Write a message for the commit first.',
    nothingToCommit: 'There is nothing to commit.',
    commitAll: (count: number) => `Nothing is staged. Commit all changes (${count} files)?`,
    commitAllButton: 'Commit All',
  },
  markdown: {
    name: 'Markdown Preview',
    title: (file: string) => `Preview ${file}`,
    cut: (most: number) => `Only the first ${most.toLocaleString('en')} characters are drawn. The text has them all.`,
  },
  image: {
    name: 'Image',
    alt: (file: string) => `The picture in ${file}`,
    stage: (file: string) => `${file}, a picture`,
    facts: (width: number, height: number, size: string) =>
      width > 0 && height > 0 ? `${width} × ${height} pixels, ${size}` : size,
    actualSize: 'Show in Full Size',
    fit: 'Fit into the Tab',
    broken: (file: string, size: string) =>
      `${file} (${size}) cannot be shown: it is no picture that this browser can read. ` +
      'It may be damaged, or not be written completely yet.',
    gone: (file: string) => `${file} no longer exists. It shows here again when it is back.`,
    notLoaded: (file: string, why: string) => `${file} could not be loaded: ${why}`,
  },
  about: {
    title: (version: string) => `OpenSpace ${version}`,
    detail: (browser: string) =>
      'A workspace for people and agents.\n' +
      'OpenSpace is free software under the Apache License 2.0. ' +
      `Its workbench is that of Code - OSS, under the MIT License.\n\nBrowser: ${browser}`,
    licence: 'Show License',
    copy: 'Copy',
    newFile: 'New File...',
    newFolder: 'New Folder...',
    inTerminal: 'Open in Integrated Terminal',
    welcome: 'Welcome',
  },
  actions: {
    asImage: 'Show as Image',
    asText: 'Show as Text',
    follow: 'Follow Agents',
    jumpBack: 'Jump Back',
    acceptOffer: 'Show What the Agent Offers',
    welcome: 'Welcome and Connect',
    activity: 'Show Activity',
    pin: 'Pin This Pane',
    unpin: 'Unpin This Pane',
    markdown: 'Open Markdown Preview',
    markdownBeside: 'Open Markdown Preview Beside',
    markdownSource: 'Show Markdown Source',
  },
  buffers: {
    conflict: (path: string) =>
      `“${path}” was changed on disk in lines that you have not saved. ` +
      'Your text is kept; compare the two and save what is right.',
    compare: 'Compare with Disk',
    deleted: (path: string) => `“${path}” was deleted on disk. Your unsaved text is kept; saving makes the file again.`,
    save: 'Save',
    refused: (path: string, why: string) =>
      `Unsaved text of “${path}” is in this browser only: ${why}. Save it to be safe.`,
    notDiscarded: (path: string, why: string) => `Unsaved text of “${path}” could not be discarded: ${why}`,
  },
} as const
