import { Psbt, Transaction } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderSummary } from '../../src/schemas/order.ts'
import type { OrderState, TxOut } from '../../src/schemas/scalars.ts'
import { inscribe } from '../support/chain/inscriptions.ts'
import { SCRIPTS, type ScriptKind, type Wallet, walletOf } from '../support/chain/keys.ts'
import { spend } from '../support/chain/spend.ts'
import { coinOf, txOut } from '../support/chain/wallet.ts'
import { acceptBid } from '../support/market/seller.ts'
import {
  type BidOptions,
  type MadeBid,
  makeBid,
  outpointOf,
} from '../support/orders/psbt-orders.ts'
import { openServiceBook, type ServiceBook } from '../support/services/service-book.ts'

let book: ServiceBook
beforeAll(async () => {
  book = await openServiceBook({ payments: 120 })
})
afterAll(() => book?.close())

const standing = ({ state, validation }: OrderSummary) => [state, ...validation.reasons]
const becomes = (id: string, wanted: OrderState) =>
  book.market.orderUntil(id, ({ state }) => state === wanted)
const utxoOf = ({ scriptHex, valueSats }: TxOut) => ({
  script: Uint8Array.from(Buffer.from(scriptHex, 'hex')),
  value: BigInt(valueSats),
})
const elsewhere = (sats: bigint) => txOut(walletOf('p2tr', 'elsewhere').scriptHex, sats)

type Bid = MadeBid & { seller: Wallet }
type BidSpec = Omit<BidOptions, 'seller' | 'prevout' | 'funding'> & {
  /** The asset's. */
  script?: ScriptKind
  /** One coin of 100,000 sats each. */
  funding?: readonly ScriptKind[]
}

/**
 * A bid by the rules of `ord wallet offer create`, with confirmed coins, for a confirmed output.
 */
async function bidFor({ script = 'p2tr', funding = ['p2wpkh'], ...spec }: BidSpec = {}) {
  const seller = walletOf(script, book.name())
  const seeds = funding.map(() => book.name())
  const owners = funding.map((kind, at) => walletOf(kind, seeds[at] ?? ''))
  const made = book.miner.pay([
    txOut(seller.scriptHex, 10_000n),
    ...owners.map(({ scriptHex }) => txOut(scriptHex, 100_000n)),
  ])
  await book.chain.submit(made.toHex())
  await book.mine()
  const { outpoint } = coinOf(made, 0)
  const options: BidOptions = {
    ...spec,
    seller,
    prevout: { ...outpoint, valueSats: '10000' },
    funding: funding.map((kind, at) => ({
      script: kind,
      seed: seeds[at] ?? '',
      valueSats: '100000',
      outpoint: coinOf(made, at + 1).outpoint,
    })),
  }
  return { ...makeBid(options), seller, options }
}

/** What the bid's own coin can be spent to by its owner alone. */
const withdrawal = ({ funding: [coin] }: Bid): string => {
  if (!coin) throw new Error('a bid has funding')
  return spend({ inputs: [coin], outputs: [elsewhere(90_000n)] })
}

describe('a bid is LIVE, and its seller completes it', () => {
  const cases: { title: string; spec: BidSpec }[] = [
    ...SCRIPTS.map((script) => ({ title: `for an output of ${script}`, spec: { script } })),
    ...SCRIPTS.map((kind) => ({ title: `paid from ${kind}`, spec: { funding: [kind] } })),
    { title: 'paid from several coins', spec: { funding: ['p2tr', 'p2sh-p2wpkh', 'p2wpkh'] } },
    { title: 'not finalised', spec: { finalised: false, funding: ['p2tr', 'p2wpkh'] } },
    { title: 'whose seller comes second', spec: { sellerIndex: 1 } },
    // More data, and in more outputs, than nodes before Core 30 relay.
    {
      title: 'that carries data',
      spec: { data: [`6a4c5a${'ab'.repeat(90)}`, '6a0401020304'] },
    },
    {
      title: 'signed for all where that is not the default',
      spec: { funding: ['p2tr'], sighash: 1 },
    },
  ]
  test.each(cases)('$title', async ({ spec }) => {
    const bid = await bidFor(spec)
    const order = await book.imported(bid.psbt)
    expect(standing(order)).toEqual(['LIVE'])
    expect(order).toMatchObject({
      side: 'BID',
      quotedPriceSats: '50000',
      sellerScriptHex: bid.seller.scriptHex,
      actionability: 'REVIEW_ONLY',
      inspection: {
        orderClass: 'BID_FULLY_FUNDED',
        safety: 'TARGETED_REVIEW',
        signatureStatus: 'VALID',
      },
    })
    expect(await book.refusal(acceptBid(bid, bid.seller))).toBeNull()
  })

  test('for an inscription', async () => {
    const seller = walletOf('p2tr', book.name())
    const to = txOut(seller.scriptHex, 10_000n)
    const { ids, coin } = await inscribe(book.chain, book.miner, to)
    await book.mine()
    const { options } = await bidFor()
    const bid = makeBid({ ...options, seller, prevout: { ...coin.outpoint, valueSats: '10000' } })
    const asset = { inscriptionId: ids[0], outpoint: bid.outpoint }
    const order = await book.imported(bid.psbt, { asset, protocolId: 'inscriptions' })
    expect(standing(order)).toEqual(['LIVE'])
    expect(order.assets).toMatchObject([asset])
    expect(await book.refusal(acceptBid(bid, seller))).toBeNull()
  })
})

describe('a bid that its seller cannot complete is REJECTED', () => {
  /** Refused by the service for this reason, and by the node. */
  async function isRefused(bid: Bid, reason: string): Promise<void> {
    const order = await book.imported(bid.psbt)
    expect(standing(order)).toEqual(['REJECTED', reason])
    expect(await book.refusal(acceptBid(bid, bid.seller))).not.toBeNull()
  }

  test('its funding is spent', async () => {
    const bid = await bidFor()
    await book.chain.submit(withdrawal(bid))
    await book.mine()
    await isRefused(bid, 'bid_funding_spent')
  })

  test('its funding was never there', async () => {
    const { options, seller } = await bidFor()
    const [coin] = options.funding ?? []
    const bid = makeBid({ ...options, funding: [{ ...coin, outpoint: outpointOf('nowhere') }] })
    await isRefused({ ...bid, seller }, 'bid_funding_spent')
  })

  test('its funding is signed for another amount than the node knows', async () => {
    const { options, seller } = await bidFor()
    const [coin] = options.funding ?? []
    const bid = makeBid({ ...options, funding: [{ ...coin, valueSats: '200000' }] })
    await isRefused({ ...bid, seller }, 'witness_utxo_mismatch')
  })

  test('its funding is not signed by its owner', async () => {
    const bid = await bidFor()
    const psbt = Psbt.fromBase64(bid.psbt)
    const witness = psbt.data.inputs[1]?.finalScriptWitness
    if (!witness) throw new Error('the funding is signed')
    // Within the R of the signature.
    witness[10] = (witness[10] ?? 0) ^ 1
    await isRefused({ ...bid, psbt: psbt.toBase64() }, 'bid_funding_unsigned')
  })

  test('its funding is anyone’s, with a witness that no node relays', async () => {
    const { options, seller } = await bidFor()
    const { outpoint } = await book.miner.fund('51024e73', 100_000n)
    await book.mine()
    const [coin] = options.funding ?? []
    const made = makeBid({ ...options, funding: [{ ...coin, script: 'p2tr', outpoint }] })
    const anchor = txOut('51024e73', 100_000n)
    const psbt = Psbt.fromBase64(made.psbt)
    psbt.data.inputs[1] = { ...psbt.data.inputs[1], witnessUtxo: utxoOf(anchor) }
    await isRefused({ ...made, psbt: psbt.toBase64(), seller }, 'bid_funding_unsigned')
  })

  test('its funding does not cover its payments', async () => {
    const { options, seller } = await bidFor()
    const bid = makeBid({ ...options, priceSats: '90001' })
    expect(standing(await book.imported(bid.psbt))).toEqual(['REJECTED', 'bid_not_funded'])
    expect(() => acceptBid(bid, seller)).toThrow('Outputs spends more')
  })

  test('it pays dust', async () => {
    const { options, seller } = await bidFor()
    // Leaves 200 sats of change.
    const bid = makeBid({ ...options, priceSats: '88800' })
    await isRefused({ ...bid, seller }, 'not_relayable')
  })

  test('its fee is below the minimum of every node', async () => {
    const { options, seller } = await bidFor()
    await isRefused({ ...makeBid({ ...options, feeSats: '1' }), seller }, 'not_relayable')
  })

  test.each([
    ['does more than push', '6aac'],
    ['ends within a push', '6a4c'],
  ])('its OP_RETURN output %s', async (_, script) => {
    await isRefused(await bidFor({ data: [script] }), 'not_relayable')
  })

  test('it is of version 3 and larger than nodes relay (BIP431)', async () => {
    const data = [`6a4d0c27${'00'.repeat(9_996)}`]
    await isRefused(await bidFor({ version: 3, feeSats: '20000', data }), 'not_relayable')
    const { psbt, ...bid } = await bidFor({ version: 2, feeSats: '20000', data })
    expect(standing(await book.imported(psbt))[0]).toBe('LIVE')
    expect(await book.refusal(acceptBid({ ...bid, psbt }, bid.seller))).toBeNull()
  })
})

/** For each fee around the least: may the seller's completion be relayed, and is the bid LIVE? */
test.each(SCRIPTS)(
  'a bid for an output of %s with a fee that is relayed is LIVE',
  async (script) => {
    const { options, seller } = await bidFor({ script })
    for (let fee = 18; fee <= 25; fee += 1) {
      const bid = makeBid({ ...options, feeSats: `${fee}` })
      const isLive = standing(await book.imported(bid.psbt))[0] === 'LIVE'
      const isRelayed = (await book.refusal(acceptBid(bid, seller))) === null
      if (script === 'p2tr') expect(isLive, `${fee} sats`).toBe(isRelayed)
      if (isRelayed) expect(isLive, `${fee} sats`).toBe(true)
    }
  },
)

test('a bid of version 3 below the minimum is LIVE: a child may pay for it (BIP431)', async () => {
  const bid = await bidFor({ version: 3, feeSats: '1' })
  expect(standing(await book.imported(bid.psbt))).toEqual(['LIVE'])
  const parent = acceptBid(bid, bid.seller)
  expect(await book.refusal(parent)).not.toBeNull()
  const paid = coinOf(Transaction.fromHex(parent), 1)
  const child = spend({
    inputs: [{ ...paid, wallet: bid.seller }],
    outputs: [elsewhere(50_000n)],
    version: 3,
  })
  const package_ = await book.chain.core.rpc('submitpackage', [parent, child])
  expect(package_).toMatchObject({ package_msg: 'success' })
})

test('a bid that does not say what it is for is REJECTED, though its seller could complete it', async () => {
  // `ord wallet offer create` includes the utxo of every input; without it the bid's price is
  // unknown.
  const bid = await bidFor({ omitAssetUtxo: true })
  expect(standing(await book.imported(bid.psbt))).toEqual(['REJECTED', 'bid_value_unknown'])
  expect(await book.refusal(acceptBid(bid, bid.seller))).toBeNull()
})

describe('the life of a bid', () => {
  test('completed by its seller: settled, the other bids are spent', async () => {
    const bid = await bidFor()
    const { options } = await bidFor({ priceSats: '40000' })
    const lower = makeBid({
      ...options,
      seller: bid.seller,
      prevout: { ...bid.outpoint, valueSats: '10000' },
    })
    const { id } = await book.imported(bid.psbt)
    const other = await book.imported(lower.psbt)
    expect(other.state).toBe('LIVE')
    const txid = await book.chain.submit(acceptBid(bid, bid.seller))
    const seen = await becomes(id, 'MEMPOOL_CONFLICTED')
    expect(seen.settlement).toMatchObject({ txid, confirmations: 0 })
    expect((await becomes(other.id, 'MEMPOOL_CONFLICTED')).settlement).toBeUndefined()
    await book.mine()
    expect((await becomes(id, 'SETTLED')).settlement).toMatchObject({ txid, confirmations: 1 })
    await becomes(other.id, 'SPENT')
  })

  test('its asset goes elsewhere: spent', async () => {
    const bid = await bidFor()
    const { id } = await book.imported(bid.psbt)
    const asset = { outpoint: bid.outpoint, output: bid.prevout, wallet: bid.seller }
    await book.chain.submit(spend({ inputs: [asset], outputs: [elsewhere(9_000n)] }))
    await book.mine()
    await becomes(id, 'SPENT')
  })

  test('its funding is spent in the mempool, and restored: no request is needed', async () => {
    const bid = await bidFor()
    const { id } = await book.imported(bid.psbt)
    await book.chain.submit(withdrawal(bid))
    expect(standing(await becomes(id, 'REJECTED'))).toEqual(['REJECTED', 'bid_funding_spent'])
    await book.chain.core.stop()
    await book.chain.core.start(['-persistmempool=0'])
    await book.followed()
    expect(standing(await becomes(id, 'LIVE'))).toEqual(['LIVE'])
    expect(await book.refusal(acceptBid(bid, bid.seller))).toBeNull()
  })

  test('its funding is spent by a block that is replaced: REJECTED, then LIVE again', async () => {
    const bid = await bidFor()
    const { id } = await book.imported(bid.psbt)
    const block = await book.chain.mineExactly([withdrawal(bid)])
    expect(standing(await becomes(id, 'REJECTED'))).toEqual(['REJECTED', 'bid_funding_spent'])
    await book.chain.invalidate(block)
    for (let blocks = 0; blocks < 2; blocks += 1) await book.chain.mineExactly([])
    // The block's transaction is in the mempool again, and is lost with it.
    await book.chain.core.stop()
    await book.chain.core.start(['-persistmempool=0'])
    await book.followed()
    expect(standing(await becomes(id, 'LIVE'))).toEqual(['LIVE'])
  })
})

test('every invariant holds on what was stored', async () => {
  expect(await book.audit()).toEqual([])
})
