import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Psbt } from 'bitcoinjs-lib'
import { afterEach, describe, expect, test } from 'vitest'
import { makeBid } from '../../../src/devnet/people/trade.ts'
import { accountOf } from '../../../src/devnet/people/wallet.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import { answering, openRogueRelay } from '../../support/faults/rogue-relay.ts'
import { type HttpServer, openHttpServer } from '../../support/http/http-server.ts'
import { toTxid } from '../../support/ids.ts'
import { type OpenIntake, openIntake, ordersFrom } from '../../support/market/intake.ts'
import { openMainnetWorld } from '../../support/market/mainnet-world.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../../support/market/market.ts'
import { coinOf } from '../../support/market/trader.ts'
import { saleEvent } from '../../support/orders/sale-event.ts'
import { waitUntil } from '../../support/services/programs.ts'
import { openTestRelay } from '../../support/services/relay.ts'
import { wildEvents } from '../../support/vectors.ts'

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of cleanUp.splice(0).reverse()) await end()
})

async function openDevnetMarket(): Promise<Market> {
  const market = await openMarket(ORDERS_ONLY)
  cleanUp.push(market.end)
  return market
}

async function follow(market: Market, variables: Record<string, string>): Promise<OpenIntake> {
  const intake = await openIntake(market, variables)
  cleanUp.push(intake.close)
  return intake
}

async function openRelay() {
  const relay = await openTestRelay()
  cleanUp.push(relay.stop)
  return relay
}

let sellers = 0
/** A signed ask for a confirmed coin; the service has not seen it. */
function ask(market: Market): { psbt: string; utxo: string } {
  const seller = accountOf(`seller ${++sellers}`, 'p2tr')
  const coin = coinOf(market, seller, 10_000n)
  const psbt = seller.ask(coin, { scriptHex: seller.scriptHex, valueSats: '50000' })
  return { psbt, utxo: `${coin.outpoint.txid}:${coin.outpoint.vout}` }
}

const seconds = () => Math.floor(Date.now() / 1_000)
const eventOf = ({ psbt, utxo }: { psbt: string; utxo: string }, tags: string[][] = []) =>
  saleEvent(psbt, [['n', 'regtest'], ['t', 'sell'], ['u', utxo], ['s', '50000'], ...tags], {
    createdAt: seconds(),
  })

describe('a kind 802 event on a relay', () => {
  test('becomes an order with its source [spec 1 rule 2]', async () => {
    const market = await openDevnetMarket()
    const relay = await openRelay()
    const made = ask(market)
    const event = eventOf(made)
    await relay.publish(event)
    const intake = await follow(market, { NOSTR_RELAYS: relay.url })
    const [order] = await ordersFrom(market, 'portable-nostr802', 1)
    expect(order).toMatchObject({ side: 'ASK', quotedPriceSats: '50000' })
    expect(order?.sources).toEqual([
      {
        source: 'portable-nostr802',
        sourceId: event.id,
        observedAt: expect.any(String),
        eventId: event.id,
        eventPubkey: event.pubkey,
        signatureVerified: true,
        claimedPriceSats: '50000',
      },
    ])
    await market.orderUntil(order?.id ?? '', ({ state }) => state === 'LIVE')
    // Published while the relay is followed.
    await relay.publish(eventOf(ask(market)))
    await ordersFrom(market, 'portable-nostr802', 2)
    expect(await intake.counted('imported')).toBe(2)
  })

  test('on two relays is one order with one source, imported once', async () => {
    const market = await openDevnetMarket()
    const [one, other] = [await openRelay(), await openRelay()]
    const event = eventOf(ask(market))
    for (const relay of [one, other]) await relay.publish(event)
    const intake = await follow(market, { NOSTR_RELAYS: `${one.url},${other.url}` })
    await intake.following()
    const orders = await ordersFrom(market, 'portable-nostr802', 1)
    expect(orders.map(({ sources }) => sources.length)).toEqual([1])
    expect(await intake.counted('imported')).toBe(1)
    expect(await intake.counted('duplicate')).toBeGreaterThan(0)
  })

  test('published while the service is down is found at the next start; nothing is imported twice', async () => {
    const market = await openDevnetMarket()
    const relay = await openRelay()
    await relay.publish(eventOf(ask(market)))
    const before = await follow(market, { NOSTR_RELAYS: relay.url })
    await before.following()
    await ordersFrom(market, 'portable-nostr802', 1)
    await before.close()
    await relay.publish(eventOf(ask(market)))
    const after = await follow(market, { NOSTR_RELAYS: relay.url })
    await ordersFrom(market, 'portable-nostr802', 2)
    await after.following()
    expect(await after.counted('imported')).toBe(1)
    expect(await after.counted('duplicate')).toBeGreaterThan(0)
  })

  test('reaches the book though its relay was down, and the service is ready all the while', async () => {
    const market = await openDevnetMarket()
    const relay = await openRelay()
    const intake = await follow(market, { NOSTR_RELAYS: relay.url })
    await intake.following()
    await relay.stop()
    await waitUntil('the relay is missed', () => intake.states().get(relay.url)?.state === 'paused')
    expect(intake.states().get(relay.url)).toMatchObject({ trouble: 'unreachable' })
    expect((await market.get('/readyz')).status).toBe(200)
    expect((await market.get('health')).body).toMatchObject({ status: 'active' })
    await relay.start()
    await relay.publish(eventOf(ask(market)))
    await ordersFrom(market, 'portable-nostr802', 1)
    await intake.following()
    expect(await intake.paused('unreachable')).toBeGreaterThan(0)
  })

  test('of a relay that was away when another process took over has no state here', async () => {
    const market = await openDevnetMarket()
    const relay = await openRelay()
    const intake = await follow(market, { NOSTR_RELAYS: relay.url })
    await intake.following()
    expect(await intake.up()).toEqual([1])
    await relay.stop()
    await waitUntil('the relay is missed', async () => (await intake.up())[0] === 0)
    intake.turn.set(false)
    await waitUntil('it is forgotten', async () => (await intake.up()).length === 0)
    expect(intake.states().get(relay.url)).toEqual({ state: 'connecting' })
  })

  test('that is refused is counted by its reason, and what follows is imported', async () => {
    const market = await openDevnetMarket()
    const relay = await openRelay()
    const refused = [
      saleEvent('cHNidP8=', [['n', 'regtest']]),
      saleEvent('no PSBT at all', [['n', 'regtest']]),
      saleEvent('A'.repeat(139_996), []),
      saleEvent(ask(market).psbt, [['n', 'mainnet']]),
      saleEvent(
        ask(market).psbt,
        Array.from({ length: 101 }, () => ['t', 'sell']),
      ),
      saleEvent('A'.repeat(140_001), []),
    ]
    for (const event of refused) await relay.publish(event)
    await relay.publish(eventOf(ask(market)))
    const intake = await follow(market, { NOSTR_RELAYS: relay.url })
    await intake.following()
    await ordersFrom(market, 'portable-nostr802', 1)
    const counted = ['invalid_psbt', 'psbt_too_large', 'imported']
    expect(await Promise.all(counted.map(intake.counted))).toEqual([2, 1, 1])
    // Their ids were not checked, so they are not remembered: each poll counts them again.
    expect(await intake.counted('wrong_network')).toBeGreaterThanOrEqual(1)
    expect(await intake.counted('invalid_event')).toBeGreaterThanOrEqual(2)
  })

  test('that the node does not prove leaves no trace, however many there are', async () => {
    const market = await openDevnetMarket()
    const relay = await openRelay()
    const seller = accountOf(`seller ${++sellers}`, 'p2tr')
    const other = accountOf('nobody', 'p2tr')
    const payout = { scriptHex: other.scriptHex, valueSats: '50000' }
    const coin = coinOf(market, seller, 10_000n)
    const nowhere = { ...coin, outpoint: { txid: toTxid('ab'.repeat(32)), vout: 0 } }
    const unproved = [
      seller.ask(nowhere, payout),
      other.ask(coin, payout),
      withoutSignature(seller.ask(coin, payout)),
    ]
    for (const psbt of unproved) {
      for (const tag of ['1', '2']) await relay.publish(saleEvent(psbt, [['s', tag]]))
    }
    await relay.publish(eventOf(ask(market)))
    const intake = await follow(market, { NOSTR_RELAYS: relay.url })
    await intake.following()
    await ordersFrom(market, 'portable-nostr802', 1)
    const outcomes = ['unknown_output', 'bad_signature', 'unsupported_order', 'imported']
    expect(await Promise.all(outcomes.map(intake.counted))).toEqual([2, 2, 2, 1])
    const { body } = await market.get('orders?source=portable-nostr802&limit=200')
    expect(body).toMatchObject({ total: 1 })
    expect((await market.get('orders?state=REJECTED')).body).toMatchObject({ total: 0 })
  })
})

describe('a trusted relay', () => {
  test('has all events of one key taken as fast as the service can, each with its evidence', async () => {
    const market = await openDevnetMarket()
    const relay = await openRelay()
    // Under one key another relay would have 50 of these taken, and then 2 a second.
    const COUNT = 150
    for (let n = 0; n < COUNT; n += 1) await relay.publish(eventOf(ask(market)))
    const begun = performance.now()
    const intake = await follow(market, { NOSTR_TRUSTED_RELAYS: relay.url })
    await intake.following()
    const orders = await ordersFrom(market, 'portable-nostr802', COUNT)
    expect(performance.now() - begun).toBeLessThan((1_000 * (COUNT - 50)) / 2)
    expect(await intake.counted('imported')).toBe(COUNT)
    for (const { id } of orders) await market.orderUntil(id, ({ state }) => state === 'LIVE')
    const { log } = market.stores
    let byCommand = 0
    for (let partition = 0; partition < log.partitions; partition += 1) {
      for await (const records of log.stored(TOPICS.lifecycle, partition, 0)) {
        for (const { value } of records) {
          const { toState, cause } = value as { toState?: string; cause?: { kind: string } }
          if (toState === 'LIVE' && cause?.kind === 'command') byCommand += 1
        }
      }
    }
    // One is asked about again if a block came meanwhile.
    expect(byCommand).toBeGreaterThan(COUNT / 2)
  })
})

describe('a relay that lies', () => {
  test('is paused; an honest one with the same events is accepted', async () => {
    const market = await openDevnetMarket()
    const honest = await openRelay()
    const events = Array.from({ length: 12 }, () => eventOf(ask(market)))
    // The valid ids, with other PSBTs.
    const forged = events.map((event) => ({ ...event, content: ask(market).psbt }))
    const frames = forged.map((event) => ['EVENT', 'live', event])
    const rogue = await openRogueRelay({ onMessage: answering(...frames, ['EOSE', 'live']) })
    cleanUp.push(rogue.close)
    const intake = await follow(market, { NOSTR_RELAYS: `${rogue.url},${honest.url}` })
    await waitUntil('the liar is known', async () => (await intake.paused('lies')) > 0)
    expect((await market.get('orders')).body).toMatchObject({ total: 0 })
    for (const event of events) await honest.publish(event)
    const orders = await ordersFrom(market, 'portable-nostr802', 12)
    expect(new Set(orders.map(({ sources }) => sources[0]?.eventId))).toEqual(
      new Set(events.map(({ id }) => id)),
    )
    expect(await intake.counted('invalid_event')).toBeGreaterThanOrEqual(10)
  })

  test('does not slow orders that come by the route', async () => {
    const market = await openDevnetMarket()
    const importing = async () => {
      const { psbt } = ask(market)
      const begun = performance.now()
      expect((await market.post('orders/import', { psbt })).status).toBe(201)
      return performance.now() - begun
    }
    // The median of some: other programs use the machine too.
    const typicalMs = async () => {
      const times: number[] = []
      for (let n = 0; n < 9; n += 1) times.push(await importing())
      return times.sort((x, y) => x - y)[4] ?? Number.NaN
    }
    const quietMs = await typicalMs()
    const event = JSON.stringify(['EVENT', 'live', eventOf(ask(market))])
    const rogue = await openRogueRelay({
      onConnection: (socket) => {
        const more = () => {
          if (socket.readyState !== socket.OPEN) return
          while (socket.bufferedAmount < 2 ** 20) socket.send(event)
          setTimeout(more, 1)
        }
        more()
      },
    })
    cleanUp.push(rogue.close)
    const intake = await follow(market, { NOSTR_RELAYS: rogue.url })
    await ordersFrom(market, 'portable-nostr802', 1)
    expect(await typicalMs()).toBeLessThan(4 * quietMs + 250)
    expect(await intake.counted('imported')).toBe(1)
  })
})

describe('the offers of ord', () => {
  async function openOffers(offers: () => readonly string[]): Promise<HttpServer> {
    const server = await openHttpServer(() => ({ body: JSON.stringify({ offers: offers() }) }))
    cleanUp.push(server.close)
    return server
  }

  function bid(market: Market): string {
    const seller = accountOf(`seller ${++sellers}`, 'p2tr')
    const buyer = accountOf('buyer', 'p2wpkh')
    return makeBid({
      wanted: coinOf(market, seller, 10_000n),
      seller,
      buyer,
      funding: coinOf(market, buyer, 200_000n),
      priceSats: 40_000n,
    })
  }

  test('become orders once each, whatever is between them [spec 2.1 Source]', async () => {
    const market = await openDevnetMarket()
    const { psbt: unsigned } = ask(market)
    const listed = [
      'no PSBT',
      bid(market),
      '',
      ask(market).psbt,
      withoutSignature(unsigned),
      'A'.repeat(140_001),
      'A'.repeat(100_000),
    ]
    const server = await openOffers(() => listed)
    const intake = await follow(market, { OFFERS_URL: server.url })
    const orders = await ordersFrom(market, 'asset-offers', 2)
    expect(orders.map(({ side }) => side).sort()).toEqual(['ASK', 'BID'])
    for (const { sources, inspection } of orders) {
      expect(sources).toMatchObject([{ source: 'asset-offers', sourceId: inspection.digest }])
      expect(sources[0]).not.toHaveProperty('signatureVerified')
    }
    listed.push(bid(market))
    await ordersFrom(market, 'asset-offers', 3)
    await intake.following()
    const counted = ['imported', 'invalid_psbt', 'psbt_too_large', 'unsupported_order', 'oversized']
    expect((await Promise.all(counted.map(intake.counted))).slice(0, 4)).toEqual([3, 2, 1, 1])
    expect((await market.get('orders')).body).toMatchObject({ total: 3 })
    for (const { id } of orders) await market.orderUntil(id, ({ state }) => state === 'LIVE')
  })

  test('of the index are asked for with its login', async () => {
    const market = await openDevnetMarket()
    const login = `Basic ${Buffer.from('maker:secret').toString('base64')}`
    const server = await openHttpServer(({ headers }) =>
      headers.authorization === login ? { body: '{"offers":[]}' } : { status: 401, body: '' },
    )
    cleanUp.push(server.close)
    const node = { BITCOIN_RPC_URL: 'http://127.0.0.1:1', BITCOIN_RPC_USER: 'u' }
    const index = { ASSET_INDEX_USER: 'maker', ASSET_INDEX_PASSWORD: 'secret' }
    const urls = { ASSET_INDEX_URL: server.url, OFFERS_URL: server.url }
    const variables = { ...node, BITCOIN_RPC_PASSWORD: 'p', ...index, ...urls }
    await (await follow(market, variables)).following()
  })

  test('are not imported again after a restart', async () => {
    const market = await openDevnetMarket()
    const listed = [bid(market), bid(market)]
    const server = await openOffers(() => listed)
    const before = await follow(market, { OFFERS_URL: server.url })
    await before.following()
    await before.close()
    const after = await follow(market, { OFFERS_URL: server.url })
    await after.following()
    expect([await after.counted('imported'), await after.counted('duplicate')]).toEqual([0, 2])
  })
})

test('the service follows the feeds of its configuration, and reports them in its metrics', async () => {
  const relay = await openRelay()
  const offers = await openHttpServer(() => ({ body: '{"offers":["no PSBT"]}' }))
  cleanUp.push(offers.close)
  const market = await openMarket({ NOSTR_RELAYS: relay.url, OFFERS_URL: offers.url })
  cleanUp.push(market.end)
  const event = eventOf(ask(market))
  await relay.publish(event)
  const [order] = await ordersFrom(market, 'portable-nostr802', 1)
  expect(order?.sources[0]?.eventId).toBe(event.id)
  const metrics = async () => (await fetch(`${market.metricsAddress}/metrics`)).text()
  const wanted = [
    'market_intake_items_total{feed="portable-nostr802",outcome="imported"} 1',
    'market_intake_items_total{feed="asset-offers",outcome="invalid_psbt"} 1',
    `market_intake_following{feed="portable-nostr802",host="${new URL(relay.url).host}"} 1`,
    `market_intake_following{feed="asset-offers",host="${new URL(offers.url).host}"} 1`,
  ]
  await waitUntil('the metrics tell it', async () => {
    const lines = (await metrics()).split('\n')
    return wanted.every((line) => lines.includes(line))
  })
})

test('without feeds nothing is opened and nothing is stored', async () => {
  const market = await openDevnetMarket()
  const intake = await follow(market, {})
  expect(intake.states().size).toBe(0)
  expect(existsSync(join(market.dataDir, 'intake'))).toBe(false)
})

describe('a real kind 802 event, on a relay', () => {
  test('is judged as by the route: REJECTED, with every reason; the one of kind 1002 is not requested', async () => {
    const { sale: wild, kind1002 } = wildEvents()
    const { txid, vout, scriptHex } = wild
    const coin = { txid, vout, valueBtc: '0.00004672', scriptHex }
    const world = await openMainnetWorld({ ...coin, inscriptionId: wild.inscriptionId })
    cleanUp.push(world.close)
    const market = await openMarket({
      BITCOIN_NETWORK: 'mainnet',
      PUBLIC_ORIGIN: 'https://market.example',
      BITCOIN_RPC_URL: world.rpcUrl,
      // The world holds what orders need of its chain, and no blocks.
      ...ORDERS_ONLY,
      BITCOIN_RPC_USER: 'user',
      BITCOIN_RPC_PASSWORD: 'password',
      ASSET_INDEX_URL: world.indexUrl,
    })
    cleanUp.push(market.end)
    const relay = await openRelay()
    for (const event of [wild.event, kind1002]) await relay.publish(event)
    const intake = await follow(market, { NOSTR_RELAYS: relay.url })
    await intake.following()
    const [judged] = await ordersFrom(market, 'portable-nostr802', 1, '&state=REJECTED')
    expect(judged?.validation.reasons).toEqual([
      'sighash_byte_missing_recoverable',
      'utxo_without_vout',
      'price_claim_differs',
    ])
    expect(judged?.sources).toMatchObject([
      { eventId: wild.event.id, eventPubkey: wild.event.pubkey, signatureVerified: true },
    ])
    expect(await intake.counted('imported')).toBe(1)
    expect((await market.get('orders?state=REJECTED')).body).toMatchObject({ total: 1 })
  })
})

/** An unsigned PSBT. */
function withoutSignature(psbt: string): string {
  const parsed = Psbt.fromBase64(psbt)
  for (const input of parsed.data.inputs) {
    delete input.finalScriptWitness
    delete input.tapKeySig
    delete input.partialSig
  }
  return parsed.toBase64()
}
