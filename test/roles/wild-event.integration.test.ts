import { Psbt } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderSummary } from '../../src/schemas/order.ts'
import { type MainnetWorld, openMainnetWorld } from '../support/market/mainnet-world.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { wildEvents } from '../support/vectors.ts'

describe('a real kind 802 event on mainnet settings', () => {
  const { sale: order, kind1002 } = wildEvents()
  let world: MainnetWorld
  let market: Market

  beforeAll(async () => {
    const { txid, vout, scriptHex } = order
    world = await openMainnetWorld({
      txid,
      vout,
      valueBtc: '0.00004672',
      scriptHex,
      inscriptionId: order.inscriptionId,
    })
    market = await openMarket({
      BITCOIN_NETWORK: 'mainnet',
      PUBLIC_ORIGIN: 'https://market.example',
      BITCOIN_RPC_URL: world.rpcUrl,
      // The world holds what orders need of its chain, and no blocks.
      ...ORDERS_ONLY,
      BITCOIN_RPC_USER: 'user',
      BITCOIN_RPC_PASSWORD: 'password',
      ASSET_INDEX_URL: world.indexUrl,
    })
  })
  afterAll(async () => {
    await market.end()
    await world.close()
  })

  test('its sighash byte is missing, its price and its utxo are wrong: REJECTED', async () => {
    const { status, body } = await market.post('orders/portable-event', order.event)
    expect(status, JSON.stringify(body)).toBe(201)
    const judged: OrderSummary = body
    expect(judged).toMatchObject({
      state: 'REJECTED',
      actionability: 'BLOCKED',
      network: 'mainnet',
    })
    expect(judged.validation.reasons).toEqual([
      'sighash_byte_missing_recoverable',
      'utxo_without_vout',
      'price_claim_differs',
    ])
    expect(judged.sources).toMatchObject([
      {
        source: 'portable-nostr802',
        eventId: order.event.id,
        eventPubkey: order.event.pubkey,
        signatureVerified: true,
        claimedPriceSats: order.claimedPriceSats,
      },
    ])
    // Its `u` is a bare txid: an index of the output would be ours, not the event's.
    expect(judged.sources[0]).not.toHaveProperty('claimedAsset')
    expect(judged.quotedPriceSats).toBe(order.valueSats)
  })

  test('with the missing byte added it is the same order, and LIVE', async () => {
    const { body } = await market.post('orders/portable-event', order.event)
    const { id }: OrderSummary = body
    const mended = await market.post('orders/import', { psbt: withSighashByte(order.psbt) })
    expect(mended.status, JSON.stringify(mended.body)).toBe(201)
    expect(mended.body).toMatchObject({ id, state: 'LIVE', actionability: 'HANDOFF_READY' })
  })

  test('the event of kind 1002 is refused', async () => {
    const { status, body } = await market.post('orders/portable-event', kind1002)
    expect([status, body]).toMatchObject([400, { code: 'INVALID_EVENT' }])
  })
})

test('without a node on mainnet the service runs and says what is missing', async () => {
  const market = await openMarket({
    BITCOIN_NETWORK: 'mainnet',
    PUBLIC_ORIGIN: 'https://market.example',
  })
  const { body } = await market.get('health')
  expect(body).toMatchObject({
    status: 'degraded',
    coreConfigured: false,
    configurationComplete: false,
  })
  await market.end()
})

/** The same authorisation with 0x83 after its 64-byte signature, finalised as it was. */
function withSighashByte(psbt: string): string {
  const parsed = Psbt.fromBase64(psbt)
  const input = parsed.data.inputs[0]
  const witness = input?.finalScriptWitness
  if (!input || witness?.length !== 66) throw new Error('one signature of 64 bytes was expected')
  input.finalScriptWitness = Uint8Array.from([0x01, 0x41, ...witness.subarray(2), 0x83])
  return parsed.toBase64()
}
