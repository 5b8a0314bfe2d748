import { afterAll, beforeAll, expect, test } from 'vitest'
import { TOPICS } from '../../src/schemas/log.ts'
import type { AssetClaim, OrderSummary } from '../../src/schemas/order.ts'
import { walletOf } from '../support/chain/keys.ts'
import {
  built,
  inscribedFor,
  listingOf,
  published,
  signedByBitcoinjs,
} from '../support/market/listing.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'

// What is sent again, and brings nothing new, is answered and not written (docs/abuse.md#storage).

let market: Market
let psbt: string
let asset: AssetClaim
const owner = walletOf('p2wpkh', 'repeater')
beforeAll(async () => {
  market = await openMarket(ORDERS_ONLY)
  asset = inscribedFor(market, owner)
  psbt = signedByBitcoinjs((await built(market, listingOf(asset, owner))).psbt, owner)
})
afterAll(() => market.end())

async function commands(): Promise<number> {
  const { log } = market.stores
  const partitions = Array.from({ length: log.partitions }, (_, partition) => partition)
  const counts = await Promise.all(
    partitions.map(async (partition) => {
      let count = 0
      for await (const batch of log.stored(TOPICS.inbox, partition, 0))
        count += batch.filter(({ value }) => (value as { kind?: string }).kind === 'command').length
      return count
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

const imported = async (body: object): Promise<OrderSummary> => {
  const answer = await market.post('orders/import', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

test('an order that is imported or published again as it is leaves nothing in the log', async () => {
  const order = await published(market, psbt)
  await imported({ psbt })
  const before = await commands()
  expect(before).toBe(2)
  for (let n = 0; n < 5; n += 1) {
    expect(await imported({ psbt })).toMatchObject({ id: order.id, state: 'LIVE' })
    expect(await published(market, psbt)).toMatchObject({ id: order.id, state: 'LIVE' })
  }
  expect(await commands()).toBe(before)
})

test('what it brings is written once: a source, a claim of its source', async () => {
  const before = await commands()
  const claims = [
    { sourceId: 'another' },
    { sourceId: 'another', claimedPriceSats: '49000' },
    { source: 'asset-offers', sourceId: 'another' },
  ]
  for (const claim of [...claims, ...claims]) {
    const { sources } = await imported({ psbt, ...claim })
    expect(sources).toContainEqual(expect.objectContaining(claim))
  }
  expect(await commands()).toBe(before + claims.length)
})
