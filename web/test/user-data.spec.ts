// How the state of the UI is told: each answer is read, and only the last words of a page outlive it.
import { expect, test } from '@playwright/test'
import { leaving, updateUiState } from '../src/protocol/user-data'

test.afterEach(() => leaving(false))

/** Every request that was made, with the answer it got. */
function answering(): { init: RequestInit; response: Response }[] {
  const made: { init: RequestInit; response: Response }[] = []
  globalThis.fetch = async (_address, init = {}) => {
    const response = new Response('{"success":true}', { status: 200 })
    made.push({ init, response })
    return response
  }
  return made
}

test('answers_are_read_and_nothing_outlives_a_page_that_stays', async () => {
  const made = answering()
  for (let change = 0; change < 100; change += 1) await updateUiState('workspace', { key: 'x'.repeat(1_500) }, [])
  expect(made.map(({ init, response }) => [init.keepalive, response.bodyUsed]))
    .toEqual(Array.from({ length: 100 }, () => [false, true]))
})

test('the_last_state_outlives_the_page_unless_browsers_would_refuse_it', async () => {
  const made = answering()
  leaving(true)
  await updateUiState('workspace', { key: 'small' }, ['old'])
  await updateUiState('workspace', { key: 'x'.repeat(60_000) }, [])
  expect(made.map(({ init }) => init.keepalive)).toEqual([true, false])
  expect(made[0]?.init.body).toBe('{"scope":"workspace","set":{"key":"small"},"remove":["old"]}')
})
