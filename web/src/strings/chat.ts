// The words of the chat with agents.
import type { FailureKind, Model, Todo, ToolState, Usage } from '../protocol/chat-words'

const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`

function short(tokens: number): string {
  if (tokens < 1_000) return String(tokens)
  if (tokens >= 1_000_000) return `${(tokens / 1_000_000).toFixed(1)}M`
  return `${(tokens / 1_000).toFixed(tokens < 10_000 ? 1 : 0)}k`
}

/** A while, as people say it. */
function span(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  const seconds = ms / 1_000
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return `${minutes} min ${Math.floor(seconds % 60)} s`
}

function inAndOut({ input, output, reasoning, cacheRead, cacheWrite }: Usage): string {
  return `${short(input + cacheRead + cacheWrite)} in, ${short(output + reasoning)} out`
}

function money(dollars: number): string {
  return dollars > 0 ? `$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}` : ''
}

/** Sentences of others and of ours in a row: each ends as one does. */
export function sentences(...texts: (string | null | undefined)[]): string {
  return texts.map((text) => text?.trim() ?? '').filter((text) => text !== '')
    .map((text) => (/[.!?…:][)”"']?$/.test(text) ? text : `${text}.`)).join(' ')
}

/** Words of others as a sentence of its own. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function bytes(number: number): string {
  return number < 1_048_576 ? `${Math.max(1, Math.round(number / 1_024))} KB` : `${(number / 1_048_576).toFixed(1)} MB`
}

export const chat = {
  title: 'Chat',
  loading: 'Loading…',
  again: 'Try again',
  copy: 'Copy',
  // The prompt.
  prompt: 'Message to the agent',
  placeholder: 'Ask; @ for files, / for commands',
  placeholderBusy: 'Say more: it waits its turn',
  send: 'Send (Enter)',
  sendLater: 'Send: it waits until the agent is ready',
  sentWhenThere: 'The agent cannot be reached yet. This is sent as soon as it can; Escape keeps it here.',
  stop: 'Stop (Escape)',
  attach: 'Attach a file',
  attachFirst: (most: number) => `Attach one of the first ${most} files; @ in the prompt finds all others`,
  attachments: 'Attached',
  removeAttachment: (name: string) => `Remove ${name}`,
  tooMany: 'There is no room for more attachments in one message.',
  noPicture: (name: string) => `${name || 'This file'} is no picture that can be sent: PNG, JPEG, GIF and WebP can.`,
  pictureTooLarge: (name: string, most: number) => `${name || 'The picture'} is larger than ${bytes(most)}.`,
  picture: 'picture',
  tooLarge: (name: string, size: number) => `${name}: too large to be shown (${bytes(size)})`,
  proposals: 'Proposals',
  model: 'Model',
  mode: 'Mode',
  variant: 'Variant',
  noVariant: 'usual',
  agent: 'Agent',
  agentItself: 'The agent',
  modelAbout: ({ context, costInput, costOutput, takesImages, hasReasoning }: Model) =>
    [
      context === null ? '' : `${short(context)} tokens`, hasReasoning ? 'thinks' : '',
      takesImages ? 'sees pictures' : '',
      costInput === null || costOutput === null ? '' : `$${costInput} / $${costOutput} per million`,
    ].filter(Boolean).join(', '),
  // Messages.
  messages: 'Messages',
  you: 'You',
  saidByYou: 'Message from you',
  saidBy: (name: string) => `Message from ${name}`,
  queued: 'waits its turn',
  unanswered: 'not answered',
  brokeOff: 'It broke off here: the agent went away, and does not go on with it.',
  older: 'Show older messages',
  toEnd: 'Go to the newest message',
  fresh: (number: number) => `${count(number, 'new message', 'new messages')} below`,
  onItsWay: 'on its way',
  worksNow: (name: string) => `${name} works…`,
  works: (name: string) => `${name} works.`,
  quiet: (name: string, time: string) => `Nothing has come from ${name} since ${time}. Escape stops it.`,
  quietTool: (tool: string, time: string) =>
    `“${tool}” is at work, and has said nothing since ${time}. Escape stops it.`,
  answered: (name: string, text: string) => (text ? `${name} answered: ${text}` : `${name} is done.`),
  copyMessage: 'Copy message',
  forkHere: 'Go on from here in a new session',
  revertHere: 'Undo this message and all after it',
  cannot: (what: string, why: string) => `${what}: not with this agent (${why})`,
  cannotNow: (why: string) => `not with this agent: ${why}`,
  cost: (usage: Usage | null, cost: number | null, ms: number | undefined) =>
    [
      usage && usage.input + usage.output > 0 ? inAndOut(usage) : '',
      cost === null ? '' : money(cost), ms === undefined ? '' : span(ms),
    ].filter(Boolean).join(' · '),
  thinking: 'Thinking…',
  thought: (ms: number | undefined) => (ms === undefined ? 'Thought' : `Thought for ${span(ms)}`),
  compacted: 'What came before was made shorter for the model.',
  compactedItself: 'The context was full: what came before was made shorter for the model.',
  retried: (attempt: number) => `Asked again, attempt ${attempt}.`,
  waitsToRetry: (attempt: number, why: string, next: number | null) => {
    const at = next === null ? '' : ` at ${new Date(next).toLocaleTimeString()}`
    return sentences(`Attempt ${attempt} failed: ${why}`, `It will be tried again${at}.`)
  },
  subtask: (agent: string, what: string) => `${agent}: ${what}`,
  leftOut: (number: number) => `${bytes(number)} more are not shown.`,
  done: 'done',
  notDone: 'not done',
  table: 'Table',
  noLink: (address: string) => `This would lead to ${address}`,
  opens: (path: string, line: number | undefined) => `Open ${path}${line === undefined ? '' : ` at line ${line}`}`,
  copyCode: 'Copy code',
  applyCode: 'Apply to a file',
  // Tools.
  tools: {
    bash: 'run', todowrite: 'plan', todoread: 'read plan', webfetch: 'fetch', task: 'hand on', apply_patch: 'patch',
  } as Record<string, string>,
  toolStates: {
    pending: 'waits', running: 'running', completed: 'done', failed: 'failed',
  } as Record<ToolState, string>,
  toolLabel: (name: string, detail: string, state: string) => `${name}${detail ? ` ${detail}` : ''}, ${state}`,
  seconds: (ms: number) => (ms < 100 ? '' : span(ms)),
  terminal: (id: string) => `terminal ${id}`,
  subAgent: 'open the sub-agent’s session',
  allLines: (number: number) => `Show all ${count(number, 'line', 'lines')}`,
  moreLines: (number: number) => count(number, 'more line', 'more lines'),
  moreOfThem: (number: number) => `${number} more are not shown.`,
  diffOf: (path: string) => `Change of ${path}`,
  noDiff: 'The agent did not say what it changed.',
  // What it waits for.
  asksPermission: 'The agent asks for permission',
  wants: (what: string) => `It needs your yes: ${what}`,
  answer: 'Answer…',
  allowOnce: 'Allow once',
  refuse: 'No',
  asksYou: 'The agent asks you',
  ownWords: 'In your own words',
  sendAnswer: 'Answer',
  dismiss: 'Dismiss',
  todos: (done: number, all: number, current: string) => `${done} of ${all} done${current ? `: ${current}` : ''}`,
  todoStates: {
    pending: 'to do', in_progress: 'being done', completed: 'done', cancelled: 'given up', unknown: 'unknown',
  } as Record<Todo['state'], string>,
  undone: (number: number) =>
    `${count(number, 'message is', 'messages are')} undone. The next message drops what is undone for good.`,
  restore: 'Restore',
  // What a session changed.
  review: {
    title: (files: number, open: number, missed: number) =>
      [
        `${count(files, 'file', 'files')} changed`,
        files === 0 ? '' : open === 0 ? 'all reviewed' : `${open} to review`,
        missed === 0 ? '' : `${missed} not shown`,
      ].filter(Boolean).join(', '),
    start: 'Review',
    acceptAll: 'Accept All',
    show: (path: string) => `Show the changes of ${path}`,
    openFile: (path: string) => `Open ${path}`,
    acceptFile: (path: string) => `Accept all changes of ${path}`,
    undoFile: (path: string) => `Undo the changes of ${path}`,
    reviewed: 'Reviewed',
    open: (hunks: number) => `${hunks} left`,
    missed: {
      too_large: 'too large to be shown', not_text: 'no text that may be read',
      unknown: 'what was in it before is not known',
      meanwhile: 'changed while the agent worked, by a program or by somebody else: whose hand it was is not known, so '
        + 'it is not shown here; source control shows it',
      full: 'there was no room for more', forgotten: 'forgotten to make room for newer sessions',
    },
    accept: 'Accept',
    undo: 'Undo',
    forget: 'Forget',
    toChat: 'Send to Chat',
    changedSince: 'Somebody changed these lines since: change them by hand.',
    hunk: (line: number, reviewed: boolean) => `Change at line ${line}, ${reviewed ? 'reviewed' : 'to review'}`,
    hunkTitle: (path: string, line: number) => `Change of ${path} at line ${line}`,
    tab: (name: string) => `${name} (changes of the chat)`,
    allReviewed: 'All changes of this session are reviewed.',
    surelyUndo: (path: string) => `Undo all changes of ${path} that are not reviewed?`,
    noSession: 'No session is open in the chat whose changes could be reviewed.',
    notShown: 'The changes could not be shown',
    notAccepted: 'It was not noted as reviewed',
    notUndone: (path: string) => `The change of ${path} was not undone`,
    notLoaded: (path: string) => `The changes of ${path} could not be loaded`,
    actions: {
      review: 'Review Changes of Chat', next: 'Next Change to Review', previous: 'Previous Change to Review',
      accept: 'Accept Change', undo: 'Undo Change', acceptFile: 'Accept All Changes of File',
      undoFile: 'Undo All Changes of File', toChat: 'Send Change to Chat',
    },
  },
  // Sessions.
  sessions: 'Sessions',
  newSession: 'New session',
  searchSessions: 'Search sessions',
  moreSessions: 'Show more',
  noSessionYet: 'There is no session yet that this could be done to',
  noSessions: 'No session yet. Say something, and there is one.',
  noneFound: 'No session has that in its title.',
  untitled: 'Untitled session',
  sessionMenu: 'More',
  working: 'works',
  asking: 'waits for you',
  unread: 'unread',
  marks: (marks: readonly string[]) => (marks.length === 0 ? '' : `(${marks.join(', ')})`),
  ofSubAgent: 'of a sub-agent',
  menuOf: (title: string) => `More for “${title}”`,
  ago: (ms: number) =>
    ms < 60_000 ? 'now' : ms < 3_600_000 ? `${Math.floor(ms / 60_000)} min`
    : ms < 86_400_000 ? `${Math.floor(ms / 3_600_000)} h` : `${Math.floor(ms / 86_400_000)} d`,
  agoSaid: (ms: number) =>
    ms < 60_000 ? 'changed just now'
    : ms < 3_600_000 ? `changed ${count(Math.floor(ms / 60_000), 'minute', 'minutes')} ago`
    : ms < 86_400_000 ? `changed ${count(Math.floor(ms / 3_600_000), 'hour', 'hours')} ago`
    : `changed ${count(Math.floor(ms / 86_400_000), 'day', 'days')} ago`,
  menu: {
    rename: 'Rename…', fork: 'Fork', compact: 'Compact the context', share: 'Share…', unshare: 'Stop sharing',
    remove: 'Delete…', copyId: 'Copy address',
  },
  newTitle: 'New title',
  surelyDelete: (title: string) => `Delete “${title}” with all its messages?`,
  delete: 'Delete',
  surelyShare: 'Anybody who knows the address will be able to read this session, with what it holds of your files.',
  share: 'Share',
  shared: (address: string) => `Shared at ${address}`,
  // Agents.
  ask: (name: string) => `What shall ${name} do?`,
  askHint: 'It sees this space: your files, panes and terminals. What it does there, you see as it happens.',
  noAgent: 'No agent is installed',
  noAgentHint: 'Install one of these where OpenSpace runs. It is found by itself; nothing else has to be set up.',
  lookAgain: 'Look again',
  copyInstall: (name: string) => `Copy the command that installs ${name}`,
  logInWith: (how: string) => `Log in: ${how}`,
  starting: (name: string) => `${name} is being started…`,
  startAgain: 'Start again',
  failed: (name: string) => `${name} has failed`,
  unreachable: (name: string) => `${name} does not answer`,
  comesBack: 'It is asked again by itself.',
  hidden: (name: string) => `${name} is installed where agents see nothing`,
  missing: (name: string) => `${name} is not installed`,
  needsRestart: (name: string) => `${name} runs as it was set before. Start it anew to go by your settings.`,
  restart: 'Start anew',
  notConfined: (name: string) => `${name} is not confined`,
  whyNotConfined: (why: string) => sentences('What it does by itself, it does with all your rights.', capital(why)),
  setUp: 'Set up agents',
  runInstall: (name: string) => `Install ${name} in a terminal`,
  runLogIn: (name: string) => `Log in to ${name} in a terminal`,
  copyCommand: (command: string) => `Copy ${command}`,
  runHere: 'Run in a terminal',
  logIn: 'Log in',
  close: 'Close this message',
  notRun: 'The command could not be run',
  offline: 'The server cannot be reached. The chat goes on when it is back.',
  meter: (tokens: number, context: number | undefined, cost: number) =>
    [
      context === undefined || context === 0 ? `${short(tokens)} tokens`
      : `${Math.min(100, Math.round((tokens / context) * 100))}% of ${short(context)} tokens`,
      money(cost),
    ].filter(Boolean).join(' · '),
  failures: {
    aborted: 'Stopped', log_in: 'The provider wants a log-in or a key', rate_limit: 'The provider wants us to wait',
    provider: 'The provider failed', context_full: 'The conversation is longer than the model can read',
    output_length: 'The answer was longer than the model may write',
    content_filter: 'A filter of the provider stopped it',
    other: 'Something failed',
  } as Record<FailureKind, string>,
  failureHelp: {
    log_in: 'Log in under “Set up agents”, then try again.',
    context_full: 'Compact the context, or go on in a new session.',
    rate_limit: 'Wait a little, or choose another model.',
  } as Partial<Record<FailureKind, string>>,
  apply: {
    where: 'Where shall the code go?',
    insert: (path: string) => `Insert at the caret of ${path}`,
    replaceSelection: (path: string) => `Replace what is selected in ${path}`,
    replaceAll: (path: string) => `Replace all of ${path}`,
    newFile: 'Into a new file',
  },
  notAttached: 'It was not attached',
  nothingToSend: 'There is nothing at hand that could be sent to the chat.',
  nothingShown: 'This terminal has shown nothing yet.',
  terminalTitle: (name: string) => `Terminal ${name}`,
  problemTitle: (path: string, line: number) => `Problem in ${path}:${line}`,
  changeTitle: (path: string) => `Change of ${path}`,
  notShown: 'The chat could not be shown',
  sessionsNotLoaded: 'The sessions could not be listed',
  notSent: 'The message was not sent',
  notLoaded: 'The session could not be loaded',
  notOpened: (path: string) => `${path} could not be opened`,
  // Actions of the workbench.
  actions: {
    show: 'Show Chat', fresh: 'New Chat Session', sessions: 'Show Chat Sessions', tab: 'Open Chat in Editor',
    sendSelection: 'Send Selection to Chat', sendFile: 'Send File to Chat', sendProblem: 'Send Problem to Chat',
    sendTerminal: 'Send Terminal Output to Chat', sendResult: 'Send Search Result to Chat',
    sendPicture: 'Send Picture to Chat', sendChange: 'Send Change to Chat', setUp: 'Set Up Agents',
  },
} as const
