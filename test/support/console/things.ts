import { expect } from 'vitest'
import { makeBid } from '../../../src/devnet/people/trade.ts'
import { accountOf } from '../../../src/devnet/people/wallet.ts'
import { type Played, playedOutput } from '../../../src/devnet/protocol-play.ts'
import type { ImportRequest } from '../../../src/schemas/api/api.ts'
import type { PairingObject } from '../../../src/schemas/api/pairing.ts'
import type { OrderSummary } from '../../../src/schemas/order.ts'
import type { OutpointText, Txid } from '../../../src/schemas/scalars.ts'
import { coinOf, type Listing, listInscription } from '../market/trader.ts'
import { type ConsoleSite, WAITS } from './console-site.ts'

/** One of each kind that has a page, or that is found by its name. */
export interface Things {
  live: Listing
  bid: OrderSummary
  sold: OrderSummary
  object: Pick<PairingObject, 'objectKey'>
  /** Created the object. */
  pairing: Txid
  circle: Txid
  /** An output of the circle, and what it continues. */
  shard: OutpointText
  lineage: string
}

/** Each takes a block of the devnet. */
export async function makeThings(site: ConsoleSite): Promise<Things> {
  const { txid: pairing } = (await site.play('objects', {
    move: 'create',
    label: 'Looked.at',
  })) as Played
  const circle = (await site.play('circles', { move: 'circle', members: 2 })) as Played
  const shard = playedOutput(circle)
  return {
    pairing,
    circle: circle.txid,
    shard,
    lineage: await lineageOf(site, shard),
    live: await listInscription(site.market),
    bid: await bidOn(site),
    sold: await soldOn(site),
    object: await objectOf(site, pairing),
  }
}

async function objectOf({ market }: ConsoleSite, txid: Txid): Promise<Things['object']> {
  const read = async () => {
    const { items }: { items: PairingObject[] } = (await market.get('/pairing/objects')).body
    return items.find(({ createdTxid }) => createdTxid === txid)
  }
  await expect.poll(read, WAITS).toBeDefined()
  return (await read()) ?? { objectKey: '' }
}

async function lineageOf({ market }: ConsoleSite, shard: OutpointText): Promise<string> {
  const read = async () => {
    const { lineageId = '' }: { lineageId?: string } = (
      await market.get(`/circles/shards/${shard}`)
    ).body
    return lineageId
  }
  await expect.poll(read, WAITS).toMatch(/^[0-9a-f]{64}$/)
  return read()
}

/** A live bid; `priceSats` without its postage of 10,000. */
export async function bidOn(
  { market }: ConsoleSite,
  { priceSats = 75_000n, token = 'BID' } = {},
): Promise<OrderSummary> {
  const owner = accountOf('console owner', 'p2wpkh')
  const buyer = accountOf('console buyer', 'p2wpkh')
  const psbt = makeBid({
    wanted: coinOf(market, owner, 10_000n),
    seller: owner,
    buyer,
    funding: coinOf(market, buyer, 200_000n),
    priceSats,
  })
  const order: OrderSummary = (
    await market.post('orders/import', { psbt, protocolId: 'runes', token })
  ).body
  expect(order).toMatchObject({ state: 'LIVE', side: 'BID' })
  return order
}

/** An order that a block has settled. */
async function soldOn(site: ConsoleSite): Promise<OrderSummary> {
  const offer = (await site.play('offer', { text: 'sold', priceSats: '55000' })) as ImportRequest
  const { id }: OrderSummary = (await site.market.post('orders/import', offer)).body
  await site.play('buy', { psbt: offer.psbt, priceSats: '55000' })
  await site.play('mine', { blocks: 1 })
  const read = async (): Promise<OrderSummary> => (await site.market.get(`orders/${id}`)).body
  await expect.poll(async () => (await read()).state, WAITS).toBe('SETTLED')
  return read()
}
