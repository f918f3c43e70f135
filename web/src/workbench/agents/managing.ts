// What a person does about agents: whom, then what, in the workbench's own list, and a word about what came of it.
//
// What is shown is what the server said when the list was opened. What ends something that cannot be brought back is
// asked about once more, with what goes.
import { run } from '../../protocol/commands'
import type { AgentListed } from '../../protocol/generated'
import type { Space } from '../../protocol/space'
import { strings } from '../../strings'
import { ACTIONS } from '../core/actions'
import type { Workbench } from '../core/feature'
import { plain } from '../core/plain-labels'
import type { Consenting } from './consenting'
import {
  clientOf, deedsFor, factsOf, goesWith, isTabOfTerminal, programsOf, standingOf, staysOf, subjectsOf, type Deed,
  type Subject,
} from './subjects'

const words = strings.agents

export class Managing {
  constructor(
    private readonly workbench: Workbench,
    private readonly space: Space,
    private readonly consenting: Consenting,
  ) {}

  /** Have the person choose an agent, where there are several, and what to do about it. */
  async open(): Promise<void> {
    const { api, notices } = this.workbench
    try {
      const [{ agents }, said] = await Promise.all([
        run('openspace.agent.list', {}), run('openspace.consent.list', {}),
      ])
      const all = subjectsOf(agents, this.space.part('agents'), said)
      if (all.length === 0) {
        await api.commands.executeCommand(ACTIONS.welcome)
        notices.done(words.none)
        return
      }
      const subject = all.length > 1 ? await this.whom(all) : all[0]
      const deed = subject && (await this.what(subject))
      if (subject && deed) await this.do(deed, subject)
    } catch (error) {
      notices.failure(words.notAsked, error)
    }
  }

  private async whom(all: readonly Subject[]): Promise<Subject | undefined> {
    const items = all.map((subject) =>
      ({ label: subject.who, description: standingOf(subject), ...detail(factsOf(subject)), subject }))
    const options = { placeHolder: words.choose, matchOnDescription: true }
    return (await this.workbench.api.window.showQuickPick(items, options))?.subject
  }

  private async what(subject: Subject): Promise<Deed | undefined> {
    const items = deedsFor(subject).map((deed) =>
      ({ label: labelOf(deed, subject), ...detail(detailOf(deed, subject)), deed }))
    const options = { title: words.title(subject.who), placeHolder: standingOf(subject) }
    return (await this.workbench.api.window.showQuickPick(items, options))?.deed
  }

  private async do(deed: Deed, { who, client, agent }: Subject): Promise<void> {
    switch (deed) {
      case 'agree':
        return this.consenting.agree(client)
      case 'refuse':
        return this.consenting.refuse(client)
      case 'takeBack':
        return this.consenting.takeBack(client)
      case 'activity':
        return void this.workbench.api.commands.executeCommand(ACTIONS.activity)
      case 'pause':
      case 'goOn':
      case 'admit':
      case 'stop':
        return this.tell(words.failed[deed](who), () => this[deed](who))
      case 'disconnect':
      case 'cleanUp':
        return agent && this.tell(words.failed[deed](who), () => this[deed](agent))
      default:
        return deed satisfies never
    }
  }

  private async tell(failed: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.workbench.notices.failure(failed, error)
    }
  }

  private async pause(agentId: string): Promise<void> {
    await run('openspace.agent.pause', { agentId })
    this.workbench.notices.done(words.done.paused(agentId))
  }

  private async goOn(agentId: string): Promise<void> {
    await run('openspace.agent.pause', { agentId, paused: false })
    this.workbench.notices.done(words.done.goesOn(agentId))
  }

  private async admit(agentId: string): Promise<void> {
    await run('openspace.agent.admit', { agentId })
    this.workbench.notices.done(words.done.admitted(agentId))
  }

  private async stop(agentId: string): Promise<void> {
    const { calls, stopped, kept } = await run('openspace.agent.stop', { agentId })
    const { notices } = this.workbench
    notices.done(words.done.stopped(agentId, calls, stopped.length))
    if (kept.length > 0) notices.warning(words.done.leftAlone(agentId, kept.map(words.named)))
  }

  private async disconnect(agent: AgentListed): Promise<void> {
    const { agentId } = agent
    const { disconnect, disconnectDetail, disconnectButton } = words.sure
    const detailed = disconnectDetail(goesWith(agent), staysOf(agent))
    if (!(await this.isSure(disconnect(agentId), detailed, disconnectButton))) return
    const { newSessionIsLetIn, kept } = await run('openspace.agent.disconnect', { agentId })
    const { notices } = this.workbench
    const client = clientOf(agentId)
    const { mayReturn, keepOut, disconnected, stay } = words.done
    if (newSessionIsLetIn) {
      void notices.offer(mayReturn(agentId, client), keepOut, () => void this.consenting.takeBack(client))
    } else {
      notices.done(disconnected(agentId))
    }
    const staying = kept.filter(({ thing }) => !isTabOfTerminal(thing))
    if (staying.length > 0) {
      notices.warning(stay(staying.map(({ thing, why }) => words.kept(words.named(thing), why))))
    }
  }

  private async cleanUp(agent: AgentListed): Promise<void> {
    const { agentId } = agent
    const { cleanUp, cleanUpDetail, cleanUpButton } = words.sure
    if (!(await this.isSure(cleanUp(agentId), cleanUpDetail(goesWith(agent)), cleanUpButton))) return
    const { ended } = await run('openspace.agent.clean_up', { agentId })
    this.workbench.notices.done(words.done.cleanedUp(agentId, ended.length))
  }

  private async isSure(message: string, detailed: string, button: string): Promise<boolean> {
    return (await this.workbench.api.window.ask({ message, detail: detailed }, button)) === button
  }
}

function labelOf(deed: Deed, { client }: Subject): string {
  const label = words.deeds[deed]
  return typeof label === 'string' ? label : label(client)
}

function detailOf(deed: Deed, { agent, running }: Subject): string | undefined {
  switch (deed) {
    case 'stop':
      return words.details.stop(agent ? programsOf(agent) : [])
    case 'disconnect':
    case 'cleanUp':
      return words.details[deed](agent ? goesWith(agent) : [])
    case 'activity':
      return running.length > 0 ? words.runs(running) : words.runsNothing
    default:
      return words.details[deed]
  }
}

/** Beneath an entry. What an agent says draws no pictures there. */
function detail(text: string | undefined): { detail?: string } {
  return text === undefined ? {} : { detail: plain(text) }
}
