import { afterEach, expect, test } from 'vitest'
import { capabilityOf } from '../../src/domain/catalog/catalog.ts'
import { ORDER_SORTS } from '../../src/domain/listing/sorts.ts'
import { toSummary } from '../../src/domain/order/order-summary.ts'
import type { OrderQuery, PartitionFreshness } from '../../src/ports/views/order-views.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { openParty, type Party } from '../support/abuse/party.ts'
import type { ViewsSkills } from '../support/children/views-party.ts'
import { listNaively, type ShownAs } from '../support/orders/naive-listing.ts'
import { bookOf, type Dice, dice } from '../support/orders/order-book.ts'
import { lifeOf, mutated, versionOf, watermarkOf } from '../support/orders/order-changes.ts'
import { someListedFilters } from '../support/orders/random-filters.ts'
import { type RedisHost, RedisServer } from '../support/services/redis.ts'
import { RedisCluster } from '../support/services/redis-cluster.ts'
import { systemClock as clock } from '../support/system-clock.ts'

// Two readers and a writer of one Redis, each a process of its own, while orders change: a page and
// its total are those of one place of the log, not before the read began and not after it ended. A
// reader is killed, and so is the writer, in the middle of their work.

const ORDERS = 120
const VERSIONS = 12
/** Reads at once of each reader. */
const AT_ONCE = 4
const LIMIT = 7
/** Some orders are fresh by age then, others by the watermark of their partition, others stale. */
const MOMENT = { now: Date.parse('2026-02-01T00:00:00.000Z'), maxAgeSeconds: 20 * 86_400 }
const FRESHNESS: PartitionFreshness = {
  watermark: watermarkOf(9, new Date(MOMENT.now).toISOString()),
  continuousSince: { epoch: 1, n: 4 },
}

type Member = Party<ViewsSkills>

let host: RedisHost
const members = new Set<Member>()
afterEach(async () => {
  await Promise.all([...members].map((member) => member.end()))
  members.clear()
  await host?.stop()
})

async function join(): Promise<Member> {
  const member = openParty<ViewsSkills>('views-party')
  members.add(member)
  await member.open(host.url)
  return member
}

/** SIGKILL: what the member was asked for is not answered. */
async function kill(member: Member): Promise<void> {
  members.delete(member)
  await member.end()
}

const isAway = (error: unknown): boolean => `${error}`.includes('StorageUnavailableError')

/** A busy machine may have a server silent for so long that it is let go: it is asked again. */
async function again<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!isAway(error)) throw error
      await clock.sleep(100)
    }
  }
}

/** An ask that a buyer can take while it is LIVE and fresh. */
const sound = (order: OrderRecord): OrderRecord => ({
  ...order,
  kept: {
    ...order.kept,
    inspection: {
      ...order.kept.inspection,
      safety: 'PUBLIC_RACEABLE',
      orderClass: 'ASK_ANYONECANPAY',
    },
  },
})

function live({ protocolId: _protocol, hidden: _hidden, ...order }: OrderRecord): OrderRecord {
  return { ...order, state: 'LIVE', spend: null }
}

/** The orders at each place: after so many changes. */
class Places {
  readonly #lives: ReturnType<typeof lifeOf>[]
  readonly #order: [life: number, change: number][]
  readonly #known: OrderRecord[][] = [[]]

  constructor(roll: Dice) {
    const chains = bookOf(ORDERS, 5).map((order) => {
      const chain = [order.side === 'ASK' && roll.chance(0.6) ? sound(order) : order]
      while (chain.length < VERSIONS) {
        const next = mutated(roll, chain.at(-1)!)
        chain.push(roll.chance(0.4) ? live(next) : next)
      }
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

const shown: ShownAs = (order) =>
  toSummary({ order, freshness: FRESHNESS }, { ...MOMENT, capabilityOf }).summary.actionability

const shownAt = (orders: readonly OrderRecord[], { limit, ...query }: OrderQuery) => {
  const all = listNaively(orders, query, shown)
  return { orders: all.slice(0, limit).map(versionOf), total: all.length }
}

/** Both are killed once: the writer when half of the changes are begun, a reader when half is read. */
async function readWhileWritten(pages: number): Promise<void> {
  const roll = dice(77)
  const places = new Places(roll)
  let writer = await join()
  const readers = [await join(), await join()]
  const spare = await join()
  await again(() => writer.applyFreshness(FRESHNESS))
  let begun = 0
  let ended = 0
  let read = 0
  const killed = { readers: 0, writers: 0 }

  const write = async () => {
    while (ended < places.count) {
      begun = Math.max(begun, ended + 1)
      const writing = writer.apply(ended, places.changeAt(ended))
      if (killed.writers === 0 && begun > places.count / 2) {
        killed.writers += 1
        // It may have ended, or not, or have been written without an answer.
        await Promise.allSettled([kill(writer), writing])
        writer = await join()
        ended = await again(() => writer.position())
        continue
      }
      try {
        await writing
        ended += 1
      } catch (error) {
        if (!isAway(error)) throw error
        ended = await again(() => writer.position())
      }
      // Some pages are read at rest, too.
      while (read < (pages * ended) / places.count && read < pages) await clock.sleep(1)
    }
  }
  const readPage = async (reader: Member) => {
    const query: OrderQuery = {
      includeWithdrawn: true,
      ...someListedFilters(roll, places.at(Math.max(1, ended)), MOMENT),
      sort: roll.of(ORDER_SORTS),
      limit: LIMIT,
    }
    const from = ended
    const got = await again(() => reader.page(query))
    const to = begun
    const possible = Array.from({ length: to - from + 1 }, (_, at) =>
      shownAt(places.at(from + at), query),
    )
    expect(possible, JSON.stringify(query)).toContainEqual(got)
    read += 1
  }
  const walk = async (at: number) => {
    while (read < pages) {
      const reader = readers[at]!
      await readPage(reader).catch((error: unknown) => {
        if (members.has(reader)) throw error
      })
    }
  }
  const replaced = async () => {
    while (read < pages / 2) await clock.sleep(1)
    const [gone] = readers
    readers[0] = spare
    killed.readers += 1
    await kill(gone!)
  }
  await Promise.all([
    write(),
    replaced(),
    ...readers.flatMap((_, at) => Array.from({ length: AT_ONCE }, () => walk(at))),
  ])
  expect(ended).toBe(places.count)
  expect(killed).toEqual({ readers: 1, writers: 1 })
}

test('10,000 pages of processes on a cluster, some of them killed, are each of one place', async () => {
  host = await RedisCluster.start({ settings: { appendfsync: 'no' } })
  await readWhileWritten(10_000)
})

test('2,000 pages of processes on one server, some of them killed, are each of one place', async () => {
  host = await RedisServer.start({ appendonly: 'no' })
  await readWhileWritten(2_000)
})
