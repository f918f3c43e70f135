// The sizes of panes that a window has no room to show.
import { expect, test } from '@playwright/test'
import { sizedLike, type PaneShape, type Shape } from '../src/workbench/layout/shape'

const pane = (id: string | null): PaneShape => ({ id, tabs: [], active: undefined })
const row = (fractions: number[], ...children: Shape[]): Shape => ({ direction: 'row', fractions, children })
const column = (fractions: number[], ...children: Shape[]): Shape => ({ direction: 'column', fractions, children })

const [a, b, c] = [pane('a'), pane('b'), pane('c')]
const INTENDED = row([0.2, 0.8], a, column([0.25, 0.75], b, c))

test('the_same_panes_get_the_sizes_that_they_are_meant_to_have', () => {
  expect(sizedLike(row([1, 0], a, column([0, 1], b, c)), INTENDED)).toEqual(INTENDED)
})

test('panes_that_are_left_share_what_one_that_is_gone_had', () => {
  expect(sizedLike(row([0, 1], a, c), INTENDED)).toEqual(row([0.2, 0.8], a, c))
  expect(sizedLike(column([0, 1], b, c), INTENDED)).toEqual(column([0.25, 0.75], b, c))
})

test('a_new_pane_gets_as_much_as_those_beside_it_on_average', () => {
  const fresh = pane(null)
  const shape = sizedLike(row([0, 0, 1], a, fresh, column([0, 1], b, c)), INTENDED)
  expect(shape).toEqual(row([0.2 / 1.5, 0.5 / 1.5, 0.8 / 1.5], a, fresh, column([0.25, 0.75], b, c)))
})
