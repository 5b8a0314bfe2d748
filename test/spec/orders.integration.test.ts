import { createHash } from 'node:crypto'
import { Psbt } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type {
  ActivityEntry,
  ActivityPage,
  OrderArtifact,
  OrderPage,
  OrderSummary,
} from '../../src/schemas/order.ts'
import type { Outpoint } from '../../src/schemas/scalars.ts'
import type { Market } from '../support/market/market.ts'
import { imported, newAsk, openSpecMarket, wholeBook } from './book.ts'
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
  sats,
  sometimes,
  text,
} from './types.ts'

// Spec 2.2: what the service says of orders, field by field, as received over HTTP.

const STATES = [
  'LIVE',
  'MEMPOOL_CONFLICTED',
  'PENDING_ASSET',
  'PENDING_NODE',
  'REJECTED',
  'SETTLED',
  'SPENT',
  'WITHDRAWN',
]
const SIGNATURES = ['INVALID', 'NONE', 'UNAVAILABLE', 'VALID']
const CLASSES = ['ASK_ANYONECANPAY', 'BID_FULLY_FUNDED', 'UNSUPPORTED']
const SAFETIES = ['PUBLIC_RACEABLE', 'TARGETED_REVIEW', 'UNSUPPORTED']
const SOURCES = ['asset-offers', 'direct-import', 'portable-nostr802']

let market: Market
let book: Record<string, OrderSummary>
let orders: OrderSummary[]
let pages: OrderPage[]
let activity: ActivityPage[]
let artifact: OrderArtifact
const entries = (): ActivityEntry[] => activity.flatMap((page) => page.entries)
/** The state that the newest entry of each order led to, and the one that the order is listed with. */
const reached = () =>
  new Map(
    entries()
      .toReversed()
      .map(({ orderId, toState }) => [orderId, toState]),
  )
const shown = () =>
  new Map(pages.flatMap((page) => page.orders.map(({ id, state }) => [id, state])))
const listed = () => new Set(pages.flatMap((page) => page.orders.map(({ id }) => id)))

beforeAll(async () => {
  market = await openSpecMarket()
  book = await wholeBook(market)
  orders = Object.values(book)
  // The history may lag behind the views by two seconds, and what waited for the node is proved
  // meanwhile.
  await vi.waitFor(
    async () => {
      pages = await pagesOf<OrderPage>('orders?limit=3&includeWithdrawn=true')
      activity = await pagesOf<ActivityPage>('activity?limit=7')
      expect(reached()).toEqual(shown())
    },
    { timeout: 20_000, interval: 200 },
  )
  const unlisted = orders.filter(({ id }) => !listed().has(id))
  expect(unlisted.length).toBeGreaterThan(0)
  // Unproved orders are in neither.
  for (const { inspection } of unlisted) expect(inspection.signatureStatus).not.toBe('VALID')
  artifact = (await market.get(`orders/${book['plain']?.id}/artifact`)).body
})
afterAll(() => market.end())

async function pagesOf<Page extends { nextCursor: string }>(path: string): Promise<Page[]> {
  const all: Page[] = []
  do {
    const cursor = all.at(-1)?.nextCursor
    const { status, body } = await market.get(cursor ? `${path}&cursor=${cursor}` : path)
    expect(status).toBe(200)
    all.push(body)
  } while (all.at(-1)?.nextCursor !== '')
  return all
}

/** `always` for a field that is required, `sometimes` for an optional one. */
type Row = [field: string, holds: typeof always, check: Check]

const inspections = () => orders.map(({ inspection }) => inspection)
const validations = () => orders.map(({ validation }) => validation)
const assets = () => orders.flatMap((order) => order.assets)
const claimed = () =>
  orders.flatMap(({ sources }) => sources.flatMap(({ claimedAsset }) => claimedAsset ?? []))
const outpoints = (): Outpoint[] => [
  ...inspections().flatMap(({ inputOutpoints }) => inputOutpoints),
  ...[...assets(), ...claimed()].map(({ outpoint }) => outpoint),
]

describe('an Outpoint', () => {
  test.each<Row>([
    ['txid', always, text],
    ['vout', always, integer],
  ])('is of its types [spec 2.2 Outpoint.%s]', (field, holds, check) => {
    holds(outpoints(), field, check)
  })
})

describe('an AssetClaim', () => {
  test.each<Row>([
    ['inscriptionId', always, text],
    ['outpoint', always, record('Outpoint')],
    ['inscriptionNumber', sometimes, integer],
  ])('is of its types [spec 2.2 AssetClaim.%s]', (field, holds, check) => {
    holds([...assets(), ...claimed()], field, check)
  })

  test('has the number of the index, never that of the claim [spec 2.2 AssetClaim.inscriptionNumber]', () => {
    const { inscribed } = book
    expect(inscribed?.assets[0]?.inscriptionNumber).toBe(0)
    expect(inscribed?.sources[0]?.claimedAsset).not.toHaveProperty('inscriptionNumber')
  })
})

describe('a SourceEvidence', () => {
  test.each<Row>([
    ['source', always, oneOf(...SOURCES)],
    ['sourceId', always, text],
    ['observedAt', always, text],
    ['eventId', sometimes, text],
    ['eventPubkey', sometimes, text],
    ['signatureVerified', sometimes, flag],
    ['claimedPriceSats', sometimes, sats],
    ['claimedAsset', sometimes, record('AssetClaim')],
  ])('is of its types [spec 2.2 SourceEvidence.%s]', (field, holds, check) => {
    const sources = orders.flatMap((order) => order.sources)
    for (const source of sources) record('SourceEvidence')(source)
    holds(sources, field, check)
  })
})

describe('a PsbtInspection', () => {
  test.each<[string, Check]>([
    ['psbtVersion', integer],
    ['unsignedTxid', text],
    ['digest', text],
    ['inputCount', integer],
    ['outputCount', integer],
    ['inputOutpoints', listOf(record('Outpoint'))],
    ['inputWitnessUtxos', listOf(nullOr(object))],
    ['outputValuesSats', listOf(sats)],
    ['outputScriptsHex', listOf(text)],
    ['hasProprietaryFields', flag],
    ['hasUnknownFields', flag],
    ['signatureStatus', oneOf(...SIGNATURES)],
    ['orderClass', oneOf(...CLASSES)],
    ['safety', oneOf(...SAFETIES)],
    ['reasons', listOf(text)],
  ])('is of its types [spec 2.2 PsbtInspection.%s]', (field, check) => {
    always(inspections(), field, check)
  })

  test('says of a PSBT what another library reads from it', () => {
    const psbt = Psbt.fromBase64(artifact.psbt)
    const transaction = psbt.data.globalMap.unsignedTx.toBuffer()
    const txid = sha256(sha256(transaction)).reverse().toString('hex')
    expect(book['plain']?.inspection).toMatchObject({
      psbtVersion: 0,
      unsignedTxid: txid,
      digest: sha256(psbt.toBuffer()).toString('hex'),
      inputCount: 1,
      outputCount: 1,
      inputOutpoints: psbt.txInputs.map(({ hash, index }) => ({
        txid: Buffer.from(hash).reverse().toString('hex'),
        vout: index,
      })),
      inputWitnessUtxos: psbt.data.inputs.map(({ witnessUtxo }) => ({
        valueSats: String(witnessUtxo?.value),
        scriptHex: Buffer.from(witnessUtxo?.script ?? []).toString('hex'),
      })),
      outputValuesSats: psbt.txOutputs.map(({ value }) => value.toString()),
      outputScriptsHex: psbt.txOutputs.map(({ script }) => Buffer.from(script).toString('hex')),
      hasProprietaryFields: false,
      hasUnknownFields: false,
    })
  })
})

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

describe('a Validation', () => {
  const NODE = oneOf('UNCONFIGURED', 'READY', 'UNAVAILABLE', 'OUTPOINT_MISSING', 'OUTPOINT_SPENT')
  const ASSET = oneOf('NOT_REQUESTED', 'UNCONFIGURED', 'VERIFIED', 'MISMATCH', 'UNAVAILABLE')
  test.each<Row>([
    ['checkedAt', always, text],
    ['nodeStatus', always, NODE],
    ['assetStatus', always, ASSET],
    ['nodeTip', sometimes, object],
    ['reasons', always, listOf(text)],
  ])('is of its types [spec 2.2 Validation.%s]', (field, holds, check) => {
    holds(validations(), field, check)
  })
})

describe('a Settlement', () => {
  const settlements = () => orders.flatMap(({ settlement }) => settlement ?? [])
  test.each<Row>([
    ['txid', always, text],
    ['observedAt', always, text],
    ['confirmations', always, integer],
    ['confirmedAt', sometimes, text],
  ])('is of its types [spec 2.2 Settlement.%s]', (field, holds, check) => {
    holds(settlements(), field, check)
  })

  test('is what the chain shows: with its block, and without one before [spec 2.2 Settlement.confirmations] [spec 2.2 Settlement.confirmedAt]', () => {
    const { conflicted, settled, spent } = book
    expect(conflicted?.settlement).toMatchObject({ confirmations: 0 })
    expect(conflicted?.settlement).not.toHaveProperty('confirmedAt')
    expect(settled?.settlement).toMatchObject({
      ...conflicted?.settlement,
      confirmations: 1,
      confirmedAt: expect.any(String),
    })
    expect(spent).not.toHaveProperty('settlement')
  })
})

describe('a VerificationView', () => {
  test.each<[string, Check]>([
    ['checkedAt', text],
    ['ageSeconds', number],
    ['maxAgeSeconds', number],
    ['stale', flag],
  ])('is of its types [spec 2.2 VerificationView.%s]', (field, check) => {
    always([artifact.verification], field, check)
    record('VerificationView')(artifact.verification)
  })
})

describe('a Withdrawal', () => {
  test.each<Row>([
    ['withdrawnAt', always, text],
    ['reason', sometimes, text],
  ])('is of its types [spec 2.2 Withdrawal.%s]', (field, holds, check) => {
    const withdrawals = orders.flatMap(({ withdrawal }) => withdrawal ?? [])
    holds(withdrawals, field, check)
  })

  test('has the reason that was given [spec 2.2 Withdrawal.reason]', () => {
    expect(book['withdrawn']?.withdrawal?.reason).toBe('changed my mind')
    expect(book['moderated']?.withdrawal).not.toHaveProperty('reason')
  })
})

describe('an OrderSummary', () => {
  test.each<Row>([
    ['id', always, text],
    ['network', always, oneOf('regtest')],
    ['inspection', always, record('PsbtInspection')],
    ['assets', always, listOf(record('AssetClaim'))],
    ['sources', always, listOf(record('SourceEvidence'))],
    ['state', always, oneOf(...STATES)],
    ['actionability', always, oneOf('REVIEW_ONLY', 'HANDOFF_READY', 'BLOCKED')],
    ['validation', always, record('Validation')],
    ['sellerScriptHex', sometimes, text],
    ['settlement', sometimes, record('Settlement')],
    ['protocolId', sometimes, text],
    ['token', sometimes, text],
    ['side', sometimes, oneOf('ASK', 'BID')],
    ['quotedPriceSats', sometimes, sats],
    ['withdrawal', sometimes, record('Withdrawal')],
    ['createdAt', always, text],
    ['updatedAt', always, text],
  ])('is of its types [spec 2.2 OrderSummary.%s]', (field, holds, check) => {
    for (const order of orders) record('OrderSummary')(order)
    holds(orders, field, check)
  })

  test('has an id of its own [spec 2.2 OrderSummary.id]', () => {
    expect(listed().size).toBe(pages.flatMap((page) => page.orders).length)
  })

  test('names the script of the offered output [spec 2.2 OrderSummary.sellerScriptHex]', () => {
    for (const { inspection, sellerScriptHex } of [book['plain'], book['inscribed']].flatMap(
      (order) => order ?? [],
    )) {
      expect(sellerScriptHex).toBe(inspection.inputWitnessUtxos[0]?.scriptHex)
    }
  })

  test('a named market proves nothing [spec 2.2 OrderSummary.protocolId]', async () => {
    const { psbt } = newAsk(market)
    expect(await imported(market, { psbt, protocolId: 'inscriptions' })).toMatchObject({
      protocolId: 'inscriptions',
      state: 'REJECTED',
      validation: { reasons: ['asset_missing'] },
    })
  })
})

describe('an OrderPage', () => {
  test.each<[string, Check]>([
    ['orders', listOf(record('OrderSummary'))],
    ['total', integer],
    ['limit', integer],
    ['nextCursor', text],
    ['hasMore', flag],
  ])('is of its types [spec 2.2 OrderPage.%s]', (field, check) => {
    for (const page of pages) record('OrderPage')(page)
    always(pages, field, check)
  })

  test('continues while there is a cursor, whatever the total [spec 2.2 OrderPage.nextCursor] [spec 2.2 OrderPage.hasMore]', async () => {
    expect(pages.length).toBeGreaterThan(1)
    for (const page of pages) {
      expect(page.hasMore).toBe(page.nextCursor !== '')
      expect(page.hasMore).toBe(page !== pages.at(-1))
      expect(page.total).toBeGreaterThanOrEqual(page.orders.length)
    }
  })

  test('the limit is the one asked for, the total that of all pages [spec 2.2 OrderPage.total] [spec 2.2 OrderPage.limit]', () => {
    const listed = pages.reduce((sum, page) => sum + page.orders.length, 0)
    for (const page of pages) expect(page).toMatchObject({ limit: 3, total: listed })
  })
})

describe('an ActivityEntry', () => {
  test.each<[string, Check]>([
    ['id', text],
    ['orderId', text],
    ['fromState', nullOr(oneOf(...STATES))],
    ['toState', oneOf(...STATES)],
    ['reason', text],
    ['actor', text],
    ['observedAt', text],
  ])('is of its types [spec 2.2 ActivityEntry.%s]', (field, check) => {
    for (const entry of entries()) record('ActivityEntry')(entry)
    always(entries(), field, check)
  })

  test('fromState is null at an order’s first, and where the last one led afterwards [spec 2.2 ActivityEntry.fromState] [spec 3 rule 3]', () => {
    for (const { id, state } of orders.filter((order) => listed().has(order.id))) {
      const own = entries().filter(({ orderId }) => orderId === id)
      const oldestFirst = own.reverse()
      expect(oldestFirst.length).toBeGreaterThan(0)
      expect(oldestFirst.map(({ fromState }) => fromState)).toEqual([
        null,
        ...oldestFirst.slice(0, -1).map(({ toState }) => toState),
      ])
      expect(oldestFirst.map(({ toState }) => toState)).toContain(state)
    }
  })

  test.each<[string, string, string]>([
    ['the reconciler', 'settled', 'reconciler'],
    ['the seller', 'withdrawn', 'seller'],
    ['an operator', 'moderated', 'operator'],
  ])('names %s as who caused it [spec 2.2 ActivityEntry.actor]', (_who, order, actor) => {
    const [last] = entries().filter(({ orderId }) => orderId === book[order]?.id)
    expect(last?.actor).toBe(actor)
  })

  test('names the import that an order begins with, by its source [spec 2.2 ActivityEntry.actor]', () => {
    const first = (name: string) =>
      entries().find(({ orderId, fromState }) => orderId === book[name]?.id && fromState === null)
    expect(first('plain')?.actor).toBe('import:direct-import')
    expect(first('event')?.actor).toBe('import:portable-nostr802')
    expect(first('inscribed')?.actor).toBe('import:asset-offers')
  })
})

test('an ActivityPage has entries, limit, nextCursor and hasMore [spec 2.2 ActivityPage]', () => {
  expect(activity.length).toBeGreaterThan(1)
  for (const page of activity) {
    expect(Object.keys(page).sort()).toEqual(['entries', 'hasMore', 'limit', 'nextCursor'])
    listOf(record('ActivityEntry'))(page.entries)
    expect(page.limit).toBe(7)
    text(page.nextCursor)
    expect(page.hasMore).toBe(page.nextCursor !== '')
  }
})

test('an OrderArtifact is the signed PSBT with its verification as it stands [spec 2.2 OrderArtifact]', () => {
  const { plain } = book
  expect(Psbt.fromBase64(artifact.psbt).data.inputs[0]?.finalScriptWitness).toBeDefined()
  expect(artifact).toMatchObject({
    orderId: plain?.id,
    network: 'regtest',
    digest: plain?.inspection.digest,
    inspection: plain?.inspection,
    state: 'LIVE',
    actionability: 'HANDOFF_READY',
    verification: { stale: false, checkedAt: artifact.validation.checkedAt },
  })
})

describe('the values of an enumeration occur in answers', () => {
  const valuesOf = (read: (order: OrderSummary) => string | undefined) =>
    [...new Set(orders.flatMap((order) => read(order) ?? []))].sort()

  test.each<[string, (order: OrderSummary) => string | undefined, string[]]>([
    ['OrderClass', (o) => o.inspection.orderClass, CLASSES],
    ['OrderState', (o) => o.state, STATES],
    ['Actionability', (o) => o.actionability, ['BLOCKED', 'HANDOFF_READY', 'REVIEW_ONLY']],
    ['SignatureStatus', (o) => o.inspection.signatureStatus, SIGNATURES],
    ['OrderSide', (o) => o.side, ['ASK', 'BID']],
    ['PsbtInspection.safety', (o) => o.inspection.safety, SAFETIES],
    ['Source', (o) => o.sources[0]?.source, SOURCES],
  ])('all of them, and no other [spec 2.1 %s]', (_name, read, values) => {
    expect(valuesOf(read)).toEqual(values)
  })
})

test('every amount is AtomicSats [spec 2.1 AtomicSats]', () => {
  const amounts = orders.flatMap(({ quotedPriceSats, sources, inspection }) => [
    ...[quotedPriceSats, ...sources.map(({ claimedPriceSats }) => claimedPriceSats)].filter(
      (amount) => amount !== undefined,
    ),
    ...inspection.outputValuesSats,
  ])
  expect(amounts.length).toBeGreaterThan(orders.length)
  listOf(sats)(amounts)
})
