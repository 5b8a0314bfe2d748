import { describe, expect, test } from 'vitest'
import { toActivity } from '../../src/domain/order/activity.ts'
import type { HistorySizes } from '../../src/ports/log/sizes.ts'
import type {
  ActivityPosition,
  ActivityQuery,
  History,
  StoredRows,
} from '../../src/ports/views/history.ts'
import type { ActivityEntry } from '../../src/schemas/order.ts'
import { toOrderId } from '../support/ids.ts'
import { bookOf, dice } from '../support/orders/order-book.ts'
import { lifeOf, mutated } from '../support/orders/order-changes.ts'

export interface OpenedHistory {
  history: History & HistorySizes
  /** The same history opened again; `history` is not used any longer. */
  reopen(): Promise<History>
  close(): Promise<void>
}

/** What every history does. `open` gives an empty one. */
export function historyContract(name: string, open: () => Promise<OpenedHistory>): void {
  const withHistory = (run: (opened: OpenedHistory) => Promise<void>) => async () => {
    const opened = await open()
    try {
      await run(opened)
    } finally {
      await opened.close()
    }
  }

  describe(`History/${name}`, () => {
    test(
      'transitions come newest first, by pages that neither miss nor repeat one',
      withHistory(async ({ history }) => {
        const rows = someRows(20, 0)
        await history.record(rows)
        const expected = newestFirst(rows)
        expect(expected.length).toBeGreaterThan(20)
        expect(await walk(history, { limit: 7 })).toEqual(expected)
        expect(await walk(history, { limit: expected.length })).toEqual(expected)
        const { orderId } = rows[0]!.change
        expect(await walk(history, { limit: 2, orderId })).toEqual(
          expected.filter((entry) => entry.orderId === orderId),
        )
        expect(await walk(history, { limit: 2, orderId: toOrderId('00'.repeat(32)) })).toEqual([])
      }),
    )

    test(
      'its tables report their rows, and their bytes on disk',
      withHistory(async ({ history }) => {
        const rows = someRows(20, 0)
        await history.record(rows)
        const sizes = new Map((await history.sizes()).map((size) => [size.name, size]))
        expect(sizes.get('order_transition_rows')?.entries).toBe(rows.length)
        expect(sizes.get('order_transition_rows')?.bytes).toBeGreaterThan(1_000)
        expect(sizes.get('settlement_rows')?.entries ?? 0).toBeLessThan(rows.length)
      }),
    )

    test(
      'those of one order are sorted by seq, whatever their clocks',
      withHistory(async ({ history }) => {
        const rows = someRows(3, 4)
        const { orderId } = rows[0]!.change
        const backwards = rows.map((row, n) => {
          const observedAt = new Date(Date.UTC(2026, 0, 1) - n).toISOString()
          return { ...row, change: { ...row.change, observedAt } }
        })
        await history.record(backwards)
        const expected = backwards
          .filter(({ change }) => change.orderId === orderId)
          .toSorted((a, b) => b.change.seq - a.change.seq)
          .flatMap(({ change }) => toActivity(change) ?? [])
        expect(expected.length).toBeGreaterThan(1)
        expect(await walk(history, { limit: 1, orderId })).toEqual(expected)
        expect(await walk(history, { limit: 200, orderId })).toEqual(expected)
        const seqs = backwards.filter(({ change }) => change.orderId === orderId)
        expect(await history.lastSeq(orderId)).toBe(seqs.length)
        expect(await history.lastSeq(toOrderId('f'.repeat(64)))).toBe(0)
      }),
    )

    test(
      'rows written again count once',
      withHistory(async (opened) => {
        const rows = someRows(10, 1)
        await opened.history.record(rows.slice(0, 15))
        await opened.history.record(rows)
        await opened.history.record(rows.slice(5, 25))
        const history = await opened.reopen()
        for (const limit of [200, 1, 4])
          expect(await walk(history, { limit })).toEqual(newestFirst(rows))
        const summary = new Map<string, number>()
        for await (const { orderId, rows: count, maxSeq } of history.summary()) {
          expect(count).toBe(maxSeq)
          summary.set(orderId, count)
        }
        const expected = new Map<string, number>()
        for (const { change } of rows) expected.set(change.orderId, change.seq)
        expect(summary).toEqual(new Map([...expected].sort()))
      }),
    )

    test(
      'the position is after the last row of a partition, and before the first hole of an order',
      withHistory(async ({ history }) => {
        expect(await history.position(1)).toBe(0)
        const rows = someRows(3, 2)
        await history.record(rows)
        const last = rows.at(-1)!
        expect(await history.position(1)).toBe(last.offset + 1)
        const { change } = last
        const beyondHole = { ...change, seq: change.seq + 2 }
        await history.record([{ partition: 1, offset: last.offset + 9, change: beyondHole }])
        expect(await history.position(1)).toBe(last.offset + 1)
        const missing = { ...change, seq: change.seq + 1 }
        await history.record([{ partition: 1, offset: last.offset + 5, change: missing }])
        expect(await history.position(1)).toBe(last.offset + 10)
        expect(await history.position(0)).toBe(0)
      }),
    )

    test(
      'text of strangers is stored unchanged',
      withHistory(async ({ history }) => {
        const [row] = someRows(1, 3)
        const reason = `it's "quoted" \\ {order:String} \n\u0000 𝔘 '; DROP TABLE market.activity --`
        const change = { ...row!.change, reason, kind: 'transition' as const }
        await history.record([{ ...row!, change }])
        const { entries } = await history.activity({ limit: 1 })
        expect(entries[0]!.reason).toBe(reason)
        const { entries: none } = await history.activity({
          limit: 1,
          orderId: toOrderId("' OR 1 = 1 --"),
        })
        expect(none).toEqual([])
      }),
    )

    test(
      'it answers a probe',
      withHistory(async ({ history }) => {
        await expect(history.probe()).resolves.toBeUndefined()
      }),
    )
  })
}

/** The changes of some orders in partition 1, with holes between their offsets; times tie often. */
function someRows(orders: number, seed: number): StoredRows[] {
  const roll = dice(seed)
  const changes = bookOf(orders, seed).flatMap((order) => {
    const versions = [order]
    while (versions.length < 4) versions.push(mutated(roll, versions.at(-1)!))
    return lifeOf(versions).changes
  })
  return changes.map((change, index) => {
    const observedAt = new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 3)).toISOString()
    return { partition: 1, offset: 3 * index, change: { ...change, observedAt } }
  })
}

const newestFirst = (rows: readonly StoredRows[]): ActivityEntry[] =>
  [...rows]
    .sort(
      ({ change: a }, { change: b }) =>
        compare(b.observedAt, a.observedAt) || compare(b.orderId, a.orderId) || b.seq - a.seq,
    )
    .flatMap(({ change }) => toActivity(change) ?? [])

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

async function walk(history: History, query: ActivityQuery): Promise<ActivityEntry[]> {
  const all: ActivityEntry[] = []
  let after: ActivityPosition | null = null
  do {
    const { entries, next } = await history.activity({ ...query, ...(after ? { after } : {}) })
    expect(entries.length).toBeLessThanOrEqual(query.limit)
    all.push(...entries)
    after = next
  } while (after)
  return all
}
