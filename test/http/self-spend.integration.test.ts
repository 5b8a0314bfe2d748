import { Transaction } from '@scure/btc-signer'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { ErrorResponse } from '../../src/schemas/api/errors.ts'
import { SelfSpend } from '../../src/schemas/api/outputs/self-spend.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import type { Outpoint } from '../../src/schemas/scalars.ts'
import { type ScriptKind, type Wallet, walletOf } from '../support/chain/keys.ts'
import { toBlockHash, toTxid } from '../support/ids.ts'
import { addressOf, inscribedFor } from '../support/market/listing.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { signedHex } from '../support/market/sign-all.ts'
import { devnetOf } from '../support/market/trader.ts'
import { makeAsk, makeBid } from '../support/orders/psbt-orders.ts'

const home = walletOf('p2tr', 'home')
const HOME = addressOf(home)
const ANCHOR = 'bcrt1pfeesnyr2tx'

let market: Market
beforeAll(async () => {
  market = await openMarket(ORDERS_ONLY)
})
afterAll(() => market.end())
afterEach(() => {
  vi.restoreAllMocks()
  devnetOf(market).startNode()
  devnetOf(market).startIndex()
  devnetOf(market).holdIndex(null)
})

const text = ({ txid, vout }: Outpoint) => `${txid}:${vout}`
let wallets = 0
const newWallet = (kind: ScriptKind = 'p2wpkh'): Wallet => {
  wallets += 1
  return walletOf(kind, `exposed ${wallets}`)
}
const fund = (wallet: Wallet, sats: bigint) => devnetOf(market).fund(addressOf(wallet), sats)

const asked = (changes: object = {}) => ({
  destinationAddress: HOME,
  feeRateSatsPerVb: '2',
  ...changes,
})
const send = (outpoint: Outpoint, changes: object = {}) =>
  market.post(`outpoints/${text(outpoint)}/self-spend`, asked(changes))

async function selfSpend(outpoint: Outpoint, changes: object = {}): Promise<SelfSpend> {
  const { status, body } = await send(outpoint, changes)
  expect(status, JSON.stringify(body)).toBe(201)
  return SelfSpend.parse(body)
}
async function refusal(outpoint: Outpoint, changes: object = {}): Promise<string> {
  const { status, body } = await send(outpoint, changes)
  const { code, message }: ErrorResponse = body
  expect([status, code]).toEqual([400, 'SELF_SPEND_REFUSED'])
  return [message].flat().join('; ')
}
const noticed = ({ notices }: SelfSpend) => notices.map(({ code }) => code)

describe('a self-spend', () => {
  test('ends every authorisation, and the inscription arrives where it was in its output', async () => {
    const seller = walletOf('p2tr', 'exposed seller')
    const { inscriptionId, outpoint } = inscribedFor(market, seller)
    for (const valueSats of ['20000', '30000']) {
      const { psbt } = makeAsk({
        seed: 'exposed seller',
        prevout: { ...outpoint, valueSats: '10000' },
        payout: { scriptHex: seller.scriptHex, valueSats },
      })
      expect((await market.post('orders/import', { psbt })).body).toMatchObject({ state: 'LIVE' })
    }
    const found = await selfSpend(outpoint)
    expect(found).toMatchObject({
      outpoint: text(outpoint),
      authorisations: 2,
      destinationAddress: HOME,
      inputOutpoints: [outpoint],
      outputScriptsHex: [home.scriptHex],
      feeRateSatsPerVb: '2',
      changeSats: '0',
      inscriptions: [{ id: inscriptionId, offset: '0' }],
    })
    expect(noticed(found)).toEqual([
      'ENDS_WHEN_CONFIRMED',
      'ASSETS_MOVE',
      'FEE_FROM_OUTPUT',
      'RUNES_NOT_EXAMINED',
    ])
    const { networkFeeSats, outputValuesSats, estimatedVbytes } = found
    expect(BigInt(outputValuesSats[0] ?? 0) + BigInt(networkFeeSats)).toBe(10_000n)
    const hex = signedHex(found.psbt, seller)
    const signed = Transaction.fromRaw(Buffer.from(hex, 'hex'), { disableScriptCheck: true })
    expect([signed.version, signed.lockTime, signed.getInput(0).sequence]).toEqual([
      2, 0, 0xfffffffd,
    ])
    expect(Math.abs(signed.vsize - Number(estimatedVbytes))).toBeLessThanOrEqual(1)

    const txid = devnetOf(market).confirm(hex)
    const after = await market.get(`outpoints/${text(outpoint)}`)
    expect(after.body).toMatchObject({
      output: { status: 'SPENT', spentBy: { txid } },
      lowest: { now: null, ever: null },
      authorisations: [{ takeable: 'ENDED' }, { takeable: 'ENDED' }],
    })
    const moved = await market.gateway.index?.inscription(inscriptionId)
    expect(moved?.satpoint).toEqual({ outpoint: { txid, vout: 0 }, offset: '0' })
  })

  test('whose fee other inputs pay leaves the output its value', async () => {
    const owner = newWallet()
    const outpoint = fund(owner, 600n)
    const funding = fund(owner, 5_000n)
    const found = await selfSpend(outpoint, {
      fundingUtxos: [funding],
      changeAddress: addressOf(owner),
    })
    expect(found.inputOutpoints).toEqual([outpoint, funding])
    expect(found.outputScriptsHex).toEqual([home.scriptHex, owner.scriptHex])
    expect(found.outputValuesSats).toEqual(['600', found.changeSats])
    expect(BigInt(found.changeSats) + BigInt(found.networkFeeSats)).toBe(5_000n)
    expect(noticed(found)).toEqual(['ENDS_WHEN_CONFIRMED', 'RUNES_NOT_EXAMINED'])
    devnetOf(market).confirm(signedHex(found.psbt, owner))
  })

  test('whose fee the funding of a bid pays says that it ends the bid', async () => {
    const bidder = walletOf('p2wpkh', 'bidder here')
    const funding = fund(bidder, 100_000n)
    const seller = newWallet('p2tr')
    const { psbt } = makeBid({
      seller,
      prevout: { ...fund(seller, 10_000n), valueSats: '10000' },
      funding: [{ seed: 'bidder here', outpoint: funding }],
    })
    const { body } = await market.post('orders/import', { psbt })
    expect(body).toMatchObject({ state: 'LIVE', side: 'BID' })
    const found = await selfSpend(fund(newWallet(), 10_000n), { fundingUtxos: [funding] })
    expect(noticed(found)).toEqual(['ENDS_WHEN_CONFIRMED', 'RUNES_NOT_EXAMINED', 'PAYS_FOR_BID'])
  })

  test('whose change would be dust adds it to the fee; without a change address it stays in the output', async () => {
    const owner = newWallet()
    const outpoint = fund(owner, 10_000n)
    const small = await selfSpend(outpoint, { fundingUtxos: [fund(owner, 500n)] })
    expect(small).toMatchObject({ changeSats: '0', networkFeeSats: '500' })
    expect(noticed(small)).toContain('CHANGE_FOLDED_INTO_FEE')
    const large = await selfSpend(outpoint, { fundingUtxos: [fund(owner, 5_000n)] })
    expect(large.outputScriptsHex).toEqual([home.scriptHex, home.scriptHex])
  })

  test.each(['p2sh-p2wpkh', 'p2wsh-multisig', 'p2tr'] as const)(
    'of %s can be signed',
    async (kind) => {
      const owner = newWallet(kind)
      const found = await selfSpend(fund(owner, 10_000n))
      expect(noticed(found).includes('INPUT_SIZE_ASSUMED')).toBe(kind !== 'p2tr')
      expect(devnetOf(market).confirm(signedHex(found.psbt, owner))).toMatch(/^[0-9a-f]{64}$/)
    },
  )

  test('replaces another spend in the mempool, and says what that requires', async () => {
    const owner = newWallet()
    const outpoint = fund(owner, 10_000n)
    const first = signedHex((await selfSpend(outpoint)).psbt, owner)
    const txid = devnetOf(market).submit(first)
    const found = await selfSpend(outpoint, { feeRateSatsPerVb: 9 })
    const [, notice] = found.notices
    expect(notice?.code).toBe('REPLACES_A_SPEND')
    expect(notice?.message).toContain(txid)
    const second = devnetOf(market).confirm(signedHex(found.psbt, owner))
    expect(second).not.toBe(txid)
  })

  test('uses the node’s estimate without a given rate', async () => {
    const found = await selfSpend(fund(newWallet(), 10_000n), { feeRateSatsPerVb: undefined })
    expect(Number(found.feeRateSatsPerVb)).toBeGreaterThan(0)
  })

  test('sends runes along', async () => {
    const { index } = market.gateway
    if (!index) throw new Error('there is no index')
    vi.spyOn(index, 'contents').mockImplementation(async (outpoints) =>
      outpoints.map(() => ({
        indexed: true,
        spent: false,
        inscriptionIds: [],
        runes: [{ name: 'UNCOMMON•GOODS', amount: '1' }],
      })),
    )
    const outpoint = fund(newWallet(), 10_000n)
    const found = await selfSpend(outpoint)
    expect(noticed(found)).toEqual(['ENDS_WHEN_CONFIRMED', 'RUNES_MOVE', 'FEE_FROM_OUTPUT'])
    expect(found.outputScriptsHex).toEqual([home.scriptHex])
    // What holds runes pays no fee.
    const other = fund(newWallet(), 5_000n)
    expect(await refusal(outpoint, { fundingUtxos: [other] })).toBe(
      `${text(other)} holds the rune UNCOMMON•GOODS`,
    )
  })
})

describe('no asset is lost', () => {
  test('to the fee: an inscription among the last sats is refused, unless others pay', async () => {
    const owner = newWallet('p2tr')
    const { inscriptionId, outpoint } = inscribedFor(market, owner)
    const before = fund(owner, 9_900n)
    const fee = fund(owner, 3_000n)
    // It moves to offset 9,900 of an output of 10,000 sats.
    const psbt = new Transaction({ disableScriptCheck: true })
    for (const [coin, sats] of [
      [before, 9_900n],
      [outpoint, 10_000n],
      [fee, 3_000n],
    ] as const) {
      const witnessUtxo = { script: Buffer.from(owner.scriptHex, 'hex'), amount: sats }
      psbt.addInput({ txid: coin.txid, index: coin.vout, witnessUtxo })
    }
    for (const amount of [10_000n, 10_000n]) {
      psbt.addOutput({ script: Buffer.from(owner.scriptHex, 'hex'), amount })
    }
    const hex = signedHex(Buffer.from(psbt.toPSBT()).toString('base64'), owner)
    const place = { txid: devnetOf(market).confirm(hex), vout: 0 }
    expect(await refusal(place)).toContain(
      'holds an inscription at offset 9900, and keeps 9776 sats: it would be lost to the fee',
    )
    const found = await selfSpend(place, { fundingUtxos: [fund(owner, 5_000n)] })
    expect(found.inscriptions).toEqual([{ id: inscriptionId, offset: '9900' }])
    expect(found.outputValuesSats[0]).toBe('10000')
  })

  test('where the sats themselves are sold: none of them pays a fee', async () => {
    const seed = 'seller of sats'
    const seller = walletOf('p2tr', seed)
    const listed = async (protocolId?: string) => {
      const outpoint = fund(seller, 10_000n)
      const { psbt } = makeAsk({ seed, prevout: { ...outpoint, valueSats: '10000' } })
      const { body } = await market.post('orders/import', {
        psbt,
        ...(protocolId && { protocolId }),
      })
      expect(body).toMatchObject({ state: 'LIVE' })
      return outpoint
    }
    for (const outpoint of [await listed('rare-sats'), await listed()]) {
      expect(await refusal(outpoint)).toBe(
        `${text(outpoint)} is offered without an inscription: any of its sats may be what is sold; ` +
          'name fundingUtxos, so that it keeps its value',
      )
      const found = await selfSpend(outpoint, { fundingUtxos: [fund(newWallet(), 5_000n)] })
      expect(found.outputValuesSats[0]).toBe('10000')
    }
    // Runes go to the first output, whatever sats are in it.
    expect(noticed(await selfSpend(await listed('runes')))).toContain('FEE_FROM_OUTPUT')
  })

  test('with too many in the output to look each up', async () => {
    const { index } = market.gateway
    if (!index) throw new Error('there is no index')
    const owner = newWallet()
    const outpoint = fund(owner, 10_000n)
    vi.spyOn(index, 'output').mockResolvedValue({
      indexed: true,
      spent: false,
      inscriptions: null,
      runes: null,
    })
    expect(await refusal(outpoint)).toContain('too many inscriptions to look up where each is')
    const found = await selfSpend(outpoint, { fundingUtxos: [fund(owner, 5_000n)] })
    expect(found.outputValuesSats[0]).toBe('10000')
  })

  test('in what pays the fee', async () => {
    const owner = newWallet('p2tr')
    const { inscriptionId, outpoint: inscribed } = inscribedFor(market, owner)
    expect(await refusal(fund(owner, 10_000n), { fundingUtxos: [inscribed] })).toBe(
      `${text(inscribed)} holds the inscription ${inscriptionId}`,
    )
  })
})

describe('is refused', () => {
  let coin: Outpoint
  beforeAll(() => {
    coin = fund(walletOf('p2wpkh', 'refused'), 10_000n)
  })

  test.each([
    [{ destinationAddress: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' }, 'destinationAddress'],
    [{ destinationAddress: ANCHOR }, 'destinationAddress'],
    [{ changeAddress: 'nobody' }, 'changeAddress'],
  ])('an address of another network, or without an owner: %o', async (changes, field) => {
    expect(await refusal(coin, changes)).toBe(`${field}: is not an address of regtest`)
  })

  test.each([
    ['0.001', 'feeRateSatsPerVb: the node takes no less than'],
    ['5001', 'feeRateSatsPerVb: must not exceed 5000'],
    ['60', 'is more than half of'],
  ])('a fee rate of %s', async (feeRateSatsPerVb, why) => {
    expect(await refusal(coin, { feeRateSatsPerVb })).toContain(why)
  })

  test('what would be dust', async () => {
    const usual = fund(newWallet('p2tr'), 546n)
    expect(await refusal(usual)).toBe(
      `${text(usual)} would keep 322 sats, which is dust: the destination needs 330; ` +
        'name fundingUtxos, so that it keeps its value, or a lower fee rate',
    )
    const found = await selfSpend(usual, { fundingUtxos: [fund(newWallet(), 5_000n)] })
    expect(found.outputValuesSats[0]).toBe('546')
    const small = fund(newWallet(), 300n)
    for (const changes of [{}, { fundingUtxos: [fund(newWallet(), 5_000n)] }]) {
      expect(await refusal(small, changes)).toBe(
        'the output of 300 sats is dust: the destination needs 330',
      )
    }
  })

  test('an output that is spent, unknown or unconfirmed', async () => {
    const nowhere = { txid: toTxid('ab'.repeat(32)), vout: 0 }
    expect(await refusal(nowhere)).toContain('is spent or was never there: nothing is left to end')
    const { scriptHex } = newWallet()
    const young = devnetOf(market).fund(scriptHex, 10_000n, { confirm: false })
    expect(await refusal(young)).toContain('is unconfirmed: no index knows what it holds')
    devnetOf(market).mine(1)
  })

  test('a coinbase output that is not mature, and a script of unknown spends', async () => {
    const { scriptHex } = newWallet()
    const [hash = ''] = devnetOf(market).mine(1, { coinbaseScriptHex: scriptHex })
    const block = await market.gateway.node?.block(toBlockHash(hash))
    const coinbase = { txid: block?.transactions[0]?.txid ?? toTxid(''), vout: 0 }
    expect(await refusal(coinbase)).toContain('is a coinbase output that is not mature yet')
    const script = Uint8Array.from(Buffer.from('51024e73', 'hex'))
    const anchor = { txid: devnetOf(market).pay([{ script, valueSats: 1_000n }]), vout: 0 }
    expect(await refusal(anchor)).toContain('the size of a spend of its script is unknown')
  })

  test('funding that is the output itself, named twice, unknown or too little', async () => {
    const other = { txid: toTxid('cd'.repeat(32)), vout: 1 }
    expect(await refusal(coin, { fundingUtxos: [coin] })).toBe(`${text(coin)} is the output itself`)
    expect(await refusal(coin, { fundingUtxos: [other, other] })).toBe(
      `${text(other)} is named more than once`,
    )
    expect(await refusal(coin, { fundingUtxos: [other] })).toBe(
      `${text(other)} is spent or was never there`,
    )
    const little = fund(newWallet(), 300n)
    expect(await refusal(coin, { fundingUtxos: [little], feeRateSatsPerVb: '5' })).toContain(
      'insufficient funds',
    )
  })

  test('funding that an open order offers, until that order is withdrawn', async () => {
    const seed = 'offered funding'
    const offered = fund(walletOf('p2tr', seed), 10_000n)
    const { psbt } = makeAsk({ seed, prevout: { ...offered, valueSats: '10000' } })
    const { body } = await market.post('orders/import', { psbt })
    const { id, state }: OrderSummary = body
    expect(state).toBe('LIVE')
    expect(await refusal(coin, { fundingUtxos: [offered] })).toBe(
      `${text(offered)} is offered by the order ${id}: withdraw that order, or name another output`,
    )
  })

  test.each([
    ['no destination', { destinationAddress: undefined }],
    ['no outputs', { fundingUtxos: [] }],
    [
      '16 outputs',
      { fundingUtxos: Array.from({ length: 16 }, (_, n) => ({ txid: 'ab'.repeat(32), vout: n })) },
    ],
    ['a rate of words', { feeRateSatsPerVb: 'fast' }],
    ['a field that it does not have', { broadcast: true }],
  ])('a body with %s', async (_name, changes) => {
    const { status, body } = await send(coin, changes)
    expect([status, body]).toMatchObject([400, { code: 'VALIDATION_FAILED' }])
  })

  test('a malformed outpoint', async () => {
    const { body } = await market.post(`outpoints/${'ab'.repeat(32)}:x/self-spend`, asked())
    expect(body).toMatchObject({ statusCode: 400, code: 'VALIDATION_FAILED' })
  })

  test('while node or index is unavailable, or the index lags', async () => {
    const devnet = devnetOf(market)
    const { height } = (await market.gateway.node?.chain())?.tip ?? { height: 0 }
    devnet.holdIndex(height)
    const young = fund(newWallet(), 10_000n)
    expect((await send(young)).body).toMatchObject({
      statusCode: 503,
      code: 'ASSET_INDEX_UNAVAILABLE',
    })
    devnet.stopIndex()
    expect((await send(coin)).body).toMatchObject({ code: 'ASSET_INDEX_UNAVAILABLE' })
    devnet.stopNode()
    expect((await send(coin)).body).toMatchObject({ statusCode: 503, code: 'NODE_UNAVAILABLE' })
  })
})
