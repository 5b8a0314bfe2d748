import { expect, test } from 'vitest'
import { SqlHistory } from '../../../src/adapters/clickhouse/history.ts'
import { HISTORY_MIGRATIONS } from '../../../src/adapters/clickhouse/history-migrations.ts'
import { transitionRow } from '../../../src/adapters/clickhouse/history-rows.ts'
import { migrate } from '../../../src/adapters/clickhouse/migrate.ts'
import { connectChdb, openHistory } from '../../../src/adapters/embedded/history.ts'
import { HistoryUnavailable } from '../../../src/ports/history.ts'
import { historyContract } from '../../contracts/history.ts'
import { temporaryDirectory } from '../../support/embedded.ts'
import { bookOf } from '../../support/order-book.ts'
import { lifeOf } from '../../support/order-changes.ts'

historyContract('chDB', async () => {
  const { path, drop } = temporaryDirectory()
  let history = openHistory({ directory: path })
  return {
    history,
    reopen: async () => {
      await history.close()
      history = openHistory({ directory: path })
      return history
    },
    close: async () => {
      await history.close()
      drop()
    },
  }
})

test('while the engine can not be opened every use says so, and it is tried again', async () => {
  let attempts = 0
  const history = new SqlHistory({
    connect: () => {
      attempts += 1
      return Promise.reject(new Error('not installed'))
    },
  })
  await expect(history.probe()).rejects.toThrow(HistoryUnavailable)
  await expect(history.activity({ limit: 1 })).rejects.toThrow('not installed')
  await expect(history.position(0)).rejects.toThrow(HistoryUnavailable)
  await expect(history.record([])).rejects.toThrow(HistoryUnavailable)
  expect(attempts).toBe(4)
  await history.close()
  await expect(history.probe()).rejects.toThrow('closed')
})

async function withEngine(
  run: (engine: Awaited<ReturnType<typeof connectChdb>>) => Promise<void>,
): Promise<void> {
  const { path, drop } = temporaryDirectory()
  const engine = await connectChdb(path)
  try {
    await run(engine)
  } finally {
    await engine.close()
    drop()
  }
}

test('migrations run once, and one that was applied may not read differently', () =>
  withEngine(async (engine) => {
    await migrate(engine, HISTORY_MIGRATIONS)
    await migrate(engine, HISTORY_MIGRATIONS)
    const applied = await engine.select('SELECT version FROM market.schema_migrations FINAL', {})
    expect(applied).toHaveLength(HISTORY_MIGRATIONS.length)
    const [first, ...rest] = HISTORY_MIGRATIONS
    const edited = [{ ...first!, statements: ['SELECT 1'] }, ...rest]
    await expect(migrate(engine, edited)).rejects.toThrow('applied with other statements')
    await expect(migrate(engine, [first!])).rejects.toThrow('of a newer release')
  }))

test('every column says what it holds', () =>
  withEngine(async (engine) => {
    await migrate(engine, HISTORY_MIGRATIONS)
    const silent = await engine.select(
      `SELECT c.table, c.name FROM system.columns AS c
       JOIN system.tables AS t ON t.database = c.database AND t.name = c.table
       WHERE c.database = 'market' AND t.engine LIKE '%MergeTree' AND c.comment = ''`,
      {},
    )
    expect(silent).toEqual([])
  }))

test('orders_current is the last state of each order with what it was last told', () =>
  withEngine(async (engine) => {
    const [order] = bookOf(1, 8)
    const { token: _, ...plain } = order!
    const { changes } = lifeOf([
      { ...plain, state: 'PENDING_NODE', quotedPriceSats: '2100000000000000' },
      { ...plain, state: 'LIVE', quotedPriceSats: '2100000000000000', token: 'ORDI' },
    ])
    const history = new SqlHistory({ connect: async () => ({ ...engine, close: async () => {} }) })
    await history.record(changes.map((change, offset) => ({ partition: 0, offset, change })))
    expect(
      await engine.select(
        'SELECT seq, state, token_name, toString(price_sats) AS price FROM market.orders_current',
        {},
      ),
    ).toEqual([{ seq: 2, state: 'LIVE', token_name: 'ORDI', price: '2100000000000000' }])
  }))

test('killed before its last insert, the activity has every transition of the changes', () =>
  withEngine(async (engine) => {
    const { changes } = lifeOf(bookOf(1, 8))
    const stored = changes.map((change, offset) => ({ partition: 0, offset, change }))
    const tables: string[] = []
    const history = new SqlHistory({
      connect: async () => ({
        ...engine,
        insert: async (table, rows) => {
          tables.push(table)
          if (table === 'market.order_transitions') throw new Error('killed')
          await engine.insert(table, rows)
        },
        close: async () => {},
      }),
    })
    await expect(history.record(stored)).rejects.toThrow('killed')
    expect(tables.at(-1)).toBe('market.order_transitions')
    expect(await history.position(0)).toBe(0)
    const { entries } = await history.activity({ limit: 100 })
    const moved = changes.filter(({ kind }) => kind === 'transition')
    expect(entries.map(({ id }) => id)).toEqual(
      moved.map(({ orderId, seq }) => `${orderId}:${seq}`).reverse(),
    )
  }))

test('a store of before the activity had an insert of its own loses no row', () =>
  withEngine(async (engine) => {
    await migrate(engine, HISTORY_MIGRATIONS.slice(0, 2))
    await engine.run('DROP VIEW market.activity_feed')
    const { changes } = lifeOf(bookOf(1, 8))
    const rows = changes.map((change, offset) => transitionRow({ partition: 0, offset, change }))
    await engine.insert('market.order_transitions', rows)
    await migrate(engine, HISTORY_MIGRATIONS)
    expect(await engine.select('SELECT count() AS n FROM market.activity', {})).toEqual([
      { n: changes.filter(({ kind }) => kind === 'transition').length },
    ])
  }))
