// The status bar: agents that are connected, what they run, and whether the person follows them.
import type * as vscode from 'vscode'
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import { ACTIONS } from '../core/actions'

const words = strings.status
/** Agents, and commands, that a tooltip lists. */
const MOST_LISTED = 10

export class StatusBar {
  private readonly agents: vscode.StatusBarItem
  private readonly following: vscode.StatusBarItem

  constructor(
    private readonly api: typeof vscode,
    private readonly space: Space,
  ) {
    const { Left } = api.StatusBarAlignment
    this.agents = api.window.createStatusBarItem('openspace.agents', Left, 100)
    this.following = api.window.createStatusBarItem('openspace.follow', Left, 99)
    this.following.command = ACTIONS.follow
    this.showFollowing(false)
    this.following.show()
    this.agents.show()
    space.onPart('agents', () => this.showAgents())
    this.showAgents()
  }

  showFollowing(isFollowing: boolean): void {
    this.following.text = isFollowing ? words.follow : words.notFollow
    this.following.tooltip = isFollowing ? words.followingTooltip : words.followTooltip
    const { ThemeColor } = this.api
    this.following.backgroundColor = isFollowing ? new ThemeColor('statusBarItem.prominentBackground') : undefined
  }

  private showAgents(): void {
    const agents = Object.values(this.space.part('agents'))
    if (agents.length === 0) {
      this.agents.text = words.noAgent
      this.agents.tooltip = words.noAgentTooltip
      this.agents.command = ACTIONS.welcome
      return
    }
    const running = agents.flatMap((agent) => agent.running.map(({ summary }) => `${agent.name}: ${summary}`))
    const count = words.agents(agents.length)
    this.agents.text = running.length > 0 ? `${count} ${words.running(running.length)}` : count
    const connected = agents.map(({ name, calls }) => words.connected(name, calls))
    this.agents.tooltip = [...few(connected), ...few(running), words.agentsTooltip].join('\n')
    this.agents.command = ACTIONS.activity
  }
}

function few(lines: string[]): string[] {
  const rest = lines.length - MOST_LISTED
  return rest > 0 ? [...lines.slice(0, MOST_LISTED), words.more(rest)] : lines
}
