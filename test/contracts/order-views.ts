import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { capabilityOf } from '../../src/domain/catalog/catalog.ts'
import { parseOutpoint } from '../../src/domain/chain/outpoint.ts'
import { ORDER_SORTS, type OrderSort } from '../../src/domain/listing/sorts.ts'
import { toSummary } from '../../src/domain/order/order-summary.ts'
import { showAnswer } from '../../src/domain/order/stored-answer.ts'
import {
  type OrderQuery,
  type OrderViews,
  type PartitionFreshness,
  type SortPosition,
  type StoredAnswerPage,
  type StoredOrderAnswer,
  type StoredPage,
  ViewGapError,
} from '../../src/ports/views/order-views.ts'
import type { Spend } from '../../src/schemas/evidence.ts'
import type { LifecycleRecord } from '../../src/schemas/log.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { Actionability, type OutpointText } from '../../src/schemas/scalars.ts'
import { toOrderId, toOutpointText, toTxid } from '../support/ids.ts'
import type { ManualClock } from '../support/manual-clock.ts'
import {
  comparing,
  countNaively,
  listNaively,
  type ShownAs,
} from '../support/orders/naive-listing.ts'
import { bookOf, type Dice, dice } from '../support/orders/order-book.ts'
import {
  changeBetween,
  lifeOf,
  mutated,
  outcomeOf,
  settle,
  watermarkOf,
} from '../support/orders/order-changes.ts'
import { someListedFilters } from '../support/orders/random-filters.ts'

export interface OpenedViews {
  views: OrderViews
  clock: ManualClock
  /** The same views opened again, as after a restart; `views` is not used any longer. */
  reopen(): Promise<OrderViews>
  close(): Promise<void>
}

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 12)
const HOUR_MS = 3_600_000

/** What every view store does. `open` gives an empty one, for regtest. */
export function orderViewsContract(name: string, open: () => Promise<OpenedViews>): void {
  const withViews = (run: (opened: OpenedViews) => Promise<void>) => async () => {
    const opened = await open()
    try {
      await run(opened)
    } finally {
      await opened.close()
    }
  }

  describe(`OrderViews/${name}`, () => {
    test(
      'an order is the fold of its changes; a change it has is skipped',
      withViews(async ({ views }) => {
        const { changes, order } = lifeOf(versionsOf(dice(1), bookOf(1, 1)[0]!, 4))
        await apply(views, 2, changes.slice(0, 3))
        await apply(views, 2, changes)
        expect(await views.order(order.id)).toEqual({ order, partition: 2, freshness: null })
        expect(await views.order(toOrderId('00'.repeat(32)))).toBeNull()
        expect(await views.position(2)).toBe(4)
        expect(await views.position(0)).toBe(0)
      }),
    )

    test(
      'a list that is read after an order has it as it was then, though it is being written',
      withViews(async ({ views, clock }) => {
        const [order] = bookOf(1, 3)
        const states = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? 'LIVE' : 'SPENT'))
        const { changes } = lifeOf(states.map((state) => ({ ...order!, state }) as OrderRecord))
        for (const change of changes) {
          const applying = apply(views, 0, [change])
          while ((await views.order(change.orderId))?.order.seq !== change.seq) await clock.turn()
          const { orders } = await views.page(query({ state: change.toState, hidden: 'either' }))
          expect(orders.map((one) => one.order.seq)).toEqual([change.seq])
          await applying
        }
      }),
    )

    test(
      'a gap is refused and nothing of its batch is visible',
      withViews(async ({ views }) => {
        const [whole, holed] = bookOf(2, 2).map((order) => lifeOf(versionsOf(dice(2), order, 3)))
        const batch = [...whole!.changes, outcomeOf('r', whole!.order.id), holed!.changes[1]!]
        await expect(apply(views, 0, batch)).rejects.toThrow(ViewGapError)
        expect(await views.order(whole!.order.id)).toBeNull()
        expect(await views.outcome('r')).toBeNull()
        expect(await views.position(0)).toBe(0)
        expect((await views.page(query({}))).total).toBe(0)
      }),
    )

    test(
      'everything is there after a restart',
      withViews(async (opened) => {
        const lives = bookOf(40, 3).map((order) => lifeOf(versionsOf(dice(3), order, 2)))
        const changes = lives.flatMap((life) => life.changes)
        await apply(opened.views, 1, [...changes, outcomeOf('r', lives[0]!.order.id)])
        const freshness = { watermark: watermarkOf(7), continuousSince: { epoch: 1, n: 2 } }
        await opened.views.applyFreshness(1, freshness)
        const views = await opened.reopen()
        expect(await views.position(1)).toBe(81)
        expect((await views.order(lives[0]!.order.id))?.freshness).toEqual(freshness)
        expect(await views.freshness()).toEqual(new Map([[1, freshness]]))
        expect(await views.outcome('r')).toMatchObject({ orderId: lives[0]!.order.id })
        await expectListings(
          views,
          lives.map((life) => life.order),
          dice(3),
          new Map(lives.map(({ order }) => [order.id, 1])),
        )
      }),
    )

    test(
      'answers and pages of them are the summaries of their orders, whatever changed since they were shown',
      withViews(async ({ views, clock }) => {
        const roll = dice(11)
        const lives = bookOf(40, 11).map((order) => lifeOf(versionsOf(roll, order, 6)))
        const terms = { now: NOW, maxAgeSeconds: 300, capabilityOf }
        for (let version = 1; version <= 6; version += 1) {
          for (const [at, { changes }] of lives.entries()) {
            if (version > 1 && roll.chance(0.6)) continue
            await apply(views, at % 3, changes.slice(0, version))
          }
          await views.applyFreshness(version % 3, someFreshness(roll))
          // Answers may be shown by freshness that is so old.
          clock.advance(250)
          for (const sort of ORDER_SORTS) {
            const asked = { ...query({ sort }), limit: 30 }
            const { orders, ...rest } = await views.page(asked)
            const { answers, ...others } = await views.answerPage(asked, 2 ** 20)
            expect(others).toEqual(rest)
            const expected = orders.map((one) => JSON.stringify(toSummary(one, terms).summary))
            const shown = (one: StoredOrderAnswer | null) =>
              one && showAnswer({ ...one, order: one.answer }, terms).body
            expect(answers.map(shown)).toEqual(expected)
            const alone = await Promise.all(orders.map(({ order }) => views.answer(order.id)))
            expect(alone.map(shown)).toEqual(expected)
          }
        }
        expect(await views.answer(toOrderId('00'.repeat(32)))).toBeNull()
      }),
    )

    test(
      'a page of answers ends early once they exceed the bytes allowed, and leads to the rest',
      withViews(async ({ views }) => {
        const orders = bookOf(300, 12)
        const records = orders.map((order) => lifeOf([order]).changes[0]!)
        await apply(views, 0, records)
        const ids: string[] = []
        let after: SortPosition | null = null
        do {
          const asked: OrderQuery = { ...query({ limit: 200 }), ...(after && { after }) }
          const page: StoredAnswerPage = await views.answerPage(asked, 1)
          expect(page.answers.length).toBeLessThan(200)
          expect(page.total).toBe(orders.length)
          ids.push(...page.answers.map(({ position }) => position.id))
          after = page.next
          if (after) expect(after).toEqual(page.answers.at(-1)?.position)
        } while (after)
        expect(ids).toEqual(listNaively(orders, query({})).map(({ id }) => id))
      }),
    )

    test(
      'an order without a market is listed under what was proved of it',
      withViews(async ({ views }) => {
        const [one, two] = bookOf(2, 5).map(({ protocolId: _protocol, ...order }) => order)
        const { txid, vout } = { txid: toTxid(one!.outpoint.slice(0, 64)), vout: 0 }
        const assets = [{ inscriptionId: `${txid}i0`, outpoint: { txid, vout } }]
        const proved = { ...one!, assets, metadataFixed: true }
        const claimed = { ...two!, assets, metadataFixed: false }
        const listed = async () => {
          const page = await views.page(query({ protocols: ['inscriptions', 'ordinals'] }))
          return page.orders.map(({ order }) => order.id)
        }
        const first = lifeOf([{ ...proved, assets: [] }, proved])
        await apply(views, 0, [first.changes[0]!, ...lifeOf([claimed]).changes])
        expect(await listed()).toEqual([])
        await apply(views, 0, first.changes)
        expect(await listed()).toEqual([proved.id])
        const { changes } = lifeOf([
          { ...proved, assets: [] },
          proved,
          { ...proved, protocolId: 'names' },
        ])
        await apply(views, 0, changes)
        expect(await listed()).toEqual([])
        expect((await views.page(query({ protocols: ['names'] }))).total).toBe(1)
      }),
    )

    test(
      'a query for withdrawn orders by state gets them',
      withViews(async ({ views }) => {
        const [one, two] = bookOf(2, 6)
        const withdrawn = { ...one!, state: 'WITHDRAWN' as const }
        const others = lifeOf([{ ...two!, state: 'LIVE' }]).changes
        await apply(views, 0, [...lifeOf([withdrawn]).changes, ...others])
        const found = async (part: Partial<OrderQuery>) => {
          const { orders } = await views.page({ ...query(part), includeWithdrawn: false })
          return orders.map(({ order }) => order.id)
        }
        expect(await found({ state: 'WITHDRAWN' })).toEqual([withdrawn.id])
        expect(await found({})).toEqual([two!.id])
      }),
    )

    test.each(ORDER_SORTS)(
      'a walk by %s meets each order that does not move meanwhile once',
      async (sort) => {
        const { views: first, reopen, close } = await open()
        try {
          const roll = dice(19)
          const book = new ChangingBook(first, bookOf(60, 19))
          await book.write()
          const met: string[] = []
          const moved = new Set<string>()
          const whole = query({ hidden: 'either', sort, limit: 7 })
          for (let after: SortPosition | null = null; ; ) {
            const page: StoredPage = await book.views.page({ ...whole, ...(after && { after }) })
            met.push(...page.orders.map(({ order }) => order.id))
            expect(page.total).toBe(60)
            after = page.next
            if (!after) break
            // A cursor is good after a restart: one of these walks is enough to show it.
            if (sort === 'price_asc' && met.length === 28) book.views = await reopen()
            for (const id of await book.change(roll, sort)) moved.add(id)
          }
          // No order moves in a sort by age.
          expect(moved.size > 0).toBe(sort !== 'newest' && sort !== 'oldest')
          const stayed = book.ids.filter((id) => !moved.has(id)).sort()
          expect(stayed.length).toBeGreaterThan(10)
          expect(met.filter((id) => !moved.has(id)).sort()).toEqual(stayed)
        } finally {
          await close()
        }
      },
    )

    test(
      'hidden orders are found only by that filter, in any state',
      withViews(async ({ views }) => {
        const hidden = { hiddenAt: '2030-01-01T00:00:00.000Z', reason: 'reported' }
        const [first, second, third] = bookOf(3, 7).map(({ hidden: _hidden, ...order }) => order)
        const live = { ...first!, state: 'LIVE' as const }
        const refused = { ...second!, state: 'REJECTED' as const, hidden }
        const withdrawn = { ...third!, state: 'WITHDRAWN' as const, hidden }
        for (const order of [live, refused, withdrawn])
          await apply(views, 0, lifeOf([order]).changes)
        const found = async (part: Partial<OrderQuery>) => {
          const { orders, total } = await views.page(query(part))
          expect(total).toBe(orders.length)
          return orders.map(({ order }) => order.id).sort()
        }
        expect(await found({ hidden: true })).toEqual([refused.id, withdrawn.id].sort())
        expect(await found({ hidden: true, state: 'WITHDRAWN' })).toEqual([withdrawn.id])
        expect(await found({ hidden: false })).toEqual([live.id])
        expect(await found({})).toEqual([live.id])
        await apply(views, 0, lifeOf([live, { ...live, hidden }]).changes)
        expect(await found({ hidden: true })).toEqual([live.id, refused.id, withdrawn.id].sort())
        const shown = lifeOf([live, { ...live, hidden }, live]).changes
        await apply(views, 0, shown)
        expect(await found({ hidden: true })).toEqual([refused.id, withdrawn.id].sort())
        expect(await found({})).toEqual([live.id])
      }),
    )

    test(
      'all orders of an offered output are found, whatever their state',
      withViews(async ({ views }) => {
        const hidden = { hiddenAt: '2030-01-01T00:00:00.000Z' }
        const [first, ...rest] = bookOf(6, 8)
        const [second, third, fourth, elsewhere, neighbour] = rest
        const { outpoint } = first!
        const { hidden: _hidden, ...live } = { ...first!, state: 'LIVE' as const }
        const refused = { ...second!, outpoint, state: 'REJECTED' as const, hidden }
        const withdrawn = { ...third!, outpoint, state: 'WITHDRAWN' as const }
        const settled = {
          ...fourth!,
          outpoint,
          state: 'SETTLED' as const,
          closedAt: live.createdAt,
        }
        const beside = {
          ...neighbour!,
          outpoint: toOutpointText(`${outpoint.slice(0, 64)}:4294967295`),
        }
        // Claims that its asset is in the output that others offer.
        const txid = outpoint.slice(0, 64)
        const claim = { inscriptionId: `${txid}i0`, outpoint: parseOutpoint(outpoint) }
        const claiming = { ...elsewhere!, assets: [claim] }
        for (const order of [live, refused, withdrawn, settled, beside, claiming])
          await apply(views, 0, lifeOf([order]).changes)
        const found = async (part: Partial<OrderQuery>) => {
          const { orders, total } = await views.page(query(part))
          expect(total).toBe(orders.length)
          return orders.map(({ order }) => order.id).sort()
        }
        const all = [live, refused, withdrawn, settled].map(({ id }) => id).sort()
        expect(await found({ outpoint, hidden: 'either' })).toEqual(all)
        expect(await found({ outpoint, hidden: true })).toContain(refused.id)
        expect(await found({ outpoint })).not.toContain(refused.id)
        expect(await found({ outpoint: beside.outpoint, hidden: 'either' })).toEqual([beside.id])
        expect(await found({ outpoint: toOutpointText(`${txid}:7`), hidden: 'either' })).toEqual([])
        const cheapest = { ...query({ outpoint, hidden: 'either', sort: 'price_asc' }), limit: 1 }
        const { orders, next } = await views.page(cheapest)
        const more = await views.page({ ...cheapest, after: next! })
        expect(new Set([...orders, ...more.orders].map(({ order }) => order.id)).size).toBe(2)
      }),
    )

    test(
      'all bids that an output pays for are found, whatever their state',
      withViews(async (opened) => {
        const { hidden: _hidden, ...ask } = bookOf(1, 9)[0]!
        const [paying, change, other] = ['aa:0', 'aa:4294967295', 'bb:0'].map((text) =>
          toOutpointText(`${text.slice(0, 2).repeat(32)}${text.slice(2)}`),
        )
        const bid = (n: number, changes: Partial<OrderRecord>, ...funding: OutpointText[]) => ({
          ...ask,
          id: toOrderId(String(n).repeat(64)),
          state: 'LIVE' as const,
          side: 'BID' as const,
          ...changes,
          kept: { ...ask.kept, offer: { ...ask.kept.offer, side: 'BID' as const, funding } },
        })
        const live = bid(1, {}, paying!, change!)
        const refused = bid(2, { state: 'REJECTED' }, other!, paying!)
        const closed = bid(3, { state: 'SETTLED', closedAt: ask.createdAt }, paying!)
        const concealed = bid(4, { hidden: { hiddenAt: ask.createdAt } }, paying!)
        const elsewhere = bid(5, { outpoint: other! }, change!)
        // Offers what the others are paid with.
        const offering = { ...ask, id: toOrderId('6'.repeat(64)), outpoint: paying! }
        const orders = [live, refused, closed, concealed, elsewhere, offering]
        for (const order of orders) await apply(opened.views, 0, lifeOf([order]).changes)
        // Nothing of it is inserted again when one changes.
        const again = lifeOf([live, { ...live, reason: 'recheck' }]).changes
        await apply(opened.views, 0, again)
        const expectFound = async (views: OrderViews) => {
          const found = async (part: Partial<OrderQuery>) => {
            const { orders, total } = await views.page(query(part))
            expect(total).toBe(orders.length)
            return orders.map(({ order }) => order.id).sort()
          }
          const all = [live, refused, closed, concealed].map(({ id }) => id)
          expect(await found({ funding: paying!, hidden: 'either' })).toEqual(all)
          expect(await found({ funding: paying! })).not.toContain(concealed.id)
          expect(await found({ funding: change! })).toEqual([live.id, elsewhere.id])
          expect(await found({ funding: change!, outpoint: other! })).toEqual([elsewhere.id])
          expect(await found({ funding: paying!, state: 'REJECTED' })).toEqual([refused.id])
          expect(await found({ funding: toOutpointText(`${'aa'.repeat(32)}:1`) })).toEqual([])
          const first = await views.page({ ...query({ funding: paying! }), limit: 2 })
          const more = await views.page({ ...query({ funding: paying! }), after: first.next! })
          const walked = [...first.orders, ...more.orders].map(({ order }) => order.id)
          expect([first.total, walked.sort()]).toEqual([3, all.slice(0, 3)])
        }
        await expectFound(opened.views)
        await expectFound(await opened.reopen())
      }),
    )

    test(
      'an outcome is delivered to its waiters, and stored for an hour',
      withViews(async ({ views, clock }) => {
        const { changes, order } = lifeOf([bookOf(1, 4)[0]!])
        const waiting = views.waitForOutcome('r1', new AbortController().signal)
        await apply(views, 0, [...changes, outcomeOf('r1', order.id)])
        expect(await waiting).toEqual({ orderId: order.id, outcome: { status: 'done', seq: 1 } })
        // A waiter reads its own write.
        expect((await views.order(order.id))?.order.seq).toBe(1)
        expect(await views.waitForOutcome('r1', AbortSignal.abort())).not.toBeNull()
        expect(await views.waitForOutcome('r2', AbortSignal.abort())).toBeNull()
        expect(await views.waitForOutcome('r2', AbortSignal.timeout(20))).toBeNull()
        clock.advance(HOUR_MS + 1)
        await apply(views, 0, [outcomeOf('r3', order.id)])
        expect(await views.outcome('r1')).toBeNull()
        expect(await views.outcome('r3')).not.toBeNull()
      }),
    )

    test(
      'a write would be durable now',
      withViews(async ({ views }) => {
        await expect(views.probe()).resolves.toBeUndefined()
      }),
    )

    test(
      'pages walked by cursor are the whole filtered and sorted book, for any book and query',
      withViews(async ({ views }) => {
        const known = new Map<string, OrderRecord>()
        const partitions = new Map<string, number>()
        await fc.assert(
          fc.asyncProperty(fc.integer(), async (seed) => {
            const roll = dice(seed)
            const lives = bookOf(25, seed).map((o) =>
              lifeOf(versionsOf(roll, o, 1 + roll.below(3)).map((one) => heldSomehow(roll, one))),
            )
            const freshness = [0, 1, 2].map(() => (roll.chance(0.9) ? someFreshness(roll) : null))
            for (const [partition, one] of freshness.entries())
              if (one) await views.applyFreshness(partition, one)
            for (const { changes, order } of lives) {
              const partition = roll.below(3)
              await apply(views, partition, changes)
              partitions.set(order.id, partition)
              known.set(order.id, order)
            }
            await expectListings(views, [...known.values()], roll, partitions)
          }),
          { numRuns: RUNS, endOnFailure: true },
        )
      }),
    )

    test(
      'an order is listed by its actionability at that moment, however its freshness came about',
      withViews(async ({ views }) => {
        const orders = bookOf(192, 8).map((order, at) => readyUnless(order, at))
        await apply(
          views,
          0,
          orders.map((order) => lifeOf([order]).changes[0]!),
        )
        const lost = orders.filter((_, at) => at % 64 === 0).map(({ id }) => id)
        const middle = lost.sort()[1]!
        for (const renewedUpTo of [undefined, middle, 'f'.repeat(64)]) {
          await views.applyFreshness(0, {
            watermark: watermarkOf(9, new Date(NOW).toISOString()),
            continuousSince: { epoch: 1, n: 4 },
            ...(renewedUpTo && { renewedUpTo }),
          })
          // Up to a minute behind a clock is another host's, beyond that it was set back.
          for (const behind of [0, 60_000, 60_001, 3_600_000])
            await expectActionable(views, orders, NOW - behind)
        }
      }),
    )

    test(
      'however the log is cut into batches and replayed, the view is the same',
      withViews(async ({ views }) => {
        const expected = new Map<string, OrderRecord>()
        await fc.assert(
          fc.asyncProperty(fc.integer(), async (seed) => {
            const roll = dice(seed)
            const lives = bookOf(6, seed).map((o) => lifeOf(versionsOf(roll, o, 1 + roll.below(5))))
            const log = shuffledTogether(
              roll,
              lives.map((life) => life.changes),
            )
            await replayUnevenly(views, roll, log)
            for (const { order } of lives) expected.set(order.id, order)
          }),
          { numRuns: RUNS, endOnFailure: true },
        )
        const all: OrderRecord[] = []
        for await (const order of views.all()) all.push(order)
        expect(all.map(({ id }) => id)).toEqual([...expected.keys()].sort())
        for (const order of all) expect(order).toEqual(expected.get(order.id))
      }),
    )
  })
}

// ---- books -------------------------------------------------------------------------------------

function versionsOf(roll: Dice, first: OrderRecord, count: number): OrderRecord[] {
  const versions = [first]
  while (versions.length < count) versions.push(mutated(roll, versions.at(-1)!))
  return versions
}

/** Orders that are in the views, and change there. */
class ChangingBook {
  views: OrderViews
  readonly #orders: Map<string, OrderRecord>
  #offset = 0

  constructor(views: OrderViews, orders: readonly OrderRecord[]) {
    this.views = views
    this.#orders = new Map(orders.map((order) => [order.id, order]))
  }

  get ids(): readonly string[] {
    return [...this.#orders.keys()]
  }

  async write(): Promise<void> {
    for (const order of this.#orders.values()) await this.#put(null, order)
  }

  /** Changes some of them; returns the ids of those that moved in this sort. */
  async change(roll: Dice, sort: OrderSort): Promise<string[]> {
    const some = [...this.#orders.values()].filter(() => roll.chance(0.08))
    const moved: string[] = []
    for (const order of some) {
      const next = mutated(roll, order)
      if (comparing(sort)(order, next) !== 0) moved.push(order.id)
      await this.#put(order, next)
    }
    return moved
  }

  async #put(before: OrderRecord | null, after: OrderRecord): Promise<void> {
    const change = changeBetween(before, after)
    this.#offset += 1
    await this.views.apply({ partition: 0, nextOffset: this.#offset, records: [change] })
    this.#orders.set(after.id, settle(after, change))
  }
}

const SPEND: Spend = {
  txid: toTxid('bb'.repeat(32)),
  inputIndex: 0,
  unsignedTxid: toTxid('bb'.repeat(32)),
  pairedOutput: null,
  block: null,
}

/** Each bit of the number sets something that an order's freshness depends on. */
function readyUnless(order: OrderRecord, bits: number): OrderRecord {
  const { protocolId: _protocol, hidden: _hidden, ...rest } = order
  const { inspection } = order.kept
  const is = (bit: number) => (bits & (1 << bit)) !== 0
  return {
    ...rest,
    state: 'LIVE',
    verifiedAt: is(0) ? null : new Date(NOW - (is(1) ? 300_000 : 300_001)).toISOString(),
    kept: {
      ...order.kept,
      inspection: {
        ...inspection,
        safety: 'PUBLIC_RACEABLE',
        orderClass: is(2) ? 'UNSUPPORTED' : 'ASK_ANYONECANPAY',
      },
    },
    anchor: {
      ...order.anchor!,
      watermark: { epoch: 1, n: is(3) ? 4 : 3 },
      ...(is(4) && { ahead: true as const }),
    },
    spend: is(5) ? SPEND : null,
  }
}

async function expectActionable(views: OrderViews, orders: readonly OrderRecord[], now: number) {
  const moment = { now, maxAgeSeconds: 300 }
  const freshness = (await views.freshness()).get(0) ?? null
  const shown = (order: OrderRecord) =>
    toSummary({ order, freshness }, { ...moment, capabilityOf }).summary.actionability
  for (const is of Actionability.options) {
    const page = await views.page({ ...query({ limit: 200 }), actionability: { ...moment, is } })
    const expected = orders.filter((order) => shown(order) === is).map(({ id }) => id)
    expect(page.orders.map(({ order }) => order.id).sort()).toEqual(expected.sort())
    expect(page.total).toBe(expected.length)
  }
}

/** Around this time orders become stale. */
const NOW = Date.parse('2026-01-01T00:30:00.000Z')

/**
 * Verified long before or just now, under some watermark or none, with an answer that was ahead.
 */
function heldSomehow(roll: Dice, order: OrderRecord): OrderRecord {
  const { ahead: _ahead, ...anchor } = order.anchor!
  const watermark = { epoch: 1 + roll.below(2), n: roll.below(8) }
  return {
    ...order,
    ...(roll.chance(0.3) && { protocolId: 'inscriptions' }),
    verifiedAt: roll.chance(0.9)
      ? new Date(NOW - roll.of([1, 300_000, 300_001, 7_200_000])).toISOString()
      : null,
    anchor: roll.chance(0.1)
      ? null
      : {
          ...anchor,
          watermark: roll.chance(0.9) ? watermark : null,
          ...(roll.chance(0.1) && { ahead: true as const }),
        },
  }
}

function someFreshness(roll: Dice): PartitionFreshness {
  const at = new Date(NOW - roll.of([0, 0, 1_000, 300_000, 300_001])).toISOString()
  return {
    watermark: { ...watermarkOf(9, at), epoch: 2, covers: roll.chance(0.9) },
    continuousSince: { epoch: 1 + roll.below(2), n: roll.below(8) },
    ...(roll.chance(0.6) && { renewedUpTo: roll.of(['f'.repeat(64), roll.hex(32)]) }),
  }
}

const apply = async (views: OrderViews, partition: number, records: readonly LifecycleRecord[]) =>
  views.apply({ partition, nextOffset: records.length, records })

/** Several sequences as one, each in its own order. */
function shuffledTogether<T>(roll: Dice, sequences: readonly (readonly T[])[]): T[] {
  const rest = sequences.map((sequence) => [...sequence])
  const all: T[] = []
  while (rest.some((sequence) => sequence.length > 0)) {
    const next = roll.of(rest.filter((sequence) => sequence.length > 0)).shift()
    if (next !== undefined) all.push(next)
  }
  return all
}

async function replayUnevenly(views: OrderViews, roll: Dice, log: readonly LifecycleRecord[]) {
  for (let at = 0; at < log.length; ) {
    const from = Math.max(0, at - roll.below(4))
    at = Math.min(log.length, at + 1 + roll.below(4))
    await views.apply({ partition: 0, nextOffset: at, records: log.slice(from, at) })
  }
}

// ---- listings ----------------------------------------------------------------------------------

const query = (part: Partial<OrderQuery>): OrderQuery => ({
  includeWithdrawn: true,
  sort: 'newest',
  limit: 50,
  ...part,
})

async function expectListings(
  views: OrderViews,
  orders: readonly OrderRecord[],
  roll: Dice,
  partitions: ReadonlyMap<string, number>,
) {
  const progress = await views.freshness()
  const moment = {
    now: NOW + roll.of([0, 1, 300_000, -60_000, -60_001, -3_600_000]),
    maxAgeSeconds: 300,
  }
  const summaries = orders.map((order) => {
    const freshness = progress.get(partitions.get(order.id) ?? -1) ?? null
    return toSummary({ order, freshness }, { ...moment, capabilityOf }).summary
  })
  const actionabilities = new Map(summaries.map(({ id, actionability }) => [id, actionability]))
  const shown: ShownAs = ({ id }) => actionabilities.get(id)!
  for (const sort of ORDER_SORTS) {
    const filters = { includeWithdrawn: true, sort, ...someListedFilters(roll, orders, moment) }
    const expected = listNaively(orders, filters, shown).map(({ id }) => id)
    const walked = await walk(views, { ...filters, limit: 1 + roll.below(20) }, expected.length)
    expect(walked, JSON.stringify(filters)).toEqual(expected)
    if (sort !== 'newest') continue
    expect(await views.counts({ filters, moment }), JSON.stringify(filters)).toEqual(
      countNaively(orders, filters, { shown, moment }),
    )
  }
}

async function walk(views: OrderViews, first: OrderQuery, total: number): Promise<string[]> {
  const ids: string[] = []
  let after: SortPosition | null = null
  do {
    const page: StoredPage = await views.page({ ...first, ...(after ? { after } : {}) })
    expect(page.orders.length).toBeLessThanOrEqual(first.limit)
    expect(page.total, JSON.stringify(first)).toBe(total)
    ids.push(...page.orders.map(({ order }) => order.id))
    after = page.next
    if (after) expect(after.id).toBe(ids.at(-1))
  } while (after)
  return ids
}
