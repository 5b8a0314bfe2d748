import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RedisViews } from '../../src/adapters/redis/views/views.ts'
import { ORDER_SORTS } from '../../src/domain/listing/sorts.ts'
import type { OrderQuery } from '../../src/ports/views/order-views.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { listNaively } from '../support/orders/naive-listing.ts'
import { bookOf, type Dice, dice } from '../support/orders/order-book.ts'
import { lifeOf, mutated } from '../support/orders/order-changes.ts'
import { someFilters } from '../support/orders/random-filters.ts'
import { openRedisViews, RedisServer } from '../support/services/redis.ts'
import { systemClock as clock } from '../support/system-clock.ts'

// Readers of one Redis while orders change: a page and its total are those of one place of the log,
// not before the read began and not after it ended.

const ORDERS = 120
const VERSIONS = 12
const PAGES = 10_000
/** Reads at once of each reader. */
const LANES = 4
const LIMIT = 7

let server: RedisServer
beforeAll(async () => {
  server = await RedisServer.start({ appendonly: 'no' })
})
afterAll(() => server.stop())

const open = () => openRedisViews(server.url, { clock, partitions: 1 })

/** The orders as of each place: after so many changes. */
class Places {
  readonly #lives: ReturnType<typeof lifeOf>[]
  readonly #order: [life: number, change: number][]
  readonly #known: OrderRecord[][] = [[]]

  constructor(roll: Dice) {
    const chains = bookOf(ORDERS, 5).map((first) => {
      const chain = [first]
      while (chain.length < VERSIONS) chain.push(mutated(roll, chain.at(-1)!))
      return chain
    })
    this.#lives = chains.map(lifeOf)
    this.#order = Array.from({ length: VERSIONS }, (_, change) =>
      chains.map((_, life): [number, number] => [life, change]),
    ).flat()
    const now = new Map<number, OrderRecord>()
    for (const [life, change] of this.#order) {
      now.set(life, chains[life]![change]!)
      this.#known.push([...now.values()])
    }
  }

  get count(): number {
    return this.#order.length
  }

  changeAt(place: number) {
    const [life, change] = this.#order[place]!
    return this.#lives[life]!.changes[change]!
  }

  at(place: number): readonly OrderRecord[] {
    return this.#known[place]!
  }
}

const shownAt = (orders: readonly OrderRecord[], { limit, ...query }: OrderQuery) => {
  const all = listNaively(orders, query)
  return { ids: all.slice(0, limit).map(({ id }) => id), total: all.length }
}

test('10,000 pages of two readers, one of them replaced, are each of one place', async () => {
  await server.admin.flushall()
  const roll = dice(77)
  const places = new Places(roll)
  const writer = await open()
  const readers = [await open(), await open()]
  let begun = 0
  let ended = 0
  let read = 0
  const write = async () => {
    while (begun < places.count) {
      const records = [places.changeAt(begun)]
      begun += 1
      await writer.views.apply({ partition: 0, nextOffset: begun, records })
      ended = begun
      // Some are read at rest, too.
      while (read < (PAGES * ended) / places.count && read < PAGES) await clock.sleep(1)
    }
  }
  const walk = async (viewsOf: () => RedisViews) => {
    while (read < PAGES) {
      read += 1
      const orders = places.at(Math.max(1, ended))
      const query: OrderQuery = {
        includeWithdrawn: true,
        ...someFilters(roll, orders),
        sort: roll.of(ORDER_SORTS),
        limit: LIMIT,
      }
      const from = ended
      const page = await viewsOf().page(query)
      const to = begun
      const got = { ids: page.orders.map(({ order }) => order.id), total: page.total }
      const possible = Array.from({ length: to - from + 1 }, (_, at) =>
        shownAt(places.at(from + at), query),
      )
      expect(possible, JSON.stringify(query)).toContainEqual(got)
    }
  }
  const walks = readers.flatMap((_, at) =>
    Array.from({ length: LANES }, () => walk(() => readers[at]!.views)),
  )
  const replaced = (async () => {
    while (read < PAGES / 2) await clock.sleep(5)
    const gone = readers[0]!
    readers[0] = await open()
    // Its last pages end first.
    await clock.sleep(500)
    gone.close()
  })()
  await Promise.all([write(), replaced, ...walks])
  expect(ended).toBe(places.count)
  for (const { close } of [writer, ...readers]) close()
})
