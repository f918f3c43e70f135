// The small project of the README's picture. It is real: its tests run.

export const PROJECT: Record<string, string> = {
  'README.md': '# Shop\n\nA cart that adds up.\n\n```sh\nnode --test\n```\n',
  'package.json': '{\n  "name": "shop",\n  "private": true,\n  "type": "module"\n}\n',
  'src/cart.js': `// Prices are in cents: fractions lose coins.

/** What the items of a cart cost together. */
export function total(items, discount = 0) {
  const share = 1 - discount
  let sum = 0
  for (const { price, count } of items) {
    sum += Math.floor(price * count * share)
  }
  return Math.round(sum)
}

/** Puts one more of an item into a cart. */
export function add(items, name, price) {
  const isKnown = items.some((i) => i.name === name)
  if (!isKnown) {
    return [...items, { name, price, count: 1 }]
  }
  return items.map((item) => (
    item.name === name ? more(item) : item
  ))
}

const more = (item) => ({
  ...item, count: item.count + 1,
})
`,
  'src/money.js': `// How an amount of cents is shown to people.

export function money(cents, currency = 'EUR') {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(cents / 100)
}
`,
  'test/cart.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { add, total } from '../src/cart.js'

const cart = [
  { name: 'tea', price: 333, count: 1 },
  { name: 'cup', price: 777, count: 1 },
]

test('items add up', () => {
  assert.equal(total(cart), 1110)
})

test('a discount is rounded once', () => {
  assert.equal(total(cart, 0.5), 555)
})
`,
}
