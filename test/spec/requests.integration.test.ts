import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ErrorResponse } from '../../src/schemas/api/errors.ts'
import type { OwnershipChallenge } from '../../src/schemas/api/ownership.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import type { NostrEnvelope, NostrEvent } from '../../src/schemas/wire/nostr.ts'
import type { Market } from '../support/market/market.ts'
import { proveOwnership } from '../support/orders/ownership-proof.ts'
import { saleEvent } from '../support/orders/sale-event.ts'
import { imported, newAsk, newAssetAsk, openSpecMarket, ownedAsk } from './book.ts'
import { integer, listOf, text } from './types.ts'

// Spec 2.2: what the service accepts, field by field: what each does, and what is not a value of
// it.

let market: Market
beforeAll(async () => {
  market = await openSpecMarket()
})
afterAll(() => market.end())

/** The messages of a request that is refused as malformed. */
async function refused(path: string, body: object): Promise<string[]> {
  const answer = await market.post(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(400)
  return [(answer.body as ErrorResponse).message].flat()
}

describe('an ImportRequest', () => {
  const claimOf = ({ sources }: OrderSummary) => sources.at(-1)

  test('needs its PSBT, and nothing else [spec 2.2 ImportRequest.psbt]', async () => {
    expect(await refused('orders/import', {})).toEqual(['psbt: is required'])
    const order = await imported(market, { psbt: newAsk(market).psbt })
    expect(order).toMatchObject({ state: 'LIVE', sources: [{ source: 'direct-import' }] })
  })

  test.each([['portable-nostr802'], ['asset-offers'], ['direct-import']])(
    'may name %s as its source [spec 2.2 ImportRequest.source] [spec 2.1 Source]',
    async (source) => {
      const order = await imported(market, { psbt: newAsk(market).psbt, source, sourceId: 'n 1' })
      expect(claimOf(order)).toMatchObject({ source, sourceId: 'n 1' })
    },
  )

  test('may name the id at its source [spec 2.2 ImportRequest.sourceId]', async () => {
    const order = await imported(market, { psbt: newAsk(market).psbt, sourceId: 'offer 17' })
    expect(claimOf(order)?.sourceId).toBe('offer 17')
  })

  test('may claim an asset [spec 2.2 ImportRequest.asset]', async () => {
    const { psbt, asset } = newAssetAsk(market)
    const order = await imported(market, { psbt, asset })
    expect(claimOf(order)?.claimedAsset).toEqual(asset)
    expect(order.assets).toMatchObject([asset])
  })

  test.each([['claimedPriceSats'], ['quotedPriceSats']])(
    'may claim a price, a string or a number [spec 2.2 ImportRequest.%s] [spec 8 rule 5]',
    async (field) => {
      for (const price of ['60000', 60_000]) {
        const order = await imported(market, { psbt: newAsk(market).psbt, [field]: price })
        expect(claimOf(order)?.claimedPriceSats).toBe('60000')
        // The signed price is quoted.
        expect(order.quotedPriceSats).toBe('50000')
      }
    },
  )

  test('may name a market [spec 2.2 ImportRequest.protocolId]', async () => {
    const { psbt } = newAsk(market)
    expect(await imported(market, { psbt, protocolId: 'rare-sats' })).toMatchObject({
      protocolId: 'rare-sats',
    })
  })

  test('may name a token [spec 2.2 ImportRequest.token]', async () => {
    const { psbt } = newAsk(market)
    expect(await imported(market, { psbt, token: 'Punk № 1' })).toMatchObject({ token: 'Punk № 1' })
  })

  test.each([['ASK'], ['BID']])(
    'may claim %s as its side [spec 2.2 ImportRequest.side] [spec 2.1 OrderSide]',
    async (side) => {
      const { psbt } = newAsk(market)
      const { validation, ...order } = await imported(market, { psbt, side })
      expect(order.side).toBe('ASK')
      expect(validation.reasons.includes('side_claim_differs')).toBe(side === 'BID')
    },
  )

  test.each<[string, unknown]>([
    ['psbt', 7],
    ['source', 'nostr'],
    ['sourceId', 17],
    ['asset', 'an inscription'],
    ['claimedPriceSats', true],
    ['protocolId', 1],
    ['token', ['punk']],
    ['side', 'SELL'],
    ['quotedPriceSats', null],
  ])('of another type is refused [spec 2.2 ImportRequest.%s]', async (field, value) => {
    const messages = await refused('orders/import', { psbt: newAsk(market).psbt, [field]: value })
    expect(messages).toEqual([expect.stringMatching(new RegExp(`^${field}: must be`))])
  })
})

describe('AtomicSats', () => {
  const claim = (claimedPriceSats: unknown) => ({ psbt: newAsk(market).psbt, claimedPriceSats })

  test.each([['0'], ['1'], ['2100000000000000']])(
    '%s is an amount [spec 2.1 AtomicSats]',
    async (amount) => {
      const { sources } = await imported(market, claim(amount))
      expect(sources[0]?.claimedPriceSats).toBe(amount)
    },
  )

  test.each([
    [''],
    ['00'],
    ['01'],
    ['+1'],
    ['-1'],
    ['1.0'],
    ['1e3'],
    ['1,000'],
    ['1 000'],
    [' 1'],
    ['0x10'],
    ['٣'],
  ])('"%s" is not one [spec 2.1 AtomicSats]', async (amount) => {
    const [message] = await refused('orders/import', claim(amount))
    expect(message).toBe('claimedPriceSats: must be decimal digits without leading zeros')
  })

  test('nor is a number with a fraction [spec 2.1 AtomicSats]', async () => {
    expect(await refused('orders/import', claim(1.5))).toEqual([
      'claimedPriceSats: must be a whole number of sats',
    ])
  })
})

describe('an OwnershipChallenge and its proof', () => {
  test('five strings, about this order and its owner’s address [spec 2.2 OwnershipChallenge]', async () => {
    const { order, address } = await ownedAsk(market, 'ada')
    const challenge: OwnershipChallenge = (
      await market.get(`orders/${order.id}/ownership-challenge`)
    ).body
    const fields = ['address', 'expiresAt', 'message', 'orderId', 'windowStart']
    expect(Object.keys(challenge).sort()).toEqual(fields)
    listOf(text)(Object.values(challenge))
    expect(challenge).toMatchObject({ orderId: order.id, address })
  })

  test('address, signature and perhaps a reason [spec 2.2 OwnershipProof]', async () => {
    const { order, address, wallet } = await ownedAsk(market, 'bea')
    const path = `orders/${order.id}/withdraw`
    const challenge = (await market.get(`orders/${order.id}/ownership-challenge`)).body
    const { message } = challenge as OwnershipChallenge
    const { text: signature } = proveOwnership(wallet, message)
    expect(await refused(path, {})).toEqual(['signature: is required'])
    expect(await refused(path, { address: 1, signature, reason: 2 })).toEqual([
      'address: must be a string',
      'reason: must be a string',
    ])
    const answer = await market.post(path, { address, signature, reason: 'sold' })
    expect([answer.status, answer.body]).toMatchObject([201, { withdrawal: { reason: 'sold' } }])
  })
})

describe('Nostr', () => {
  test('a NostrEnvelope is an unsigned event of kind 802, and what publishing it means [spec 2.2 NostrEnvelope] [spec 4.2 Nostr envelope]', async () => {
    const { psbt } = newAsk(market)
    const { id } = await imported(market, { psbt })
    const { status, body } = await market.get(`orders/${id}/nostr-envelope`)
    const envelope: NostrEnvelope = body
    expect(status).toBe(200)
    const fields = ['content', 'created_at', 'kind', 'notice', 'tags']
    expect(Object.keys(envelope).sort()).toEqual(fields)
    expect(envelope.kind).toBe(802)
    integer(envelope.created_at)
    listOf(listOf(text))(envelope.tags)
    expect(envelope.content).toBe(psbt)
    text(envelope.notice)
  })

  test('the envelope, signed by the customer, comes back through portable-event [spec 4.2 Nostr envelope] [spec 6 rule 2]', async () => {
    const { psbt } = newAsk(market)
    const { id } = await imported(market, { psbt })
    const { tags, content }: NostrEnvelope = (await market.get(`orders/${id}/nostr-envelope`)).body
    const event = saleEvent(content, tags)
    const { status, body } = await market.post('orders/portable-event', event)
    expect([status, body]).toMatchObject([
      201,
      { id, sources: [{ source: 'direct-import' }, { eventId: event.id }] },
    ])
  })

  const fresh = (): NostrEvent => saleEvent(newAsk(market).psbt, [['n', 'regtest']])

  test.each<[keyof NostrEvent, unknown]>([
    ['id', 1],
    ['pubkey', null],
    ['created_at', '1700000000'],
    ['kind', '802'],
    ['tags', [['n', 1]]],
    ['content', {}],
    ['sig', 'none'],
  ])('a NostrEvent needs %s, of its type [spec 2.2 NostrEvent]', async (field, wrong) => {
    const { [field]: _left, ...rest } = fresh()
    expect(await refused('orders/portable-event', rest)).toEqual([`${field}: is required`])
    const [message] = await refused('orders/portable-event', { ...fresh(), [field]: wrong })
    expect(message).toMatch(new RegExp(`^${field}`))
  })

  test('a complete NostrEvent is accepted, and judged like an import [spec 2.2 NostrEvent] [spec 4.2 Portable event]', async () => {
    const event = fresh()
    const { status, body } = await market.post('orders/portable-event', event)
    expect([status, body]).toMatchObject([
      201,
      {
        state: 'LIVE',
        sources: [
          {
            source: 'portable-nostr802',
            eventId: event.id,
            eventPubkey: event.pubkey,
            signatureVerified: true,
          },
        ],
      },
    ])
    const again = await imported(market, { psbt: event.content })
    expect(again).toMatchObject({ id: (body as OrderSummary).id, state: 'LIVE' })
  })

  test('an event of another kind, or with a false signature, is refused [spec 4.2 Portable event]', async () => {
    const { psbt } = newAsk(market)
    expect(await refused('orders/portable-event', saleEvent(psbt, [], { kind: 1 }))).toEqual([
      'kind 1 is not a sale: only 802 is accepted',
    ])
    const { sig } = fresh()
    expect(await refused('orders/portable-event', { ...fresh(), sig })).toEqual([
      'the signature of the event is not valid for its key',
    ])
  })
})
