// The page's copy of the space against a double of the server: whatever changes and whenever the connection
// breaks, it ends as the server has it, and nobody is told of half a change.
import { expect, test } from '@playwright/test'
import { Space } from '../src/protocol/space'
import { Random } from './random'
import { SocketDouble, SpaceDouble } from './space-double'

const CHANGES = 80

/** The page's surroundings, as far as a space uses them. */
function surround(server: SpaceDouble): void {
  class Socket extends SocketDouble {
    constructor(address: URL) {
      super()
      server.attach(this, address.searchParams)
    }
  }
  Object.assign(globalThis, {
    WebSocket: Socket,
    location: { href: 'http://localhost/' },
    fetch: () => Promise.resolve({ status: 200 }),
  })
}

/** Whether the server is there is asked first, then there is a moment to wait for. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

async function reconnect(space: Space): Promise<void> {
  await settled()
  expect(space.state.is).toBe('lost')
  space.retry()
}

function deliver(server: SpaceDouble, most = Infinity): void {
  const [socket] = server.sockets
  if (!socket) return
  for (let left = most; left > 0; left -= 1) {
    if (!socket.hasMore) return
    socket.deliver()
  }
}

function expectSame(space: Space, server: SpaceDouble, when: string): void {
  for (const name of server.names) expect(JSON.stringify(space.part(name)), `${name}, ${when}`).toBe(server.text(name))
  expect(space.layout(), `the tree, ${when}`).toEqual(server.layout)
}

for (let seed = 1; seed <= 25; seed += 1) {
  test(`whatever_changes_and_breaks_the_page_has_the_servers_space_seed_${seed}`, async () => {
    const random = new Random(seed)
    const server = new SpaceDouble(random)
    surround(server)
    const space = new Space()
    const started = space.start()
    deliver(server)
    await started
    for (let step = 1; step <= CHANGES; step += 1) {
      if (random.chance(0.9)) server.change()
      else server.mention()
      if (random.chance(0.1)) {
        // Some of it arrived, and some of what comes on the new connection is lost again.
        for (let breaks = 1 + random.below(2); breaks > 0; breaks -= 1) {
          deliver(server, random.below(4))
          if (random.chance(0.2)) server.restart()
          else server.drop()
          for (let missed = random.below(12); missed > 0; missed -= 1) server.change()
          await reconnect(space)
        }
      }
      if (random.chance(0.3)) continue
      deliver(server)
      expectSame(space, server, `seed ${seed}, step ${step}`)
    }
    deliver(server)
    expectSame(space, server, `seed ${seed}, at the end`)
  })
}

test('a_change_is_whole_before_anybody_hears_of_it_and_the_layout_is_told_last', async () => {
  const server = new SpaceDouble(new Random(99))
  surround(server)
  const space = new Space()
  const told: string[] = []
  const halves: string[] = []
  // The layout listens first, so that the order is not that of the listeners.
  for (const name of ['layout', ...server.names] as const) {
    space.onPart(name, () => {
      told.push(name)
      halves.push(...server.names.filter((other) => JSON.stringify(space.part(other)) !== server.text(other)))
    })
  }
  const started = space.start()
  deliver(server)
  await started
  expect(told.slice(-2)).toEqual(['layout', 'layout'])
  for (let step = 0; step < CHANGES; step += 1) {
    const before = server.names.map((name) => [name, space.part(name), server.text(name)] as const)
    told.length = 0
    server.change()
    deliver(server)
    const changed = before.filter(([name, , text]) => server.text(name) !== text).map(([name]) => name)
    expect(new Set(told)).toEqual(new Set(changed))
    if (told.includes('layout')) expect(told.slice(-2)).toEqual(['layout', 'layout'])
    // A part that did not change is the same object.
    const same = before.filter(([name, part]) => space.part(name) === part).map(([name]) => name)
    expect(same).toEqual(server.names.filter((name) => !changed.includes(name)))
    expectSame(space, server, `step ${step}`)
  }
  expect(halves).toEqual([])
})
