import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openClickHouseHistory } from '../../../src/adapters/clickhouse/clickhouse.ts'
import { LmdbStore } from '../../../src/adapters/embedded/lmdb/lmdb-store.ts'
import { EmbeddedLog } from '../../../src/adapters/embedded/log/log.ts'
import type { History } from '../../../src/ports/views/history.ts'
import { projectHistory } from '../../../src/projections/project-history.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import { ClickHouseServer, WRITER } from '../../support/clickhouse/server.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { type FaultyProxy, openFaultyProxy } from '../../support/faults/faulty-proxy.ts'
import { bookOf, dice } from '../../support/orders/order-book.ts'
import { lifeOf, mutated } from '../../support/orders/order-changes.ts'
import { waitUntil } from '../../support/services/programs.ts'
import { systemClock } from '../../support/system-clock.ts'

const PARTITIONS = 3
/** Two waits of a minute, on a busy machine. */
const SLOW_MS = 180_000

vi.setConfig({ testTimeout: SLOW_MS })

/** Real turns of the event loop, waits twenty times shorter. */
const clock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms / 20, signal),
}

let server: ClickHouseServer
let proxy: FaultyProxy
beforeAll(async () => {
  server = await ClickHouseServer.start()
  proxy = await openFaultyProxy(server.url)
})
afterAll(async () => {
  await proxy.close()
  await server.stop()
})

interface World {
  history: History
  /** Appends the lives of some orders to the log. */
  live(orders: number): Promise<void>
  /** Resolves when the history has every change of the log, once, and the tables agree. */
  isWhole(): Promise<void>
  failures: string[]
}

/** A log with a projector that writes it to a database of its own. */
async function inWorld(database: string, run: (world: World) => Promise<void>): Promise<void> {
  const { path, drop } = temporaryDirectory()
  const store = await LmdbStore.open(path)
  const log = await EmbeddedLog.open({ store, partitions: PARTITIONS, clock })
  const history = openClickHouseHistory({ url: proxy.url, ...WRITER, database, mostMs: 5_000 })
  const failures: string[] = []
  const stop = new AbortController()
  const onFailure = ({ error }: { error: unknown }) => failures.push(String(error))
  const running = projectHistory({ log, history, clock, onFailure }, stop.signal)
  const expected = new Map<string, number>()
  let seed = 0
  const live = async (orders: number) => {
    seed += 1
    const roll = dice(seed)
    const lives = bookOf(orders, seed).map((order) => lifeOf([order, mutated(roll, order)]).changes)
    for (const { orderId, seq } of lives.flat()) expected.set(orderId, seq)
    const records = lives.flatMap((changes, index) =>
      changes.map((value) => ({
        topic: TOPICS.lifecycle,
        partition: index % PARTITIONS,
        key: value.orderId,
        value,
      })),
    )
    await log.append(records)
  }
  const counts = () =>
    server.query(
      database,
      `SELECT order_id, count() AS rows, max(seq) AS seq FROM order_transitions
       GROUP BY order_id ORDER BY order_id FORMAT JSONEachRow`,
    )
  const isWhole = async () => {
    const rows = [...expected]
      .map(([order_id, seq]) => ({ order_id, rows: seq, seq }))
      .sort((a, b) => (a.order_id < b.order_id ? -1 : 1))
    await waitUntil(
      'the history is whole',
      async () => JSON.stringify(await counts().catch(() => [])) === JSON.stringify(rows),
    )
    const [activity] = await server.query(
      database,
      `SELECT (SELECT groupArray((order_id, seq)) FROM (SELECT * FROM activity ORDER BY order_id, seq))
          = (SELECT groupArray((order_id, seq)) FROM (
              SELECT * FROM order_transitions WHERE kind = 'transition' ORDER BY order_id, seq
            )) AS same FORMAT JSONEachRow`,
    )
    expect(activity).toEqual({ same: 1 })
  }
  try {
    await run({ history, live, isWhole, failures })
  } finally {
    proxy.decide(() => 'pass')
    stop.abort()
    await running
    await history.close()
    await store.close()
    drop()
  }
}

/** Drops the newest part of the table, as a power failure before the write to disk would. */
async function loseNewestPart(database: string): Promise<void> {
  const [part] = await server.query(
    database,
    `SELECT name FROM system.parts WHERE database = '${database}' AND table = 'order_transition_rows'
     AND active ORDER BY max_block_number DESC LIMIT 1 FORMAT JSONEachRow`,
  )
  await server.query(
    database,
    `ALTER TABLE order_transition_rows DROP PART '${(part as { name: string }).name}'`,
  )
}

test('however it fails between them, every change of the log is there once in the end', async () => {
  await inWorld('unsteady', async ({ live, isWhole, failures }) => {
    const roll = dice(77)
    const kinds = [
      'cut',
      'lose',
      { status: 500, body: 'Code: 252. DB::Exception: Too many parts.' },
    ] as const
    for (let round = 0; round < 6; round += 1) {
      proxy.decide(() => (roll.chance(0.25) ? roll.of(kinds) : 'pass'))
      await live(40)
      await systemClock.sleep(150)
    }
    await waitUntil('it failed often enough', () => failures.length >= 5)
    proxy.decide(() => 'pass')
    await isWhole()
  })
})

test('acknowledged rows that a power failure took are written again', async () => {
  await inWorld('powerless', async ({ live, isWhole }) => {
    for (let round = 0; round < 3; round += 1) {
      await live(30)
      await isWhole()
    }
    await server.kill()
    await server.resume()
    await loseNewestPart('powerless')
    await loseNewestPart('powerless')
    await isWhole()
  })
})

test('though nothing new arrives and no query failed meanwhile', async () => {
  await inWorld('quiet', async ({ live, isWhole, failures }) => {
    await live(30)
    await isWhole()
    const before = failures.length
    await loseNewestPart('quiet')
    await isWhole()
    expect(failures.slice(before)).toEqual([
      'HistoryLostRowsError: the history lost rows: they are written again',
    ])
  })
})

test('nor do rows that arrive just after the loss hide it', async () => {
  await inWorld('hidden', async ({ live, isWhole, failures }) => {
    await live(30)
    await isWhole()
    await loseNewestPart('hidden')
    await live(30)
    await isWhole()
    expect(failures.length).toBeGreaterThan(0)
  })
})

test('emptied, or dropped, it is filled again from the beginning of the log', async () => {
  await inWorld('emptied', async ({ live, isWhole }) => {
    await live(30)
    await isWhole()
    for (const table of ['order_transition_rows', 'activity_rows']) {
      await server.query('emptied', `TRUNCATE TABLE ${table}`)
    }
    await isWhole()
    await server.query('default', 'DROP DATABASE emptied')
    await isWhole()
  })
})

test('unavailable at the start, it is filled once it is there', async () => {
  await server.kill()
  await inWorld('late', async ({ live, isWhole, failures }) => {
    await live(30)
    await waitUntil('it was tried', () => failures.length > 1)
    await server.resume()
    await isWhole()
  })
})
