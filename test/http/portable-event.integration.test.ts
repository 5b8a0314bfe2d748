import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { orderIdOf } from '../../src/domain/order/order-id.ts'
import { inspectPsbt } from '../../src/domain/verdict/inspect.ts'
import { OrderSummary } from '../../src/schemas/order.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { toTxid } from '../support/ids.ts'
import { orderFrom } from '../support/log/inbox-player.ts'
import { saleEvent } from '../support/orders/sale-event.ts'
import { wildEvents } from '../support/vectors.ts'

const EVENT = '/api/market/orders/portable-event'
const http = { rateLimits: { artifact: 999, revalidate: 999, import: 999, portableEvent: 999 } }

let it: TestApp
beforeAll(async () => {
  it = await openTestApp({ http })
})
afterAll(() => it.close())

const seller = accountOf('seller', 'p2wpkh')
const outpoint = { txid: toTxid('ab'.repeat(32)), vout: 3 }
const utxo = `${outpoint.txid}:3`
const inscriptionId = `${'cd'.repeat(32)}i0`
const psbt = seller.ask(
  { outpoint, valueSats: '546', scriptHex: seller.scriptHex },
  { scriptHex: seller.scriptHex, valueSats: '50000' },
)
const TAGS = [
  ['n', 'regtest'],
  ['t', 'sell'],
  ['i', inscriptionId],
  ['u', utxo],
  ['s', '50000'],
  ['x', 'market'],
]

/** Posts an event while an actor makes a new order of it. */
async function posted(event: object, app = it) {
  const response = app.post(EVENT, event)
  const command = await app.commands.next()
  const { network } = app.gateway.settings
  await app.commands.finish(command, orderFrom(command, network))
  return { command, summary: OrderSummary.parse((await response).json()), response: await response }
}

test('201 with the order; the event is its source, and its tags are claims [spec 4.2 Portable event]', async () => {
  const event = saleEvent(psbt, TAGS)
  const { response, summary, command } = await posted(event)
  expect(response.statusCode).toBe(201)
  expect(command).toMatchObject({ outpoint: utxo, claim: { notes: [] } })
  expect(summary.id).toBe(orderIdOf('regtest', inspectPsbt(psbt)))
  expect(summary.sources).toEqual([
    {
      source: 'portable-nostr802',
      sourceId: event.id,
      observedAt: expect.any(String),
      eventId: event.id,
      eventPubkey: event.pubkey,
      signatureVerified: true,
      claimedPriceSats: '50000',
      claimedAsset: { inscriptionId, outpoint },
    },
  ])
})

describe('wrong tags are recorded, and the order is judged all the same', () => {
  let vout = outpoint.vout

  test.each<[string, string[][], Record<string, unknown>, string[]]>([
    [
      'another price',
      [['s', '467200000000']],
      { claimedPriceSats: '467200000000' },
      ['price_claim_differs'],
    ],
    ['no price at all', [['s', 'cheap']], {}, ['price_claim_malformed']],
    ['an output without its index', [['u', outpoint.txid]], {}, ['utxo_without_vout']],
    ['another output', [['u', `${'ee'.repeat(32)}:0`]], {}, ['utxo_claim_differs']],
    [
      'another output of its transaction',
      [['u', `${outpoint.txid}:0`]],
      {},
      ['utxo_claim_differs'],
    ],
    ['another transaction', [['u', 'ee'.repeat(32)]], {}, ['utxo_claim_differs']],
    ['the other side', [['t', 'buy']], {}, ['side_claim_differs']],
    ['an expiration that is over', [['expiration', '1700000001']], {}, ['event_expired']],
    ['an expiration to come', [['expiration', '99999999999']], {}, ['event_expires']],
    ['no expiration at all', [['expiration', 'soon']], {}, ['expiration_malformed']],
    ['nothing at all', [], {}, []],
  ])('%s', async (_name, tags, claims, reasons) => {
    vout += 1
    const coin = { outpoint: { ...outpoint, vout }, valueSats: '546', scriptHex: seller.scriptHex }
    const fresh = seller.ask(coin, { scriptHex: seller.scriptHex, valueSats: '50000' })
    const { summary } = await posted(saleEvent(fresh, tags))
    expect(summary.sources.at(-1)).toMatchObject(claims)
    for (const reason of reasons) expect(summary.validation.reasons).toContain(reason)
  })
})

describe('an inscription that is claimed without a whole output', () => {
  const txid = outpoint.txid
  let vout = 100

  test.each<[string, string[][], Record<string, unknown>, string[]]>([
    ['with a transaction alone', [['u', txid]], { inscriptionId, txid }, ['utxo_without_vout']],
    [
      'with something other than an output',
      [['u', `${txid}:`]],
      { inscriptionId },
      ['utxo_claim_malformed'],
    ],
    ['with nothing', [], { inscriptionId }, []],
  ])(
    '%s: is judged, and no source names an output that the event does not name',
    async (_, tags, claimed, notes) => {
      vout += 1
      const coin = { outpoint: { txid, vout }, valueSats: '546', scriptHex: seller.scriptHex }
      const fresh = seller.ask(coin, { scriptHex: seller.scriptHex, valueSats: '50000' })
      const { command, summary } = await posted(saleEvent(fresh, [['i', inscriptionId], ...tags]))
      expect(command).toMatchObject({ claim: { claimedInscription: claimed, notes } })
      expect(summary.sources.at(-1)).not.toHaveProperty('claimedAsset')
      expect(summary.validation.assetStatus).toBe('UNAVAILABLE')
      expect(summary.validation.reasons).toEqual(expect.arrayContaining(notes))
      const listed = await it.get(
        `/api/market/orders?assetInscriptionId=${inscriptionId}&state=PENDING_NODE`,
      )
      expect(listed.json().orders.map(({ id }: OrderSummary) => id)).toContain(summary.id)
    },
  )
})

describe('400, before anything is stored [spec 4.2 Portable event]', () => {
  const event = saleEvent(psbt, TAGS)
  const flipped = (hex: string) => (hex.startsWith('0') ? '1' : '0') + hex.slice(1)

  test.each<[string, object, string, string | RegExp]>([
    [
      'another kind',
      saleEvent(psbt, TAGS, { kind: 1002 }),
      'INVALID_EVENT',
      'kind 1002 is not a sale: only 802 is accepted',
    ],
    [
      'another network',
      saleEvent(psbt, [['n', 'mainnet']]),
      'WRONG_NETWORK',
      'the event is of network "mainnet", this is regtest',
    ],
    [
      'another id',
      { ...event, id: flipped(event.id) },
      'INVALID_EVENT',
      'the id of the event is not the hash of what it says',
    ],
    [
      'another content',
      { ...event, content: `${psbt} ` },
      'INVALID_EVENT',
      'the id of the event is not the hash of what it says',
    ],
    [
      'another signature',
      { ...event, sig: flipped(event.sig) },
      'INVALID_EVENT',
      'the signature of the event is not valid for its key',
    ],
    ['no PSBT', saleEvent('hello', TAGS), 'INVALID_PSBT', /^content: the text is not a PSBT/],
    [
      'tags that are not a list',
      { ...event, tags: {} },
      'VALIDATION_FAILED',
      'tags: must be an array',
    ],
    [
      'a tag of numbers',
      { ...event, tags: [[1]] },
      'VALIDATION_FAILED',
      'tags.0.0: must be a string',
    ],
    ['a kind in quotes', { ...event, kind: '802' }, 'VALIDATION_FAILED', 'kind: must be a number'],
    [
      'an id in capitals',
      { ...event, id: event.id.toUpperCase() },
      'VALIDATION_FAILED',
      'id: must be 64 lowercase hex digits',
    ],
    [
      'half a second',
      { ...event, created_at: 1.5 },
      'VALIDATION_FAILED',
      /^created_at: must be an int/,
    ],
    [
      'a negative time',
      { ...event, created_at: -1 },
      'VALIDATION_FAILED',
      'created_at: must be at least 0',
    ],
    [
      '10,000 tags',
      { ...event, tags: Array.from({ length: 4_000 }, () => ['t']) },
      'VALIDATION_FAILED',
      'tags: must be at most 256 items',
    ],
  ])('%s', async (_name, body, code, message) => {
    const response = await it.post(EVENT, body)
    expect(response.json()).toMatchObject({ statusCode: 400, code })
    expect(response.json().message).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    )
  })

  test('an empty object names every field', async () => {
    expect((await it.post(EVENT, {})).json().message).toEqual([
      'id: is required',
      'pubkey: is required',
      'created_at: is required',
      'kind: is required',
      'tags: is required',
      'content: is required',
      'sig: is required',
    ])
  })
})

test('a Nostr event is open: unknown fields are ignored', async () => {
  const { response } = await posted({ ...saleEvent(psbt, TAGS), seen_on: ['wss://relay'], ots: 1 })
  expect(response.statusCode).toBe(201)
})

describe('the real kind 802 event', () => {
  test('is accepted with its claims unchanged', async () => {
    const { event } = wildEvents().sale
    const mainnet = await openTestApp({ http, settings: { network: 'mainnet' } })
    const { summary } = await posted(event, mainnet)
    await mainnet.close()
    expect(summary).toMatchObject({ network: 'mainnet', quotedPriceSats: '4672' })
    expect(summary.sources).toMatchObject([
      { eventId: event.id, signatureVerified: true, claimedPriceSats: '467200000000' },
    ])
    expect(summary.validation.reasons).toEqual(
      expect.arrayContaining(['price_claim_differs', 'utxo_without_vout']),
    )
  })
})
