import { Psbt } from 'bitcoinjs-lib'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { operatorWithdraw } from '../../src/gateway/commands/operator-withdraw.ts'
import {
  BlockUnavailableError,
  NodeUnavailableError,
} from '../../src/ports/authorities/authority-errors.ts'
import type { ErrorResponse } from '../../src/schemas/api/errors.ts'
import { FeeEstimates, type PreflightResult, type Quote } from '../../src/schemas/api/purchase.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import { walletOf } from '../support/chain/keys.ts'
import { toBlockHash, toTxid } from '../support/ids.ts'
import {
  type BuyerCoin,
  type Composition,
  composePurchase,
  signOwnInputs,
} from '../support/market/buyer.ts'
import { addressOf } from '../support/market/listing.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { devnetOf } from '../support/market/trader.ts'
import { type AskOptions, makeAsk, makeBid } from '../support/orders/psbt-orders.ts'

// Orders of outputs in which the index names no inscription: runes, rare sats, plain sats.

const buyer = walletOf('p2wpkh', 'buyer')
const receiver = walletOf('p2tr', 'receiver')
const seller = walletOf('p2tr', 'seller')
const ANCHOR = 'bcrt1pfeesnyr2tx'

let market: Market
let paddings: [BuyerCoin, BuyerCoin]
let funding: BuyerCoin
beforeAll(async () => {
  market = await openMarket(ORDERS_ONLY)
  paddings = [coin(buyer, 600n), coin(buyer, 600n)]
  funding = coin(buyer, 200_000n)
})
afterAll(() => market.end())
afterEach(() => vi.restoreAllMocks())

function coin(wallet: BuyerCoin['wallet'], sats: bigint): BuyerCoin {
  const outpoint = devnetOf(market).fund(addressOf(wallet), sats)
  return { outpoint, wallet, output: { scriptHex: wallet.scriptHex, valueSats: sats.toString() } }
}

/** An ask of a plain output of 10,000 sats for 50,000. */
async function listed(protocolId: string, locks: Pick<AskOptions, 'locktime' | 'sequence'> = {}) {
  const offered = coin(seller, 10_000n)
  const { psbt } = makeAsk({
    script: 'p2tr',
    prevout: { ...offered.outpoint, valueSats: '10000' },
    payout: { scriptHex: seller.scriptHex, valueSats: '50000' },
    ...locks,
  })
  const { status, body } = await market.post('orders/import', { psbt, protocolId })
  const order: OrderSummary = body
  expect([status, order.state], JSON.stringify(body)).toEqual([201, 'LIVE'])
  return { order, psbt, prevout: offered.output, offered }
}

const request = () => ({
  assetReceiveAddress: addressOf(receiver),
  paymentAddress: addressOf(buyer),
  paddingUtxos: paddings.map(({ outpoint }) => outpoint),
  fundingUtxos: [funding.outpoint],
})

async function quoted({ id }: OrderSummary): Promise<Quote> {
  const { status, body } = await market.post(`orders/${id}/quote`, request())
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

async function refusedQuote({ id }: OrderSummary, changes: object = {}): Promise<ErrorResponse> {
  const answer = await market.post(`orders/${id}/quote`, { ...request(), ...changes })
  expect(answer.status, JSON.stringify(answer.body)).toBeGreaterThanOrEqual(400)
  return answer.body
}

async function preflight({ id }: OrderSummary, body: object): Promise<PreflightResult> {
  const answer = await market.post(`orders/${id}/preflight`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

describe('what an open order needs is not taken without a word', () => {
  const text = ({ outpoint }: BuyerCoin) => `${outpoint.txid}:${outpoint.vout}`

  test('an output that is offered is refused, until its order is withdrawn', async () => {
    const { order } = await listed('runes')
    const mine = await listed('rare-sats')
    const funded = { ...request(), fundingUtxos: [funding.outpoint, mine.offered.outpoint] }
    const path = `orders/${order.id}/quote`
    const reason = `${text(mine.offered)} is offered by the order ${mine.order.id}`
    const cure = 'withdraw that order, or name another output'
    expect(await market.post(path, funded)).toMatchObject({
      status: 400,
      body: { code: 'QUOTE_REFUSED', message: `${reason}: ${cure}` },
    })
    const signal = AbortSignal.timeout(10_000)
    await operatorWithdraw(
      market.gateway,
      mine.order.id,
      { operator: 'mia', reason: 'asked' },
      signal,
    )
    expect((await market.post(path, funded)).status).toBe(201)
  })

  test('a preflight names the other order whose output a purchase spends, and no order of its own', async () => {
    const sale = await listed('rare-sats')
    const mine = await listed('rare-sats')
    const purchase = (...more: BuyerCoin[]) =>
      composed(sale, {
        inputs: [...paddings, 'seller', ...more, funding],
        outputs: [to(buyer, 1_200), to(receiver, 10_000), 'payout', to(buyer, 140_000)],
      })
    const ended = async (...more: BuyerCoin[]) => {
      const result = await preflight(sale.order, purchase(...more))
      expect(result).toMatchObject({ allowed: true })
      return result.notices?.filter(({ code }) => code === 'INPUT_OFFERED')
    }
    expect(await ended()).toEqual([])
    expect(await ended({ ...mine.offered, wallet: seller })).toEqual([
      {
        code: 'INPUT_OFFERED',
        message: `${text(mine.offered)} is offered by the order ${mine.order.id}, which this purchase ends: what that output holds is worth its price.`,
      },
    ])
  })

  test('an output that pays for a bid is taken, and the quote and the preflight say so', async () => {
    const { order } = await listed('runes')
    const wanted = coin(seller, 10_000n)
    const bidder = walletOf('p2wpkh', 'bidder')
    const money = coin(bidder, 100_000n)
    const { psbt } = makeBid({
      seller: wanted.wallet,
      prevout: { ...wanted.outpoint, valueSats: '10000' },
      funding: [{ outpoint: money.outpoint }],
    })
    const bid: OrderSummary = (await market.post('orders/import', { psbt })).body
    expect(bid.state, JSON.stringify(bid)).toBe('LIVE')
    const body = { ...request(), fundingUtxos: [money.outpoint] }
    const answer = await market.post(`orders/${order.id}/quote`, body)
    const { psbt: half, notices = [] }: Quote = answer.body
    const notice = {
      code: 'PAYS_FOR_BID',
      message: `${text(money)} pays for the bid ${bid.id}, which this purchase ends; whoever accepts the bid may be faster.`,
    }
    expect(notices).toContainEqual(notice)
    const signedPsbt = signOwnInputs(half, [...paddings, money])
    expect((await preflight(order, { signedPsbt })).notices).toContainEqual(notice)
    expect((await quoted(order)).notices?.map(({ code }) => code)).not.toContain('PAYS_FOR_BID')
  })
})

type Listed = Awaited<ReturnType<typeof listed>>
const composed = ({ psbt, prevout }: Listed, parts: Pick<Composition, 'inputs' | 'outputs'>) => ({
  finalTxHex: composePurchase({ psbt, prevout, ...parts }),
})
const to = ({ scriptHex }: { scriptHex: string }, sats: number) => ({
  scriptHex,
  valueSats: sats.toString(),
})

describe('runes, with an index without runes', () => {
  test('are sent to the address that receives the asset, and not to the first output', async () => {
    const { order } = await listed('runes')
    const quote = await quoted(order)
    expect(quote.outputScriptsHex.at(-1)).toBe('6a5d021601')
    expect(quote.outputScriptsHex[1]).toBe(receiver.scriptHex)
    const spent = [...paddings, funding].reduce(
      (sum, one) => sum + BigInt(one.output.valueSats),
      10_000n,
    )
    const made = quote.outputValuesSats.reduce((sum, sats) => sum + BigInt(sats), 0n)
    expect(made + BigInt(quote.networkFeeSats)).toBe(spent)
    expect(quote.notices?.find(({ code }) => code === 'RUNES_POINTER')?.message).toBe(
      'Runes of the offered output arrive in output 1: output 4 says so.',
    )
    const signedPsbt = signOwnInputs(quote.psbt, [...paddings, funding])
    expect(await preflight(order, { signedPsbt })).toMatchObject({
      allowed: true,
      feesSats: quote.networkFeeSats,
    })
  })

  test('go back to the seller where the payout is first', async () => {
    const sale = await listed('runes')
    const parts = {
      inputs: ['seller', funding],
      outputs: ['payout', to(receiver, 100_000)],
    } as const
    expect(await preflight(sale.order, composed(sale, parts))).toMatchObject({
      allowed: false,
      rejectReason: 'runes_to_payout',
    })
  })
})

describe('runes of the offered output are named with their amounts, before it is bought', () => {
  const rune = (n: number) => ({ name: `RUNE•${n}`, amount: `${n}.50` })
  const nine = Array.from({ length: 9 }, (_, n) => rune(n))
  const eight = nine.slice(0, 8).map(({ name, amount }) => `${amount} ${name}`)

  test.each([
    ['one', [rune(5)], 'HOLDS_RUNES', 'The offered output holds runes: 5.50 RUNE•5.'],
    [
      'more than eight',
      nine,
      'HOLDS_RUNES',
      `The offered output holds runes: ${eight.join(', ')}, and 1 more.`,
    ],
    ['none', [], 'HOLDS_NO_RUNES', 'The offered output holds no runes at all.'],
  ])('%s', async (_, runes, code, message) => {
    const { order, offered } = await listed('runes')
    const { index } = devnetOf(market)
    const contents = index.contents.bind(index)
    vi.spyOn(index, 'contents').mockImplementation(async (outpoints) =>
      (await contents(outpoints)).map((answer, at) => {
        const isOffered = outpoints[at]?.txid === offered.outpoint.txid
        return answer && { ...answer, runes: isOffered ? runes : [] }
      }),
    )
    const quote = await quoted(order)
    expect(quote.notices).toContainEqual({ code, message })
    const signedPsbt = signOwnInputs(quote.psbt, [...paddings, funding])
    const result = await preflight(order, { signedPsbt })
    expect(result).toMatchObject({ allowed: true })
    expect(result.notices).toContainEqual({ code, message })
    const said = [quote.notices, result.notices].flatMap((all) => all?.map((one) => one.code))
    expect(said).not.toContain('RUNES_NOT_EXAMINED')
  })
})

test('a half that pays an anchor is not published', async () => {
  const offered = coin(seller, 10_000n)
  const { psbt } = makeAsk({
    prevout: { ...offered.outpoint, valueSats: '10000' },
    payout: { scriptHex: '51024e73', valueSats: '50000' },
  })
  const { status, body } = await market.post('orders/publish', { psbt })
  expect([status, body]).toMatchObject([
    400,
    { code: 'PUBLISH_REFUSED', message: 'psbt: pays an anchor, which anyone may spend' },
  ])
})

describe('plain sats are what is sold [spec 4.2 Preflight]', () => {
  test('a quote carries no message', async () => {
    const { order } = await listed('rare-sats')
    expect((await quoted(order)).outputScriptsHex).toHaveLength(4)
  })

  test.each([
    ['the seller', ['seller', 'funding'], ['payout', 'receiver'], 'asset_to_payout'],
    ['the miner', ['funding', 'padding', 'seller'], ['change', 'change', 'payout'], 'asset_to_fee'],
  ] as const)('none of them goes to %s', async (_name, inputs, outputs, rejectReason) => {
    const sale = await listed('rare-sats')
    const named = { funding, padding: paddings[0], seller: 'seller' as const }
    const made = {
      payout: 'payout' as const,
      receiver: to(receiver, 100_000),
      change: to(buyer, 75_300),
    }
    const result = await preflight(
      sale.order,
      composed(sale, {
        inputs: inputs.map((one) => named[one]),
        outputs: outputs.map((one) => made[one]),
      }),
    )
    expect(result).toMatchObject({ allowed: false, rejectReason })
  })

  test('nor to an anchor, which anyone may spend', async () => {
    const sale = await listed('rare-sats')
    const outputs = [
      to(buyer, 1_200),
      to({ scriptHex: '51024e73' }, 10_000),
      'payout' as const,
      to(buyer, 140_000),
    ]
    const result = await preflight(
      sale.order,
      composed(sale, { inputs: [...paddings, 'seller', funding], outputs }),
    )
    expect(result).toMatchObject({ allowed: false, rejectReason: 'asset_burned' })
  })
})

describe('a quote [spec 4.2 Quote]', () => {
  test('is refused for the address of an anchor', async () => {
    const { order } = await listed('rare-sats')
    const changes = { assetReceiveAddress: ANCHOR, paymentAddress: ANCHOR }
    expect((await refusedQuote(order, changes)).message).toEqual([
      'assetReceiveAddress: is not an address of regtest',
      'paymentAddress: is not an address of regtest',
    ])
  })

  test('of an output that is spent between two checks is refused, not a failure', async () => {
    const { order, offered } = await listed('rare-sats')
    const { node } = devnetOf(market)
    const asked = node.outputs.bind(node)
    for (const absent of [true, false]) {
      const look = vi.spyOn(node, 'outputs').mockImplementation(async (outpoints) => {
        const answers = await asked(outpoints)
        if (outpoints.length === 1 || !absent) return answers
        return [{ status: 'absent' as const }, ...answers.slice(1)]
      })
      const spenders = vi.spyOn(node, 'mempoolSpenders')
      if (!absent)
        spenders.mockImplementation(async (all) => all.map(() => toTxid('ab'.repeat(32))))
      expect(await refusedQuote(order)).toMatchObject({
        statusCode: 400,
        code: 'ORDER_NOT_LIVE',
        message: `${offered.outpoint.txid}:${offered.outpoint.vout} was spent just now`,
      })
      look.mockRestore()
      spenders.mockRestore()
    }
  })

  test.each([
    ['before the node is asked about outputs', 'node', 'before'],
    ['after it', 'node', 'after'],
    ['before the index is', 'index', 'before'],
    ['after it', 'index', 'after'],
  ] as const)(
    'names the block at which all of it is true, when one is found %s',
    async (_, who, when) => {
      const { order } = await listed('rare-sats')
      const devnet = devnetOf(market)
      const { node, index } = devnet
      let isMined = false
      const around = <T, A extends unknown[]>(ask: (...asked: A) => Promise<T>) => {
        const mineOnce = (now: typeof when) => {
          if (now === when && !isMined) devnet.mine(1)
          isMined ||= now === when
        }
        return async (...asked: A): Promise<T> => {
          mineOnce('before')
          const answer = await ask(...asked)
          mineOnce('after')
          return answer
        }
      }
      const [outputs, contents] = [
        around(node.outputs.bind(node)),
        around(index.contents.bind(index)),
      ]
      const look =
        who === 'node'
          ? vi.spyOn(node, 'outputs').mockImplementation(outputs)
          : vi.spyOn(index, 'contents').mockImplementation(contents)
      const { checkpoint } = await quoted(order)
      look.mockRestore()
      const { tip } = await devnet.node.chain()
      expect(isMined).toBe(true)
      expect(checkpoint).toEqual({
        height: tip.height,
        hash: tip.hash,
        assetIndexHeight: tip.height,
      })
    },
  )

  test('is not made while the chain keeps moving', async () => {
    const { order } = await listed('rare-sats')
    const devnet = devnetOf(market)
    const asked = devnet.index.contents.bind(devnet.index)
    const look = vi.spyOn(devnet.index, 'contents').mockImplementation(async (outpoints) => {
      devnet.mine(1)
      return asked(outpoints)
    })
    expect(await refusedQuote(order)).toMatchObject({ statusCode: 503, code: 'NODE_UNAVAILABLE' })
    look.mockRestore()
  })

  test('with a locktime that no sequence of the seller enables is final now', async () => {
    for (const [locktime, sequence, own] of [
      [500_000, 0xffffffff, 0xffffffff],
      [1, 0xfffffffe, 0xfffffffd],
      [0, 0xffffffff, 0xfffffffd],
    ] as const) {
      const { order } = await listed('rare-sats', { locktime, sequence })
      const quote = await quoted(order)
      const { txInputs } = Psbt.fromBase64(quote.psbt)
      expect(txInputs.map((input) => input.sequence)).toEqual([own, own, sequence, own])
      const signedPsbt = signOwnInputs(quote.psbt, [...paddings, funding])
      expect(await preflight(order, { signedPsbt })).toMatchObject({ allowed: true })
    }
  })

  test('carries the previous transaction of a legacy output, and is refused where the node has pruned it (BIP174)', async () => {
    const { order } = await listed('rare-sats')
    const { node } = devnetOf(market)
    const scriptHex = `76a914${'22'.repeat(20)}88ac`
    const outpoint = devnetOf(market).fund(addressOf({ scriptHex }), 300_000n)
    const body = { ...request(), fundingUtxos: [outpoint] }
    const answer = await market.post(`orders/${order.id}/quote`, body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    const [funded] = Psbt.fromBase64((answer.body as Quote).psbt).data.inputs.slice(-1)
    expect(funded?.nonWitnessUtxo).toBeDefined()
    const pruned = vi
      .spyOn(node, 'transaction')
      .mockRejectedValue(new BlockUnavailableError(toBlockHash('ab')))
    expect((await refusedQuote(order, { fundingUtxos: [outpoint] })).message).toBe(
      `${outpoint.txid}:${outpoint.vout} can be signed for only with the transaction that made it, ` +
        'which the node has pruned: name another output',
    )
    pruned.mockRestore()
  })

  test('names at most 64 outputs of the buyer, and 16 that need their previous transaction', async () => {
    const { order } = await listed('rare-sats')
    const { node, index } = devnetOf(market)
    const many = Array.from({ length: 62 }, () => coin(buyer, 3_000n).outpoint)
    const asked = vi.spyOn(index, 'contents')
    const body = { ...request(), fundingUtxos: many }
    const answer = await market.post(`orders/${order.id}/quote`, body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    expect(asked).toHaveBeenCalledTimes(1)
    asked.mockRestore()
    const looked = vi.spyOn(node, 'outputs')
    const tooMany = { fundingUtxos: [...many, funding.outpoint] }
    expect(await refusedQuote(order, tooMany)).toMatchObject({
      code: 'VALIDATION_FAILED',
      statusCode: 400,
    })
    expect(looked).not.toHaveBeenCalled()
    looked.mockRestore()

    const legacy = Array.from({ length: 17 }, () =>
      devnetOf(market).fund(addressOf({ scriptHex: `76a914${'22'.repeat(20)}88ac` }), 9_000n),
    )
    const examined = vi.spyOn(index, 'contents')
    const read = vi.spyOn(node, 'transaction')
    expect((await refusedQuote(order, { fundingUtxos: legacy })).message).toBe(
      '17 outputs can be signed for only with the transactions that made them: at most 16 such outputs may be named',
    )
    expect([examined.mock.calls.length, read.mock.calls.length]).toEqual([0, 0])
    examined.mockRestore()
    read.mockRestore()
    const most = await market.post(`orders/${order.id}/quote`, {
      ...request(),
      fundingUtxos: legacy.slice(1),
    })
    expect(most.status, JSON.stringify(most.body)).toBe(201)
  })

  test('uses the mempool’s minimum where that exceeds the estimate', async () => {
    const { order } = await listed('rare-sats')
    const { node } = devnetOf(market)
    const floor = vi.spyOn(node, 'minimumFeeRate').mockResolvedValue('7.25')
    const quote = await quoted(order)
    floor.mockRestore()
    expect(quote.feeRateSatsPerVb).toBe('7.25')
  })
})

test('estimates of fees: a failure is answered and not kept, what the node lacks is said, and it is asked once', async () => {
  const { node } = devnetOf(market)
  const estimates = vi
    .spyOn(node, 'feeEstimates')
    .mockRejectedValueOnce(new NodeUnavailableError('node_unavailable', 'it is away'))
  const failed = await market.get('fees')
  const refusal: ErrorResponse = failed.body
  expect([failed.status, refusal.code]).toEqual([503, 'NODE_UNAVAILABLE'])
  const { status, body } = await market.get('fees')
  const fees = FeeEstimates.parse(body)
  expect([status, fees.estimates]).toEqual([200, []])
  expect(Number(fees.minimumFeeRateSatsPerVb)).toBeGreaterThan(0)
  const answers = await Promise.all([1, 2, 3].map(() => market.get('fees')))
  expect(answers.map((one) => one.body)).toEqual([fees, fees, fees])
  expect(estimates).toHaveBeenCalledTimes(2)
})
