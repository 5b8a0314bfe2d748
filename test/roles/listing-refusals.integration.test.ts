import { Psbt, payments } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeBid } from '../../src/devnet/people/trade.ts'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { orderIdOf } from '../../src/domain/order/order-id.ts'
import { inspectPsbt } from '../../src/domain/verdict/inspect.ts'
import type { ErrorCode } from '../../src/schemas/api/errors.ts'
import type { AssetClaim } from '../../src/schemas/order.ts'
import type { Outpoint } from '../../src/schemas/scalars.ts'
import { walletOf } from '../support/chain/keys.ts'
import { toBlockHash, toTxid } from '../support/ids.ts'
import {
  addressOf,
  built,
  inscribedFor,
  listingOf,
  refused,
  signedByBitcoinjs,
} from '../support/market/listing.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { coinOf, devnetOf, spendAll } from '../support/market/trader.ts'
import { type AskOptions, makeAsk, outpointOf } from '../support/orders/psbt-orders.ts'

let market: Market
let asset: AssetClaim
const owner = walletOf('p2wpkh', 'refused')
const account = accountOf('refused', 'p2wpkh')
const payout = { scriptHex: account.scriptHex, valueSats: '50000' }

beforeAll(async () => {
  market = await openMarket(ORDERS_ONLY)
  asset = inscribedFor(market, owner)
})
afterAll(() => market.end())

const text = ({ txid, vout }: Outpoint): string => `${txid}:${vout}`
const plain = (outpoint: Outpoint) => {
  const { asset: _asset, ...request } = listingOf(asset, owner, { protocolId: 'rare-sats' })
  return { ...request, outpoint }
}
/** Inscriptions of the account, each on a sat of its own of one output. */
function stacked(howMany: number): AssetClaim {
  const claims = Array.from({ length: howMany }, () =>
    inscribedFor(market, { ...owner, scriptHex: account.scriptHex }),
  )
  const coins = claims.map(({ outpoint }) => ({ ...payout, outpoint, valueSats: '10000' }))
  const fee = coinOf(market, account, 5_000n)
  const hex = spendAll([...coins, fee], account, [
    { ...payout, valueSats: String(howMany * 10_000) },
  ])
  const txid = devnetOf(market).submit(hex)
  devnetOf(market).mine(1)
  return { inscriptionId: claims[0]?.inscriptionId ?? '', outpoint: { txid, vout: 0 } }
}

describe('a build is refused, with the exact reason [spec 4.2 Build]', () => {
  const says = async (request: object, ...reasons: string[]) => {
    const error = await refused(market, 'build', request)
    expect(error).toMatchObject({ statusCode: 400, code: 'BUILD_REFUSED' })
    expect([error.message].flat()).toEqual(reasons)
  }

  test('what is missing is named at once', async () => {
    expect(await refused(market, 'build', {})).toMatchObject({
      statusCode: 400,
      code: 'VALIDATION_FAILED',
      message: [
        'protocolId: is required',
        'token: is required',
        'quotedPriceSats: is required',
        'sellerPaymentAddress: is required',
      ],
    })
  })

  test.each([
    { quotedPriceSats: '01' },
    { quotedPriceSats: 1.5 },
    { quotedPriceSats: -1 },
    { quotedPriceSats: '2100000000000001' },
    { token: '' },
    { token: 'x'.repeat(65) },
    { token: 'a\nb' },
    { sellerPaymentAddress: 'x'.repeat(129) },
    { asset: { inscriptionId: 'nonsense', outpoint: outpointOf('x') } },
    { outpoint: { txid: 'ab'.repeat(32), vout: 2 ** 32 } },
    { surprise: true },
  ])('for %o', async (changes) => {
    const error = await refused(market, 'build', { ...listingOf(asset, owner), ...changes })
    expect(error).toMatchObject({ statusCode: 400, code: 'VALIDATION_FAILED' })
    expect(String(error.message)).toContain(Object.keys(changes)[0])
  })

  test('for what its market does not sell, all at once', async () => {
    await says(
      listingOf(asset, owner, { protocolId: 'nowhere' }),
      'protocolId: no market of the catalog has this id',
    )
    for (const protocolId of ['doginals', 'counterparty', 'xcp']) {
      await says(
        listingOf(asset, owner, { protocolId }),
        `protocolId: ${protocolId} is settled elsewhere: no listing of it is built here`,
      )
    }
    const { asset: _asset, ...bare } = listingOf(asset, owner)
    await says(bare, 'asset: is required, inscriptions sells inscriptions')
    await says(
      { ...bare, outpoint: asset.outpoint },
      'asset: is required, inscriptions sells inscriptions',
    )
    await says(
      listingOf(asset, owner, { outpoint: outpointOf('other') }),
      'outpoint: is not the output of the asset',
    )
    await says(
      {
        ...listingOf(asset, owner, { protocolId: 'runes', quotedPriceSats: '293' }),
        sellerPaymentAddress: addressOf(owner),
      },
      'asset: runes sells outputs and no inscriptions',
      'outpoint: is required, runes sells outputs',
      'quotedPriceSats: 293 sats is dust: the payout needs 294',
    )
  })

  test('for an address of another network, or of none', async () => {
    for (const sellerPaymentAddress of ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'nobody']) {
      await says(
        listingOf(asset, owner, { sellerPaymentAddress }),
        'sellerPaymentAddress: is not an address of regtest',
      )
    }
  })

  test.each([
    ['p2wpkh', 294],
    ['p2tr', 330],
    ['p2wsh-multisig', 330],
    ['p2sh-p2wpkh', 540],
  ] as const)('for a payout to %s below %i sats', async (kind, least) => {
    const sellerPaymentAddress = addressOf(walletOf(kind, 'payout'))
    const price = (sats: number) =>
      listingOf(asset, owner, { sellerPaymentAddress, quotedPriceSats: String(sats) })
    await says(
      price(least - 1),
      `quotedPriceSats: ${least - 1} sats is dust: the payout needs ${least}`,
    )
    expect((await built(market, price(least))).inspection.outputValuesSats).toEqual([String(least)])
  })

  test('for an output that does not exist', async () => {
    for (const outpoint of [outpointOf('ghost'), { ...asset.outpoint, vout: 0xffffffff }]) {
      await says(
        plain(outpoint),
        `${text(outpoint)}: outpoint_missing: no source knows the offered output`,
      )
    }
  })

  test('for an output that is unconfirmed', async () => {
    const outpoint = devnetOf(market).fund(addressOf(owner), 9_000n, { confirm: false })
    await says(
      plain(outpoint),
      `${text(outpoint)}: output_unconfirmed: the offered output has no confirmation: no index can have examined it`,
    )
  })

  test('for an output that is spent, in the mempool and then in a block', async () => {
    const coin = coinOf(market, account, 9_000n)
    const txid = devnetOf(market).submit(
      spendAll([coin], account, [{ ...payout, valueSats: '8000' }]),
    )
    const where = text(coin.outpoint)
    await says(
      plain(coin.outpoint),
      `${where}: mempool_conflict ${txid}: a transaction of the mempool spends the offered output`,
    )
    devnetOf(market).mine(1)
    await says(
      plain(coin.outpoint),
      `${where}: spent: a confirmed transaction spends the offered output, without the exact payout`,
    )
  })

  test('for a coinbase that is not mature', async () => {
    const devnet = devnetOf(market)
    const [hash = ''] = devnet.mine(1, { coinbaseScriptHex: owner.scriptHex })
    const block = await devnet.node.block(toBlockHash(hash))
    const txid = block?.transactions[0]?.txid ?? toTxid('')
    const until = `not_final_until ${(block?.height ?? 0) + 100}`
    const error = await refused(market, 'build', plain({ txid, vout: 0 }))
    expect(error).toMatchObject({ statusCode: 400, code: 'BUILD_REFUSED' })
    expect(error.message).toContain(`${txid}:0: ${until}: a lock time`)
  })

  test('for a script whose signature binds the index of its input', async () => {
    const { pubkey } = payments.p2wpkh({ pubkey: Buffer.from(`02${'11'.repeat(32)}`, 'hex') })
    const legacy = payments.p2pkh({ pubkey: pubkey ?? new Uint8Array() })
    const scriptHex = Buffer.from(legacy.output ?? []).toString('hex')
    const outpoint = devnetOf(market).fund(addressOf({ scriptHex }), 9_000n)
    await says(
      plain(outpoint),
      `${text(outpoint)}: its script cannot be sold: only P2WPKH, P2WSH, P2TR and these nested in P2SH can`,
    )
  })

  test('for an inscription that is elsewhere, or nowhere', async () => {
    const { outpoint } = coinOf(market, account, 9_000n)
    for (const inscriptionId of [asset.inscriptionId, `${'ab'.repeat(32)}i0`]) {
      await says(
        listingOf({ inscriptionId, outpoint }, owner),
        `${text(outpoint)}: asset_mismatch: the claimed inscription is not in the offered output`,
      )
    }
  })

  test('for what the output holds besides what is offered', async () => {
    const both = stacked(2)
    await says(
      listingOf(both, owner),
      `${text(both.outpoint)}: undeclared_assets: the offered output holds more than is offered`,
    )
  })

  test('for 26 inscriptions in one output, whichever is offered; 25 are read', async () => {
    const most = stacked(25)
    await says(
      listingOf(most, owner),
      `${text(most.outpoint)}: undeclared_assets: the offered output holds more than is offered`,
    )
    const many = stacked(26)
    await says(
      listingOf(many, owner),
      `${text(many.outpoint)}: too_many_inscriptions: the offered output holds more than 25 inscriptions: what is offered is not looked up`,
    )
  })

  test('for an inscription that would be sold as a mere output', async () => {
    for (const protocolId of ['rare-sats', 'runes', 'rare-satoshis']) {
      await says(
        { ...plain(asset.outpoint), protocolId },
        `${text(asset.outpoint)}: holds the inscription ${asset.inscriptionId}: list it in a market of inscriptions`,
      )
    }
  })
})

describe('an unavailable authority is 503', () => {
  const psbt = () => makeAsk({ prevout: { ...outpointOf('anything'), valueSats: '10000' } }).psbt

  test('where none is configured', async () => {
    const bare = await openMarket({ ...ORDERS_ONLY, DEVNET: 'off' })
    for (const [route, body] of [
      ['build', listingOf(asset, owner)],
      ['publish', { psbt: psbt() }],
    ] as const) {
      const answer = await bare.post(`orders/${route}`, body)
      expect([answer.status, answer.body]).toMatchObject([
        503,
        { code: 'NODE_UNAVAILABLE', message: 'no node is configured' },
      ])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    await bare.end()
  })

  test('while the index has not reached the output, for both routes', async () => {
    const devnet = devnetOf(market)
    const before = inscribedFor(market, owner)
    const { psbt } = await built(market, listingOf(before, owner))
    const late = walletOf('p2wpkh', 'late')
    devnet.holdIndex((await devnet.node.chain()).tip.height)
    const outpoint = devnet.fund(addressOf(late), 10_000n)
    const external = makeAsk({
      script: 'p2wpkh',
      seed: 'late',
      prevout: { ...outpoint, valueSats: '10000' },
    })
    const answers = [
      await refused(market, 'build', plain(outpoint)),
      await refused(market, 'publish', { psbt: external.psbt }),
    ]
    devnet.holdIndex(null)
    for (const answer of answers) {
      expect(answer).toMatchObject({
        statusCode: 503,
        code: 'ASSET_INDEX_UNAVAILABLE',
        message: 'the index gives no answer: asset_index_behind',
      })
    }
    const signed = signedByBitcoinjs(psbt, owner)
    expect((await market.post('orders/publish', { psbt: signed })).status).toBe(201)
    expect((await market.post('orders/publish', { psbt: external.psbt })).status).toBe(201)
  })
})

describe('a publish is refused, and nothing is stored [spec 4.2 Publish]', () => {
  const wallet = walletOf('p2wpkh', 'publisher')
  /** An ask of a coin of the chain, except for what a test changes. */
  const ask = (options: AskOptions = {}, sats = 10_000n) => {
    const outpoint = devnetOf(market).fund(addressOf(wallet), sats)
    const prevout = { ...outpoint, valueSats: sats.toString() }
    return makeAsk({ script: 'p2wpkh', seed: 'publisher', prevout, ...options })
  }
  const says = async (psbt: string, ...reasons: string[]) => {
    const error = await refused(market, 'publish', { psbt })
    expect(error).toMatchObject({ statusCode: 400, code: 'PUBLISH_REFUSED' })
    expect([error.message].flat()).toEqual(reasons)
    const id = orderIdOf('regtest', inspectPsbt(psbt))
    expect((await market.get(`orders/${id}`)).status).toBe(404)
    expect((await market.get(`activity?orderId=${id}`)).body).toMatchObject({ entries: [] })
  }

  test.each<[string, object, ErrorCode, string]>([
    ['nothing', {}, 'VALIDATION_FAILED', 'psbt: is required'],
    ['more than a PSBT', { psbt: '', protocolId: 'x' }, 'VALIDATION_FAILED', 'protocolId'],
    ['text', { psbt: 'not a PSBT' }, 'INVALID_PSBT', 'psbt: the text is not a PSBT'],
    [
      '64 kB and more',
      { psbt: `70736274ff${'00'.repeat(70_000)}` },
      'PSBT_TOO_LARGE',
      'psbt: the PSBT is larger than 65536 bytes',
    ],
  ])('for %s', async (_name, body, code, message) => {
    const error = await refused(market, 'publish', body)
    expect(error).toMatchObject({ statusCode: 400, code })
    expect(String(error.message)).toContain(message)
  })

  test('for an unsigned build', async () => {
    const { psbt } = await built(market, listingOf(asset, owner))
    await says(psbt, 'psbt: unsigned: No input carries a signature.')
  })

  test('for another sighash, with every reason', async () => {
    const { psbt } = ask({ sighash: 0x81 })
    await says(
      psbt,
      'psbt: sighash_not_single_anyonecanpay: The signature does not commit to its own input and the output beside it alone (0x83).',
    )
  })

  test('for a bid, and for an ask among placeholders', async () => {
    const bidder = accountOf('bidder', 'p2wpkh')
    const bid = makeBid({
      wanted: coinOf(market, account, 10_000n),
      seller: account,
      buyer: bidder,
      funding: coinOf(market, bidder, 100_000n),
      priceSats: 20_000n,
    })
    await says(bid, 'psbt: is a bid, which a buyer signed')
    await says(ask({ placeholders: 2 }).psbt, 'psbt: must have one input and one output')
  })

  test('for a payout that is not its seller’s for good', async () => {
    const paying = (scriptHex: string) => ask({ payout: { scriptHex, valueSats: '50000' } }).psbt
    await says(paying('51024e73'), 'psbt: pays an anchor, which anyone may spend')
    await says(
      paying(`5120${'ff'.repeat(32)}`),
      'psbt: pays a taproot key that is not a point of the curve: no signature can spend it',
    )
  })

  test('for a signature that is not the owner’s', async () => {
    const { outpoint } = ask()
    const other = makeAsk({
      script: 'p2wpkh',
      seed: 'a stranger',
      claimedUtxo: null,
      prevout: { ...outpoint, valueSats: '10000' },
    })
    await says(
      other.psbt,
      `${text(outpoint)}: signature_invalid: the signature is not valid for the node's output`,
    )
  })

  test('for a signature of another price', async () => {
    const { psbt, outpoint } = ask({ finalised: false })
    const dearer = { ...payout, valueSats: '60000', scriptHex: wallet.scriptHex }
    const unsigned = ask({
      unsigned: true,
      payout: dearer,
      prevout: { ...outpoint, valueSats: '10000' },
    })
    const altered = Psbt.fromBase64(unsigned.psbt)
    const partialSig = Psbt.fromBase64(psbt).data.inputs[0]?.partialSig ?? []
    altered.updateInput(0, { partialSig })
    await says(
      altered.toBase64(),
      `${text(outpoint)}: signature_invalid: the signature is not valid for the node's output`,
    )
  })

  test('for a PSBT that contradicts the node about its own output', async () => {
    const { psbt, outpoint } = ask({
      claimedUtxo: { valueSats: '99999', scriptHex: wallet.scriptHex },
    })
    const [first = ''] = [(await refused(market, 'publish', { psbt })).message].flat()
    expect(first.startsWith(`${text(outpoint)}: witness_utxo_mismatch: `)).toBe(true)
    await says(psbt, first)
  })

  test('for a taproot signature without its byte', async () => {
    const tr = walletOf('p2tr', 'no byte')
    const outpoint = devnetOf(market).fund(addressOf(tr), 10_000n)
    const prevout = { ...outpoint, valueSats: '10000' }
    const { psbt } = makeAsk({ script: 'p2tr', seed: 'no byte', prevout, omitSighashByte: true })
    const error = await refused(market, 'publish', { psbt })
    expect(error.message).toContain(`${text(outpoint)}: sighash_byte_missing_recoverable: `)
    await says(psbt, String(error.message))
  })

  test('for a payout of dust, and for a lock time that has not passed', async () => {
    const dust = ask({ payout: { scriptHex: wallet.scriptHex, valueSats: '293' } })
    const error = await refused(market, 'publish', { psbt: dust.psbt })
    expect(error.message).toContain(`${text(dust.outpoint)}: not_relayable: `)
    const locked = ask({ locktime: 100_000 })
    const until = await refused(market, 'publish', { psbt: locked.psbt })
    expect(until.message).toContain(`${text(locked.outpoint)}: not_final_until 100001: `)
  })

  test('for an output that never existed, is unconfirmed, or is spent', async () => {
    const ghost = makeAsk({ prevout: { ...outpointOf('never'), valueSats: '10000' } })
    await says(
      ghost.psbt,
      `${text(ghost.outpoint)}: outpoint_missing: no source knows the offered output`,
    )
    const outpoint = devnetOf(market).fund(addressOf(wallet), 10_000n, { confirm: false })
    const fresh = makeAsk({
      script: 'p2wpkh',
      seed: 'publisher',
      prevout: { ...outpoint, valueSats: '10000' },
    })
    await says(
      fresh.psbt,
      `${text(outpoint)}: output_unconfirmed: the offered output has no confirmation: no index can have examined it`,
    )
    const coin = coinOf(market, account, 9_000n)
    const psbt = account.ask(coin, payout)
    const out = { ...payout, valueSats: '8000' }
    const txid = devnetOf(market).submit(spendAll([coin], account, [out]))
    await says(
      psbt,
      `${text(coin.outpoint)}: mempool_conflict ${txid}: a transaction of the mempool spends the offered output`,
    )
    devnetOf(market).mine(1)
    await says(
      psbt,
      `${text(coin.outpoint)}: spent: a confirmed transaction spends the offered output, without the exact payout`,
    )
  })

  test('for an output that holds more than is offered', async () => {
    const { outpoint } = stacked(2)
    const psbt = account.ask({ ...payout, outpoint, valueSats: '20000' }, payout)
    await says(
      psbt,
      `${text(outpoint)}: undeclared_assets: the offered output holds more than is offered`,
    )
  })
})
