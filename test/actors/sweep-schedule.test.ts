import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { MemorySnapshots } from '../../src/actors/memory-snapshots.ts'
import { PartitionOrders } from '../../src/actors/partition/partition-orders.ts'
import { VouchedOrders } from '../../src/actors/partition/vouched-orders.ts'
import { type AuditSweepOptions, openAuditSweep } from '../../src/actors/sweep/audit-sweep.ts'
import { SweepSchedule } from '../../src/actors/sweep-schedule.ts'
import type { Snapshots } from '../../src/ports/log/event-log.ts'
import { LOG_SCHEMA } from '../../src/schemas/log.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import type { OrderId } from '../../src/schemas/scalars.ts'
import { contentsOf, unspentAnswer } from '../support/chain/scripted-authorities.ts'
import { toOrderId, toOutpointText } from '../support/ids.ts'
import { MemoryLog } from '../support/log/memory-log.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { assetClaim, hash } from '../support/orders/evidence.ts'
import { liveOrder } from '../support/orders/orders.ts'

const DAY_MS = 86_400_000
const pace = async () => {}

const turnsOf = (
  orders: Pick<PartitionOrders, 'liveIds' | 'peek'>,
  sinceMs: number | null,
  first = new VouchedOrders(),
) => new SweepSchedule(orders, { dayMs: DAY_MS, sinceMs, first })

/** A fault of the sweep fails the test. */
const sweepOn = (authorities: Pick<AuditSweepOptions, 'node' | 'index' | 'clock'>) =>
  openAuditSweep({
    ...authorities,
    log: new MemoryLog(),
    roundMs: 60_000,
    graceMs: 10_000,
    newRequestId: () => 'x',
    onFault: (error) => {
      throw error
    },
  })

/** A partition with this many LIVE orders: ids in order, and what was read of the store. */
class SyntheticPartition {
  readonly ids: OrderId[]
  read = 0
  listed = 0

  constructor(orders: number, name = '') {
    const order = liveOrder()
    this.ids = Array.from({ length: orders }, (_, n) =>
      toOrderId(createHash('sha256').update(`${name}${n}`).digest('hex')),
    ).sort()
    const snapshots: Partial<Snapshots> = {
      order: (id) => {
        this.read += 1
        const outpoint = toOutpointText(`${id}:0`)
        return { schema: LOG_SCHEMA, kind: 'order', order: { ...order, id, outpoint } }
      },
      live: (after, limit, upTo) => {
        const from = after === null ? 0 : this.#placeOf(after, true)
        const ids = this.ids.slice(from, Math.min(from + limit, this.#placeOf(upTo ?? 'g', true)))
        this.listed += ids.length
        return ids
      },
    }
    this.orders = new PartitionOrders(snapshots as Snapshots)
  }

  readonly orders: PartitionOrders

  #placeOf(id: string, isBeyond: boolean): number {
    let [low, high] = [0, this.ids.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const at = this.ids[middle] ?? ''
      if (at < id || (isBeyond && at === id)) low = middle + 1
      else high = middle
    }
    return low
  }
}

describe('the sweep of 10,000,000 orders', () => {
  test('in one of 16 partitions checks each once a day, and reads no more than these', async () => {
    const partition = new SyntheticPartition(625_000)
    const turns = turnsOf(partition.orders, 0)
    const seen = new Set<string>()
    let longest = 0
    const sweep = (orders: readonly OrderRecord[]) => {
      longest = Math.max(longest, orders.length)
      for (const { id } of orders) seen.add(id)
    }
    for (let ms = 15_000; ms <= DAY_MS; ms += 15_000)
      await turns.handOver({ sweep, sweepRoom: () => 20_000, pace }, ms)
    expect(seen.size).toBe(625_000)
    expect(longest).toBeLessThanOrEqual(500)
    // Two minutes of the day before are checked again.
    expect(partition.read).toBeLessThan(630_000)
    expect(partition.listed).toBeLessThan(630_000)
  }, 120_000)

  test('gathers a bounded number of orders and of bytes, and checks what it gathers', async () => {
    const clock = new ManualClock()
    const asked = { outputs: 0 }
    const sweep = sweepOn({
      node: {
        outputs: async (outpoints) => {
          asked.outputs += outpoints.length
          return outpoints.map(() => unspentAnswer())
        },
      },
      index: { contents: async (outpoints) => outpoints.map(() => contentsOf({ indexed: false })) },
      clock,
    })
    const { kept } = liveOrder()
    const nth = (n: number, assets = 0) => ({
      id: hash(`${n}`),
      outpoint: toOutpointText(`${hash(`${n}`)}:0`),
      assets: Array.from({ length: assets }, () => assetClaim()),
      kept,
    })
    expect(sweep.room()).toBe(20_000)
    sweep.add(Array.from({ length: 7_000 }, (_, n) => nth(n)))
    expect(sweep.room()).toBe(13_000)
    sweep.add(Array.from({ length: 7_000 }, (_, n) => nth(n)))
    expect(sweep.room()).toBe(13_000)
    sweep.add(Array.from({ length: 3_000 }, (_, n) => nth(10_000 + n, 25)))
    expect(sweep.room()).toBe(0)
    const stop = new AbortController()
    const running = sweep.run(stop.signal)
    for (let turn = 0; asked.outputs < 10_000 && turn < 10_000; turn += 1) {
      clock.advance(3_000)
      await new Promise(setImmediate)
    }
    expect(sweep.room()).toBe(20_000)
    // 10,000,000 a day, of all partitions, for ten minutes.
    for (let at = 0; at < 600; at += 3) {
      sweep.add(Array.from({ length: 348 }, (_, n) => nth(100_000 + at * 1_000 + n)))
      clock.advance(3_000)
      for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate)
    }
    expect(sweep.room()).toBeGreaterThan(10_000)
    stop.abort()
    await running
  })
})

describe('turns that the sweep has no room for', () => {
  const partition = () => new SyntheticPartition(4_000)

  test('wait, and are made up for', async () => {
    const { orders, ids } = partition()
    const turns = turnsOf(orders, 0)
    const seen: string[] = []
    const sweep = (some: readonly OrderRecord[]) => seen.push(...some.map(({ id }) => id))
    for (let hour = 1; hour <= 12; hour += 1)
      await turns.handOver({ sweep, sweepRoom: () => 0, pace }, hour * 3_600_000)
    expect(seen).toEqual([])
    for (let minute = 1; minute <= 12 * 60; minute += 1)
      await turns.handOver({ sweep, sweepRoom: () => 300, pace }, (720 + minute) * 60_000)
    expect(new Set(seen)).toEqual(new Set(ids))
  })

  test('are no more than those of a day, however long it had none', async () => {
    const { orders } = partition()
    const turns = turnsOf(orders, 0)
    const seen: string[] = []
    const sweep = (some: readonly OrderRecord[]) => seen.push(...some.map(({ id }) => id))
    for (let day = 1; day <= 3; day += 1)
      for (let hour = 1; hour <= 24; hour += 1)
        await turns.handOver(
          { sweep, sweepRoom: () => 0, pace },
          ((day - 1) * 24 + hour) * 3_600_000,
        )
    const now = 3 * DAY_MS
    for (let second = 1; second <= 60; second += 1)
      await turns.handOver({ sweep, pace }, now + second * 1_000)
    expect(seen.length).toBeGreaterThan(3_700)
    expect(seen.length).toBeLessThan(4_100)
  })

  test('are none before the first watermark', async () => {
    const turns = turnsOf(new PartitionOrders(new MemorySnapshots()), null)
    const swept: unknown[] = []
    await turns.handOver({ sweep: (some) => swept.push(some), pace }, DAY_MS / 2)
    expect(swept).toEqual([])
  })
})

test('orders that a gateway vouched for are asked about within a minute, however far the sweep is behind', async () => {
  const clock = new ManualClock()
  const begun = clock.now()
  const asked = new Set<string>()
  const sweep = sweepOn({
    node: {
      outputs: async (outpoints) => {
        for (const { txid } of outpoints) asked.add(txid)
        return outpoints.map(() => unspentAnswer())
      },
    },
    index: null,
    clock,
  })
  const stop = new AbortController()
  const running = sweep.run(stop.signal)
  // Half a day without a watermark, of a book that the sweep has then to catch up with.
  const behind = Array.from({ length: 15 }, (_, n) =>
    turnsOf(new SyntheticPartition(30_000, `${n} `).orders, begun - DAY_MS / 2),
  )
  const last = new SyntheticPartition(1_000)
  const vouched = new VouchedOrders()
  const turns = [...behind, turnsOf(last.orders, begun, vouched)]
  const lasted = new Map<OrderId, number>()
  for (let second = 0; second < 660; second += 1) {
    if (second % 60 === 0) {
      const id = last.ids[second]!
      vouched.add(id)
      lasted.set(id, second)
    }
    clock.advance(1_000)
    if (second % 2 === 0)
      for (const turn of turns)
        await turn.handOver({ sweep: sweep.add, sweepRoom: sweep.room, pace }, clock.now())
    for (let wait = 0; wait < 3; wait += 1) await new Promise(setImmediate)
    for (const [id, since] of lasted) {
      if (asked.has(id)) lasted.delete(id)
      else expect(second - since).toBeLessThan(60)
    }
  }
  expect(sweep.room(), 'it is behind all the while').toBeLessThan(10_000)
  stop.abort()
  await running
}, 60_000)
