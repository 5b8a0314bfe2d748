import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SqlEngine } from '../../src/adapters/clickhouse/engine/sql-engine.ts'
import { SqlHistory } from '../../src/adapters/clickhouse/history.ts'
import {
  activityRows,
  evidenceRows,
  settlementRows,
  transitionRow,
  verificationRows,
} from '../../src/adapters/clickhouse/history-rows.ts'
import { connectChdb } from '../../src/adapters/embedded/stores/history.ts'
import type { StoredRows } from '../../src/ports/views/history.ts'
import { dice, orderOf } from '../../test/support/orders/order-book.ts'
import { changeBetween } from '../../test/support/orders/order-changes.ts'
import { compare, type Line } from '../harness/line.ts'
import { timed } from '../harness/processor-time.ts'
import type { Sample } from '../harness/results.ts'

/** As the projector writes. */
const BATCH = 1_000
const BATCHES = 10
const QUICK_BATCHES = 1

export const line: Line = {
  number: 12,
  name: 'history-rows',
  work: 'changes of orders into the history, rows made, inserted and known to be kept, on chDB',
  peer: 'the same rows, ready-made, inserted into the same tables in the same batches',
  run: async ({ isQuick, rounds }) => {
    const batches = isQuick ? QUICK_BATCHES : BATCHES
    const directory = mkdtempSync(join(tmpdir(), 'market-bench-'))
    const engine = await connectChdb(directory)
    const history = new SqlHistory({ connect: async () => engine })
    try {
      await history.probe()
      const book = new Changes()
      return [
        await compare(
          {
            name: '',
            sizes: `${batches} batches of ${BATCH} changes a round`,
            unit: 'changes/s',
            ratio: 'ours/peer',
            target: { atLeast: 0.65 },
            rounds,
          },
          () => written(book.next(batches), (changes) => history.record(changes)),
          () => {
            const tables = book.next(batches).map(rowsOf)
            return written(tables, (rows) => insertAll(engine, rows))
          },
        ),
      ]
    } finally {
      await history.close()
      rmSync(directory, { recursive: true, force: true })
    }
  },
}

/** The first change of an order each, none twice. */
class Changes {
  readonly #roll = dice(12)
  #made = 0

  next(batches: number): StoredRows[][] {
    return Array.from({ length: batches }, () => Array.from({ length: BATCH }, () => this.#one()))
  }

  #one(): StoredRows {
    const offset = this.#made++
    return { partition: 0, offset, change: changeBetween(null, orderOf(this.#roll, offset)) }
  }
}

type TableRows = Record<string, object[]>

const rowsOf = (changes: StoredRows[]): TableRows => ({
  order_evidence_rows: changes.flatMap(evidenceRows),
  verification_rows: changes.flatMap(verificationRows),
  settlement_rows: changes.flatMap(settlementRows),
  activity_rows: changes.flatMap(activityRows),
  order_transition_rows: changes.map(transitionRow),
})

async function insertAll(engine: SqlEngine, tables: TableRows): Promise<void> {
  for (const [table, rows] of Object.entries(tables))
    if (rows.length > 0) await engine.insert(table, rows)
}

async function written<T>(batches: T[], write: (batch: T) => Promise<void>): Promise<Sample> {
  const { ms, cpuUs } = await timed(async () => {
    for (const batch of batches) await write(batch)
  })
  const changes = batches.length * BATCH
  return { figure: changes / (ms / 1_000), cpuUs: cpuUs / changes }
}
