import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { InspectionProblem, InspectResult } from '../../src/schemas/api/inspection.ts'
import type { OrderPage, OrderSummary } from '../../src/schemas/order.ts'
import { type MainnetWorld, openMainnetWorld } from '../support/market/mainnet-world.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { saleEvent } from '../support/orders/sale-event.ts'
import { wildEvents } from '../support/vectors.ts'

// A seller whose real event is refused learns in one request what to do, does it, and is LIVE.

const { sale, kind1002 } = wildEvents()
const { txid, vout, valueSats } = sale
const outpoint = `${txid}:${vout}`

let world: MainnetWorld
let market: Market
beforeAll(async () => {
  const { scriptHex, inscriptionId } = sale
  world = await openMainnetWorld({ txid, vout, valueBtc: '0.00004672', scriptHex, inscriptionId })
  market = await openMarket({
    BITCOIN_NETWORK: 'mainnet',
    PUBLIC_ORIGIN: 'https://market.example',
    BITCOIN_RPC_URL: world.rpcUrl,
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

async function inspect(body: object): Promise<InspectResult> {
  const answer = await market.post('orders/inspect', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}
const codes = (problems: readonly InspectionProblem[]) => problems.map(({ code }) => code)
const problem = ({ problems }: InspectResult, code: string) =>
  problems.find((one) => one.code === code)

/** The real event with the fourth problem that others have: it names another network. */
const elsewhere = saleEvent(sale.psbt, [
  ['n', 'signet'],
  ...sale.event.tags.filter(([name]) => name !== 'n'),
])

describe('the real kind 802 event', () => {
  test('its four problems are reported at once, with places, remedies and the repaired bytes', async () => {
    const event = elsewhere
    const found = await inspect({ event })
    expect(codes(found.problems)).toEqual([
      'wrong_network',
      'sighash_byte_missing_recoverable',
      'utxo_without_vout',
      'price_claim_differs',
    ])
    expect(found).toMatchObject({
      kind: 'EVENT',
      form: 'BASE64',
      refusedAs: 'WRONG_NETWORK',
      order: { exists: false, state: null },
      verdict: { state: 'REJECTED' },
    })
    const at = (name: string) => event.tags.findIndex((tag) => tag[0] === name)
    expect(problem(found, 'wrong_network')?.place).toEqual({ pointer: `/event/tags/${at('n')}/1` })
    expect(problem(found, 'sighash_byte_missing_recoverable')?.place).toEqual({
      pointer: '/event/content',
      input: 0,
    })
    expect(problem(found, 'utxo_without_vout')).toMatchObject({
      place: { pointer: `/event/tags/${at('u')}/1` },
      details: { offered: outpoint },
    })
    expect(problem(found, 'price_claim_differs')).toMatchObject({
      place: { pointer: `/event/tags/${at('s')}/1` },
      details: {
        claimedSats: sale.claimedPriceSats,
        signedSats: valueSats,
        factor: '100000000',
        explained: 'an amount in sats was read as BTC',
      },
    })
    expect(found.repaired).toMatchObject({
      orderId: found.order?.id,
      mends: ['sighash_byte_missing_recoverable'],
      verdict: { state: 'LIVE' },
    })
    expect(found.flow).toEqual({
      side: 'ASK',
      valueFrom: 'NODE',
      sellerInputSats: valueSats,
      postageSats: valueSats,
      payoutSats: valueSats,
      grossPriceSats: valueSats,
      netPriceSats: '0',
      marketplaceFeeSats: '0',
      creatorRoyaltySats: '0',
      networkFeePaidBy: 'BUYER',
    })
    for (const { remedy } of found.problems) expect(remedy.length).toBeGreaterThan(20)
  })

  test('the seller follows the remedies, and is LIVE; until then nothing is stored', async () => {
    const refused = await market.post('orders/portable-event', elsewhere)
    expect([refused.status, refused.body]).toMatchObject([400, { code: 'WRONG_NETWORK' }])
    const found = await inspect({ event: elsewhere })
    const listed = await market.get('orders?includeWithdrawn=true')
    expect((listed.body as OrderPage).total).toBe(0)
    expect((await market.get(`orders/${found.order?.id}`)).status).toBe(404)

    const imported = await market.post('orders/import', { psbt: found.repaired?.psbt })
    const order: OrderSummary = imported.body
    expect(order).toMatchObject({ id: found.order?.id, state: 'LIVE' })
    expect(order.inspection.digest).toBe(found.repaired?.digest)
    const again = await inspect({ event: sale.event })
    expect(again.order).toEqual({ id: order.id, exists: true, state: 'LIVE' })
    expect(again.refusedAs).toBeNull()
    expect(codes(again.problems)).toEqual([
      'sighash_byte_missing_recoverable',
      'utxo_without_vout',
      'price_claim_differs',
    ])
  })

  test('the verdict is the one that an import gets', async () => {
    const found = await inspect({ psbt: sale.psbt, claimedPriceSats: sale.claimedPriceSats })
    expect(found.verdict?.validation.reasons).toEqual([
      'sighash_byte_missing_recoverable',
      'price_claim_differs',
    ])
    expect(found.verdict?.validation.nodeTip).toBeDefined()
  })
})

test('an event of another kind is read to its end', async () => {
  const found = await inspect({ event: kind1002 })
  expect(found).toMatchObject({ refusedAs: 'INVALID_EVENT' })
  expect(codes(found.problems)).toContain('event_kind')
})
