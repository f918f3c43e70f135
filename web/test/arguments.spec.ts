// What a person types into the form of a command becomes what the schema wants, or a reason why not.
import { expect, test } from '@playwright/test'
import type { JsonSchema } from '../src/protocol/commands'
import { parse } from '../src/workbench/commands/arguments'

const check = (text: string, schema: JsonSchema, isRequired: boolean, expected: ReturnType<typeof parse>) =>
  expect(parse(text, schema, isRequired), `${text} as ${JSON.stringify(schema)}`).toEqual(expected)

test('what_is_typed_becomes_what_the_schema_wants', () => {
  check('src/a b.rs', { type: 'string' }, true, { value: 'src/a b.rs' })
  check(' 12 ', { type: ['integer', 'null'] }, false, { value: 12 })
  check('0.5', { type: 'number' }, true, { value: 0.5 })
  check('[1, "a"]', { type: 'array' }, true, { value: [1, 'a'] })
  check('{"a": null}', {}, true, { value: { a: null } })
})

test('what_may_be_left_out_can_be_left_out', () => {
  for (const type of ['string', 'integer', 'array']) check('', { type }, false, {})
})

test('what_does_not_fit_is_refused_with_a_reason', () => {
  check('', { type: 'string' }, true, { problem: 'This is needed.' })
  check('', { type: 'integer' }, true, { problem: 'This must be a number.' })
  check('two', { type: 'number' }, true, { problem: 'This must be a number.' })
  check('Infinity', { type: 'number' }, true, { problem: 'This must be a number.' })
  check('1.5', { type: 'integer' }, true, { problem: 'This must be a whole number.' })
  check('0', { type: 'integer', minimum: 1 }, true, { problem: 'This must be at least 1.' })
  check('9', { type: 'integer', maximum: 8 }, true, { problem: 'This must be at most 8.' })
  check('[1', { type: 'array' }, true, { problem: 'This must be JSON, such as ["a", "b"] or {"a": 1}.' })
})
