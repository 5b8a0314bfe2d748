import { describe, expect, test } from 'vitest'
import { parseOutpoint } from '../../src/domain/chain/outpoint.ts'
import {
  POOL_BOUNDS,
  type PoolBounds,
  type UnprovedPool,
  type UnprovedQuery,
} from '../../src/ports/views/unproved-pool.ts'
import type { OrderId, OrderState, OutpointText, Source } from '../../src/schemas/scalars.ts'
import type { UnprovedOrder } from '../../src/schemas/unproved.ts'
import { toOrderId, toOutpointText, toTxid } from '../support/ids.ts'
import { orderOf } from '../support/orders/orders.ts'

export interface OpenedPool {
  store: UnprovedPool
  /** The same store by another process; `store` is not used any longer. */
  reopen(): Promise<UnprovedPool>
  close(): Promise<void>
}

const NOW = Date.UTC(2030, 0, 1)
const HOUR_MS = 3_600_000
const LEASE_MS = 60_000

const idOf = (n: number): OrderId => toOrderId(n.toString(16).padStart(64, '0'))
const outpointOf = (n: number): OutpointText =>
  toOutpointText(`${n.toString(16).padStart(64, 'a')}:0`)

interface Given {
  at?: number
  client?: string
  outpoint?: OutpointText
  state?: OrderState
  source?: Source
  lookAt?: number | null
  /** Incompressible characters. */
  noise?: number
}

function entry(n: number, given: Given = {}): UnprovedOrder {
  const { at = NOW, client = '203.0.113.7', outpoint = outpointOf(n), state = 'REJECTED' } = given
  const createdAt = new Date(at).toISOString()
  const times = { createdAt, updatedAt: createdAt }
  const order = orderOf({ id: idOf(n), outpoint: toOutpointText(outpoint), state, ...times })
  const source = {
    source: given.source ?? 'direct-import',
    sourceId: `n${n}`,
    observedAt: createdAt,
  }
  const token = given.noise === undefined ? {} : { token: noise(given.noise, n) }
  return {
    order: { ...order, sources: [source], ...token },
    changes: [],
    client,
    importedAt: at,
    lookAt: given.lookAt ?? null,
  }
}

/** Text that compresses at most to half: digits of a fixed sequence. */
function noise(length: number, seed: number): string {
  let state = seed + 1
  let text = ''
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    text += state.toString(36)
  }
  return text.slice(0, length)
}

/**
 * What every pool of unproved orders does. `open` gives an empty one, with the service's limits by
 * default.
 */
export function unprovedPoolContract(
  name: string,
  open: (bounds?: PoolBounds) => Promise<OpenedPool>,
): void {
  const withStore =
    (run: (opened: OpenedPool) => Promise<void>, bounds: Partial<PoolBounds> = {}) =>
    async () => {
      const opened = await open({ ...POOL_BOUNDS, ...bounds })
      try {
        await run(opened)
      } finally {
        await opened.close()
      }
    }
  const put = async (store: UnprovedPool, entries: UnprovedOrder[]) => {
    for (const one of entries) {
      const before = await store.find(one.order.id, one.importedAt)
      expect(await store.put(one, before, one.importedAt)).toBe('kept')
    }
  }
  const found = async (store: UnprovedPool, ids: number[], now = NOW) => {
    const all = await Promise.all(
      ids.map(async (n) => ((await store.find(idOf(n), now)) ? [n] : [])),
    )
    return all.flat()
  }

  describe(`UnprovedPool/${name}`, () => {
    test(
      'an order is found complete, also after a restart, and replaced by its next version',
      withStore(async (opened) => {
        const one = entry(1, { lookAt: NOW + 1 })
        await put(opened.store, [one])
        expect(await opened.store.find(idOf(1), NOW)).toEqual(one)
        expect(await opened.store.find(idOf(2), NOW)).toBeNull()
        const store = await opened.reopen()
        const next = entry(1, { state: 'PENDING_NODE', at: NOW + 5 })
        await put(store, [next])
        expect(await store.find(idOf(1), NOW + 5)).toEqual(next)
        expect(await store.tidy(NOW + 5)).toMatchObject({ orders: 1 })
        expect(await store.list({ state: 'REJECTED', newestFirst: true, limit: 9 }, NOW)).toEqual(
          [],
        )
      }),
    )

    test(
      'a day after its last import nothing is left of it, in any table',
      withStore(async ({ store }) => {
        await put(store, [entry(1, { lookAt: NOW + 1 }), entry(2, { at: NOW + HOUR_MS })])
        const day = NOW + 24 * HOUR_MS
        expect(await store.tidy(day - 1)).toMatchObject({ orders: 2 })
        expect(await store.tidy(day)).toMatchObject({ orders: 1 })
        expect(await found(store, [1, 2], day)).toEqual([2])
        expect(await store.takeDue(day, 1, 9)).toEqual([])
        await store.remove(entry(2, { at: NOW + HOUR_MS }))
        expect(await store.tidy(day)).toEqual({ orders: 0, bytes: 0 })
      }),
    )

    test(
      'an output keeps its newest, and other outputs are not affected',
      withStore(
        async ({ store }) => {
          const at = (n: number) => entry(n, { at: NOW + n, outpoint: outpointOf(7) })
          await put(store, [entry(99), at(1), at(2), at(3), at(4)])
          expect(await found(store, [99, 1, 2, 3, 4])).toEqual([99, 3, 4])
        },
        { atOneOutput: 2 },
      ),
    )

    test(
      'those of an output are found complete, the last imported first, for a day',
      withStore(async (opened) => {
        const at = (n: number, ms: number) => entry(n, { at: NOW + ms, outpoint: outpointOf(7) })
        const [first, second, third] = [at(1, 0), at(2, 9), at(3, 9)]
        await put(opened.store, [entry(99), first, second, third])
        const store = await opened.reopen()
        expect(await store.atOutput(outpointOf(7), NOW + 9)).toEqual([third, second, first])
        expect(await store.atOutput(outpointOf(8), NOW)).toEqual([])
        await store.remove(second)
        const day = NOW + 24 * HOUR_MS
        await store.tidy(day)
        expect(await store.atOutput(outpointOf(7), day)).toEqual([third])
      }),
    )

    test(
      'a client keeps its newest by count and by bytes, and other clients are not affected',
      withStore(
        async ({ store }) => {
          const of = (n: number, client: string, noise?: number) =>
            entry(n, { at: NOW + n, client, ...(noise && { noise }) })
          await put(store, [of(99, 'other'), of(1, 'c'), of(2, 'c'), of(3, 'c'), of(4, 'c')])
          expect(await found(store, [99, 1, 2, 3, 4])).toEqual([99, 2, 3, 4])
          await put(store, [of(5, 'c', 9_000)])
          expect(await found(store, [99, 2, 3, 4, 5])).toEqual([99, 5])
        },
        { ofOneClient: 3, bytesOfOneClient: 7_500 },
      ),
    )

    test(
      'no more are stored in all than the limit, by count and by bytes',
      withStore(
        async ({ store }) => {
          const of = (n: number) => entry(n, { at: NOW + n, client: `client ${n}` })
          await put(store, [of(1), of(2), of(3), of(4), of(5)])
          expect(await found(store, [1, 2, 3, 4, 5])).toEqual([3, 4, 5])
          expect(await store.tidy(NOW + 5)).toMatchObject({ orders: 3 })
        },
        { inAll: 3 },
      ),
    )

    test(
      'one that is larger than the limit is not accepted, and takes no room',
      withStore(
        async ({ store }) => {
          expect(await store.put(entry(1, { noise: 40_000 }), null, NOW)).toBe('too large')
          expect(await store.tidy(NOW)).toEqual({ orders: 0, bytes: 0 })
        },
        { bytesOfOne: 10_000 },
      ),
    )

    test(
      'lists by state, of a source or of all, by age both ways, from a cursor on',
      withStore(async ({ store }) => {
        await put(store, [
          entry(3, { at: NOW }),
          entry(1, { at: NOW }),
          entry(2, { at: NOW + 1, source: 'asset-offers' }),
          entry(4, { at: NOW + 2, state: 'PENDING_NODE' }),
        ])
        const list = async (query: Partial<UnprovedQuery> & Pick<UnprovedQuery, 'state'>) => {
          const all = await store.list({ newestFirst: true, limit: 10, ...query }, NOW + 2)
          return all.map(({ order }) => Number.parseInt(order.id, 16))
        }
        expect(await list({ state: 'REJECTED' })).toEqual([2, 1, 3])
        expect(await list({ state: 'REJECTED', newestFirst: false })).toEqual([1, 3, 2])
        expect(await list({ state: 'REJECTED', source: 'direct-import' })).toEqual([1, 3])
        expect(await list({ state: 'PENDING_NODE', source: 'direct-import' })).toEqual([4])
        expect(await list({ source: 'asset-offers', state: 'REJECTED' })).toEqual([2])
        expect(await list({ state: 'LIVE' })).toEqual([])
        const count = (state: OrderState, source?: Source) =>
          store.count({ state, ...(source && { source }) }, NOW)
        expect(await count('REJECTED')).toBe(3)
        expect(await count('REJECTED', 'direct-import')).toBe(2)
        expect(await count('PENDING_NODE', 'asset-offers')).toBe(0)
        await store.remove(entry(1, { at: NOW }))
        expect(await count('REJECTED')).toBe(2)
        expect(await count('REJECTED', 'direct-import')).toBe(1)
        await put(store, [entry(1, { at: NOW })])
        expect(await list({ state: 'REJECTED', limit: 2 })).toEqual([2, 1])
        const after = { createdAt: new Date(NOW).toISOString(), id: idOf(1) }
        expect(await list({ state: 'REJECTED', after })).toEqual([3])
        expect(await list({ state: 'REJECTED', newestFirst: false, after })).toEqual([3, 2])
      }),
    )

    test(
      'what is due is handed to one taker, and due again when its lease ends',
      withStore(async ({ store }) => {
        await put(store, [entry(1, { lookAt: NOW + 10 }), entry(2, { lookAt: NOW + 5 }), entry(3)])
        const take = async (now: number, limit = 9) =>
          (await store.takeDue(now, LEASE_MS, limit)).map(({ order }) =>
            Number.parseInt(order.id, 16),
          )
        expect(await take(NOW)).toEqual([])
        expect(await take(NOW + 10, 1)).toEqual([2])
        expect(await take(NOW + 10)).toEqual([1])
        expect(await take(NOW + 10)).toEqual([])
        expect(await take(NOW + 10 + LEASE_MS)).toEqual([1, 2])
        await store.remove(entry(1, { lookAt: NOW + 10 }))
        await put(store, [entry(2, { at: NOW + 10 + LEASE_MS, lookAt: null })])
        expect(await take(NOW + 9 * LEASE_MS)).toEqual([])
      }),
    )

    test(
      'what changed since it was read is neither replaced nor removed',
      withStore(async (opened) => {
        const [first, second] = [entry(1), entry(1, { at: NOW + 1, client: '203.0.113.8' })]
        await put(opened.store, [first, entry(2)])
        const store = await opened.reopen()
        expect(await store.put(second, null, NOW + 1)).toBe('changed')
        expect(await store.put(second, await store.find(idOf(1), NOW), NOW + 1)).toBe('kept')
        expect(await store.put(entry(1, { lookAt: NOW }), first, NOW + 2)).toBe('changed')
        expect(await store.remove(first)).toBe(false)
        expect(await store.find(idOf(1), NOW + 2)).toEqual(second)
        expect(await store.takeDue(NOW + 2, 1, 9)).toEqual([])
        expect(await store.remove(second)).toBe(true)
        expect(await store.remove(second)).toBe(true)
        expect(await store.put(entry(1, { at: NOW + 3 }), second, NOW + 3)).toBe('changed')
        expect(await found(store, [1, 2])).toEqual([2])
        const day = NOW + 24 * HOUR_MS
        expect(await store.put(entry(2, { at: day }), null, day)).toBe('kept')
      }),
    )

    test(
      'of two that were judged beside the same entry, one is kept',
      withStore(async ({ store }) => {
        const first = entry(1)
        await put(store, [first])
        const both = [entry(1, { at: NOW + 1 }), entry(1, { at: NOW + 2 })]
        const answers = await Promise.all(both.map((one) => store.put(one, first, NOW + 2)))
        expect(answers.toSorted()).toEqual(['changed', 'kept'])
        expect(await store.find(idOf(1), NOW + 2)).toEqual(both[answers.indexOf('kept')])
      }),
    )

    test(
      'news that comes during a look makes the order due again',
      withStore(async ({ store }) => {
        const looked = entry(1, { lookAt: NOW + 10 })
        await put(store, [looked])
        await store.takeDue(NOW + 10, LEASE_MS, 9)
        await store.wake([parseOutpoint(outpointOf(1)).txid], NOW + 11)
        expect(await store.put(entry(1), looked, NOW + 12)).toBe('kept')
        expect(await store.takeDue(NOW + 12, LEASE_MS, 9)).toEqual([entry(1)])
        expect(await store.takeDue(NOW + 13, LEASE_MS, 9)).toEqual([])
      }),
    )

    test(
      'news of its transaction makes an order due',
      withStore(async ({ store }) => {
        await put(store, [entry(1), entry(2), entry(3, { outpoint: outpointOf(1) })])
        const { txid } = parseOutpoint(outpointOf(1))
        await store.wake([toTxid('77'.repeat(32)), txid], NOW)
        const due = await store.takeDue(NOW, 100, 9)
        expect(due.map(({ order }) => order.outpoint)).toEqual([outpointOf(1), outpointOf(1)])
      }),
    )
  })
}
