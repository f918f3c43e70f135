// The words of language servers: how they are, what is missing, and what became of what was asked of them.

export const languages = {
  category: 'Languages',
  formatter: 'Language Server',
  tooMany: 'too many questions to language servers are under way',
  notApplied: 'this page cannot change texts yet',
  changedMeanwhile: (path: string) => `${path} was changed meanwhile`,
  notEdited: 'the edits were not made',
  notOfWorkspace: (address: string) =>
    `a language server wanted to change what is no file of the workspace: ${address}`,
  hiddenFile: 'Hidden files',
  notRun: (command: string) => `The language server did not do “${command}”`,
  notRenamed: 'This cannot be renamed.',
  notFormatted: (why: string) => `The file was not formatted: ${why}`,
  unknownCommand: 'This page cannot do that.',
  actions: {
    show: 'Show Language Servers',
    restart: 'Restart Language Server…',
    stop: 'Stop Language Server…',
    install: 'Install Missing Language Server…',
  },
  settings: {
    servers: 'Language servers that are switched off or on, by their ids: `{"ruff": false}`.',
    settings: 'What language servers are told when they ask for settings, by their ids: ' +
      '`{"pyright": {"python.analysis.typeCheckingMode": "strict"}}`.',
    afterEdit: 'What agents are told of language servers after they edited a file.',
    afterEditValues: ['Problems that are new since the edit', 'Errors that are new since the edit', 'Nothing'],
  },
  /** What the status bar says of the servers of the text at hand. */
  status: {
    name: 'Language Server',
    ready: (name: string) => `$(check) ${name}`,
    starting: (name: string) => `$(loading~spin) ${name} starts`,
    loading: (name: string, percent: number | undefined) =>
      percent === undefined ? `$(loading~spin) ${name} loads` : `$(loading~spin) ${name} loads, ${percent} %`,
    waiting: (name: string) => `$(history) ${name} starts again soon`,
    failed: (name: string) => `$(error) ${name} failed`,
    stopped: (name: string) => `$(circle-slash) ${name} stopped`,
    absent: (language: string) => `$(plug) No server for ${language}`,
    untrusted: (language: string) => `$(shield) A server for ${language} waits for you`,
    readyLine: (name: string) => `${name} is ready`,
    partial: 'It has not read everything: there may be more than it says.',
    click: 'Click for what can be done.',
    clickRestart: 'Click to restart it.',
    clickInstall: 'Click to install one in a terminal.',
    clickTrust: 'Click to decide whether it may run.',
  },
  /** Lines in the list of servers. */
  list: {
    title: 'Language servers',
    none: 'No language server was needed yet: one starts when a file of its language is shown.',
    states: {
      stopped: 'stopped', starting: 'starts', loading: 'loads', ready: 'ready', ending: 'ends', waiting: 'starts again',
      failed: 'failed',
    },
    where: (root: string) => (root === '.' || root === '' ? 'the whole folder' : root),
    megabytes: (bytes: number) => `${Math.round(bytes / (1024 * 1024))} MB`,
    which: 'Which server?',
    what: (name: string) => `What about ${name}?`,
    restart: 'Restart',
    stop: 'Stop',
    restarted: (name: string) => `${name} starts again`,
    stopped: (name: string) => `${name} is stopped; it starts again when it is needed`,
    notRestarted: (name: string) => `${name} was not restarted`,
    notStopped: (name: string) => `${name} was not stopped`,
  },
  missing: {
    offer: (language: string, name: string) =>
      `Nothing here knows ${language} yet. ${name} brings completion, problems and more. A terminal installs it.`,
    offerTrust: (language: string) =>
      `A language server for ${language} is there. It runs code of the project, so it waits for your yes.`,
    install: 'Install…',
    decide: 'Decide…',
    never: 'Don’t Ask Again',
    which: (language: string) => `Install a language server for ${language} in a terminal`,
    nothing: 'No language server is missing for the files that are shown.',
    byHand: (name: string) => `${name} has to be installed by hand.`,
    notInstalled: (name: string) => `${name} was not installed`,
    trustQuestion: 'May language servers of this project run?',
    trustDetail: (names: string) =>
      `${names} is a program that comes with the project, or nothing confines programs on this machine. A language ` +
      'server runs code of the project. Say yes only if you trust who wrote it. It holds for this workspace, and ' +
      '“openspace code trust --allowed false” takes it back.',
    trust: 'Let Them Run',
    notTrusted: 'Whether language servers may run was not noted',
    neverSetting: 'Languages for which no missing language server is offered, such as `python`.',
  },
} as const
