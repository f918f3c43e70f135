// The words of the status bar: the agents that are here, and whether they are followed.

export const status = {
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
