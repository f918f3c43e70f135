// What the policy says about a line, as a person reads it.
import { expect, test } from '@playwright/test'
import type { PolicyCheckResult } from '../src/protocol/generated'
import { plain } from '../src/workbench/core/plain-labels'
import { rowsOf } from '../src/workbench/policy/rulings'

const DANGER = 'Deletes folders with everything in them.'
const part = (text: string, decision: string, dangers: string[] = []) => ({ text, decision, rule: 'a rule', dangers })
const checked = (parts: ReturnType<typeof part>[], doubts: string[] = []): PolicyCheckResult => ({
  profile: 'careful',
  rulings: [{
    place: 'confined', decision: 'ask', rule: 'a rule', why: DANGER,
    line: { text: parts.map(({ text }) => text).join(' && '), parts, doubts }, always: { about: '`rm *`', text: '' },
  }],
})
const HEAD = [
  { type: 'separator', label: 'confined' },
  { label: '$(question) You are asked', description: 'in the agents’ confined place', detail: `By a rule: ${DANGER}` },
]
const ALWAYS = { label: '$(save) “Always” would save a rule about `rm *`' }

test('of one command all is said with the answer, of several each is told', () => {
  expect(rowsOf(checked([part('rm -r a', 'ask', [DANGER])]))).toEqual([...HEAD, ALWAYS])
  expect(rowsOf(checked([part('ls', 'allow'), part('rm -r a', 'ask', [DANGER])]))).toEqual([
    ...HEAD,
    { label: 'ls', description: 'allowed, by a rule' },
    { label: 'rm -r a', description: 'needs a yes, by a rule', detail: DANGER },
    ALWAYS,
  ])
})

test('what cannot be known is told, and no letter of a line is hidden or drawn as a picture', () => {
  const rows = rowsOf(checked([part('echo $(date)', 'ask', ['More.']), part('a\u202Eb', 'deny')], ['It runs $(x y).']))
  expect(rows.slice(2, -1)).toEqual([
    { label: String.raw`echo \$(date)`, description: 'needs a yes, by a rule', detail: 'More.' },
    { label: 'a⟨U+202E⟩b', description: 'forbidden, by a rule' },
    { label: '$(warning) It runs $(x y).', detail: 'This cannot be known beforehand.' },
  ])
})

test('only what the workbench would draw is changed in a text', () => {
  for (const text of ['$(rm -rf x)', '$x', 'a $ (b)', '${date}']) expect(plain(text)).toBe(text)
  expect(plain('$(sync~spin) $(a)$(b)')).toBe(String.raw`\$(sync~spin) \$(a)\$(b)`)
})
