// Whom a person can decide about, and what can be done about each: plain data, drawn from what the server says.
//
// A client of which something was said is one too, while no agent of it is here. Nothing is done here.
import { inOneLine } from '../../panels/approvals/visible'
import type { AgentListed, AgentRecord, ConsentListResult, ConsentState, Thing } from '../../protocol/generated'
import { strings } from '../../strings'

const words = strings.agents

export type Deed =
  | 'pause' | 'goOn' | 'stop' | 'disconnect' | 'admit' | 'cleanUp' | 'agree' | 'refuse' | 'takeBack' | 'activity'

/** An agent, or a client of which none is here. */
export interface Subject {
  /** What it is called: the agent's id, or the client's name. */
  who: string
  client: string
  agent: AgentListed | undefined
  /** What its calls do that run now. */
  running: readonly string[]
  /** What was said of its client, if anything was. */
  consent: ConsentState | undefined
  /** Whether its client has to be agreed to. */
  asks: boolean
}

/** The client of an agent: `#` occurs in no name, and stands before a session. */
export function clientOf(agentId: string): string {
  return agentId.split('#', 1)[0] ?? agentId
}

/** Everybody, those first that wait for the person, then those that are here. */
export function subjectsOf(
  agents: readonly AgentListed[], live: Readonly<Record<string, AgentRecord>>, said: ConsentListResult,
): Subject[] {
  const consents = new Map(said.clients.map(({ client, state }) => [client, state]))
  const present = agents.map((agent): Subject => {
    const { agentId: who } = agent
    const client = clientOf(who)
    const running = live[who]?.running.map(({ summary }) => inOneLine(summary)) ?? []
    return { who, client, agent, running, consent: consents.get(client), asks: said.asks }
  })
  const known = new Set(present.map(({ client }) => client))
  const absent = [...consents].filter(([client]) => !known.has(client)).map(([client, consent]): Subject =>
    ({ who: client, client, agent: undefined, running: [], consent, asks: said.asks }))
  return [...present, ...absent].sort((a, b) => rank(a) - rank(b) || a.who.localeCompare(b.who, 'en'))
}

function rank({ consent, agent }: Subject): number {
  return consent === 'asked' ? 0 : agent?.connected ? 1 : agent ? 2 : 3
}

/** What can be done about one, what is most likely wanted first. */
export function deedsFor({ agent, consent, asks }: Subject): Deed[] {
  const deeds: Deed[] = []
  if (consent === 'asked') deeds.push('agree', 'refuse')
  if (agent?.disconnected) deeds.push('admit')
  if (agent?.paused) deeds.push('goOn')
  if (agent?.connected && !agent.disconnected) {
    if (!agent.paused) deeds.push('pause')
    deeds.push('stop', 'disconnect')
  }
  if (agent && !agent.connected && goesWith(agent).length > 0) deeds.push('cleanUp')
  if (consent === 'revoked' || (consent === undefined && asks)) deeds.push('agree')
  if (consent === 'given' || (consent === undefined && !asks)) deeds.push('takeBack')
  return [...deeds, 'activity']
}

/** How one stands, in a few words. */
export function standingOf({ agent, running, consent }: Subject): string {
  const { states } = words
  const all = [
    agent?.connected ? states.connected : states.gone,
    agent?.paused && states.paused,
    agent?.disconnected && states.disconnected,
    consent === 'asked' && states.waits,
    consent === 'revoked' && states.revoked,
    agent && running.length > 0 && words.running(agent.running),
  ]
  return all.filter((word) => typeof word === 'string').join(', ')
}

/** What one does now and brought, in a line; nothing where there is nothing to tell. */
export function factsOf({ agent, running }: Subject): string | undefined {
  const facts = [
    ...(running.length > 0 ? [words.runs(running)] : []),
    ...(agent && agent.brought.length > 0 ? [words.brought(ownOf(agent).map(named))] : []),
  ]
  return facts.length > 0 ? facts.join('; ') : undefined
}

/** What goes with an agent. */
export function goesWith(agent: AgentListed): string[] {
  return ownOf(agent).filter(({ stays }) => stays === null).map(named)
}

/** What stays although the agent goes, and why. */
export function staysOf(agent: AgentListed): string[] {
  return ownOf(agent).flatMap((thing) => (thing.stays ? [words.kept(named(thing), words.stays(thing.stays))] : []))
}

/** The things in which programs run that go when the agent's programs are stopped. */
export function programsOf({ brought }: AgentListed): string[] {
  const running = brought.filter(({ kind, stays }) => (kind === 'terminal' || kind === 'run') && stays !== 'typed_into')
  return running.map(named)
}

/** Whether a thing, as commands name it, is the tab of a terminal: what becomes of that is told already. */
export function isTabOfTerminal(name: string): boolean {
  return name.startsWith('tab/terminal:')
}

function ownOf({ brought }: AgentListed): Thing[] {
  return brought.filter(({ kind, id }) => !isTabOfTerminal(`${kind}/${id}`))
}

function named({ kind, id }: Thing): string {
  return words.thing(kind, inOneLine(id))
}
