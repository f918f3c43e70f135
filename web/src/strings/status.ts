// The words of the status bar: the agents that are here, and whether they are followed.

/** A few names, and how many more there are. */
const names = (paths: string[]): string =>
  paths.length > 5 ? `${paths.slice(0, 5).join(', ')} and ${paths.length - 5} more` : paths.join(', ')

export const status = {
  secrets: {
    opened: (paths: string[]) =>
      `A program of an agent had ${names(paths)} open in the moment before it was hidden, and may have read it. ` +
      'Take what is in it for known, and make new keys.',
    committed: (paths: string[]) =>
      `Git’s history has secrets, and agents can read them there: ${names(paths)}. Make new keys, or take the files ` +
      'out of the history (git filter-repo) before agents work here.',
  },
  noAgent: '$(debug-disconnect) No agent',
  noAgentTooltip: 'No agent is connected. Click to see how to connect one.',
  agents: (count: number) => `$(hubot) ${count === 1 ? '1 agent' : `${count} agents`}`,
  running: (count: number) => `$(sync~spin) ${count === 1 ? '1 running' : `${count} running`}`,
  follow: '$(eye) Following',
  notFollow: '$(eye-closed) Follow',
  followTooltip: 'Go where agents go, as they go there',
  followingTooltip: 'You are taken where agents go. Click to stay where you are.',
  connected: (name: string, calls: number) => `${name}: ${calls === 1 ? '1 call' : `${calls} calls`}`,
  paused: (count: number) => `$(debug-pause) ${count} paused`,
  disconnected: (count: number) => `$(circle-slash) ${count} disconnected`,
  waiting: (count: number) => `$(shield) ${count === 1 ? '1 waits' : `${count} wait`} for consent`,
  pausedLine: (line: string) => `${line}, paused`,
  disconnectedLine: (line: string) => `${line}, disconnected`,
  waitingLine: (client: string) => `${client} waits for your consent`,
  more: (count: number) => `and ${count} more`,
  agentsTooltip: 'Click to pause, stop or disconnect them.',
  unconfined: '$(unlock) Agents not confined',
  unconfinedTooltip: (why: string, hint: string | null) =>
    `Agents’ programs are not confined on this machine: ${why}. ${hint ? `Hint: ${hint}. ` : ''}` +
    '“openspace doctor” says more.',
} as const
