// The status bar: agents that are connected, what they run, whom the person paused or has to answer, and whether the
// person follows them.
import type { AgentRecord } from '../../protocol/generated'
import type { Space } from '../../protocol/space'
import type { Welcome } from '../../protocol/state'
import { strings } from '../../strings'
import { ACTIONS } from '../core/actions'
import type { Api } from '../core/api'
import type { StatusBarItem } from '../core/api/window'

const words = strings.status
/** Agents, and commands, that a tooltip lists. */
const MOST_LISTED = 10

export class StatusBar {
  private readonly agents: StatusBarItem
  private readonly following: StatusBarItem

  constructor(
    { window }: Api,
    private readonly space: Space,
    unconfined: Welcome['unconfined'],
  ) {
    if (unconfined) {
      const tooltip = words.unconfinedTooltip(unconfined.why, unconfined.hint ?? null)
      window.createStatusBarItem('openspace.unconfined', 101).set({ text: words.unconfined, tooltip, kind: 'warning' })
    }
    this.agents = window.createStatusBarItem('openspace.agents', 100)
    this.following = window.createStatusBarItem('openspace.follow', 99)
    this.showFollowing(false)
    space.onPart('agents', () => this.showAgents())
    space.onPart('consents', () => this.showAgents())
    this.showAgents()
  }

  showFollowing(isFollowing: boolean): void {
    this.following.set({
      text: isFollowing ? words.follow : words.notFollow,
      tooltip: isFollowing ? words.followingTooltip : words.followTooltip,
      command: ACTIONS.follow,
      kind: isFollowing ? 'prominent' : 'standard',
    })
  }

  private showAgents(): void {
    const agents = Object.values(this.space.part('agents'))
    const waiting = Object.entries(this.space.part('consents')).filter(([, { state }]) => state === 'asked')
    if (agents.length === 0 && waiting.length === 0) {
      this.agents.set({ text: words.noAgent, tooltip: words.noAgentTooltip, command: ACTIONS.welcome })
      return
    }
    const running = agents.flatMap((agent) => agent.running.map(({ summary }) => `${agent.name}: ${summary}`))
    const [paused, disconnected] = [agents.filter((agent) => agent.paused), agents.filter((one) => one.disconnected)]
    const counts = [
      agents.length > 0 ? words.agents(agents.length) : words.noAgent,
      ...(running.length > 0 ? [words.running(running.length)] : []),
      ...(paused.length > 0 ? [words.paused(paused.length)] : []),
      ...(disconnected.length > 0 ? [words.disconnected(disconnected.length)] : []),
      ...(waiting.length > 0 ? [words.waiting(waiting.length)] : []),
    ]
    const asking = waiting.map(([client]) => words.waitingLine(client))
    this.agents.set({
      text: counts.join(' '),
      tooltip: [...few(asking), ...few(agents.map(inWords)), ...few(running), words.agentsTooltip].join('\n'),
      command: ACTIONS.agents,
      kind: waiting.length > 0 ? 'warning' : 'standard',
    })
  }
}

function inWords({ name, calls, paused, disconnected }: AgentRecord): string {
  const line = words.connected(name, calls)
  return disconnected ? words.disconnectedLine(line) : paused ? words.pausedLine(line) : line
}

function few(lines: string[]): string[] {
  const rest = lines.length - MOST_LISTED
  return rest > 0 ? [...lines.slice(0, MOST_LISTED), words.more(rest)] : lines
}
