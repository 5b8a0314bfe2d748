import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { activityId } from '../../domain/order/activity.ts'
import type { PairingHistories, PairingHistory } from '../../ports/folds/pairing-history.ts'
import type { OnPoint } from '../../ports/log/crash-points.ts'
import type { HistorySizes, TableSize } from '../../ports/log/sizes.ts'
import {
  type ActivityPosition,
  type ActivityQuery,
  type ActivityRows,
  type History,
  HistoryLostRowsError,
  HistoryUnavailableError,
  type StoredRows,
} from '../../ports/views/history.ts'
import type { OrderVersions } from '../../ports/views/order-versions.ts'
import type { Statistics } from '../../ports/views/statistics.ts'
import type { ActivityEntry } from '../../schemas/order.ts'
import { OrderId, OrderState, Timestamp } from '../../schemas/scalars.ts'
import { SchemaGoneError } from './engine/answers.ts'
import { SCAN_MS, type SqlEngine } from './engine/sql-engine.ts'
import {
  activityRows,
  evidenceRows,
  ROW_FORM,
  settlementRows,
  transitionRow,
  verificationRows,
} from './history-rows.ts'
import { migrate, requireMigrated } from './migrate.ts'
import { readMigrations } from './migrations.ts'
import { NotedPositions, type Reached, resumptionOf, type Scan } from './noted-positions.ts'
import { SqlPairingHistory } from './pairing/pairing-history.ts'
import {
  ACTIVITY,
  ACTIVITY_ONCE,
  KEPT,
  LAST_SEQ,
  ORDER_ACTIVITY,
  OUTDATED,
  POSITIONS,
  SIZES,
  SUMMARY,
} from './queries.ts'
import { SqlVersions } from './sql-versions.ts'
import { SqlStatistics } from './statistics/sql-statistics.ts'

export interface SqlHistoryOptions {
  /** Opens the engine; called again after it failed. */
  connect(): Promise<SqlEngine>
  /** A reader creates no schema: it waits for one. */
  access?: 'write' | 'read'
  onPoint?: OnPoint
}

const LastSeqRow = z.object({ seq: z.coerce.number().int().nonnegative() })
const ActivityRow = z.object({
  order_id: OrderId,
  seq: z.coerce.number(),
  from_state: OrderState.nullable(),
  to_state: OrderState,
  reason: z.string(),
  actor: z.string(),
  observed_at: Timestamp,
})
type ActivityRow = z.infer<typeof ActivityRow>

const PositionRow = z.object({
  log_partition: z.coerce.number(),
  position: z.coerce.number(),
  last_order: z.string(),
  last_seq: z.coerce.number(),
})
type PositionRow = z.infer<typeof PositionRow>
const OutdatedRow = z.object({ log_partition: z.coerce.number(), first: z.coerce.number() })
const KeptRow = z.object({ kept: z.coerce.number() })
const SummaryRow = z.object({
  order_id: OrderId,
  changes: z.coerce.number(),
  max_seq: z.coerce.number(),
})

const SizeRow = z.object({
  name: z.string(),
  entries: z.coerce.number(),
  bytes: z.coerce.number(),
})

const SUMMARY_ROWS = 10_000
/** Sorts after every position: the first page starts here. */
const NEWEST = { at: '2299-01-01T00:00:00.000Z', id: 'g', seq: 0 }
const ABOVE_EVERY_SEQ = Number.MAX_SAFE_INTEGER

/**
 * The history in ClickHouse's SQL. Any failure of the engine is `HistoryUnavailableError`; the engine is
 * opened at the first use, and again after a failed open.
 */
export class SqlHistory implements History, HistorySizes, PairingHistories {
  readonly #options: SqlHistoryOptions
  #engine: Promise<SqlEngine> | null = null
  #closed = false
  #scanned: Promise<Scan> | null = null
  /** The noted positions; resolves to null if none of them holds. */
  #resumed: Promise<ReadonlyMap<number, number> | null> | null = null
  /**
   * The last row of each partition that is known to be stored; null once one is lost, until the
   * positions are read again.
   */
  #last: Map<number, ChangeKey> | null = new Map()
  /** Where this process began to write, by partition; null if it has not asked yet. */
  #begun: ReadonlyMap<number, number> | null = null
  readonly #noted = new NotedPositions()
  /** How far this process has written since then. */
  #reached = new Map<number, Reached>()

  constructor(options: SqlHistoryOptions) {
    this.#options = options
  }

  /** The changes go last: a stored change implies its rows in all other tables. */
  record(changes: readonly StoredRows[]): Promise<void> {
    return this.#use(async (engine) => {
      await this.#requireStored(engine)
      this.#forgetPositions()
      this.#options.onPoint?.('before history')
      await insert(engine, 'order_evidence_rows', changes.flatMap(evidenceRows))
      await insert(engine, 'verification_rows', changes.flatMap(verificationRows))
      await insert(engine, 'settlement_rows', changes.flatMap(settlementRows))
      await insert(engine, 'activity_rows', changes.flatMap(activityRows))
      await insert(engine, 'order_transition_rows', changes.map(transitionRow))
      this.#options.onPoint?.('after history')
      for (const { partition, offset, change } of inOrder(changes)) {
        this.#last?.set(partition, keyOf(change))
        this.#reached.set(partition, { position: offset + 1, key: keyOf(change) })
      }
    })
  }

  activity({ orderId, limit, after }: ActivityQuery): Promise<ActivityRows> {
    return this.#use(async (engine) => {
      const rows =
        orderId === undefined
          ? await newestActivity(engine, placeOf(after), limit + 1)
          : await engine.select(ORDER_ACTIVITY, {
              id: orderId,
              seq: after?.seq ?? ABOVE_EVERY_SEQ,
              limit: limit + 1,
            })
      const entries = rows.slice(0, limit).map((row) => ActivityRow.parse(row))
      const last = rows.length > limit ? entries.at(-1) : undefined
      return { entries: entries.map(entryOf), next: last ? positionOf(last) : null }
    })
  }

  lastSeq(orderId: OrderId): Promise<number> {
    return this.#use(async (engine) => {
      const [row] = await engine.select(LAST_SEQ, { id: orderId })
      return LastSeqRow.parse(row).seq
    })
  }

  async position(partition: number): Promise<number> {
    const { ends } = await this.#scan()
    return ends.get(partition)?.position ?? 0
  }

  async resumeAt(partition: number): Promise<number> {
    this.#resumed ??= this.#use((engine) => this.#resume(engine))
    const noted = await this.#resumed.catch((error: unknown) => {
      this.#resumed = null
      throw error
    })
    return (noted ?? resumptionOf(await this.#scan())).get(partition) ?? 0
  }

  async *summary(): AsyncIterable<{ orderId: OrderId; rows: number; maxSeq: number }> {
    let after = ''
    for (;;) {
      const params = { after, limit: SUMMARY_ROWS }
      const rows = await this.#use((engine) => engine.select(SUMMARY, params, SCAN_MS))
      for (const row of rows) {
        const { order_id: orderId, changes, max_seq: maxSeq } = SummaryRow.parse(row)
        yield { orderId, rows: changes, maxSeq }
        after = orderId
      }
      if (rows.length < SUMMARY_ROWS) return
    }
  }

  sizes(): Promise<TableSize[]> {
    return this.#use(async (engine) => {
      const rows = await engine.select(SIZES, {})
      return rows.map((row) => SizeRow.parse(row))
    })
  }

  async verifyStored(): Promise<void> {
    await this.#use(async (engine) => {
      await this.#requireStored(engine)
      if (this.#begun && this.#isWriter) await this.#noted.checked(engine, this.#reached)
    })
  }

  pairing(deployment: string): PairingHistory {
    return new SqlPairingHistory(deployment, (ask) => this.#use(ask))
  }

  statistics(): Statistics {
    return new SqlStatistics((ask) => this.#use(ask), ROW_FORM)
  }

  versions(): OrderVersions {
    return new SqlVersions((ask) => this.#use(ask))
  }

  async probe(): Promise<void> {
    await this.#use((engine) => engine.select('SELECT 1', {}))
  }

  async close(): Promise<void> {
    this.#closed = true
    const engine = await this.#engine?.catch(() => null)
    this.#engine = null
    await engine?.close()
  }

  async #use<T>(ask: (engine: SqlEngine) => Promise<T>): Promise<T> {
    if (this.#closed) throw new HistoryUnavailableError('the history is closed')
    try {
      return await ask(await this.#open())
    } catch (cause) {
      if (cause instanceof SchemaGoneError) await this.#reopen()
      if (cause instanceof HistoryUnavailableError) throw cause
      throw new HistoryUnavailableError(cause instanceof Error ? cause.message : String(cause), {
        cause,
      })
    }
  }

  #open(): Promise<SqlEngine> {
    this.#engine ??= this.#connect().catch((error: unknown) => {
      this.#engine = null
      throw error
    })
    return this.#engine
  }

  async #connect(): Promise<SqlEngine> {
    const engine = await this.#options.connect()
    try {
      const prepare = this.#options.access === 'read' ? requireMigrated : migrate
      await prepare(engine, readMigrations())
      return engine
    } catch (error) {
      await engine.close()
      throw error
    }
  }

  /** The engine is reopened, and its schema recreated, at the next use. */
  async #reopen(): Promise<void> {
    const engine = await this.#engine?.catch(() => null)
    this.#engine = null
    this.#forgetPositions()
    await engine?.close()
  }

  #scan(): Promise<Scan> {
    this.#scanned ??= this.#use(async (engine) => {
      const scan = await this.#readPositions(engine)
      this.#begin(scan)
      return scan
    }).catch((error: unknown) => {
      this.#scanned = null
      throw error
    })
    return this.#scanned
  }

  /** Null if this process has already begun, nothing is noted, or some of it is no longer there. */
  async #resume(engine: SqlEngine): Promise<ReadonlyMap<number, number> | null> {
    if (this.#begun !== null) return null
    const noted = new Map(await this.#noted.read(engine))
    const keys = [...noted.values()].map(({ key }) => key)
    const isThere = keys.length > 0 && (await areStored(engine, keys))
    return isThere ? this.#begin({ ends: noted, outdated: new Map() }) : null
  }

  // A partition with outdated rows has reached nothing: a note would let the next start skip them.
  #begin(scan: Scan): ReadonlyMap<number, number> {
    const ends = [...scan.ends]
    this.#last = new Map(ends.map(([partition, { key }]) => [partition, key]))
    this.#reached = new Map(ends.filter(([partition]) => !scan.outdated.has(partition)))
    this.#begun = resumptionOf(scan)
    return this.#begun
  }

  #forgetPositions(): void {
    this.#scanned = null
    this.#resumed = null
  }

  // Rows may have been written after lost ones before the loss was found. The end of a partition
  // then proves nothing: everything that this process wrote is written again.
  async #readPositions(engine: SqlEngine): Promise<Scan> {
    const isStored = await this.#isStored(engine)
    if (!isStored && this.#isWriter) await this.#noted.forget(engine)
    const outdated = await engine.select(OUTDATED, { form: ROW_FORM }, SCAN_MS)
    const rows = await engine.select(POSITIONS, {}, SCAN_MS)
    const ends = rows.map((row) => {
      const parsed = PositionRow.parse(row)
      const { log_partition: partition, position } = parsed
      const most = isStored ? position : (this.#begun?.get(partition) ?? 0)
      return [partition, { position: Math.min(position, most), key: lastOf(parsed) }] as const
    })
    return {
      ends: new Map(ends),
      outdated: new Map(
        outdated
          .map((row) => OutdatedRow.parse(row))
          .map(({ log_partition, first }) => [log_partition, first]),
      ),
    }
  }

  get #isWriter(): boolean {
    return this.#options.access !== 'read'
  }

  // An engine that acknowledged a row and lost it (a power failure, an emptied table) would
  // otherwise keep a hole until the next start.
  async #requireStored(engine: SqlEngine): Promise<void> {
    if (await this.#isStored(engine)) return
    this.#last = null
    this.#forgetPositions()
    throw new HistoryLostRowsError('the history lost rows: they are written again')
  }

  async #isStored(engine: SqlEngine): Promise<boolean> {
    if (this.#last === null) return false
    return (await areStored(engine, [...this.#last.values()])) && this.#last !== null
  }
}

async function areStored(engine: SqlEngine, keys: readonly ChangeKey[]): Promise<boolean> {
  if (keys.length === 0) return true
  const [row] = await engine.select(KEPT, { keys: JSON.stringify(keys) })
  return KeptRow.parse(row).kept === keys.length
}

type ChangeKey = readonly [orderId: string, seq: number]

const keyOf = ({ orderId, seq }: StoredRows['change']): ChangeKey => [orderId, seq]
const lastOf = ({ last_order, last_seq }: PositionRow): ChangeKey => [last_order, last_seq]
const inOrder = (changes: readonly StoredRows[]): StoredRows[] =>
  [...changes].sort((a, b) => a.offset - b.offset)

async function insert(engine: SqlEngine, table: string, rows: readonly object[]): Promise<void> {
  if (rows.length > 0) await engine.insert(table, rows)
}

/** Rows that are there twice are the same. */
async function newestActivity(
  engine: SqlEngine,
  place: ReturnType<typeof placeOf>,
  limit: number,
): Promise<unknown[]> {
  const found = await engine.select(ACTIVITY, { ...place, limit: 2 * limit })
  const rows = found.filter((row, n) => !isDeepStrictEqual(row, found[n - 1]))
  if (rows.length >= limit || found.length < 2 * limit) return rows.slice(0, limit)
  return await engine.select(ACTIVITY_ONCE, { ...place, limit })
}

const entryOf = (row: ActivityRow): ActivityEntry => ({
  id: activityId(row.order_id, row.seq),
  orderId: row.order_id,
  fromState: row.from_state,
  toState: row.to_state,
  reason: row.reason,
  actor: row.actor,
  observedAt: row.observed_at,
})

const placeOf = (after: ActivityPosition | undefined) =>
  after ? { at: after.observedAt, id: after.orderId, seq: after.seq } : NEWEST

const positionOf = ({ observed_at, order_id, seq }: ActivityRow) => ({
  observedAt: observed_at,
  orderId: order_id,
  seq,
})
