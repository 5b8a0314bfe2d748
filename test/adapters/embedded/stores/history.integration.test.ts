import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { SqlHistory } from '../../../../src/adapters/clickhouse/history.ts'
import { transitionRow } from '../../../../src/adapters/clickhouse/history-rows.ts'
import { migrate, requireMigrated } from '../../../../src/adapters/clickhouse/migrate.ts'
import { type Migration, readMigrations } from '../../../../src/adapters/clickhouse/migrations.ts'
import { ACTIVITY } from '../../../../src/adapters/clickhouse/queries.ts'
import {
  connectChdb,
  openEmbeddedHistory,
} from '../../../../src/adapters/embedded/stores/history.ts'
import {
  HistoryLostRowsError,
  HistoryRefusedError,
  HistoryUnavailableError,
} from '../../../../src/ports/views/history.ts'
import type { OrderRecord } from '../../../../src/schemas/order-record.ts'
import { historyContract } from '../../../contracts/history.ts'
import { temporaryDirectory } from '../../../support/embedded.ts'
import { toOrderId } from '../../../support/ids.ts'
import { bookOf, dice } from '../../../support/orders/order-book.ts'
import { lifeOf, mutated } from '../../../support/orders/order-changes.ts'
import { marketLives } from '../../../support/statistics/market-lives.ts'

historyContract('chDB', async () => {
  const { path, drop } = temporaryDirectory()
  let history = openEmbeddedHistory({ directory: path })
  return {
    history,
    reopen: async () => {
      await history.close()
      history = openEmbeddedHistory({ directory: path })
      return history
    },
    close: async () => {
      await history.close()
      drop()
    },
  }
})

test('while the engine cannot be opened every use says so, and it is tried again', async () => {
  let attempts = 0
  const history = new SqlHistory({
    connect: () => {
      attempts += 1
      return Promise.reject(new Error('not installed'))
    },
  })
  await expect(history.probe()).rejects.toThrow(HistoryUnavailableError)
  await expect(history.activity({ limit: 1 })).rejects.toThrow('not installed')
  await expect(history.position(0)).rejects.toThrow(HistoryUnavailableError)
  await expect(history.record([])).rejects.toThrow(HistoryUnavailableError)
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

const MIGRATIONS = readMigrations()
const [FIRST] = MIGRATIONS
/** A step that a later release may have. */
const LATER: Migration = {
  version: 5,
  name: '0005-later.sql',
  checksum: 'cd'.repeat(32),
  needs: 5,
  statements: ['CREATE TABLE IF NOT EXISTS later_rows (id String) ENGINE = MergeTree ORDER BY id'],
}

test('a step of the schema is a file that is applied once', () =>
  withEngine(async (engine) => {
    await expect(requireMigrated(engine, MIGRATIONS)).rejects.toThrow(
      'the history lacks migration 0001-baseline.sql: the service that writes the history creates it when it starts',
    )
    const steps = [...MIGRATIONS, LATER]
    await migrate(engine, MIGRATIONS)
    await expect(requireMigrated(engine, steps)).rejects.toThrow('lacks migration 0005-later.sql')
    await migrate(engine, steps)
    await migrate(engine, steps)
    await requireMigrated(engine, steps)
    const applied = await engine.select(
      'SELECT version, name, checksum FROM schema_migrations ORDER BY version',
      {},
    )
    expect(applied).toEqual(
      steps.map(({ version, name, checksum }) => ({ version, name, checksum })),
    )
  }))

test('the checksum of a step is that of its file, its statements are all of it', () => {
  for (const { name, version, checksum, statements } of MIGRATIONS) {
    const text = readFileSync(`src/adapters/clickhouse/migrations/${name}`)
    expect(checksum).toBe(createHash('sha256').update(text).digest('hex'))
    expect(name.startsWith(`${String(version).padStart(4, '0')}-`)).toBe(true)
    const made = text.toString().match(/^(?:CREATE|ALTER) /gm)
    expect(statements.length).toBe(made?.length)
  }
  expect(MIGRATIONS.map(({ version, needs }) => [version, needs])).toEqual([
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 1],
  ])
})

test.each([
  ['writer', migrate],
  ['reader', requireMigrated],
])(
  'a %s refuses a step whose text has changed, and waits for a release that knows the others',
  (_who, prepare) =>
    withEngine(async (engine) => {
      await migrate(engine, [...MIGRATIONS, LATER])
      const edited = [{ ...FIRST!, checksum: 'ab'.repeat(32) }, ...MIGRATIONS.slice(1), LATER]
      await expect(prepare(engine, edited)).rejects.toEqual(
        new HistoryRefusedError(
          `migration 1 of the history was applied as 0001-baseline.sql with SHA-256 ${FIRST!.checksum}, but 0001-baseline.sql has ${'ab'.repeat(32)}: restore that file, or ${engine.howToEmpty}: it is refilled from the log`,
        ),
      )
      await expect(prepare(engine, MIGRATIONS)).rejects.toEqual(
        new HistoryUnavailableError(
          `the history has migration 5 (0005-later.sql) of a newer release, which this one cannot work with: start that release, or ${engine.howToEmpty}: it is refilled from the log`,
        ),
      )
    }),
)

test.each([
  ['writer', migrate],
  ['reader', requireMigrated],
])('a %s works with a later step that needs none that it does not know', (_who, prepare) =>
  withEngine(async (engine) => {
    const adding = { ...LATER, needs: 2 }
    await migrate(engine, [...MIGRATIONS, adding])
    await prepare(engine, MIGRATIONS)
    await prepare(engine, [...MIGRATIONS, adding])
  }),
)

test('a step needs itself, unless its first line names an earlier one', () => {
  const { path, drop } = temporaryDirectory()
  writeFileSync(join(path, '0001-one.sql'), '-- What it makes.\nCREATE TABLE a;\n')
  writeFileSync(join(path, '0002-two.sql'), '-- needs 0001\nALTER TABLE a;\n')
  writeFileSync(join(path, '0003-three.sql'), 'ALTER TABLE a;\n-- needs 0001\n')
  const read = readMigrations(pathToFileURL(`${path}/`))
  expect(read.map(({ needs }) => needs)).toEqual([1, 1, 3])
  drop()
})

test('a step that a crash cut short is run again', () =>
  withEngine(async (engine) => {
    const [made] = FIRST!.statements
    await engine.run(`${made}`)
    await migrate(engine, MIGRATIONS)
    await requireMigrated(engine, MIGRATIONS)
  }))

test('rows of the baseline are indexed by their transactions, beside a writer of the baseline', () =>
  withEngine(async (engine) => {
    const baseline = MIGRATIONS.slice(0, 1)
    const changes = marketLives(60, 31).flat()
    const rows = changes.map((change, offset) => transitionRow({ partition: 0, offset, change }))
    const half = Math.floor(rows.length / 2)
    await migrate(engine, baseline)
    await engine.insert('order_transition_rows', rows.slice(0, half))
    await migrate(engine, MIGRATIONS)
    await migrate(engine, baseline)
    await engine.insert('order_transition_rows', rows.slice(half))
    await requireMigrated(engine, baseline)
    const written = changes.flatMap(({ set: { spend, settlement } }) =>
      [spend?.txid, settlement?.txid].filter((txid) => txid !== undefined),
    )
    expect(
      await engine.select('SELECT DISTINCT txid FROM stats_transaction ORDER BY txid', {}),
    ).toEqual([...new Set(written)].toSorted().map((txid) => ({ txid })))
    await expect
      .poll(() => engine.select('SELECT mutation_id FROM system.mutations WHERE NOT is_done', {}))
      .toEqual([])
    for (const [column, index] of [
      ['spend_txid', 'by_spend'],
      ['settlement_txid', 'by_settlement'],
    ]) {
      const plan = await engine.select(
        `EXPLAIN indexes = 1 SELECT order_id FROM order_transition_rows WHERE ${column} = {txid:String}`,
        { txid: '00'.repeat(32) },
      )
      const lines = plan.map((row) =>
        Object.values(row as object)
          .join('')
          .trim(),
      )
      const read = lines.slice(lines.indexOf(`Name: ${index}`))
      expect(read.find((line) => line.startsWith('Granules:'))).toMatch(/^Granules: 0\//)
    }
  }))

test('every column of a view has a comment, and every storage table has one', () =>
  withEngine(async (engine) => {
    await migrate(engine, MIGRATIONS)
    const silent = await engine.select(
      `SELECT c.table, c.name FROM system.columns AS c
       JOIN system.tables AS t ON t.database = c.database AND t.name = c.table
       WHERE c.database = 'market' AND t.engine = 'View' AND c.comment = ''`,
      {},
    )
    expect(silent).toEqual([])
    const mute = await engine.select(
      "SELECT name FROM system.tables WHERE database = 'market' AND comment = ''",
      {},
    )
    expect(mute).toEqual([])
  }))

test('orders_current is the last state of each order with its last evidence', () =>
  withEngine(async (engine) => {
    const roll = dice(11)
    const lives = bookOf(40, 11).map((order) => {
      const versions: OrderRecord[] = [{ ...order, quotedPriceSats: '2100000000000000' }]
      while (versions.length < 6) versions.push(mutated(roll, versions.at(-1)!))
      return lifeOf(versions)
    })
    const history = new SqlHistory({ connect: async () => ({ ...engine, close: async () => {} }) })
    const changes = lives.flatMap((life) => life.changes)
    const stored = changes.map((change, offset) => ({ partition: 0, offset, change }))
    await history.record(stored)
    await history.record(stored.slice(7, 60))
    const rows = await engine.select(
      `SELECT * REPLACE (
        toString(quoted_price_sats) AS quoted_price_sats, toString(gross_price_sats) AS gross_price_sats
      ) FROM orders_current ORDER BY order_id`,
      {},
    )
    const expected = lives.map(({ order, changes, changes: [first] }) => ({
      order_id: order.id,
      seq: order.seq,
      outpoint: order.outpoint,
      state: order.state,
      reason: order.reason,
      protocol_id: order.protocolId ?? null,
      token: order.token ?? null,
      side: order.side ?? null,
      quoted_price_sats: order.quotedPriceSats ?? null,
      seller_script_hex: order.sellerScriptHex ?? null,
      postage_sats: null,
      // A bid's includes the postage, which no node reported here.
      gross_price_sats: order.side === 'BID' ? null : (order.quotedPriceSats ?? null),
      net_price_sats: null,
      inscription_ids: order.assets.map(({ inscriptionId }) => inscriptionId),
      sources: order.sources.map(({ source }) => source),
      feed: order.sources[0]!.source,
      lag_ms: null,
      spend_txid: order.spend?.txid ?? null,
      spend_height: null,
      settlement_txid: null,
      settlement_seen_at: null,
      is_hidden: order.hidden !== undefined,
      first_live_at:
        lives
          .find((life) => life.order === order)!
          .changes.find(({ toState }) => toState === 'LIVE')?.observedAt ?? null,
      created_at: first!.observedAt,
      updated_at: order.updatedAt,
      state_since: changes.findLast(({ fromState, toState }) => fromState !== toState)?.observedAt,
    }))
    expect(rows).toEqual(expected.sort((a, b) => (a.order_id < b.order_id ? -1 : 1)))
    for (const field of ['protocolId', 'token', 'quotedPriceSats'] as const) {
      expect(lives.some(({ order }) => order[field] === undefined)).toBe(true)
    }
  }))

test('a page of the activity is read from its place on, not sorted from the whole table', () =>
  withEngine(async (engine) => {
    await migrate(engine, MIGRATIONS)
    const columns = 'order_id, seq, to_state, observed_at'
    await engine.run(
      `INSERT INTO activity_rows (${columns}) SELECT toString(number), 1, 'LIVE', fromUnixTimestamp64Milli(number) FROM numbers(50000)`,
    )
    const place = { at: '1970-01-01T00:00:20.000Z', id: '', seq: 0, limit: 10 }
    const plan = await engine.select(`EXPLAIN actions = 1, indexes = 1 ${ACTIVITY}`, place)
    const text = JSON.stringify(plan)
    expect(text).toContain('Read type: InReverseOrder')
    expect(text).not.toContain('Condition: true')
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
          if (table === 'order_transition_rows') throw new Error('killed')
          await engine.insert(table, rows)
        },
        close: async () => {},
      }),
    })
    await expect(history.record(stored)).rejects.toThrow('killed')
    expect(tables.at(-1)).toBe('order_transition_rows')
    expect(await history.position(0)).toBe(0)
    const { entries } = await history.activity({ limit: 100 })
    const moved = changes.filter(({ kind }) => kind === 'transition')
    expect(entries.map(({ id }) => id)).toEqual(
      moved.map(({ orderId, seq }) => `${orderId}:${seq}`).reverse(),
    )
  }))

test('missing rows are detected, and everything is written again from where this process began', () =>
  withEngine(async (engine) => {
    const open = () =>
      new SqlHistory({ connect: async () => ({ ...engine, close: async () => {} }) })
    const positions = async (history: SqlHistory) => [
      await history.position(0),
      await history.position(1),
    ]
    const lose = (where: string) =>
      engine.run(
        `ALTER TABLE order_transition_rows DELETE WHERE ${where} SETTINGS mutations_sync = 2`,
      )
    const lost = new HistoryLostRowsError('the history lost rows: they are written again')
    const changes = bookOf(8, 12).flatMap((order) => lifeOf([order]).changes)
    const stored = changes.map((change, index) => ({ partition: index % 2, offset: index, change }))
    const earlier = open()
    await earlier.verifyStored()
    await earlier.record(stored.slice(0, 4))
    await earlier.verifyStored()

    const history = open()
    expect(await positions(history)).toEqual([3, 4])
    await history.record(stored.slice(4, 6))
    await history.record(stored.slice(6))
    await history.verifyStored()
    // Rows after the lost ones exist: the end of a partition no longer proves anything.
    await lose('log_offset IN (4, 7)')
    await expect(history.record(stored.slice(0, 1))).rejects.toEqual(lost)
    // Whatever detects it, nothing is written before the position was read.
    await expect(history.record(stored.slice(7))).rejects.toEqual(lost)
    await expect(history.verifyStored()).rejects.toEqual(lost)
    expect(await positions(history)).toEqual([3, 4])
    await history.verifyStored()
    await history.record(stored.slice(3))
    expect(await positions(history)).toEqual([7, 8])

    await lose('1')
    await expect(history.verifyStored()).rejects.toEqual(lost)
    expect(await positions(history)).toEqual([0, 0])
    await history.record(stored)

    // Another opening knows what was there when it asked for the position.
    const later = open()
    expect(await positions(later)).toEqual([7, 8])
    await lose('log_offset = 7')
    await expect(later.verifyStored()).rejects.toEqual(lost)
    expect(await positions(later)).toEqual([7, 6])

    // Not even the position, when it is asked first, trusts rows after lost ones.
    await later.record(stored.slice(5, 6))
    await later.record(stored.slice(6))
    await lose('log_offset IN (5, 7)')
    const behind = { ...stored[7]!.change, orderId: toOrderId('ff'.repeat(32)) }
    await engine.insert('order_transition_rows', [
      transitionRow({ partition: 1, offset: 9, change: behind }),
    ])
    expect(await positions(later)).toEqual([7, 6])
  }))

test('a query that exceeds its time limit is ended', () =>
  withEngine(async (engine) => {
    const endless = 'SELECT sum(sipHash64(number)) AS n FROM numbers(1000000000000)'
    await expect(engine.select(endless, {}, 1_000)).rejects.toThrow(/TIMEOUT|time/i)
    expect(await engine.select('SELECT 1 AS n', {})).toEqual([{ n: 1 }])
  }))
