import { expect, test } from 'vitest'
import type { SqlEngine } from '../../../../src/adapters/clickhouse/engine/sql-engine.ts'
import { SqlHistory } from '../../../../src/adapters/clickhouse/history.ts'
import { transitionRow } from '../../../../src/adapters/clickhouse/history-rows.ts'
import { migrate } from '../../../../src/adapters/clickhouse/migrate.ts'
import { readMigrations } from '../../../../src/adapters/clickhouse/migrations.ts'
import { connectChdb } from '../../../../src/adapters/embedded/stores/history.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { bookOf } from '../../../support/orders/order-book.ts'
import { lifeOf } from '../../../support/orders/order-changes.ts'

/** Columns of rows of a lower form: a column that is not written is empty, and the form is 0. */
const OF_BEFORE =
  'order_id, seq, kind, from_state, to_state, reason, actor, observed_at, cause, outpoint, protocol_id, token, side, quoted_price_sats, seller_script_hex, unset, prev_hash, hash, log_partition, log_offset'.split(
    ', ',
  )
/** After this many checks in a row a position is recorded. */
const CHECKS = 7

const changes = bookOf(8, 21).flatMap((order) => lifeOf([order]).changes)
const stored = changes.map((change, index) => ({ partition: index % 2, offset: index, change }))

async function withEngine(run: (engine: SqlEngine) => Promise<void>): Promise<void> {
  const { path, drop } = temporaryDirectory()
  const engine = await connectChdb(path)
  try {
    await run(engine)
  } finally {
    await engine.close()
    drop()
  }
}

const historyOn = (engine: SqlEngine) =>
  new SqlHistory({ connect: async () => ({ ...engine, close: async () => {} }) })
const both = async (ask: (partition: number) => Promise<number>) => [await ask(0), await ask(1)]
const resumed = (history: SqlHistory) => both((partition) => history.resumeAt(partition))
const positions = (history: SqlHistory) => both((partition) => history.position(partition))

/** The history as a release of a lower form would leave it, its positions recorded. */
async function writeAsBefore(engine: SqlEngine): Promise<void> {
  await migrate(engine, readMigrations())
  const rows = stored
    .map((row): Record<string, unknown> => ({ ...transitionRow(row) }))
    .map((row) => Object.fromEntries(OF_BEFORE.map((name) => [name, row[name]])))
  await engine.insert('order_transition_rows', rows)
  const notes = stored.slice(-2).map(({ partition, offset, change }) => ({
    log_partition: partition,
    version: 1,
    position: offset + 1,
    last_order: change.orderId,
    last_seq: change.seq,
  }))
  await engine.insert('position_rows', notes)
}

const told = (engine: SqlEngine) =>
  engine.select(
    'SELECT order_id, length(set_fields) > 0 AS told, sources FROM order_transitions ORDER BY log_offset',
    {},
  )
const EXPECTED = stored.map(({ change }) => ({
  order_id: change.orderId,
  told: 1,
  sources: change.set.sources?.map(({ source }) => source),
}))

test('rows of a lower form are written again from the log, once', () =>
  withEngine(async (engine) => {
    await writeAsBefore(engine)
    const history = historyOn(engine)
    // It is complete up to its end, but is written again from the beginning.
    expect(await resumed(history)).toEqual([0, 1])
    expect(await positions(history)).toEqual([7, 8])
    await history.record(stored)
    expect(await told(engine)).toEqual(EXPECTED)
    expect(await resumed(historyOn(engine))).toEqual([7, 8])
    expect(await positions(historyOn(engine))).toEqual([7, 8])
  }))

test('interrupted, it continues where it was', () =>
  withEngine(async (engine) => {
    await writeAsBefore(engine)
    const first = historyOn(engine)
    await resumed(first)
    // What this process has not written yet is never recorded, even when positions are requested
    // meanwhile.
    for (let done = 0; done < CHECKS; done += 1) await first.verifyStored()
    await positions(first)
    expect(await resumed(historyOn(engine))).toEqual([0, 1])
    await first.record(stored.slice(0, 5))
    expect(await resumed(historyOn(engine))).toEqual([6, 5])
    for (let done = 0; done < CHECKS; done += 1) await first.verifyStored()
    expect(await resumed(historyOn(engine))).toEqual([5, 4])
    await historyOn(engine).record(stored.slice(4))
    expect(await told(engine)).toEqual(EXPECTED)
  }))
