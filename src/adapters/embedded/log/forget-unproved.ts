import type { Database } from 'lmdb'
import { isProved } from '../../../domain/order/proved.ts'
import { importedAt } from '../../../domain/order/room.ts'
import { POOL_BOUNDS, type UnprovedPool } from '../../../ports/views/unproved-pool.ts'
import { LifecycleRecord, OrderSnapshot, TOPICS, type Topic } from '../../../schemas/log.ts'
import type { OrderRecord } from '../../../schemas/order-record.ts'
import type { OrderId } from '../../../schemas/scalars.ts'
import { MAX_UNPROVED_CHANGES, type UnprovedChange } from '../../../schemas/unproved.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'
import { dropKeptIndex } from '../views/kept-index.ts'
import { ViewTables } from '../views/view-tables.ts'
import { LogTables } from './log-tables.ts'
import { SnapshotTables } from './snapshots.ts'

export interface ForgetUnproved {
  store: LmdbStore
  partitions: number
  pool: Pick<UnprovedPool, 'put'>
  /** Removes every row of these orders. */
  history: { forget(orderIds: readonly OrderId[]): Promise<void> }
  /** Unix milliseconds. */
  now: number
  /** Yields the event loop. */
  turn(): Promise<void>
}

/** How many were found, by what was done with them. */
export interface ForgottenUnproved {
  /** Moved to the pool, since they were imported less than a day ago. */
  pooled: number
  removed: number
  /** Still needed by a request or a partition: removed at a later start. */
  left: number
}

const READ_AT_ONCE = 500
const REMOVED_AT_ONCE = 100
/** Set once nothing is left: later releases write no such order. */
const DONE = 'unproved forgotten'
/** The client under which orders are moved to the pool. */
const FROM_THE_LOG = 'log'

/** Where the records of one order are. */
interface Places {
  id: OrderId
  lifecycle: number[]
  inbox: number[]
  changes: UnprovedChange[]
}

/**
 * Handles orders that an earlier release kept in the log although they were never proved (ADR 39):
 * moves them to the pool if they are younger than a day, and removes them from the log, its
 * snapshots, the views and the history. Only while nothing else has the store open. Orders that
 * were withdrawn or hidden stay. After a crash in between it is repeated: the log, from which the
 * orders are found, is emptied last.
 */
export async function forgetUnproved(parts: ForgetUnproved): Promise<ForgottenUnproved> {
  const { store, partitions } = parts
  const settings = store.table<number>('log settings')
  const found = { pooled: 0, removed: 0, left: 0 }
  if (settings.get(DONE) === 1) return found
  await dropKeptIndex(store)
  const tables = new LogTables(store)
  // Records are removed from their tables.
  await store.write(() => tables.settle())
  for (let partition = 0; partition < partitions; partition += 1) {
    const { pooled, removed, left } = await forgetIn(parts, tables, partition)
    found.pooled += pooled
    found.removed += removed
    found.left += left
  }
  if (found.left === 0) await store.write(() => settings.putSync(DONE, 1))
  return found
}

async function forgetIn(
  { store, pool, history, now, turn }: ForgetUnproved,
  tables: LogTables,
  partition: number,
): Promise<ForgottenUnproved> {
  const latest = (key: string) => tables.latest(TOPICS.snapshots, partition, key)
  const snapshots = new SnapshotTables(store, (_, key) => latest(key))
  const consumed: Database<number, number> = store.table('inbox offsets')
  const all = await placesIn(tables, partition, turn)
  if (all.size === 0) return { pooled: 0, removed: 0, left: 0 }
  const next = consumed.get(partition) ?? 0
  const [lifecycleEnd, inboxEnd] = [TOPICS.lifecycle, TOPICS.inbox].map((topic) =>
    tables.end(topic, partition),
  ) as [number, number]
  // The last record says where a topic ends; what is not consumed may still ask for the order.
  const mayGo = ({ lifecycle, inbox }: Places) =>
    lifecycle.at(-1) !== lifecycleEnd - 1 &&
    inbox.every((offset) => offset < next && offset !== inboxEnd - 1)
  const going = [...all.values()].filter(mayGo)
  let pooled = 0
  for (let from = 0; from < going.length; from += REMOVED_AT_ONCE) {
    const some = going.slice(from, from + REMOVED_AT_ONCE)
    for (const { id, changes } of some) {
      const { order } = OrderSnapshot.parse(latest(id))
      if (await keptInPool(pool, order, changes, now)) pooled += 1
    }
    await history.forget(some.map(({ id }) => id))
    await store.write(() => {
      for (const place of some) {
        tables.remove(TOPICS.lifecycle, partition, place.lifecycle)
        tables.remove(TOPICS.inbox, partition, place.inbox)
        tables.forget(TOPICS.snapshots, partition, place.id)
        snapshots.forgetOrder(partition, place.id)
        for (const side of [0, 1] as const) new ViewTables(store, side).forget(place.id)
      }
    })
    await turn()
  }
  return { pooled, removed: going.length, left: all.size - going.length }
}

async function keptInPool(
  pool: ForgetUnproved['pool'],
  order: OrderRecord,
  changes: readonly UnprovedChange[],
  now: number,
): Promise<boolean> {
  const imported = Date.parse(importedAt(order))
  if (order.closedAt !== null || imported + POOL_BOUNDS.keptMs <= now) return false
  const entry = {
    order: { ...order, pending: null },
    changes: changes.slice(0, MAX_UNPROVED_CHANGES),
    client: FROM_THE_LOG,
    importedAt: imported,
    lookAt: now,
  }
  return await pool.put(entry, now)
}

/** Every order of the partition that was never proved, with the places of its records. */
async function placesIn(
  tables: LogTables,
  partition: number,
  turn: () => Promise<void>,
): Promise<Map<string, Places>> {
  const found = new Map<string, Places>()
  const each = (topic: Topic, take: (value: unknown, offset: number) => void) =>
    eachRecord(tables, topic, partition, take, turn)
  await each(TOPICS.snapshots, (value) => {
    const { data } = OrderSnapshot.safeParse(value)
    if (!data || isProved(data.order)) return
    const { id, withdrawal, hidden } = data.order
    if (withdrawal || hidden) return
    found.set(id, { id, lifecycle: [], inbox: [], changes: [] })
  })
  if (found.size === 0) return found
  await each(TOPICS.lifecycle, (value, offset) => {
    const places = found.get(orderIdOf(value))
    if (!places) return
    places.lifecycle.push(offset)
    const { data } = LifecycleRecord.safeParse(value)
    if (data?.kind !== 'transition') return
    const { fromState, toState, reason, actor, observedAt } = data
    places.changes.push({ fromState, toState, reason, actor, observedAt })
  })
  await each(TOPICS.inbox, (value, offset) => found.get(orderIdOf(value))?.inbox.push(offset))
  return found
}

async function eachRecord(
  tables: LogTables,
  topic: Topic,
  partition: number,
  take: (value: unknown, offset: number) => void,
  turn: () => Promise<void>,
): Promise<void> {
  for (let next = 0; ; ) {
    const batch = tables.range(topic, partition, next, READ_AT_ONCE)
    const last = batch.at(-1)
    if (!last) return
    for (const { value, offset } of batch) take(value, offset)
    next = last.offset + 1
    await turn()
  }
}

/**
 * The id of the order that a command, evidence, change or outcome is about; empty for anything
 * else.
 */
const orderIdOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'orderId' in value ? String(value.orderId) : ''
