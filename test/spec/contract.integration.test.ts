import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/cli/terminal/environment.ts'
import type { Catalog } from '../../src/schemas/api/catalog.ts'
import type { HealthReport } from '../../src/schemas/api/health.ts'
import type { ProtocolContract } from '../../src/schemas/api/protocol.ts'
import type { Market } from '../support/market/market.ts'
import { devnetOf } from '../support/market/trader.ts'
import { openSpecMarket } from './book.ts'
import {
  always,
  type Check,
  flag,
  integer,
  listOf,
  nullOr,
  number,
  object,
  oneOf,
  record,
  sometimes,
  text,
} from './types.ts'

// Spec 2.2: what the service says of itself, field by field, as received over HTTP.

let market: Market
let catalog: Catalog
let protocol: ProtocolContract
/** Of a working market, of one without node and index, of one that is switched off. */
let reports: HealthReport[]
let [working, bare, off]: HealthReport[] = []

const healthOf = async (one: Market): Promise<HealthReport> => (await one.get('health')).body
const healthWith = async (variables: Record<string, string>): Promise<HealthReport> => {
  const other = await openSpecMarket(variables)
  const report = await healthOf(other)
  await other.end()
  return report
}

beforeAll(async () => {
  market = await openSpecMarket()
  catalog = (await market.get('catalog')).body
  protocol = (await market.get('protocol')).body
  working = await healthOf(market)
  bare = await healthWith({ BITCOIN_NETWORK: 'mainnet', PUBLIC_ORIGIN: 'https://a.example' })
  off = await healthWith({ MARKET_ENABLED: 'false' })
  reports = [working, bare, off]
})
afterAll(() => market.end())

describe('a HealthReport', () => {
  test.each<[string, Check]>([
    ['ok', flag],
    ['service', oneOf('market')],
    ['enabled', flag],
    ['defaultEnabled', flag],
    ['network', oneOf('mainnet', 'regtest', 'signet')],
    ['status', oneOf('active', 'degraded', 'disabled')],
    ['featureFlag', oneOf('MARKET_ENABLED')],
    ['coreConfigured', flag],
    ['assetIndexConfigured', flag],
    ['configurationComplete', flag],
    ['signsOrBroadcasts', oneOf(false)],
    ['spendsFunds', oneOf(false)],
    ['supportedSources', listOf(oneOf('portable-nostr802', 'asset-offers', 'direct-import'))],
    ['storageWritable', flag],
    ['readyForBitcoinListings', flag],
    ['maxVerificationAgeSeconds', number],
    ['listingReadiness', record('ListingReadiness')],
  ])('is of its types [spec 2.2 HealthReport.%s]', (field, check) => {
    for (const report of reports) record('HealthReport')(report)
    always(reports, field, check)
  })

  test('is active where listings can be made [spec 2.2 HealthReport.ok] [spec 2.2 HealthReport.status] [spec 2.2 HealthReport.readyForBitcoinListings]', () => {
    expect(working).toMatchObject({ ok: true, status: 'active', readyForBitcoinListings: true })
    expect(bare).toMatchObject({ ok: false, status: 'degraded', readyForBitcoinListings: false })
    expect(off).toMatchObject({ ok: false, status: 'disabled', readyForBitcoinListings: false })
  })

  test('says what is configured [spec 2.2 HealthReport.enabled] [spec 2.2 HealthReport.coreConfigured] [spec 2.2 HealthReport.assetIndexConfigured] [spec 2.2 HealthReport.configurationComplete] [spec 2.2 HealthReport.network]', () => {
    const all = { coreConfigured: true, assetIndexConfigured: true, configurationComplete: true }
    const none = {
      coreConfigured: false,
      assetIndexConfigured: false,
      configurationComplete: false,
    }
    expect(working).toMatchObject({ ...all, enabled: true, network: 'regtest' })
    expect(bare).toMatchObject({ ...none, enabled: true, network: 'mainnet' })
    expect(off).toMatchObject({ enabled: false, defaultEnabled: true })
  })
})

describe('a ListingReadiness', () => {
  const REASONS = oneOf(
    'not_configured',
    'storage_unavailable',
    'core_unavailable_or_syncing',
    'asset_index_unreachable',
    'asset_index_behind',
    'observation_timed_out',
  )
  test.each<[string, Check]>([
    ['ready', flag],
    ['reason', nullOr(REASONS)],
    ['coreHeight', nullOr(integer)],
    ['assetIndexHeight', nullOr(integer)],
    ['lagBlocks', nullOr(integer)],
    ['maxLagBlocks', integer],
    ['storageWritable', flag],
    ['checkedAt', text],
  ])('is of its types [spec 2.2 ListingReadiness.%s]', (field, check) => {
    const seen = reports.map(({ listingReadiness }) => listingReadiness)
    always(seen, field, check)
  })

  test('is observed: it follows what node and index do [spec 2.2 ListingReadiness.ready] [spec 2.2 ListingReadiness.reason] [spec 2.2 ListingReadiness.lagBlocks]', async () => {
    const other = await openSpecMarket()
    const devnet = devnetOf(other)
    const now = async () => (await healthOf(other)).listingReadiness
    const { coreHeight } = await now()
    devnet.holdIndex(coreHeight)
    devnet.mine(3)
    await expect.poll(now, { timeout: 10_000 }).toMatchObject({
      ready: false,
      reason: 'asset_index_behind',
      assetIndexHeight: coreHeight,
      lagBlocks: 3,
    })
    devnet.holdIndex(null)
    devnet.stopIndex()
    await expect.poll(now, { timeout: 10_000 }).toMatchObject({
      ready: false,
      reason: 'asset_index_unreachable',
      assetIndexHeight: null,
    })
    devnet.startIndex()
    devnet.stopNode()
    await expect.poll(now, { timeout: 10_000 }).toMatchObject({
      ready: false,
      reason: 'core_unavailable_or_syncing',
      coreHeight: null,
    })
    devnet.startNode()
    await expect.poll(now, { timeout: 10_000 }).toMatchObject({ ready: true, reason: null })
    await other.end()
  })
})

describe('a ProtocolTemplate', () => {
  const REQUIREMENTS = oneOf('INSCRIPTION', 'OUTPOINT', 'NONE')
  test.each<[string, typeof always, Check]>([
    ['id', always, text],
    ['label', always, text],
    ['route', always, text],
    ['family', always, oneOf('bitcoin', 'dogecoin', 'counterparty')],
    ['capability', always, oneOf('PSBT_HANDOFF', 'EXTERNAL_SETTLEMENT')],
    ['builderProfile', always, oneOf('OPEN_ASK', 'EXTERNAL_PSBT', 'EXTERNAL_SETTLEMENT')],
    ['assetRequirement', always, REQUIREMENTS],
    ['templateLabel', always, text],
    ['templateGuidance', always, text],
    ['verificationScope', always, text],
    ['capabilities', always, object],
    ['groupId', always, text],
    ['groupLabel', always, text],
    ['groupOrder', always, integer],
    ['displayOrder', always, integer],
    ['aliasOf', sometimes, text],
  ])('is of its types [spec 2.2 ProtocolTemplate.%s]', (field, holds, check) => {
    for (const template of catalog) record('ProtocolTemplate')(template)
    holds(catalog, field, check)
  })

  test('its capabilities are seven booleans [spec 2.2 ProtocolCapabilities]', () => {
    const names = [
      'browse',
      'createListing',
      'verifyAssetSemantics',
      'reviewOnlyHandoff',
      'externalSettlement',
      'sourceIngestion',
      'mediaResolution',
    ]
    for (const { capabilities } of catalog) {
      expect(Object.keys(capabilities)).toEqual(names)
      for (const capability of Object.values(capabilities)) flag(capability)
    }
  })

  test.each<[string, 'family' | 'capability' | 'assetRequirement', string[]]>([
    ['ProtocolTemplate.family', 'family', ['bitcoin', 'counterparty', 'dogecoin']],
    ['ProtocolTemplate.capability', 'capability', ['EXTERNAL_SETTLEMENT', 'PSBT_HANDOFF']],
    ['ProtocolTemplate.assetRequirement', 'assetRequirement', ['INSCRIPTION', 'NONE', 'OUTPOINT']],
  ])('every value is some market’s [spec 2.1 %s]', (_name, field, values) => {
    expect([...new Set(catalog.map((template) => template[field]))].sort()).toEqual(values)
  })
})

test('the ProtocolContract has its fields [spec 2.2 ProtocolContract]', () => {
  const { name, settlement, sourceOfTruth, supportedProfiles, ...objects } = protocol
  expect(name).toBe('Market')
  listOf(text)([settlement, sourceOfTruth, ...supportedProfiles])
  expect(Object.keys(objects).sort()).toEqual(['nostr', 'orderTemplates', 'safety'])
  listOf(object)(Object.values(objects))
})

test.each([['mainnet'], ['regtest'], ['signet']])(
  'a service may be of %s [spec 2.1 Network]',
  (network) => {
    const variables = { BITCOIN_NETWORK: network, PUBLIC_ORIGIN: 'https://a.example' }
    expect(readConfig(variables).BITCOIN_NETWORK).toBe(network)
  },
)

test.each(['testnet', 'Mainnet', 'bitcoin'])('but not of %s [spec 2.1 Network]', (network) => {
  expect(() => readConfig({ BITCOIN_NETWORK: network })).toThrow(/BITCOIN_NETWORK/)
})
