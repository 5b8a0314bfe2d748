import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SqlEngine } from '../../src/adapters/clickhouse/engine/sql-engine.ts'
import { SqlHistory } from '../../src/adapters/clickhouse/history.ts'
import { connectChdb } from '../../src/adapters/embedded/stores/history.ts'
import type { StoredRows } from '../../src/ports/views/history.ts'
import type { Evidence } from '../../src/schemas/evidence.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import { blockOf } from '../contracts/pairing-history.ts'
import { temporaryDirectory } from '../support/embedded.ts'
import { toOutpointText } from '../support/ids.ts'
import { blockAt, hash } from '../support/orders/evidence.ts'
import { bookOf } from '../support/orders/order-book.ts'
import { lifeOf } from '../support/orders/order-changes.ts'

const PAGE = readFileSync('docs/history.md', 'utf8')
const ANALYSTS = readFileSync('docs/sql-for-analysts.md', 'utf8')
const VIEWS = [
  'order_transitions',
  'orders_current',
  'order_versions',
  'named_heights',
  'stats_book',
  'order_evidence',
  'verifications',
  'settlements',
  'activity',
  'pairing_blocks',
  'pairing_transaction_log',
  'pairing_event_log',
  'stats_market',
  'stats_depth',
  'stats_sales',
  'stats_candles',
  'stats_inscription',
  'stats_transaction',
  'stats_sellers',
  'stats_time_to_settle',
  'stats_conflicts',
  'stats_verdicts',
  'stats_sources',
]

/** A day of January 2026 and the time of that day. */
const on = (day: number, time: string) => `2026-01-0${day}T${time}:00.000Z`

const evidenceAt = (askedAt: string, indexHeight: number): Evidence => ({
  begunAt: { epoch: 1, n: 1 },
  mempoolSequence: 1,
  askedAt,
  answeredAt: askedAt,
  node: {
    status: 'ready',
    tip: { ...blockAt(1_000), medianTime: 1_767_225_600 },
    output: { status: 'missing' },
    funding: [],
    signatures: [],
  },
  index:
    indexHeight === 0
      ? { status: 'unavailable', reason: 'asset_index_unreachable' }
      : {
          status: 'ready',
          at: { ...blockAt(indexHeight), version: 'ord' },
          indexed: true,
          inscriptions: [],
          runes: null,
        },
})

interface Moment extends Partial<OrderRecord> {
  updatedAt: string
  /** The order was verified then, by an index at this height; 0: it did not answer. */
  index?: number
}

const sale = (name: string, observedAt: string, height: number) => ({
  state: 'SETTLED' as const,
  settlement: { txid: hash(name), observedAt, confirmations: 1 },
  spend: {
    txid: hash(name),
    inputIndex: 0,
    unsignedTxid: hash(name),
    pairedOutput: null,
    block: { ...blockAt(height), time: 1_767_225_600 },
  },
})

/** A purchase that is in no block. */
function inMempool(name: string, observedAt: string) {
  const { settlement, spend } = sale(name, observedAt, 0)
  return {
    state: 'MEMPOOL_CONFLICTED' as const,
    settlement: { ...settlement, confirmations: 0 },
    spend: { ...spend, block: null },
  }
}

const outputOf = (name: string) => toOutpointText(`${hash(name)}:0`)

/** The changes of one ask; each moment says what differs from the first. */
function lifeOfAsk(
  name: string,
  terms: Partial<OrderRecord>,
  moments: readonly Moment[],
): StoredRows[] {
  const { protocolId: _, token: __, quotedPriceSats: ___, ...order } = bookOf(1, 1)[0]!
  const own = { id: hash(name), outpoint: outputOf(name) }
  const base: OrderRecord = { ...order, ...own, ...terms, side: 'ASK', reason: 'verified' }
  const { changes } = lifeOf(
    moments.map(({ index: _index, ...moment }) => ({ ...base, ...moment })),
  )
  return changes.map((change, offset) => {
    const { index } = moments[offset]!
    const evidence = index === undefined ? null : evidenceAt(change.observedAt, index)
    return { partition: 0, offset, change: { ...change, evidence } }
  })
}

const ORDI = (sats: string) => ({ token: 'ORDI', quotedPriceSats: sats })
/** Of the whole supply: no sum of it goes through a float. */
const EVERY_SAT = '2100000000000000'
const SMALL_MARKET = [
  ...lifeOfAsk('sold at noon', ORDI('1000'), [
    { state: 'PENDING_NODE', updatedAt: on(1, '09:00') },
    { state: 'LIVE', updatedAt: on(1, '10:00'), index: 1_000 },
    { state: 'MEMPOOL_CONFLICTED', updatedAt: on(1, '12:00') },
    { ...sale('sold at noon', on(1, '12:00'), 1_001), updatedAt: on(1, '12:10') },
  ]),
  ...lifeOfAsk('sold at one', ORDI('1500'), [
    { state: 'LIVE', updatedAt: on(1, '11:00'), index: 998 },
    { ...sale('sold at one', on(1, '13:00'), 1_002), updatedAt: on(1, '13:30') },
    // Its block is deep enough: the sale is of the day before.
    {
      ...sale('sold at one', on(1, '13:00'), 1_002),
      closedAt: on(2, '06:00'),
      updatedAt: on(2, '06:00'),
    },
  ]),
  ...lifeOfAsk('its twin', { ...ORDI('1500'), outpoint: outputOf('sold at one') }, [
    { state: 'LIVE', updatedAt: on(1, '11:30') },
    { ...sale('sold at one', on(1, '13:00'), 1_002), updatedAt: on(1, '13:30') },
  ]),
  ...lifeOfAsk('sold before', ORDI('9000'), [
    { state: 'PENDING_NODE', updatedAt: on(1, '15:00') },
    { ...sale('sold before', on(1, '15:00'), 1_000), updatedAt: on(1, '15:00') },
  ]),
  ...lifeOfAsk('bought just now', ORDI('900'), [
    { state: 'LIVE', updatedAt: on(2, '12:00') },
    { ...inMempool('bought just now', on(2, '12:30')), updatedAt: on(2, '12:30') },
  ]),
  ...lifeOfAsk('replaced', { quotedPriceSats: EVERY_SAT }, [
    { state: 'LIVE', updatedAt: on(2, '13:00') },
    { ...inMempool('replaced', on(2, '13:10')), updatedAt: on(2, '13:10') },
    { state: 'LIVE', updatedAt: on(2, '13:20') },
  ]),
  ...lifeOfAsk('spent elsewhere', ORDI('800'), [
    { state: 'LIVE', updatedAt: on(1, '10:30'), index: 1_000 },
    { state: 'SPENT', updatedAt: on(2, '08:00') },
  ]),
  ...lifeOfAsk('dear', { quotedPriceSats: EVERY_SAT }, [
    { state: 'LIVE', updatedAt: on(2, '09:00'), index: 1_000 },
    { state: 'LIVE', updatedAt: on(2, '09:30'), index: 0 },
  ]),
  ...lifeOfAsk('contradicted', ORDI('700'), [
    { state: 'LIVE', updatedAt: on(1, '10:15'), index: 1_000 },
    { state: 'REJECTED', reason: 'asset_moved', updatedAt: on(2, '10:00'), index: 999 },
  ]),
  ...lifeOfAsk('reorganised', { quotedPriceSats: EVERY_SAT }, [
    { state: 'LIVE', updatedAt: on(1, '10:45'), index: 1_000 },
    { ...sale('reorganised', on(1, '14:00'), 1_003), updatedAt: on(1, '14:30') },
    { state: 'LIVE', updatedAt: on(2, '11:00') },
  ]),
]

const id = hash
const PAIRING = [
  blockOf(143, 'main', [1]),
  blockOf(144, 'main', [0, 1]),
  blockOf(145, 'main', [1, 0]),
] as const
const STALE = blockOf(145, 'stale', [2])
const CREATED = PAIRING[1].transactions[1]!.events[0]!
const byId = <Row extends { order_id: string }>(rows: Row[]): Row[] =>
  rows.sort((a, b) => (a.order_id < b.order_id ? -1 : 1))

/** The answers to the page's questions in that market, by their headings. */
const ANSWERS: Record<string, { params?: Record<string, string>; rows: object[] }> = {
  'The book at a time': {
    params: { at: '2026-01-01 10:40:00' },
    rows: [
      {
        order_id: id('contradicted'),
        live_since: on(1, '10:15'),
        quoted_price_sats: 700,
        token: 'ORDI',
      },
      {
        order_id: id('spent elsewhere'),
        live_since: on(1, '10:30'),
        quoted_price_sats: 800,
        token: 'ORDI',
      },
      {
        order_id: id('sold at noon'),
        live_since: on(1, '10:00'),
        quoted_price_sats: 1000,
        token: 'ORDI',
      },
    ],
  },
  'Depth of the book now': {
    rows: [{ token: null, asks: 3, best_sats: 2.1e15, median_sats: 2.1e15, all_sats: 6.3e15 }],
  },
  'Fill rate by day of listing': {
    rows: [
      { day: '2026-01-01', listed: 6, settled: 3, still_live: 1, settled_percent: 50 },
      { day: '2026-01-02', listed: 3, settled: 0, still_live: 2, settled_percent: 0 },
    ],
  },
  'Time to fill': { rows: [{ fills: 2, median_seconds: 7200, longest_seconds: 7200 }] },
  'Open, high, low and close by day': {
    rows: [
      {
        day: '2026-01-01',
        token: 'ORDI',
        open_sats: 1000,
        high_sats: 1500,
        low_sats: 1000,
        close_sats: 1500,
        volume_sats: 2500,
        sales: 2,
      },
    ],
  },
  'Sold here, spent elsewhere, withdrawn': {
    rows: [
      { day: '2026-01-01', state: 'SETTLED', orders: 4 },
      { day: '2026-01-02', state: 'REJECTED', orders: 1 },
      { day: '2026-01-02', state: 'SPENT', orders: 1 },
    ],
  },
  'Orders that node or index contradicted while they were live': {
    rows: [
      {
        at: on(2, '10:00'),
        order_id: id('contradicted'),
        became: 'REJECTED',
        why: 'asset_moved',
        tip_height: 1000,
        index_height: 999,
      },
    ],
  },
  'How often the authorities had no answer': {
    rows: [
      {
        hour: '2026-01-01T10:00:00Z',
        asked: 4,
        without_node: 0,
        without_index: 0,
        index_behind_blocks: 0,
      },
      {
        hour: '2026-01-01T11:00:00Z',
        asked: 1,
        without_node: 0,
        without_index: 0,
        index_behind_blocks: 2,
      },
      {
        hour: '2026-01-02T09:00:00Z',
        asked: 2,
        without_node: 0,
        without_index: 1,
        index_behind_blocks: 0,
      },
      {
        hour: '2026-01-02T10:00:00Z',
        asked: 1,
        without_node: 0,
        without_index: 0,
        index_behind_blocks: 1,
      },
    ],
  },
  'Sales that a reorg undid': {
    rows: [{ order_id: id('reorganised'), txid: id('reorganised'), height: 1003, now: 'LIVE' }],
  },
  'Time spent in each state': {
    rows: [
      { state: 'LIVE', stays: 11, seconds: 7200 + 9000 + 77_400 + 85_500 + 13_500 + 7200 + 2400 },
      { state: 'MEMPOOL_CONFLICTED', stays: 3, seconds: 600 + 600 },
      { state: 'PENDING_NODE', stays: 2, seconds: 3600 },
      { state: 'REJECTED', stays: 1, seconds: 0 },
      { state: 'SETTLED', stays: 5, seconds: 73_800 },
      { state: 'SPENT', stays: 1, seconds: 0 },
    ],
  },
  'Links of the hash chain that do not hold': { rows: [] },
  'The life of an object': {
    params: { deployment: 'test', object: CREATED.objectKey },
    rows: [
      {
        height: 144,
        kind: 'object_created',
        from_outpoint: null,
        to_outpoint: CREATED.to,
        pair_id: null,
      },
    ],
  },
  'What the protocol did, by day of blocks': {
    rows: [
      { from_height: 0, kind: 'object_created', events: 1, objects: 1 },
      { from_height: 144, kind: 'object_created', events: 2, objects: 2 },
    ],
  },
  'Markers that mapped nothing': {
    rows: [{ reason: 'multiple_markers', transactions: 2, last_height: 145 }],
  },
  'Events that a reorganisation took back': {
    rows: [{ height: 145, block_hash: id('stale 145'), transaction_count: 1, event_count: 2 }],
  },
}

const { path, drop } = temporaryDirectory()
let engine: SqlEngine
beforeAll(async () => {
  engine = await connectChdb(path)
  const history = new SqlHistory({ connect: async () => ({ ...engine, close: async () => {} }) })
  await history.record(SMALL_MARKET)
  // Rows written twice count once in every answer.
  await history.record(SMALL_MARKET.slice(3))
  const pairing = history.pairing('test')
  await pairing.write([...PAIRING.slice(0, 2), STALE])
  await pairing.markStale(await pairing.lastWritten(1))
  await pairing.write(PAIRING)
})
afterAll(async () => {
  await engine.close()
  drop()
})

const questionsOf = (page: string) =>
  [...page.matchAll(/^##+ (?<title>.+)\n\n```sql\n(?<sql>[\s\S]+?)```/gm)].map(
    ({ groups }) => [groups?.['title'] ?? '', groups?.['sql'] ?? ''] as const,
  )
const questions = questionsOf(PAGE)
const firstQuestions = questionsOf(ANALYSTS)

test.each(questions)('%s: the answer is right in a small market', async (title, sql) => {
  const { params = {}, rows } = ANSWERS[title] ?? { rows: ['a question without an answer'] }
  expect(await engine.select(sql, params)).toEqual(rows)
})

/** How many rows answer the analysts' questions in that market. */
const FIRST_ANSWERS: Record<string, number> = {
  'What sold, by token': 1,
  'The cheapest live ask of each token': 1,
  'Everything that happened to one order': 4,
  'What a transaction did': 1,
}

test.each(firstQuestions)('%s: is answered in a small market', async (title, sql) => {
  const rows = await engine.select(sql, {
    order: id('sold at noon'),
    txid: id('sold at noon'),
  })
  expect(rows).toHaveLength(FIRST_ANSWERS[title] ?? 0)
})

test('the command of the pages opens the database that has the views', async () => {
  const [view] = await engine.select(
    "SELECT database FROM system.tables WHERE name = 'stats_sales'",
    {},
  )
  const command = `clickhouse local --path DATA_DIR/history --database ${
    (view as { database: string }).database
  }\``
  for (const page of [PAGE, ANALYSTS]) expect(page).toContain(command)
})

test('every answer has its question on the page', () => {
  expect(questions.map(([title]) => title)).toEqual(Object.keys(ANSWERS))
})

test('a broken link of the hash chain is found', async () => {
  const [, sql = ''] = questions.find(([title]) => title.startsWith('Links')) ?? []
  const forged = SMALL_MARKET.map(({ change, ...place }) =>
    change.seq === 3
      ? { ...place, change: { ...change, prevHash: hash('forged') } }
      : { ...place, change },
  )
  const other = await inAnotherDatabase(forged)
  expect(await engine.select(sql, {})).toEqual(
    byId([
      { order_id: id('sold at noon'), seq: 3 },
      { order_id: id('sold at one'), seq: 3 },
      { order_id: id('reorganised'), seq: 3 },
      { order_id: id('replaced'), seq: 3 },
    ]),
  )
  await other.leave()
})

async function inAnotherDatabase(
  changes: readonly StoredRows[],
): Promise<{ leave(): Promise<void> }> {
  await engine.run('CREATE DATABASE other')
  await engine.run('USE other')
  const history = new SqlHistory({ connect: async () => ({ ...engine, close: async () => {} }) })
  await history.record(changes)
  return { leave: () => engine.run('USE market') }
}

test.each(VIEWS)('the page describes %s as the engine does', async (view) => {
  const [table] = await engine.select(
    "SELECT comment FROM system.tables WHERE database = 'market' AND name = {view:String}",
    { view },
  )
  const columns = await engine.select(
    `SELECT name, type, comment FROM system.columns
     WHERE database = 'market' AND table = {view:String} ORDER BY position`,
    { view },
  )
  const rows = (columns as { name: string; type: string; comment: string }[]).map(
    ({ name, type, comment }) => `| \`${name}\` | \`${type}\` | ${comment} |`,
  )
  const described = [
    `### \`${view}\``,
    '',
    `${(table as { comment: string }).comment}.`,
    '',
    '| column | type | meaning |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ]
  expect(PAGE).toContain(described.join('\n'))
})

test('the page describes every view', async () => {
  const views = await engine.select(
    "SELECT name FROM system.tables WHERE database = 'market' AND engine = 'View' ORDER BY name",
    {},
  )
  expect(views).toEqual(VIEWS.toSorted().map((name) => ({ name })))
})
