// The status bar: agents that are connected, what they run, and whether the person follows them.
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
    if (agents.length === 0) {
      this.agents.set({ text: words.noAgent, tooltip: words.noAgentTooltip, command: ACTIONS.welcome })
      return
    }
    const running = agents.flatMap((agent) => agent.running.map(({ summary }) => `${agent.name}: ${summary}`))
    const count = words.agents(agents.length)
    const connected = agents.map(({ name, calls }) => words.connected(name, calls))
    this.agents.set({
      text: running.length > 0 ? `${count} ${words.running(running.length)}` : count,
      tooltip: [...few(connected), ...few(running), words.agentsTooltip].join('\n'),
      command: ACTIONS.activity,
    })
  }
}

function few(lines: string[]): string[] {
  const rest = lines.length - MOST_LISTED
  return rest > 0 ? [...lines.slice(0, MOST_LISTED), words.more(rest)] : lines
}
