import { z } from 'zod'
import { activityId } from '../../domain/activity.ts'
import type { OnPoint } from '../../ports/crash-points.ts'
import {
  type ActivityQuery,
  type ActivityRows,
  type History,
  HistoryUnavailable,
  type Stored,
} from '../../ports/history.ts'
import type { ActivityEntry } from '../../schemas/order.ts'
import { OrderState, Timestamp } from '../../schemas/scalars.ts'
import { HISTORY_MIGRATIONS } from './history-migrations.ts'
import {
  activityRows,
  evidenceRows,
  settlementRows,
  transitionRow,
  verificationRows,
} from './history-rows.ts'
import { migrate } from './migrate.ts'
import type { SqlEngine } from './sql-engine.ts'

export interface SqlHistoryOptions {
  /** Opens the engine; called again after it failed. */
  connect(): Promise<SqlEngine>
  onPoint?: OnPoint
}

const ActivityRow = z.object({
  order_id: z.string(),
  seq: z.coerce.number(),
  from_state: OrderState.nullable(),
  to_state: OrderState,
  reason: z.string(),
  actor: z.string(),
  observed_at: Timestamp,
})
type ActivityRow = z.infer<typeof ActivityRow>

const PositionRow = z.object({ log_partition: z.coerce.number(), position: z.coerce.number() })
const SummaryRow = z.object({
  order_id: z.string(),
  changes: z.coerce.number(),
  max_seq: z.coerce.number(),
})

const SUMMARY_ROWS = 10_000
/** Sorts after every position: where the first page begins. */
const NEWEST = { at: '2299-01-01T00:00:00.000Z', id: 'g', seq: 0 }

/**
 * The history in ClickHouse's SQL. Any failure of the engine is `HistoryUnavailable`; the engine is
 * opened at the first use, and again after it could not be opened.
 */
export class SqlHistory implements History {
  readonly #options: SqlHistoryOptions
  #engine: Promise<SqlEngine> | null = null
  #closed = false
  #positions: Promise<ReadonlyMap<number, number>> | null = null

  constructor(options: SqlHistoryOptions) {
    this.#options = options
  }

  /** The changes last: where one is, all that the other tables hold of it is. */
  record(changes: readonly Stored[]): Promise<void> {
    this.#positions = null
    return this.#use(async (engine) => {
      this.#options.onPoint?.('before history')
      await insert(engine, 'market.order_evidence', changes.flatMap(evidenceRows))
      await insert(engine, 'market.verifications', changes.flatMap(verificationRows))
      await insert(engine, 'market.settlements', changes.flatMap(settlementRows))
      await insert(engine, 'market.activity', changes.flatMap(activityRows))
      await insert(engine, 'market.order_transitions', changes.map(transitionRow))
      this.#options.onPoint?.('after history')
    })
  }

  activity({ orderId, limit, after }: ActivityQuery): Promise<ActivityRows> {
    return this.#use(async (engine) => {
      const { at, id, seq } = after
        ? { at: after.observedAt, id: after.orderId, seq: after.seq }
        : NEWEST
      const params = { at, id, seq, limit: limit + 1, order: orderId ?? '' }
      const rows = await engine.select(
        orderId === undefined ? ALL_ACTIVITY : ORDER_ACTIVITY,
        params,
      )
      const entries = rows.slice(0, limit).map((row) => ActivityRow.parse(row))
      const last = rows.length > limit ? entries.at(-1) : undefined
      return { entries: entries.map(entryOf), next: last ? positionOf(last) : null }
    })
  }

  async position(partition: number): Promise<number> {
    this.#positions ??= this.#use(readPositions)
    const positions = await this.#positions.catch((error: unknown) => {
      this.#positions = null
      throw error
    })
    return positions.get(partition) ?? 0
  }

  async *summary(): AsyncIterable<{ orderId: string; rows: number; maxSeq: number }> {
    let after = ''
    for (;;) {
      const params = { after, limit: SUMMARY_ROWS }
      const rows = await this.#use((engine) => engine.select(SUMMARY, params))
      for (const row of rows) {
        const { order_id: orderId, changes, max_seq: maxSeq } = SummaryRow.parse(row)
        yield { orderId, rows: changes, maxSeq }
        after = orderId
      }
      if (rows.length < SUMMARY_ROWS) return
    }
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
    if (this.#closed) throw new HistoryUnavailable('the history is closed')
    try {
      return await ask(await this.#open())
    } catch (cause) {
      if (cause instanceof HistoryUnavailable) throw cause
      throw new HistoryUnavailable(cause instanceof Error ? cause.message : String(cause), {
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
      await migrate(engine, HISTORY_MIGRATIONS)
      return engine
    } catch (error) {
      await engine.close()
      throw error
    }
  }
}

async function insert(engine: SqlEngine, table: string, rows: readonly object[]): Promise<void> {
  if (rows.length > 0) await engine.insert(table, rows)
}

async function readPositions(engine: SqlEngine): Promise<ReadonlyMap<number, number>> {
  const rows = await engine.select(POSITIONS, {})
  const parsed = rows.map((row) => PositionRow.parse(row))
  return new Map(parsed.map((row) => [row.log_partition, row.position]))
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

const positionOf = ({ observed_at, order_id, seq }: ActivityRow) => ({
  observedAt: observed_at,
  orderId: order_id,
  seq,
})

// ---- queries -----------------------------------------------------------------------------------

const activityFrom = (source: string) => `
  SELECT order_id, seq, from_state, to_state, reason, actor, observed_at
  FROM ${source}
    AND (observed_at, order_id, seq)
      < (parseDateTime64BestEffort({at:String}, 3, 'UTC'), {id:String}, {seq:UInt64})
  ORDER BY observed_at DESC, order_id DESC, seq DESC
  LIMIT {limit:UInt32}`

const ALL_ACTIVITY = activityFrom("market.activity FINAL WHERE {order:String} = ''")
const ORDER_ACTIVITY = activityFrom(
  "market.order_transitions FINAL WHERE order_id = {order:String} AND kind = 'transition'",
)

const SUMMARY = `
  SELECT order_id, count() AS changes, max(seq) AS max_seq
  FROM market.order_transitions FINAL
  WHERE order_id > {after:String}
  GROUP BY order_id ORDER BY order_id LIMIT {limit:UInt32}`

// An order whose changes have a hole (a tail lost with the power) sends its partition back to just
// after the last change before that hole.
const POSITIONS = `
  WITH
    holed AS (
      SELECT order_id FROM market.order_transitions FINAL
      GROUP BY order_id HAVING count() != max(seq)
    ),
    steps AS (
      SELECT
        log_partition,
        seq,
        lagInFrame(seq, 1, 0) OVER changes AS seq_before,
        lagInFrame(log_offset + 1, 1, 0) OVER changes AS offset_after_it
      FROM market.order_transitions FINAL
      WHERE order_id IN (SELECT order_id FROM holed)
      WINDOW changes AS (
        PARTITION BY order_id ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
      )
    ),
    holes AS (
      SELECT log_partition, min(offset_after_it) AS position
      FROM steps WHERE seq != seq_before + 1 GROUP BY log_partition
    ),
    ends AS (
      SELECT log_partition, max(log_offset) + 1 AS position
      FROM market.order_transitions GROUP BY log_partition
    )
  SELECT log_partition, min(position) AS position
  FROM (SELECT * FROM holes UNION ALL SELECT * FROM ends) GROUP BY log_partition`
