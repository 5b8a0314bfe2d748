import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { LmdbStore } from '../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { ViewTables } from '../../src/adapters/embedded/views/view-tables.ts'
import { partitionOf } from '../../src/domain/order/partition.ts'
import { packRow } from '../../src/query-index/packed-row.ts'
import { rowOf } from '../../src/query-index/row.ts'
import type { Bundle } from '../../test/support/bundle.ts'
import { dice, orderOf } from '../../test/support/orders/order-book.ts'
import { ServiceProcess } from '../../test/support/services/service-process.ts'
import type { Row } from './rows.ts'

const PARTITIONS = 16
const WRITTEN_AT_ONCE = 10_000

/**
 * Starts of the whole service with a book of this size in its DATA_DIR, until it listens: after a
 * crash, and after a clean stop, which keeps the index of the book.
 */
export async function startOfAll(program: Bundle, isShort: boolean): Promise<Row[]> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'market-rehearsal-'))
  try {
    await fillViews(path.join(dataDir, 'store'), isShort ? 100_000 : 1_000_000)
    const timed = async () => {
      const begun = performance.now()
      await using service = new ServiceProcess(program, ['start'], {
        DATA_DIR: dataDir,
        PORT: '0',
        METRICS_PORT: '0',
      })
      await service.ready()
      const figure = (performance.now() - begun) / 1_000
      await service.end('SIGTERM')
      return { figure, unit: 's', most: 4 }
    }
    return [
      { what: 'start of ROLE=all with its book, after a crash', ...(await timed()) },
      { what: 'start of ROLE=all with its book, after a clean stop', ...(await timed()) },
    ]
  } finally {
    rmSync(dataDir, { recursive: true })
  }
}

/** The log is empty: its consumers have nothing to do, and the views stay as they are. */
export async function fillViews(directory: string, orders: number): Promise<void> {
  const store = await LmdbStore.open(directory)
  const tables = ViewTables.ofReaders(store)
  const roll = dice(1)
  for (let from = 0; from < orders; from += WRITTEN_AT_ONCE) {
    await store.write(() => {
      for (let index = from; index < from + WRITTEN_AT_ONCE; index += 1) {
        const order = orderOf(roll, index)
        const partition = partitionOf(order.outpoint, PARTITIONS)
        tables.documents.putSync(order.id, { partition, order })
        tables.rows.putSync(order.id, packRow(rowOf(order, partition)))
      }
    })
  }
  await store.write(() => tables.noteRowsOfThisRelease())
  await store.close()
}
