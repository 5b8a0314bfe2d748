import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { completeAsk } from '../../src/devnet/people/trade.ts'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { addressOfScript } from '../../src/domain/script/address.ts'
import type { OwnershipChallenge } from '../../src/schemas/api/ownership.ts'
import type { ActivityPage, OrderPage, OrderSummary } from '../../src/schemas/order.ts'
import { type ScriptKind, walletOf } from '../support/chain/keys.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import { moderate } from '../support/market/moderate.ts'
import { type ProofOptions, proveOwnership } from '../support/orders/ownership-proof.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'

const TOKEN = '0defaced'.repeat(8)
const VARIABLES = {
  RATE_LIMIT_WITHDRAW: '100000',
  OPERATOR_TOKENS: `mia:${createHash('sha256').update(TOKEN).digest('hex')}`,
}

let market: Market
beforeAll(async () => {
  market = await openMarket(VARIABLES)
})
afterAll(() => market.end())

const devnet = () => {
  const { devnet: open } = market.authorities
  if (!open) throw new Error('this test needs the devnet')
  return open
}

const addressOf = (kind: ScriptKind, seed: string): string =>
  addressOfScript(walletOf(kind, seed).scriptHex, 'regtest') ?? ''

/** An ask of a new coin of the seed's wallet, LIVE in the book. */
async function listed(script: ScriptKind, seed: string) {
  const outpoint = devnet().fund(addressOf(script, seed), 10_000n)
  const { psbt } = makeAsk({ script, seed, prevout: { ...outpoint, valueSats: '10000' } })
  const { status, body } = await market.post('orders/import', { psbt })
  const order: OrderSummary = body
  expect([status, order.state]).toEqual([201, 'LIVE'])
  return { psbt, order }
}

async function proofFor(id: string, kind: ScriptKind, seed: string, options?: ProofOptions) {
  const { body } = await market.get(`orders/${id}/ownership-challenge`)
  const { address, message }: OwnershipChallenge = body
  return { address, signature: proveOwnership(walletOf(kind, seed), message, options).text }
}

async function withdraw(id: string, kind: ScriptKind, seed: string): Promise<OrderSummary> {
  const body = await proofFor(id, kind, seed)
  const answer = await market.post(`orders/${id}/withdraw`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

const buy = (psbt: string): string => {
  const buyer = accountOf('buyer', 'p2wpkh')
  const coin = (sats: bigint) => ({
    outpoint: devnet().fund(buyer.address, sats),
    scriptHex: buyer.scriptHex,
    valueSats: sats.toString(),
  })
  return completeAsk({
    ask: psbt,
    buyer,
    paddings: [coin(600n), coin(600n)],
    funding: coin(1_000_000n),
    receiveScriptHex: accountOf('buyer', 'p2tr').scriptHex,
  })
}

const transitionsOf = async (id: string) => {
  const { entries } = (await market.get(`activity?orderId=${id}`)).body as ActivityPage
  return entries.map(({ toState, actor, reason }) => [toState, actor, reason])
}

describe('a seller withdraws by proof of ownership', () => {
  const KINDS = ['p2tr', 'p2wpkh', 'p2sh-p2wpkh', 'p2wsh-multisig'] as const

  test.each(KINDS.flatMap((kind) => [[kind, 'simple'] as const, [kind, 'full'] as const]))(
    'of a %s output, %s [spec 3 row 2] [spec 4.2 Withdraw] [spec 5 rule 1] [spec 5 rule 4]',
    async (kind, format) => {
      const seed = `${kind} ${format}`
      const { order } = await listed(kind, seed)
      const proof = await proofFor(order.id, kind, seed, { format })
      const signature = `${format === 'full' ? 'ful' : 'smp'}${proof.signature}`
      const asked = { ...proof, signature, reason: 'changed my mind' }
      const { status, body } = await market.post(`orders/${order.id}/withdraw`, asked)
      expect(status).toBe(201)
      expect(body).toMatchObject({
        id: order.id,
        state: 'WITHDRAWN',
        actionability: 'BLOCKED',
        withdrawal: { reason: 'changed my mind' },
      })
    },
  )

  test('no one else can [spec 4.2 Withdraw] [spec 5 rule 1]', async () => {
    const { order } = await listed('p2tr', 'ada')
    const own = await proofFor(order.id, 'p2tr', 'ada')
    const stranger = await proofFor(order.id, 'p2tr', 'eve')
    for (const body of [stranger, { ...own, address: addressOf('p2tr', 'eve') }]) {
      const { status, body: refused } = await market.post(`orders/${order.id}/withdraw`, body)
      expect(status).toBe(400)
      expect(refused).toMatchObject({ code: 'INVALID_PROOF' })
    }
    expect((await market.order(order.id)).state).toBe('LIVE')
  })
})

test('a withdrawn order is hidden from the list, releases nothing, and is withdrawn once [spec 1 rule 5] [spec 4.1 includeWithdrawn]', async () => {
  const { order, psbt } = await listed('p2wpkh', 'bea')
  const withdrawn = await withdraw(order.id, 'p2wpkh', 'bea')
  const listing = async (query: string) => {
    const { orders } = (await market.get(`orders?limit=200${query}`)).body as OrderPage
    return orders.some(({ id }) => id === order.id)
  }
  expect(await listing('')).toBe(false)
  expect(await listing('&includeWithdrawn=true')).toBe(true)
  const artifact = await market.get(`orders/${order.id}/artifact`)
  expect([artifact.status, artifact.body]).toMatchObject([400, { code: 'ORDER_NOT_LIVE' }])

  // Again by the seller, and by an import of the same authorisation: the same answer, nothing
  // logged.
  expect(await withdraw(order.id, 'p2wpkh', 'bea')).toEqual(withdrawn)
  // No signature covers the reason: the first one stays, whoever repeats the proof.
  const replayed = { ...(await proofFor(order.id, 'p2wpkh', 'bea')), reason: 'it was stolen' }
  const { body: same } = await market.post(`orders/${order.id}/withdraw`, replayed)
  expect(same).toEqual(withdrawn)
  const again = await market.post('orders/import', { psbt })
  expect([again.status, again.body]).toMatchObject([201, { id: order.id, state: 'WITHDRAWN' }])
  await vi.waitFor(
    async () =>
      expect(await transitionsOf(order.id)).toEqual([
        ['WITHDRAWN', 'seller', 'withdrawn_by_seller'],
        ['LIVE', 'reconciler', expect.any(String)],
        ['PENDING_NODE', 'import:direct-import', expect.any(String)],
      ]),
    { timeout: 10_000, interval: 200 },
  )
})

test('a spend of a withdrawn output is still recorded, and changes no state [spec 1 rule 5]', async () => {
  const { order, psbt } = await listed('p2tr', 'cleo')
  await withdraw(order.id, 'p2tr', 'cleo')
  const txid = devnet().submit(buy(psbt))
  const seen = await market.orderUntil(order.id, ({ settlement }) => settlement !== undefined)
  expect(seen).toMatchObject({ state: 'WITHDRAWN', settlement: { txid, confirmations: 0 } })
  devnet().mine(1)
  const mined = await market.orderUntil(
    order.id,
    ({ settlement }) => settlement?.confirmations === 1,
  )
  expect(mined).toMatchObject({ state: 'WITHDRAWN', settlement: { txid } })
})

test('a settled order cannot be withdrawn by anyone', async () => {
  const { order, psbt } = await listed('p2wpkh', 'dora')
  devnet().submit(buy(psbt))
  devnet().mine(1)
  await market.orderUntil(order.id, ({ state }) => state === 'SETTLED')
  const body = await proofFor(order.id, 'p2wpkh', 'dora')
  for (const answer of [
    await market.post(`orders/${order.id}/withdraw`, body),
    await moderate(market, order.id, {}, TOKEN),
  ]) {
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'ORDER_NOT_WITHDRAWABLE' }])
  }
})

test('an operator withdraws without a request of the seller; the log does not say which operator [spec 3 row 2] [spec 4.2 Admin withdraw]', async () => {
  const { order } = await listed('p2tr', 'eli')
  expect((await moderate(market, order.id, {}, 'x'.repeat(45))).status).toBe(401)
  const { status, body } = await moderate(market, order.id, { reason: 'stolen' }, TOKEN)
  expect([status, body]).toMatchObject([
    201,
    { state: 'WITHDRAWN', withdrawal: { reason: 'stolen' } },
  ])
  await vi.waitFor(
    async () =>
      expect((await transitionsOf(order.id))[0]).toEqual([
        'WITHDRAWN',
        'operator',
        'withdrawn_by_operator',
      ]),
    { timeout: 10_000, interval: 200 },
  )
})

test('a withdrawal survives a restart', async () => {
  const { order, psbt } = await listed('p2tr', 'finn')
  const { withdrawal } = await withdraw(order.id, 'p2tr', 'finn')
  const { dataDir } = market
  await market.stop()
  market = await openMarket(VARIABLES, { dataDir })
  expect(await market.order(order.id)).toMatchObject({ state: 'WITHDRAWN', withdrawal })
  const again = await market.post('orders/import', { psbt })
  expect([again.status, again.body]).toMatchObject([201, { state: 'WITHDRAWN' }])
})
