import { networks, Psbt } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeBid } from '../../src/devnet/people/trade.ts'
import { type Account, accountOf, type WalletCoin } from '../../src/devnet/people/wallet.ts'
import type { ErrorResponse } from '../../src/schemas/api/errors.ts'
import type { PreflightResult, Quote } from '../../src/schemas/api/purchase.ts'
import { toBlockHash, toTxid } from '../support/ids.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import {
  coinOf,
  devnetOf,
  type Listing,
  listInscription,
  signQuote,
  spendAll,
} from '../support/market/trader.ts'

let market: Market
let listing: Listing
const buyer = accountOf('buyer', 'p2wpkh')
const receiver = accountOf('receiver', 'p2tr')
const PADDING = 600n

beforeAll(async () => {
  market = await openMarket({ ...ORDERS_ONLY, QUOTE_TTL_SECONDS: '120' })
  listing = await listInscription(market)
})
afterAll(() => market.end())

interface Coins {
  paddings: WalletCoin[]
  funding: WalletCoin[]
}

const coinsOf = (account: Account = buyer, funding = 200_000n): Coins => ({
  paddings: [coinOf(market, account, PADDING), coinOf(market, account, PADDING)],
  funding: [coinOf(market, account, funding)],
})

const request = ({ paddings, funding }: Coins, account: Account = buyer) => ({
  assetReceiveAddress: receiver.address,
  paymentAddress: account.address,
  paddingUtxos: paddings.map(({ outpoint }) => outpoint),
  fundingUtxos: funding.map(({ outpoint }) => outpoint),
})

async function quoted(coins: Coins, account = buyer, of = listing): Promise<Quote> {
  const { status, body } = await market.post(`orders/${of.order.id}/quote`, request(coins, account))
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

/** The reasons of a refused quote. */
async function refused(changes: object, code = 'QUOTE_REFUSED'): Promise<string[]> {
  const body = { ...request(shared), ...changes }
  const answer = await market.post(`orders/${listing.order.id}/quote`, body)
  const error: ErrorResponse = answer.body
  expect([answer.status, error.code], JSON.stringify(error)).toEqual([400, code])
  return [error.message].flat()
}

async function preflight(body: object, id = listing.order.id): Promise<PreflightResult> {
  const answer = await market.post(`orders/${id}/preflight`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

async function malformed(body: object): Promise<ErrorResponse> {
  const answer = await market.post(`orders/${listing.order.id}/preflight`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(400)
  return answer.body
}

const text = ({ outpoint }: WalletCoin) => `${outpoint.txid}:${outpoint.vout}`
let shared: Coins
beforeAll(() => {
  shared = coinsOf()
})

test('a purchase of an unknown order is 404 before any of it is read [spec 4.2 Preflight]', async () => {
  for (const body of [{ finalTxHex: 'zz' }, { signedPsbt: 'nonsense' }]) {
    const answer = await market.post(`orders/${'0'.repeat(64)}/preflight`, body)
    const { code }: ErrorResponse = answer.body
    expect([answer.status, code]).toEqual([404, 'ORDER_NOT_FOUND'])
  }
})

describe('a purchase from quote to settlement', () => {
  test.each([
    ['p2wpkh', 'p2tr', 0n],
    ['p2tr', 'p2wpkh', 0n],
    ['p2sh-p2wpkh', 'p2sh-p2wpkh', 777n],
    ['p2wsh-multisig', 'p2wsh-multisig', 0n],
  ] as const)('%s buys of %s, the asset at offset %s', async (type, sellerType, offset) => {
    const of = await listInscription(market, { type: sellerType, offset })
    const account = accountOf('buyer', type)
    const coins = coinsOf(account)
    const quote = await quoted(coins, account, of)
    const signed = signQuote(quote, account, [...coins.paddings, ...coins.funding])
    const result = await preflight({ signedPsbt: signed.toBase64() }, of.order.id)
    expect(result).toMatchObject({ allowed: true, feesSats: quote.networkFeeSats })
    expect(result.notices?.map(({ code }) => code)).toEqual(['ASSET_OFFSET', 'RUNES_NOT_EXAMINED'])
    // At most a byte of each of the buyer's ECDSA signatures is shorter than the estimate.
    const spare = Number(quote.estimatedVbytes) - (result.vsize ?? 0)
    expect(spare).toBeGreaterThanOrEqual(0)
    expect(spare).toBeLessThanOrEqual(2)
    expect(await preflight({ finalTxHex: result.finalTxHex }, of.order.id)).toMatchObject({
      allowed: true,
      txid: result.txid,
    })

    const txid = devnetOf(market).submit(result.finalTxHex ?? '')
    expect(txid).toBe(result.txid)
    await market.orderUntil(of.order.id, ({ state }) => state === 'MEMPOOL_CONFLICTED')
    devnetOf(market).mine(1)
    await market.orderUntil(of.order.id, ({ state }) => state === 'SETTLED')
    const found = await devnetOf(market).index.inscription(of.inscriptionId)
    expect(found?.satpoint).toEqual({ outpoint: { txid, vout: 1 }, offset: offset.toString() })
    expect(quote.outputScriptsHex[1]).toBe(receiver.scriptHex)
  })

  test('a quote and a preflight of an order that stays LIVE leave nothing in the log', async () => {
    const before = await market.get(`orders/${listing.order.id}/history`)
    const quote = await quoted(shared)
    const signed = signQuote(quote, buyer, [...shared.paddings, ...shared.funding])
    await preflight({ signedPsbt: signed.toBase64() })
    expect(before.status).toBe(200)
    expect((await market.get(`orders/${listing.order.id}/history`)).body).toEqual(before.body)
  })

  test('a quote says what it costs to the sat, and at which block', async () => {
    const quote = await quoted(shared)
    const { offered, inscriptionId } = listing
    const tip = (await devnetOf(market).node.chain()).tip
    expect(quote).toMatchObject({
      orderId: listing.order.id,
      network: 'regtest',
      sellerIndex: 2,
      asset: { inscriptionId, outpoint: offered.outpoint },
      assetValueSats: '10000',
      sellerProceedsSats: '50000',
      marketplaceFeeSats: '0',
      creatorRoyaltySats: '0',
      paddingSats: '1200',
      sellerPaymentScriptHex: accountOf('seller', 'p2tr').scriptHex,
      totalBuyerCostSats: (50_000n + BigInt(quote.networkFeeSats)).toString(),
      checkpoint: { height: tip.height, hash: tip.hash, assetIndexHeight: tip.height },
    })
    expect(Date.parse(quote.expiresAt) - Date.parse(quote.observedAt)).toBe(120_000)
    expect(quote.notices?.map(({ code }) => code)).toEqual([
      'REPLACEABLE_BY_ANYONE',
      'ASSET_OFFSET',
      'RUNES_NOT_EXAMINED',
    ])
    const made = quote.outputValuesSats.reduce((sum, sats) => sum + BigInt(sats), 0n)
    expect(made + BigInt(quote.networkFeeSats)).toBe(1_200n + 10_000n + 200_000n)
    const psbt = Psbt.fromBase64(quote.psbt, { network: networks.regtest })
    expect(psbt.data.inputs.map((input) => input.finalScriptWitness !== undefined)).toEqual([
      false,
      false,
      true,
      false,
    ])
  })

  test('a dust change is part of the fee, and said so', async () => {
    const fee = BigInt((await quoted(shared)).networkFeeSats)
    const funding = [coinOf(market, buyer, 50_000n + fee + 100n)]
    const quote = await quoted({ ...shared, funding })
    expect([quote.changeSats, quote.outputValuesSats.length]).toEqual(['0', 3])
    expect(BigInt(quote.networkFeeSats)).toBe(fee + 100n)
    expect(quote.notices?.map(({ code }) => code)).toContain('CHANGE_FOLDED_INTO_FEE')
  })

  test('a fee rate of three decimals is kept', async () => {
    const body = { ...request(shared), feeRateSatsPerVb: 7.125 }
    const quote: Quote = (await market.post(`orders/${listing.order.id}/quote`, body)).body
    expect(quote.feeRateSatsPerVb).toBe('7.125')
    const fee = (BigInt(quote.estimatedVbytes) * 7_125n + 999n) / 1_000n
    expect(quote.networkFeeSats).toBe(fee.toString())
  })

  test('a multisig that is known by its hash alone has an assumed size', async () => {
    const account = accountOf('buyer', 'p2wsh-multisig')
    const quote = await quoted(coinsOf(account), account)
    expect(quote.notices?.filter(({ code }) => code === 'INPUT_SIZE_ASSUMED')).toHaveLength(3)
  })
})

describe('a quote is refused, with the exact reason [spec 4.2 Quote]', () => {
  test('all missing fields are named at once', async () => {
    const answer = await market.post(`orders/${listing.order.id}/quote`, {})
    const error: ErrorResponse = answer.body
    expect([answer.status, error.code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(error.message).toEqual([
      'assetReceiveAddress: is required',
      'paymentAddress: is required',
      'paddingUtxos: is required',
      'fundingUtxos: is required',
    ])
  })

  test.each([1, 3])('for %i paddings', async (count) => {
    const paddingUtxos = [...shared.paddings, ...shared.funding].slice(0, count)
    const outpoints = paddingUtxos.map(({ outpoint }) => outpoint)
    expect(await refused({ paddingUtxos: outpoints }, 'VALIDATION_FAILED')).toEqual([
      'paddingUtxos: must name exactly two outputs',
    ])
  })

  test('for one address twice, and for addresses of another network', async () => {
    expect(await refused({ assetReceiveAddress: buyer.address })).toEqual([
      'assetReceiveAddress: must not be the payment address',
    ])
    const mainnet = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
    expect(await refused({ assetReceiveAddress: mainnet, paymentAddress: 'nowhere' })).toEqual([
      'assetReceiveAddress: is not an address of regtest',
      'paymentAddress: is not an address of regtest',
    ])
  })

  test('for an output named twice, and for the offered one', async () => {
    const [padding] = shared.paddings as [WalletCoin, WalletCoin]
    expect(await refused({ fundingUtxos: [padding.outpoint] })).toEqual([
      `${text(padding)} is named more than once`,
    ])
    expect(await refused({ fundingUtxos: [listing.offered.outpoint] })).toEqual([
      `${text(listing.offered)} is the offered output itself`,
    ])
  })

  test('for a fee rate that the node would not accept', async () => {
    expect(await refused({ feeRateSatsPerVb: '0' })).toEqual([
      expect.stringContaining('feeRateSatsPerVb: the node takes no less than'),
    ])
    expect(await refused({ feeRateSatsPerVb: '5000.001' })).toEqual([
      'feeRateSatsPerVb: must not exceed 5000',
    ])
    expect(await refused({ feeRateSatsPerVb: '1e3' }, 'VALIDATION_FAILED')).toHaveLength(1)
  })

  test('for funds that do not suffice, with the shortfall', async () => {
    const coin = coinOf(market, buyer, 40_000n)
    const [reason = ''] = await refused({ fundingUtxos: [coin.outpoint] })
    const shortfall = BigInt(/insufficient funds: ([0-9]+) sats/.exec(reason)?.[1] ?? 0)
    const enough = coinOf(market, buyer, 40_000n + shortfall)
    expect(await quoted({ ...shared, funding: [enough] })).toMatchObject({ changeSats: '0' })
  })

  test('for an asset whose value is dust at the address that receives it', async () => {
    const account = accountOf('seller', 'p2wpkh')
    const psbt = account.ask(coinOf(market, account, 300n), to(account, 50_000))
    const { id }: { id: string } = (await market.post('orders/import', { psbt })).body
    const answer = await market.post(`orders/${id}/quote`, request(shared))
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      code: 'QUOTE_REFUSED',
      message: 'the asset output of 300 sats is dust: its script needs 330',
    })
  })

  test('for outputs that are unknown, unconfirmed, spent or not examined, each by name', async () => {
    const devnet = devnetOf(market)
    const ghost = {
      outpoint: { txid: toTxid('ab'.repeat(32)), vout: 7 },
      scriptHex: '',
      valueSats: '0',
    }
    const spent = coinOf(market, buyer, 9_000n)
    const out = { scriptHex: buyer.scriptHex, valueSats: '8000' }
    const spender = devnet.submit(spendAll([spent], buyer, [out]))
    const fresh = { ...ghost, outpoint: devnet.fund(buyer.address, 5_000n, { confirm: false }) }
    expect(
      await refused({ fundingUtxos: [ghost, fresh, spent].map(({ outpoint }) => outpoint) }),
    ).toEqual([
      `${text(ghost)} is spent or was never there`,
      `${text(fresh)} is unconfirmed`,
      `${text(spent)} is spent in the mempool by ${spender}`,
    ])
    devnet.holdIndex((await devnet.node.chain()).tip.height)
    const unseen = coinOf(market, buyer, 100_000n)
    expect(await refused({ fundingUtxos: [unseen.outpoint] })).toEqual([
      `${text(unseen)} is not examined by the index yet`,
    ])
    devnet.holdIndex(null)
  })

  test('for an output that holds an inscription, and for a coinbase that is not mature', async () => {
    const devnet = devnetOf(market)
    const content = { contentType: 'text/plain', body: Buffer.from('mine'), postage: 9_000n }
    const { outpoint, inscriptionId } = devnet.inscribe(buyer.address, content)
    const inscribed = { outpoint, scriptHex: buyer.scriptHex, valueSats: '9000' }
    expect(await refused({ fundingUtxos: [outpoint] })).toEqual([
      `${text(inscribed)} holds the inscription ${inscriptionId}`,
    ])
    const [hash = ''] = devnet.mine(1, { coinbaseScriptHex: buyer.scriptHex })
    const txid = (await devnet.node.block(toBlockHash(hash)))?.transactions[0]?.txid ?? ''
    expect(await refused({ fundingUtxos: [{ txid, vout: 0 }] })).toEqual([
      `${txid}:0 is a coinbase output that is not mature yet`,
    ])
  })

  test('for an order that does not exist, or is no longer LIVE', async () => {
    expect((await market.post(`orders/${'0'.repeat(64)}/quote`, request(shared))).status).toBe(404)
    const gone = await listInscription(market)
    const seller = accountOf('seller', 'p2tr')
    const out = { scriptHex: seller.scriptHex, valueSats: '9000' }
    devnetOf(market).submit(spendAll([gone.offered], seller, [out]))
    const answer = await market.post(`orders/${gone.order.id}/quote`, request(shared))
    const error: ErrorResponse = answer.body
    expect([answer.status, error.code]).toEqual([400, 'ORDER_NOT_LIVE'])
    expect(error.message).toContain('MEMPOOL_CONFLICTED')
  })
})

test('a bid is LIVE, and neither quoted nor checked as a purchase', async () => {
  const owner = accountOf('seller', 'p2tr')
  const psbt = makeBid({
    wanted: coinOf(market, owner, 10_000n),
    seller: owner,
    buyer,
    funding: coinOf(market, buyer, 100_000n),
    priceSats: 20_000n,
  })
  const bid: { id: string; state: string } = (await market.post('orders/import', { psbt })).body
  expect(bid.state).toBe('LIVE')
  const quote = await quoted(shared)
  const signed = signQuote(quote, buyer, [...shared.paddings, ...shared.funding])
  const answers = [
    await market.post(`orders/${bid.id}/quote`, request(shared)),
    await market.post(`orders/${bid.id}/preflight`, { signedPsbt: signed.toBase64() }),
  ]
  for (const { status, body } of answers) {
    expect([status, body]).toMatchObject([400, { code: 'ORDER_NOT_READY' }])
  }
})

/** A purchase made by hand: any inputs around the seller's, any outputs. */
async function handMade(
  inputs: readonly (WalletCoin | 'seller')[],
  outputs: readonly { scriptHex: string; valueSats: string }[],
  { version = 2, sequence = 0xfffffffd, sighash = 0x01 } = {},
): Promise<Psbt> {
  const artifact = (await market.get(`orders/${listing.order.id}/artifact`)).body as {
    psbt: string
  }
  const ask = Psbt.fromBase64(artifact.psbt, { network: networks.regtest })
  const offered = ask.data.inputs[0]
  if (!offered?.finalScriptWitness) throw new Error('the ask is not finalised')
  const psbt = new Psbt({ network: networks.regtest }).setVersion(version)
  for (const coin of inputs) {
    if (coin !== 'seller') psbt.addInput({ ...buyer.input(coin), sighashType: sighash })
    else {
      const { txid, vout } = listing.offered.outpoint
      const { witnessUtxo } = offered
      psbt.addInput({ hash: txid, index: vout, sequence, ...(witnessUtxo && { witnessUtxo }) })
    }
  }
  for (const { scriptHex, valueSats } of outputs) {
    psbt.addOutput({ script: Buffer.from(scriptHex, 'hex'), value: BigInt(valueSats) })
  }
  inputs.forEach((coin, at) => {
    if (coin === 'seller') {
      psbt.updateInput(at, { finalScriptWitness: offered.finalScriptWitness as Uint8Array })
    }
  })
  const own = [...inputs.keys()].filter((at) => inputs[at] !== 'seller')
  return buyer.sign(psbt, own, sighash)
}

const to = (account: Account, sats: number) => ({
  scriptHex: account.scriptHex,
  valueSats: sats.toString(),
})
const seller = accountOf('seller', 'p2tr')
const payout = to(seller, 50_000)

const rejectOf = async (psbt: Promise<Psbt>) => {
  const result = await preflight({ signedPsbt: (await psbt).toBase64() })
  expect(result.allowed).toBe(false)
  expect(result.finalTxHex).toBeUndefined()
  return result.rejectReason
}

describe('a preflight refuses what would go wrong', () => {
  const three = (): [WalletCoin, WalletCoin, 'seller', WalletCoin] => {
    const [first, second] = shared.paddings as [WalletCoin, WalletCoin]
    return [first, second, 'seller', shared.funding[0] as WalletCoin]
  }
  const good = () => [to(buyer, 1_200), to(receiver, 10_000), payout, to(buyer, 140_000)]

  test('the seller paid with its own asset [spec 4.2 Preflight]', async () => {
    // Without paddings the offered input is first, and so is the payout.
    const [, , , funding] = three()
    expect(await rejectOf(handMade(['seller', funding], [payout, to(receiver, 10_000)]))).toBe(
      'asset_to_payout',
    )
  })

  test('the asset paid to the miner', async () => {
    const [first, second, , funding] = three()
    const outputs = [to(buyer, 600), to(buyer, 600), payout]
    expect(await rejectOf(handMade([funding, first, 'seller', second], outputs))).toBe(
      'asset_to_fee',
    )
  })

  test('the asset burned in data', async () => {
    const outputs = good()
    outputs[1] = { scriptHex: '6a0461736574', valueSats: '10000' }
    expect(await rejectOf(handMade(three(), outputs))).toBe('asset_burned')
  })

  test('another payout, and none [spec 4.2 Preflight]', async () => {
    const less = good()
    less[2] = to(seller, 49_999)
    expect(await rejectOf(handMade(three(), less))).toBe('payout_changed')
    const elsewhere = good()
    elsewhere[2] = to(buyer, 50_000)
    expect(await rejectOf(handMade(three(), elsewhere))).toBe('payout_changed')
    expect(await rejectOf(handMade(three(), good().slice(0, 2)))).toBe('payout_missing')
  })

  test('another version or sequence than the seller signed', async () => {
    expect(await rejectOf(handMade(three(), good(), { version: 1 }))).toBe('authorisation_changed')
    expect(await rejectOf(handMade(three(), good(), { sequence: 0xffffffff }))).toBe(
      'authorisation_changed',
    )
  })

  test('an order that it does not buy', async () => {
    const [first, second, , funding] = three()
    expect(await rejectOf(handMade([first, second, funding], [to(buyer, 190_000)]))).toBe(
      'offered_output_not_spent',
    )
  })

  test('more value out than in', async () => {
    const outputs = good()
    outputs[3] = to(buyer, 190_000)
    expect(await rejectOf(handMade(three(), outputs))).toBe('outputs_exceed_inputs')
  })

  test('an input with an asset, one that is unconfirmed, one that does not exist', async () => {
    const [first, , , funding] = three()
    const content = { contentType: 'text/plain', body: Buffer.from('oops'), postage: 600n }
    const devnet = devnetOf(market)
    const small = (outpoint: WalletCoin['outpoint']) => ({
      outpoint,
      scriptHex: buyer.scriptHex,
      valueSats: '600',
    })
    const holding = small(devnet.inscribe(buyer.address, content).outpoint)
    expect(await rejectOf(handMade([first, holding, 'seller', funding], good()))).toBe(
      'input_holds_inscription',
    )
    const fresh = small(devnet.fund(buyer.address, 600n, { confirm: false }))
    expect(await rejectOf(handMade([first, fresh, 'seller', funding], good()))).toBe(
      'input_unconfirmed',
    )
    const ghost = small({ txid: toTxid('cd'.repeat(32)), vout: 0 })
    expect(await rejectOf(handMade([first, ghost, 'seller', funding], good()))).toBe(
      'input_missing',
    )
    devnet.holdIndex((await devnet.node.chain()).tip.height)
    const unseen = small(devnet.fund(buyer.address, 600n))
    expect(await rejectOf(handMade([first, unseen, 'seller', funding], good()))).toBe(
      'input_not_indexed',
    )
    devnet.holdIndex(null)
  })

  test('a message that burns runes, where their absence is not proved', async () => {
    const outputs = [...good(), { scriptHex: '6a5d027e00', valueSats: '0' }]
    expect(await rejectOf(handMade(three(), outputs))).toBe('runes_burned')
    const toSeller = [...good(), { scriptHex: '6a5d021602', valueSats: '0' }]
    expect(await rejectOf(handMade(three(), toSeller))).toBe('runes_to_payout')
  })

  test('what the node does not accept, in its own words [spec 4.2 Preflight]', async () => {
    const outputs = good()
    outputs[3] = to(buyer, 150_000)
    const { signedPsbt } = { signedPsbt: (await handMade(three(), outputs)).toBase64() }
    const result = await preflight({ signedPsbt })
    expect(result).toMatchObject({ allowed: false, rejectReason: 'not_accepted_by_node' })
    expect(result.notices?.[0]?.message).toContain('min relay fee not met')
  })

  test('signatures that hold in another transaction too only warn of that', async () => {
    for (const sighash of [0x81, 0x82]) {
      const psbt = await handMade(three(), good(), { sighash })
      const result = await preflight({ signedPsbt: psbt.toBase64() })
      expect(result.allowed).toBe(true)
      const told = result.notices?.filter(({ code }) => code === 'INPUT_SIGNED_IN_PART')
      const [first, second, , funding] = three()
      expect(told?.map(({ message }) => message.split(' ')[0])).toEqual(
        [first, second, funding].map(text),
      )
    }
    const whole = await preflight({ signedPsbt: (await handMade(three(), good())).toBase64() })
    expect(whole.notices?.map(({ code }) => code)).not.toContain('INPUT_SIGNED_IN_PART')
  })

  test('an input that is spent already only warns of what would be replaced', async () => {
    const [first, second] = shared.paddings as [WalletCoin, WalletCoin]
    const contested = coinOf(market, buyer, 200_000n)
    const spender = devnetOf(market).submit(spendAll([contested], buyer, [to(buyer, 199_000)]))
    const psbt = await handMade([first, second, 'seller', contested], good())
    const result = await preflight({ signedPsbt: psbt.toBase64() })
    expect(result.allowed).toBe(true)
    expect(result.notices?.find(({ code }) => code === 'REPLACES_TRANSACTION')?.message).toContain(
      spender,
    )
  })
})

describe('a preflight of something malformed is 400', () => {
  test('both forms, and neither', async () => {
    const reason = 'body: must carry exactly one of finalTxHex and signedPsbt'
    expect(await malformed({})).toMatchObject({ code: 'VALIDATION_FAILED' })
    const { message } = await malformed({ finalTxHex: '00', signedPsbt: 'cHNidP8=' })
    expect([message].flat()).toEqual([reason])
  })

  test('a PSBT that the buyer has not signed', async () => {
    const quote = await quoted(shared)
    expect(await malformed({ signedPsbt: quote.psbt })).toMatchObject({
      code: 'INVALID_TRANSACTION',
      message: 'input 0 is not signed',
    })
    const unsigned = Psbt.fromBase64(quote.psbt).data.getTransaction()
    expect(await malformed({ finalTxHex: Buffer.from(unsigned).toString('hex') })).toMatchObject({
      code: 'INVALID_TRANSACTION',
      message: 'input 0 is not signed',
    })
  })

  test.each([
    ['not hex', { finalTxHex: 'zz' }, 'INVALID_TRANSACTION'],
    ['not a transaction', { finalTxHex: 'abcdef' }, 'INVALID_TRANSACTION'],
    ['a transaction too large', { finalTxHex: '00'.repeat(400_001) }, 'INVALID_TRANSACTION'],
    ['not a PSBT', { signedPsbt: 'AAAA' }, 'INVALID_PSBT'],
    ['a PSBT too large', { signedPsbt: `cHNidP8${'A'.repeat(533_341)}` }, 'PSBT_TOO_LARGE'],
  ])('%s', async (_name, body, code) => {
    expect(await malformed(body)).toMatchObject({ code })
  })
})

test('with an unavailable authority nothing is quoted and nothing is checked: 503', async () => {
  const quote = await quoted(shared)
  const signed = signQuote(quote, buyer, [...shared.paddings, ...shared.funding])
  devnetOf(market).stopIndex()
  const { id } = listing.order
  const answers = [
    await market.post(`orders/${id}/quote`, request(shared)),
    await market.post(`orders/${id}/preflight`, { signedPsbt: signed.toBase64() }),
  ]
  devnetOf(market).startIndex()
  expect(answers.map(({ status }) => status)).toEqual([503, 503])
})
