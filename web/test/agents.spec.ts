// Whom a person can decide about, and what can be done about each.
import { expect, test } from '@playwright/test'
import type { AgentListed, ConsentListResult, ConsentState } from '../src/protocol/generated'
import {
  deedsFor, factsOf, goesWith, programsOf, standingOf, staysOf, subjectsOf, type Subject,
} from '../src/workbench/agents/subjects'

const AGENT: AgentListed = {
  agentId: 'tester#1', connected: true, paused: false, disconnected: false, name: 'tester 1.0', running: 0, brought: [],
  goesAt: null,
}
const WORDS = { see: '', change: '', reach: '', back: '' }
const said = (asks: boolean, clients: Record<string, ConsentState> = {}): ConsentListResult => ({
  asks,
  clients: Object.entries(clients).map(([client, state]) => ({ client, state, at: 0, by: 'somebody' })),
  words: WORDS,
})
const subject = (agent: Partial<AgentListed>, more: Partial<Subject> = {}): Subject => ({
  who: 'tester#1', client: 'tester', agent: { ...AGENT, ...agent }, running: [], consent: undefined, asks: false,
  ...more,
})

test('what can be done about an agent follows from how it stands', () => {
  expect(deedsFor(subject({}))).toEqual(['pause', 'stop', 'disconnect', 'takeBack', 'activity'])
  expect(deedsFor(subject({ paused: true }))).toEqual(['goOn', 'stop', 'disconnect', 'takeBack', 'activity'])
  // Over stdio it is still there, and can do nothing.
  expect(deedsFor(subject({ disconnected: true }))).toEqual(['admit', 'takeBack', 'activity'])
  expect(deedsFor(subject({ connected: false }))).toEqual(['takeBack', 'activity'])
  const left = { connected: false, brought: [{ kind: 'terminal', id: 't1', stays: null }] }
  expect(deedsFor(subject(left))).toEqual(['cleanUp', 'takeBack', 'activity'])
})

test('consent is offered where it is missing, and taken back where it holds', () => {
  const last = (consent: ConsentState | undefined, asks: boolean) => {
    return deedsFor(subject({ connected: false }, { consent, asks })).slice(0, -1)
  }
  expect(last('asked', true)).toEqual(['agree', 'refuse'])
  expect(last(undefined, true)).toEqual(['agree'])
  expect(last('revoked', false)).toEqual(['agree'])
  expect(last('given', true)).toEqual(['takeBack'])
})

test('who waits for the person comes first, and a client of which nobody is here is told too', () => {
  const agents = [{ ...AGENT, agentId: 'a#1' }, { ...AGENT, agentId: 'gone#2', connected: false }, AGENT]
  const all = subjectsOf(agents, {}, said(true, { tester: 'asked', absent: 'revoked', a: 'given' }))
  expect(all.map(({ who, consent }) => [who, consent])).toEqual([
    ['tester#1', 'asked'], ['a#1', 'given'], ['gone#2', undefined], ['absent', 'revoked'],
  ])
  expect(all.map(standingOf)).toEqual([
    'connected, waits for your consent', 'connected', 'not connected', 'not connected, may only look',
  ])
})

test('a thing goes with its agent or stays for a reason, and the tab of a terminal is told once', () => {
  const agent: AgentListed = {
    ...AGENT,
    brought: [
      { kind: 'terminal', id: 't1', stays: null }, { kind: 'tab', id: 'terminal:t1', stays: null },
      { kind: 'terminal', id: 't2', stays: 'typed_into' }, { kind: 'tab', id: 'editor:src/a.rs', stays: 'unsaved' },
      { kind: 'run', id: 'r1', stays: null }, { kind: 'novelty', id: 'n1', stays: null },
    ],
  }
  expect(goesWith(agent)).toEqual(['terminal t1', 'program r1', 'novelty n1'])
  expect(staysOf(agent)).toEqual([
    'terminal t2 (somebody else typed into it)', 'tab src/a.rs (it has unsaved changes)',
  ])
  expect(programsOf(agent)).toEqual(['terminal t1', 'program r1'])
})

test('what an agent runs is shown as it is, in one line', () => {
  const running = [{ callId: 1, command: 'openspace.workspace.bash', summary: 'rm\n\u202Efr-', startedAt: 0 }]
  const record = {
    name: 'tester', transport: 'http' as const, connectedAt: 0, lastCallAt: 0, calls: 1, running, paused: false,
    disconnected: false, brought: {},
  }
  const [one] = subjectsOf([{ ...AGENT, running: 1 }], { 'tester#1': record }, said(false))
  expect(one && [standingOf(one), factsOf(one)]).toEqual(['connected, runs 1 call', 'Runs now: rm ⟨U+202E⟩fr-'])
})
