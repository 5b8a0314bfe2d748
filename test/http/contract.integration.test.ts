import { of } from 'rxjs'
import { afterEach, describe, expect, test } from 'vitest'
import { NodeUnavailableError } from '../../src/ports/authorities/authority-errors.ts'
import { Catalog } from '../../src/schemas/api/catalog.ts'
import { HealthReport, type ListingReadiness } from '../../src/schemas/api/health.ts'
import { ProtocolContract } from '../../src/schemas/api/protocol.ts'
import {
  historyWith,
  openTestApp,
  type TestApp,
  type TestAppOptions,
} from '../support/http/http.ts'

let it: TestApp
afterEach(() => it.close())

const ready: ListingReadiness = {
  ready: true,
  reason: null,
  coreHeight: 120,
  assetIndexHeight: 119,
  lagBlocks: 1,
  maxLagBlocks: 2,
  storageWritable: true,
  checkedAt: '2026-02-03T04:05:06.789Z',
}
const health = async (options: TestAppOptions = {}): Promise<HealthReport> => {
  it = await openTestApp(options)
  const response = await it.get('/api/market/health')
  expect(response.statusCode).toBe(200)
  return HealthReport.parse(response.json())
}

describe('GET /health', () => {
  test('active while a listing could be made now [spec 4 GET /health]', async () => {
    const settings = { nodeConfigured: true, indexConfigured: true }
    expect(await health({ settings, ports: { readiness: of(ready) } })).toEqual({
      ok: true,
      service: 'market',
      enabled: true,
      defaultEnabled: true,
      network: 'regtest',
      status: 'active',
      featureFlag: 'MARKET_ENABLED',
      coreConfigured: true,
      assetIndexConfigured: true,
      configurationComplete: true,
      signsOrBroadcasts: false,
      spendsFunds: false,
      supportedSources: ['portable-nostr802', 'asset-offers', 'direct-import'],
      storageWritable: true,
      readyForBitcoinListings: true,
      maxVerificationAgeSeconds: 600,
      listingReadiness: ready,
    })
  })

  test('degraded with the observed reason otherwise; the answer is still 200', async () => {
    const reason = 'asset_index_behind' as const
    const readiness = of({ ...ready, ready: false, reason, lagBlocks: 9 })
    expect(await health({ ports: { readiness } })).toMatchObject({
      ok: false,
      status: 'degraded',
      readyForBitcoinListings: false,
      listingReadiness: { ready: false, reason, lagBlocks: 9 },
    })
  })

  test('without node and index, says that they are not configured', async () => {
    expect(await health()).toMatchObject({
      status: 'degraded',
      coreConfigured: false,
      assetIndexConfigured: false,
      configurationComplete: false,
      storageWritable: true,
      listingReadiness: { reason: 'not_configured', coreHeight: null, storageWritable: true },
    })
  })
})

test('GET /protocol says what is signed, what is verified and what is not promised [spec 4 GET /protocol] [spec 2.2 ProtocolContract]', async () => {
  it = await openTestApp()
  const response = await it.get('/api/market/protocol')
  expect(response.statusCode).toBe(200)
  const contract = ProtocolContract.parse(response.json())
  expect(contract).toMatchObject({
    name: 'Market',
    supportedProfiles: ['OPEN_ASK', 'EXTERNAL_PSBT'],
    orderTemplates: { ASK_ANYONECANPAY: { side: 'ASK' }, BID_FULLY_FUNDED: { side: 'BID' } },
    safety: { signsOrBroadcasts: false, spendsFunds: false, artifactReleasedIn: ['LIVE'] },
    nostr: { kind: 802, holdsKeys: false, publishes: false, network: 'regtest' },
  })
})

test.each([
  ['node', { nodeConfigured: false, indexConfigured: true }],
  ['index', { nodeConfigured: true, indexConfigured: false }],
])(
  'GET /catalog without a configured %s claims no listing and no proof of assets',
  async (_, settings) => {
    const without = await openTestApp({ settings })
    try {
      const catalog = Catalog.parse((await without.get('/api/market/catalog')).json())
      const claims = catalog.map(({ capabilities }) => capabilities)
      expect(claims.some(({ createListing }) => createListing)).toBe(false)
      expect(claims.some(({ verifyAssetSemantics }) => verifyAssetSemantics)).toBe(false)
      expect(claims.some(({ browse }) => browse)).toBe(true)
    } finally {
      await without.close()
    }
  },
)

test('GET /catalog claims that what is sold is shown only where it is [spec 2.2 ProtocolCapabilities]', async () => {
  const shownIn = async (contentConfigured: boolean) => {
    const app = await openTestApp({ settings: { contentConfigured } })
    try {
      const catalog = Catalog.parse((await app.get('/api/market/catalog')).json())
      return catalog.filter(({ capabilities }) => capabilities.mediaResolution).map(({ id }) => id)
    } finally {
      await app.close()
    }
  }
  expect(await shownIn(false)).toEqual([])
  expect(await shownIn(true)).toEqual(expect.arrayContaining(['inscriptions', 'names', 'brc20']))
  expect(await shownIn(true)).not.toContain('runes')
})

test('GET /catalog lists every market once, aliases marked [spec 4 GET /catalog] [spec 2.2 ProtocolTemplate.route] [spec 2.2 ProtocolTemplate.aliasOf]', async () => {
  it = await openTestApp()
  const response = await it.get('/api/market/catalog')
  expect(response.statusCode).toBe(200)
  const catalog = Catalog.parse(response.json())
  expect(catalog.find(({ id }) => id === 'ordinals')).toMatchObject({ aliasOf: 'inscriptions' })
  // The route of a market lists its orders.
  for (const { route } of catalog) expect((await it.get(route)).statusCode).toBe(200)
})

describe('an unforeseen error', () => {
  test('is 500 without its text, and the request id leads to it in the log', async () => {
    it = await openTestApp({
      ports: {
        history: historyWith(async () => {
          throw new Error('secret: /etc/passwd')
        }),
      },
    })
    const response = await it.get('/api/market/activity')
    expect(response.json()).toEqual({
      statusCode: 500,
      error: 'Internal Server Error',
      message: 'internal error: the request id names it in the log',
      requestId: response.headers['x-request-id'],
      code: 'INTERNAL',
    })
    const line = it.logLines.find((text) => text.includes('secret'))
    expect(JSON.parse(String(line))).toMatchObject({ reqId: response.headers['x-request-id'] })
  })

  test.each([
    ['NODE_UNAVAILABLE', new NodeUnavailableError('node_warming_up', 'loading block index')],
  ])('an unavailable authority is 503 %s, with Retry-After', async (code, error) => {
    it = await openTestApp({
      ports: {
        history: historyWith(async () => {
          throw error
        }),
      },
    })
    const response = await it.get('/api/market/activity')
    expect(response.json()).toMatchObject({ statusCode: 503, code })
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
  })
})
