import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { BuilderProfile, Capability } from '../../src/schemas/api/catalog.ts'
import type { HealthReport } from '../../src/schemas/api/health.ts'
import type { ProtocolContract } from '../../src/schemas/api/protocol.ts'
import { Config } from '../../src/schemas/config/config.ts'
import type { ActivityPage, OrderPage, OrderSummary } from '../../src/schemas/order.ts'
import {
  Actionability,
  AssetStatus,
  Network,
  NodeStatus,
  OrderClass,
  OrderSide,
  OrderState,
  Safety,
  SignatureStatus,
  Source,
} from '../../src/schemas/scalars.ts'
import { openTestApp } from '../support/http/http.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { moderate } from '../support/market/moderate.ts'
import { devnetOf, spendAll } from '../support/market/trader.ts'
import { saleEvent } from '../support/orders/sale-event.ts'
import {
  imported,
  newAsk,
  newAssetAsk,
  OPERATOR_TOKEN,
  openSpecMarket,
  ownedAsk,
  purchaseOf,
} from './book.ts'
import { GATEWAY_API } from './gateway-api.ts'

// The rules of spec 1, 3, 6, 8 and 9, on a running market.

const seller = accountOf('seller', 'p2wpkh')
let market: Market
beforeAll(async () => {
  market = await openSpecMarket()
})
afterAll(() => market.end())

/** The log of an order, newest first, once it has this many transitions. */
const logOf = ({ id }: { id: string }, transitions: number) =>
  vi.waitFor(
    async () => {
      const { entries }: ActivityPage = (await market.get(`activity?orderId=${id}`)).body
      expect(entries.length).toBe(transitions)
      return entries
    },
    { timeout: 10_000, interval: 200 },
  )

describe('the book', () => {
  test('lists a signed half that a buyer completes and broadcasts [spec 1 rule 1] [spec 3 row 3]', async () => {
    const { psbt } = newAsk(market)
    const order = await imported(market, { psbt })
    expect(order.state).toBe('LIVE')
    const txid = devnetOf(market).submit(purchaseOf(market, psbt))
    devnetOf(market).mine(1)
    const settled = await market.orderUntil(order.id, ({ state }) => state === 'SETTLED')
    expect(settled.settlement).toEqual({
      txid,
      observedAt: expect.any(String),
      confirmations: 1,
      confirmedAt: expect.any(String),
    })
  })

  test('a source’s claims decide nothing: node and index do [spec 1 rule 2] [spec 4.2 Import]', async () => {
    const { asset } = newAssetAsk(market)
    const tags = [
      ['n', 'regtest'],
      ['i', asset.inscriptionId],
      ['s', '1'],
    ]
    const said = await imported(market, {
      psbt: newAsk(market).psbt,
      asset,
      source: 'asset-offers',
    })
    expect(said).toMatchObject({ state: 'REJECTED', validation: { reasons: ['asset_mismatch'] } })
    const { psbt, offered } = newAsk(market)
    const truth: OrderSummary = (await market.post('orders/portable-event', saleEvent(psbt, tags)))
      .body
    expect(truth.quotedPriceSats).toBe('50000')
    devnetOf(market).submit(spendAll([offered], seller, [{ ...offered, valueSats: '9000' }]))
    devnetOf(market).mine(1)
    await market.orderUntil(truth.id, ({ state }) => state === 'SPENT')
    expect(await imported(market, { psbt, source: 'asset-offers' })).toMatchObject({
      id: truth.id,
      state: 'SPENT',
    })
  })

  test('a withdrawn artifact that was handed out still settles, until its output is spent [spec 1 rule 5]', async () => {
    const { psbt, order } = await ownedAsk(market, 'eve')
    await moderate(market, order.id, {}, OPERATOR_TOKEN)
    const txid = devnetOf(market).submit(purchaseOf(market, psbt))
    const seen = await market.orderUntil(order.id, ({ settlement }) => settlement !== undefined)
    expect(seen).toMatchObject({ state: 'WITHDRAWN', settlement: { txid } })
    expect(() => devnetOf(market).submit(purchaseOf(market, psbt))).toThrow()
  })
})

describe('an order is listed by the asset that it claims', () => {
  const listedBy = async (query: string): Promise<string[]> => {
    const { orders }: OrderPage = (await market.get(`orders?limit=200&${query}`)).body
    return orders.map(({ id }) => id)
  }

  test('before it is proved, and after [spec 4.1 assetInscriptionId] [spec 4.1 assetOutpoint]', async () => {
    const { psbt, asset } = newAssetAsk(market)
    const queries = [
      `assetInscriptionId=${asset.inscriptionId}`,
      `assetOutpoint=${asset.outpoint.txid}:${asset.outpoint.vout}`,
    ]
    devnetOf(market).stopIndex()
    const { id, state } = await imported(market, { psbt, asset }).finally(() =>
      devnetOf(market).startIndex(),
    )
    expect(state).toBe('PENDING_ASSET')
    for (const query of queries) expect(await listedBy(query)).toEqual([id])
    await market.orderUntil(id, (order) => order.state === 'LIVE')
    for (const query of queries) expect(await listedBy(query)).toEqual([id])
  })

  test('when the claim is false, as the REJECTED order that it is [spec 4.1 assetInscriptionId]', async () => {
    const { asset } = newAssetAsk(market)
    const { psbt } = newAsk(market)
    const { id, state } = await imported(market, { psbt, asset })
    expect(state).toBe('REJECTED')
    expect(await listedBy(`state=REJECTED&assetInscriptionId=${asset.inscriptionId}`)).toEqual([id])
    // The same order without the claim is valid: nothing lists it under an asset that it lacks.
    expect(await imported(market, { psbt })).toMatchObject({ id, state: 'LIVE' })
    expect(await listedBy(`assetInscriptionId=${asset.inscriptionId}`)).toEqual([])
  })
})

describe('states', () => {
  test('a spend without the exact payout is SPENT, and stays so except for a reorganisation [spec 3 row 4] [spec 3 rule 2]', async () => {
    const { psbt, offered } = newAsk(market)
    const order = await imported(market, { psbt })
    devnetOf(market).submit(spendAll([offered], seller, [{ ...offered, valueSats: '9000' }]))
    devnetOf(market).mine(1)
    const spent = await market.orderUntil(order.id, ({ state }) => state === 'SPENT')
    expect(spent).not.toHaveProperty('settlement')
    devnetOf(market).mine(3)
    expect((await imported(market, { psbt })).state).toBe('SPENT')
    expect((await market.post(`orders/${order.id}/revalidate`)).body).toMatchObject({
      state: 'SPENT',
    })
    devnetOf(market).reorg(4)
    await market.orderUntil(order.id, ({ state }) => state === 'MEMPOOL_CONFLICTED')
    devnetOf(market).mine(1)
    await market.orderUntil(order.id, ({ state }) => state === 'SPENT')
  })

  test('a dropped conflict is LIVE again, and the log says so [spec 3 row 1] [spec 3 rule 3]', async () => {
    const { psbt } = newAsk(market)
    const order = await imported(market, { psbt })
    const txid = devnetOf(market).submit(purchaseOf(market, psbt))
    await market.orderUntil(order.id, ({ state }) => state === 'MEMPOOL_CONFLICTED')
    devnetOf(market).evict(txid)
    await market.orderUntil(order.id, ({ state }) => state === 'LIVE')
    const entries = await logOf(order, 4)
    expect(entries.map(({ fromState, toState }) => [fromState, toState])).toEqual([
      ['MEMPOOL_CONFLICTED', 'LIVE'],
      ['LIVE', 'MEMPOOL_CONFLICTED'],
      ['PENDING_NODE', 'LIVE'],
      [null, 'PENDING_NODE'],
    ])
    for (const { reason, actor, observedAt } of entries) {
      expect([reason, actor].join()).toMatch(/^[a-z_]+( [0-9a-f]{64})?,(reconciler|import:.+)$/)
      expect(Number.isNaN(Date.parse(observedAt))).toBe(false)
    }
  })
})

test('the log records what happened, not what is: a recheck that finds nothing new adds nothing [spec 6 rule 1]', async () => {
  const order = await imported(market, { psbt: newAsk(market).psbt })
  const before = await logOf(order, 2)
  await market.post(`orders/${order.id}/revalidate`)
  const other = await imported(market, { psbt: newAsk(market).psbt })
  await logOf(other, 2)
  expect(await logOf(order, 2)).toEqual(before)
})

describe('what the service does not do', () => {
  // The devnet plays a wallet and a node: transactions are signed and sent there.
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith(join('devnet', '')))
    .map((path) => join('src', path))
  const textOf = (path: string) => readFileSync(path, 'utf8')

  test.each([
    ['sendrawtransaction'],
    ['submitpackage'],
    ['signrawtransaction'],
    ['walletprocesspsbt'],
    ['sendtoaddress'],
  ])('never asks a node for %s [spec 1 rule 4]', (method) => {
    expect(sources.length).toBeGreaterThan(100)
    expect(sources.filter((path) => textOf(path).includes(method))).toEqual([])
  })

  test('says so in its health and in its contract [spec 1 rule 4]', async () => {
    const no = { signsOrBroadcasts: false, spendsFunds: false }
    const { safety }: ProtocolContract = (await market.get('protocol')).body
    expect((await market.get('health')).body).toMatchObject(no)
    expect(safety).toMatchObject(no)
  })

  test('signs no event and sends none to a relay: nothing is published to Nostr [spec 6 rule 2]', async () => {
    const tools = /finalizeEvent|generateSecretKey|SimplePool|nostr-tools\/(pool|relay)/
    expect(sources.filter((path) => tools.test(textOf(path)))).toEqual([])
    // Relays are read (src/adapters/nostr): its tests check what is sent to them.
    const speakers = sources.filter((path) => /new WebSocket/.test(textOf(path)))
    expect(speakers).toEqual(['src/adapters/nostr/relay-socket.ts'])
    const { nostr }: ProtocolContract = (await market.get('protocol')).body
    expect(nostr).toMatchObject({ holdsKeys: false, publishes: false })
  })
})

describe('routes', () => {
  const table = Object.keys(GATEWAY_API).flatMap((id) => {
    const [, method = '', path = ''] = /^4 (GET|POST) (\S+)$/.exec(id) ?? []
    return method ? [`${method} /api/market${path.replace('{id}', ':id')}`] : []
  })
  let routes: string[]
  beforeAll(async () => {
    const { app, close } = await openTestApp()
    const paths = pathsOf(app.printRoutes({ commonPrefix: false }))
    // A path answers OPTIONS with the methods that it takes.
    const allowed = paths.map(async (path) => {
      const { headers } = await app.inject({ method: 'OPTIONS', url: path.replace(':id', 'x') })
      return `${String(headers.allow).replace(', HEAD', '')} ${path}`
    })
    routes = (await Promise.all(allowed)).sort()
    await close()
  })

  test('every operation has its own, below /api/market and without a version [spec 1 rule 3] [spec 9 paths]', () => {
    expect(table).toHaveLength(18)
    expect(routes).toEqual(expect.arrayContaining(table))
    expect(routes.filter((route) => /\/v\d/.test(route))).toEqual([])
  })

  // Besides the contract's own, behind the same credentials (docs/adr: hidden orders).
  const OPERATORS = [
    'GET /api/market/admin/orders/:id/bundle',
    'GET /api/market/admin/orders/:id/history',
    'GET /api/market/admin/hidden-orders',
    'GET /api/market/admin/operations',
    'GET /api/market/admin/topics',
    'GET /api/market/admin/topics/:topic/records',
    'GET /api/market/admin/dead-letters/:partition/:offset',
    'POST /api/market/admin/dead-letters/retry',
    'GET /api/market/admin/orders/:id',
    'POST /api/market/admin/orders/:id/hide',
    'POST /api/market/admin/orders/:id/unhide',
  ]

  // The contract leaves push delivery out (ADR 67). For operators too: test/http/webhooks.integration.test.ts.
  const WEBHOOKS = [
    'GET, POST /api/market/admin/webhooks',
    'GET /api/market/admin/webhooks/:name/dead-letters',
    ...'delete pause resume retry rotate'
      .split(' ')
      .map((act) => `POST /api/market/admin/webhooks/:name/${act}`),
  ]

  // The contract names no customers (ADR 104). For operators: test/http/customer-keys.integration.test.ts.
  const KEYS = [
    'GET, POST /api/market/admin/keys',
    'POST /api/market/admin/keys/:name/revoke',
    'POST /api/market/admin/keys/:name/rotate',
  ]

  // Changes nothing that the contract describes, and stores nothing (ADR 63).
  const STATISTICS =
    'book candles conflicts depth floor inscription market sales sellers sources time-to-settle transaction verdicts volume'
  const BESIDE = [
    'GET /api/market',
    'GET /api/market/activity/stream',
    'GET /api/market/addresses/:address/orders',
    'GET /api/market/addresses/:address/outputs',
    'GET /api/market/inscriptions/:inscriptionId/content',
    'GET /api/market/fees',
    'GET /api/market/orders/:id/bundle',
    'GET /api/market/orders/:id/history',
    'GET /api/market/outpoints/:outpoint',
    'GET /api/market/orders/facets',
    'POST /api/market/operations/paddings',
    'POST /api/market/orders/import/batch',
    'POST /api/market/orders/inspect',
    'POST /api/market/outpoints/:outpoint/self-spend',
    'POST /api/market/outpoints/check',
    ...STATISTICS.split(' ').map((name) => `GET /api/market/stats/${name}`),
    // Files of the same (ADR 131).
    ...'csv parquet'.split(' ').map((format) => `GET /api/market/stats/:name.${format}`),
  ]

  test('and there is no other, except an inspection, a stream of the activity, webhooks, keys of customers and reversible moderation: no further area [spec 1 rule 7] [spec 6 rule 3]', () => {
    const own = routes.filter((route) => route.includes(' /api/'))
    expect(own).toEqual([...table, ...BESIDE, ...OPERATORS, ...WEBHOOKS, ...KEYS].sort())
  })

  test.each(OPERATORS)('%s answers only operators [spec 5 rule 2]', async (route) => {
    const [method = '', path = ''] = route.split(' ')
    const at = path.replace(':id', '0'.repeat(64))
    expect((await (method === 'GET' ? market.get(at) : market.post(at))).status).toBe(401)
  })

  test('the contract’s version is reported [spec 9 paths]', async () => {
    const { status, body } = await market.get('protocol')
    expect([status, body]).toMatchObject([200, { name: 'Market' }])
  })
})

/** The paths that have routes, from Fastify's tree of them. */
function pathsOf(tree: string): string[] {
  const above: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods] = /^([│ ]*)[├└]── (\S+)( \()?/.exec(line) ?? []
    if (part === '') return []
    above.length = indent.length / 4
    above.push(part)
    return methods ? [above.join('')] : []
  })
}

describe('numbers that the specification leaves open', () => {
  test('how old a verification may be, how far the index may lag, how long a quote holds [spec 8 rule 4]', async () => {
    const report: HealthReport = (await market.get('health')).body
    expect(report.maxVerificationAgeSeconds).toBe(600)
    expect(report.listingReadiness.maxLagBlocks).toBe(2)
    expect(market.config.QUOTE_TTL_SECONDS).toBe(300)
  })

  test.each([
    ['ARTIFACT', 60],
    ['REVALIDATE', 30],
    ['BUILD', 30],
    ['PUBLISH', 30],
    ['WITHDRAW', 10],
    ['QUOTE', 60],
    ['PREFLIGHT', 60],
    ['IMPORT', 60],
    ['PORTABLE_EVENT', 60],
  ] as const)('how often %s may be asked in a minute [spec 8 rule 2]', (route, limit) => {
    expect(Config.parse({})[`RATE_LIMIT_${route}`]).toBe(limit)
  })
})

describe('an enumeration is closed: no answer can hold another value', () => {
  test.each<[string, readonly string[], string]>([
    ['Network', Network.options, 'mainnet, regtest, signet'],
    ['Source', Source.options, 'portable-nostr802, asset-offers, direct-import'],
    ['OrderClass', OrderClass.options, 'ASK_ANYONECANPAY, BID_FULLY_FUNDED, UNSUPPORTED'],
    [
      'OrderState',
      OrderState.options,
      'PENDING_NODE, PENDING_ASSET, LIVE, MEMPOOL_CONFLICTED, SPENT, SETTLED, REJECTED, WITHDRAWN',
    ],
    ['Actionability', Actionability.options, 'REVIEW_ONLY, HANDOFF_READY, BLOCKED'],
    ['SignatureStatus', SignatureStatus.options, 'NONE, VALID, INVALID, UNAVAILABLE'],
    ['OrderSide', OrderSide.options, 'ASK, BID'],
    ['PsbtInspection.safety', Safety.options, 'PUBLIC_RACEABLE, TARGETED_REVIEW, UNSUPPORTED'],
    [
      'Validation.nodeStatus',
      NodeStatus.options,
      'UNCONFIGURED, READY, UNAVAILABLE, OUTPOINT_MISSING, OUTPOINT_SPENT',
    ],
    [
      'Validation.assetStatus',
      AssetStatus.options,
      'NOT_REQUESTED, UNCONFIGURED, VERIFIED, MISMATCH, UNAVAILABLE',
    ],
    ['builderProfile', BuilderProfile.options, 'OPEN_ASK, EXTERNAL_PSBT, EXTERNAL_SETTLEMENT'],
    ['ProtocolTemplate.capability', Capability.options, 'PSBT_HANDOFF, EXTERNAL_SETTLEMENT'],
  ])('by its schema [spec 2.1 %s]', (_name, options, values) => {
    expect(options.join(', ')).toBe(values)
  })
})

describe('the status of an authority', () => {
  test('UNCONFIGURED, READY and UNAVAILABLE, as the node is [spec 2.1 Validation.nodeStatus]', async () => {
    const { psbt } = newAsk(market)
    const bare = await openMarket({ ...ORDERS_ONLY, DEVNET: 'off' })
    expect((await imported(bare, { psbt })).validation.nodeStatus).toBe('UNCONFIGURED')
    await bare.end()
    const { validation } = await imported(market, { psbt })
    expect(validation.nodeStatus).toBe('READY')
    const late = newAsk(market).psbt
    devnetOf(market).stopNode()
    const other = await imported(market, { psbt: late }).finally(() => devnetOf(market).startNode())
    expect(other.validation.nodeStatus).toBe('UNAVAILABLE')
  })

  test('UNCONFIGURED, VERIFIED, MISMATCH, UNAVAILABLE and NOT_REQUESTED, as the index is [spec 2.1 Validation.assetStatus]', async () => {
    const devnet = devnetOf(market)
    const { psbt, asset } = newAssetAsk(market)
    const authorities = { node: devnet.node, blocks: null, index: null, devnet: null }
    const bare = await openMarket(ORDERS_ONLY, { authorities })
    expect((await imported(bare, { psbt, asset })).validation.assetStatus).toBe('UNCONFIGURED')
    await bare.end()
    expect((await imported(market, { psbt, asset })).validation.assetStatus).toBe('VERIFIED')
    const plain = newAsk(market).psbt
    expect((await imported(market, { psbt: plain })).validation.assetStatus).toBe('NOT_REQUESTED')
    const wrong = await imported(market, { psbt: newAsk(market).psbt, asset })
    expect(wrong.validation.assetStatus).toBe('MISMATCH')
    const late = newAssetAsk(market)
    devnet.stopIndex()
    const away = await imported(market, { psbt: late.psbt, asset: late.asset }).finally(() =>
      devnet.startIndex(),
    )
    expect(away.validation.assetStatus).toBe('UNAVAILABLE')
  })
})

test('a number is an amount only where a field is typed string or number [spec 8 rule 5]', async () => {
  const { psbt, asset } = newAssetAsk(market)
  for (const body of [
    { psbt, token: 5 },
    { psbt, protocolId: 5 },
    { psbt, asset: { ...asset, inscriptionId: 5 } },
  ]) {
    expect((await market.post('orders/import', body)).status).toBe(400)
  }
  const answer = await market.post('orders/import', { psbt, claimedPriceSats: 5 })
  expect([answer.status, answer.body]).toMatchObject([
    201,
    { sources: [{ claimedPriceSats: '5' }] },
  ])
})

test('a listing is REVIEW_ONLY once its verification is too old, and LIVE all the same [spec 3 rule 4]', async () => {
  const hasty = await openSpecMarket({ MAX_VERIFICATION_AGE_SECONDS: '5' })
  const order = await imported(hasty, { psbt: newAsk(hasty).psbt })
  expect(order).toMatchObject({ state: 'LIVE', actionability: 'HANDOFF_READY' })
  // While the node is unavailable nothing is verified.
  devnetOf(hasty).stopNode()
  const stale = await hasty.orderUntil(
    order.id,
    ({ actionability }) => actionability !== 'HANDOFF_READY',
  )
  expect(stale).toMatchObject({ state: 'LIVE', actionability: 'REVIEW_ONLY' })
  await hasty.end()
})
