import { Transaction } from '@scure/btc-signer'
import { Psbt } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OwnershipChallenge } from '../../src/schemas/api/ownership.ts'
import type { AssetClaim, OrderSummary } from '../../src/schemas/order.ts'
import { walletOf } from '../support/chain/keys.ts'
import {
  addressOf,
  built,
  inscribedFor,
  listingOf,
  published,
  refused,
  signedByBitcoinjs,
} from '../support/market/listing.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { proveOwnership } from '../support/orders/ownership-proof.ts'

let market: Market
const owner = walletOf('p2wpkh', 'relister')
beforeAll(async () => {
  market = await openMarket({ ...ORDERS_ONLY, RATE_LIMIT_WITHDRAW: '1000' })
})
afterAll(() => market.end())

type Changes = Parameters<typeof listingOf>[2]
const build = async (asset: AssetClaim, changes: Changes = {}): Promise<string> =>
  (await built(market, listingOf(asset, owner, changes))).psbt
const sign = (psbt: string): string => signedByBitcoinjs(psbt, owner)
const sequenceOf = (psbt: string) => Psbt.fromBase64(psbt).txInputs[0]?.sequence
const list = async (asset: AssetClaim, changes: Changes = {}) =>
  published(market, sign(await build(asset, changes)))
const imported = async (body: object): Promise<OrderSummary> =>
  (await market.post('orders/import', body)).body

async function withdraw({ id }: OrderSummary): Promise<void> {
  const challenge: OwnershipChallenge = (await market.get(`orders/${id}/ownership-challenge`)).body
  const { text: signature } = proveOwnership(owner, challenge.message)
  const answer = await market.post(`orders/${id}/withdraw`, {
    address: addressOf(owner),
    signature,
  })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
}

describe('a withdrawn listing', () => {
  test('stays withdrawn: its authorisation is no longer published, in any wrapper', async () => {
    const asset = inscribedFor(market, owner)
    const unsigned = await build(asset)
    const order = await published(market, sign(unsigned))
    await withdraw(order)
    const partial = signedByBitcoinjs(unsigned, owner, { finalised: false })
    for (const psbt of [sign(unsigned), partial]) {
      expect(await refused(market, 'publish', { psbt })).toMatchObject({
        statusCode: 400,
        code: 'ORDER_WITHDRAWN',
        message:
          'this authorisation was withdrawn for good: build it again, at whatever price, and sign that',
      })
    }
    expect(await market.order(order.id)).toMatchObject({ state: 'WITHDRAWN', sources: [{}] })
    expect(await imported({ psbt: sign(unsigned) })).toMatchObject({
      id: order.id,
      state: 'WITHDRAWN',
    })
  })

  test('is listed again at the same price, as often as its seller likes, each time as a new order', async () => {
    const asset = inscribedFor(market, owner)
    const orders: OrderSummary[] = []
    for (const sequence of [0xfffffffd, 0xfffffffc, 0xfffffffb]) {
      const psbt = await build(asset)
      expect(sequenceOf(psbt)).toBe(sequence)
      const order = await published(market, sign(psbt))
      expect(order).toMatchObject({ state: 'LIVE', quotedPriceSats: '50000', token: 'PUNK' })
      orders.push(order)
      await withdraw(order)
    }
    expect(new Set(orders.map(({ id }) => id)).size).toBe(3)
    for (const { id } of orders) expect((await market.order(id)).state).toBe('WITHDRAWN')
  })

  test('is listed at another price as a new order of the first sequence', async () => {
    const asset = inscribedFor(market, owner)
    const order = await list(asset)
    await withdraw(order)
    const psbt = await build(asset, { quotedPriceSats: '60000' })
    expect(sequenceOf(psbt)).toBe(0xfffffffd)
    const again = await published(market, sign(psbt))
    expect(again).toMatchObject({ state: 'LIVE', quotedPriceSats: '60000' })
    expect(again.id).not.toBe(order.id)
  })
})

describe('an output that is listed 200 times', () => {
  test('accepts each listing, publish after publish and withdrawn in between; the last ones stay', async () => {
    const asset = inscribedFor(market, owner)
    const orders: OrderSummary[] = []
    for (let n = 0; n < 120; n += 1) {
      orders.push(await list(asset, { quotedPriceSats: String(50_000 + n) }))
    }
    for (let n = 0; n < 80; n += 1) {
      for (const last of orders.slice(-1)) await withdraw(last)
      orders.push(await list(asset, { quotedPriceSats: '40000' }))
    }
    expect(new Set(orders.map(({ id }) => id)).size).toBe(200)
    expect(new Set(orders.map(({ state }) => state))).toEqual(new Set(['LIVE']))
    const now = await Promise.all(orders.map(({ id }) => market.order(id)))
    const live = now.filter(({ state }) => state === 'LIVE')
    expect(live.length).toBeLessThanOrEqual(64)
    expect(live.map(({ id }) => id)).toContain(orders.at(-1)?.id)
    // The cheapest of the first series stay; a dearer one says why it was closed.
    expect(now[0]?.state).toBe('LIVE')
    expect(now[100]).toMatchObject({
      state: 'WITHDRAWN',
      quotedPriceSats: '50100',
      withdrawal: { reason: 'room was made for a newer order of the output' },
    })
  }, 600_000)
})

describe('a listing that is LIVE', () => {
  test('is the same order when it is built and published again', async () => {
    const asset = inscribedFor(market, owner)
    const psbt = await build(asset)
    expect(await build(asset)).toBe(psbt)
    const first = await published(market, sign(psbt))
    expect(await build(asset)).toBe(psbt)
    const again = await published(market, sign(psbt))
    expect(again).toMatchObject({ id: first.id, state: 'LIVE', sources: [{}] })
  })

  test('gets a second price as a second order beside it', async () => {
    const asset = inscribedFor(market, owner)
    const dear = await list(asset, { quotedPriceSats: '90000' })
    const cheap = await list(asset, { quotedPriceSats: '40000' })
    expect(cheap.id).not.toBe(dear.id)
    for (const { id } of [dear, cheap]) expect((await market.order(id)).state).toBe('LIVE')
  })
})

describe('the terms of the build', () => {
  test('belong to the signed build: another build is another authorisation', async () => {
    const asset = inscribedFor(market, owner)
    const mine = await build(asset, { token: 'MINE' })
    const theirs = await build(asset, { token: 'THEIRS', protocolId: 'bitmap' })
    expect([sequenceOf(mine), sequenceOf(theirs)]).toEqual([0xfffffffd, 0xfffffffc])
    expect(await published(market, sign(mine))).toMatchObject({
      state: 'LIVE',
      protocolId: 'inscriptions',
      token: 'MINE',
    })
    expect(await published(market, sign(theirs))).toMatchObject({
      protocolId: 'bitmap',
      token: 'THEIRS',
    })
  })

  test('are unique to each of several simultaneous builds', async () => {
    const asset = inscribedFor(market, owner)
    const tokens = ['A', 'B', 'C', 'D']
    const psbts = await Promise.all(tokens.map((token) => build(asset, { token })))
    expect(new Set(psbts.map(sequenceOf)).size).toBe(4)
    for (const [at, psbt] of psbts.entries()) {
      expect((await published(market, sign(psbt))).token).toBe(tokens[at])
    }
  })

  test('outrank an earlier import, and are not outranked by a later one', async () => {
    const asset = inscribedFor(market, owner)
    const psbt = sign(await build(asset))
    const early = { psbt, protocolId: 'bitmap', token: 'NOT THIS', sourceId: 'early' }
    expect(await imported(early)).toMatchObject({ state: 'LIVE', protocolId: 'bitmap' })
    const order = await published(market, psbt)
    expect(order).toMatchObject({ state: 'LIVE', protocolId: 'inscriptions', token: 'PUNK' })
    expect(await imported({ ...early, sourceId: 'late' })).toMatchObject({
      id: order.id,
      protocolId: 'inscriptions',
      token: 'PUNK',
    })
  })

  test('are not changed by a stranger who builds an existing authorisation', async () => {
    const asset = inscribedFor(market, owner)
    const order = await list(asset)
    const artifact: { psbt: string } = (await market.get(`orders/${order.id}/artifact`)).body
    const theirs = await build(asset, { token: 'STOLEN' })
    expect(sequenceOf(theirs)).not.toBe(sequenceOf(artifact.psbt))
    expect(await published(market, artifact.psbt)).toMatchObject({ id: order.id, token: 'PUNK' })
  })

  test('survive a wallet that keeps only the transaction, or another version', async () => {
    for (const version of [0, 2] as const) {
      const asset = inscribedFor(market, owner)
      const signed = Transaction.fromPSBT(Buffer.from(sign(await build(asset)), 'base64'), {
        allowUnknown: true,
      })
      const { finalScriptWitness } = signed.getInput(0)
      const bare = new Transaction({ version: 2, PSBTVersion: version })
      const { txid, index, sequence } = signed.getInput(0)
      if (!txid || index === undefined || sequence === undefined || !finalScriptWitness) throw asset
      bare.addInput({ txid, index, sequence, finalScriptWitness }, true)
      bare.addOutput(signed.getOutput(0) as { script: Uint8Array; amount: bigint }, true)
      const psbt = Buffer.from(bare.toPSBT(version)).toString('hex')
      expect(await published(market, psbt)).toMatchObject({ state: 'LIVE', token: 'PUNK' })
    }
  })

  test('survive the process', async () => {
    const first = await openMarket(ORDERS_ONLY)
    const asset = inscribedFor(first, owner)
    const { psbt } = await built(first, listingOf(asset, owner, { token: 'été 𝔘' }))
    await first.stop()
    const second = await openMarket(ORDERS_ONLY, { dataDir: first.dataDir })
    expect(await published(second, sign(psbt))).toMatchObject({
      state: 'LIVE',
      protocolId: 'inscriptions',
      token: 'été 𝔘',
    })
    await second.end()
  })
})

test('a PSBT that was never built here is published by the same rules, without a market', async () => {
  const asset = inscribedFor(market, owner)
  const own = Psbt.fromBase64(await build(asset))
  const external = new Psbt().setVersion(2)
  const [input] = own.data.inputs
  external.addInput({
    hash: asset.outpoint.txid,
    index: asset.outpoint.vout,
    sequence: 0xffffffff,
    sighashType: 0x83,
    ...(input?.witnessUtxo && { witnessUtxo: input.witnessUtxo }),
  })
  for (const { script, value } of own.txOutputs) external.addOutput({ script, value })
  const order = await published(market, sign(external.toBase64()))
  expect(order).toMatchObject({
    state: 'LIVE',
    actionability: 'HANDOFF_READY',
    assets: [asset],
    quotedPriceSats: '50000',
    sources: [{ source: 'direct-import' }],
  })
  expect(order).not.toHaveProperty('protocolId')
  expect(order).not.toHaveProperty('token')
})
