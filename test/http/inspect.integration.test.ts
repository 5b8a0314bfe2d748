import { Transaction } from '@scure/btc-signer'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeBid } from '../../src/devnet/people/trade.ts'
import { accountOf } from '../../src/devnet/people/wallet.ts'
import { operatorWithdraw } from '../../src/gateway/commands/operator-withdraw.ts'
import { ErrorResponse } from '../../src/schemas/api/errors.ts'
import { type InspectionProblem, InspectResult } from '../../src/schemas/api/inspection.ts'
import type { OrderPage, OrderSummary } from '../../src/schemas/order.ts'
import { walletOf } from '../support/chain/keys.ts'
import { openTestApp, type TestApp } from '../support/http/http.ts'
import { toOrderId } from '../support/ids.ts'
import { addressOf, inscribedFor } from '../support/market/listing.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { coinOf, devnetOf, spendAll } from '../support/market/trader.ts'
import { changePsbt, field } from '../support/orders/psbt-changes.ts'
import { type AskOptions, makeAsk, outpointOf } from '../support/orders/psbt-orders.ts'
import { saleEvent } from '../support/orders/sale-event.ts'

const INSPECT = '/api/market/orders/inspect'
const SIGHASH_TYPE = 3
const ANCHOR = '51024e73'
const P2PKH = `76a914${'11'.repeat(20)}88ac`
const account = accountOf('inspected', 'p2tr')
const payout = { scriptHex: account.scriptHex, valueSats: '50000' }
const INSCRIPTION = `${'cd'.repeat(32)}i0`

let market: Market
beforeAll(async () => {
  market = await openMarket(ORDERS_ONLY)
})
afterAll(() => market.end())

async function inspect(body: object): Promise<InspectResult> {
  const answer = await market.post('orders/inspect', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return InspectResult.parse(answer.body)
}
const codes = ({ problems }: InspectResult) => problems.map(({ code }) => code)
const problem = ({ problems }: InspectResult, code: string): InspectionProblem => {
  const found = problems.find((one) => one.code === code)
  if (!found) throw new Error(`no ${code} in ${problems.map((one) => one.code)}`)
  return found
}
const text = ({ txid, vout }: { txid: string; vout: number }) => `${txid}:${vout}`

/** The transaction of a PSBT whose inputs are final, hex. */
const finalised = (psbt: string): string =>
  Transaction.fromPSBT(Buffer.from(psbt, 'base64'), { disableScriptCheck: true }).hex

let coins = 0
/** An ask of a coin that no other test offers, by another library than the service's. */
function ask(options: AskOptions = {}) {
  coins += 1
  const { script = 'p2tr' } = options
  const seed = `inspected ${coins}`
  const outpoint = devnetOf(market).fund(addressOf(walletOf(script, seed)), 10_000n)
  return makeAsk({ script, seed, ...options, prevout: { ...outpoint, valueSats: '10000' } })
}

describe('a valid ask', () => {
  test('has no problem, and the verdict and order that an import gets', async () => {
    const { psbt } = ask()
    const found = await inspect({ psbt })
    expect(found).toMatchObject({
      network: 'regtest',
      kind: 'PSBT',
      form: 'BASE64',
      refusedAs: null,
      inspection: { signatureStatus: 'VALID' },
      order: { exists: false, state: null },
      problems: [],
      verdict: { state: 'LIVE' },
      repaired: null,
      flow: {
        valueFrom: 'NODE',
        sellerInputSats: '10000',
        payoutSats: '25000',
        netPriceSats: '15000',
      },
    })
    const { body } = await market.post('orders/import', { psbt })
    const order: OrderSummary = body
    expect(order).toMatchObject({ id: found.order?.id, state: found.verdict?.state })
    const { checkedAt: _at, ...validation } = order.validation
    expect(found.verdict?.validation).toMatchObject(validation)
    expect(found.inspection).toEqual(order.inspection)
    expect((await inspect({ psbt })).order).toEqual({ id: order.id, exists: true, state: 'LIVE' })
  })

  test('in hex is the same', async () => {
    const { psbt } = ask()
    const hex = Buffer.from(psbt, 'base64').toString('hex')
    const found = await inspect({ psbt: hex })
    expect(found).toMatchObject({ form: 'HEX', problems: [], verdict: { state: 'LIVE' } })
  })

  test('of a withdrawn order stays withdrawn', async () => {
    const { psbt } = ask()
    const { id }: OrderSummary = (await market.post('orders/import', { psbt })).body
    const signal = AbortSignal.timeout(10_000)
    await operatorWithdraw(market.gateway, id, { operator: 'mia', reason: undefined }, signal)
    const found = await inspect({ psbt })
    expect(codes(found)).toEqual(['order_withdrawn'])
    expect(found.verdict?.state).toBe('WITHDRAWN')
  })
})

describe('what cannot be read as it is', () => {
  test.each([
    ['white space', (psbt: string) => ` ${psbt.slice(0, 60)}\r\n${psbt.slice(60)}\n`],
    ['no padding', (psbt: string) => psbt.replace(/=+$/, '')],
    ['the alphabet of URLs', (psbt: string) => psbt.replace(/\+/g, '-').replace(/\//g, '_')],
  ])('a PSBT with %s is rewritten', async (_name, write) => {
    // Of three lengths, one has padding; random bytes produce every character.
    for (const size of [60, 61, 62]) {
      const psbt = changePsbt(ask().psbt, ({ global }) => {
        const noise = Uint8Array.from({ length: size }, (_, at) => 255 - at)
        global.push(field(0xf0, noise))
      })
      if (write(psbt) === psbt) continue
      const found = await inspect({ psbt: write(psbt) })
      expect(codes(found)).toEqual(['text_not_canonical'])
      expect(found).toMatchObject({ refusedAs: 'INVALID_PSBT', verdict: { state: 'LIVE' } })
      expect(found.repaired).toMatchObject({ psbt, mends: ['text_not_canonical'] })
    }
  })

  test.each([
    ['in quotes', (psbt: string) => `"${psbt}"\n`],
    ['after 0x', (psbt: string) => `0x${Buffer.from(psbt, 'base64').toString('hex')}`],
    [
      'in the answer of walletprocesspsbt',
      (psbt: string) => JSON.stringify({ psbt, complete: true }, null, 2),
    ],
    ['with a space of no width', (psbt: string) => `${psbt.slice(0, 50)}\u200b${psbt.slice(50)}`],
    ['in a data URL', (psbt: string) => `data:application/octet-stream;base64,${psbt}`],
  ])('a PSBT %s is taken out', async (_name, write) => {
    const { psbt } = ask()
    const found = await inspect({ psbt: write(psbt) })
    expect(codes(found)).toEqual(['text_not_canonical'])
    expect(found.repaired).toMatchObject({ psbt, verdict: { state: 'LIVE' } })
  })

  test('which of two PSBTs is meant is not guessed', async () => {
    const [one, other] = [ask().psbt, ask().psbt]
    expect(codes(await inspect({ psbt: `${one}\n${other}` }))).toEqual(['invalid_psbt'])
    expect(codes(await inspect({ psbt: JSON.stringify([one, other]) }))).toEqual(['invalid_psbt'])
  })

  test.each(['transaction', 'psbt'])(
    'line ends in a transaction as %s are left out',
    async (name) => {
      const hex = finalised(ask().psbt).replace(/(.{64})/g, '$1\r\n')
      const found = await inspect({ [name]: `${hex}\n` })
      expect(codes(found)).toEqual(['transaction_not_psbt'])
      expect(found.verdict?.state).toBe('LIVE')
    },
  )

  test('what is wrong with a transaction is not said of a PSBT', async () => {
    for (const transaction of [finalised(ask().psbt).slice(0, -8), '70736274ff']) {
      const [{ code, message } = {}] = (await inspect({ transaction })).problems
      expect(code).toBe('invalid_transaction')
      expect(message).toMatch(/^The transaction is not valid: /)
    }
  })

  test.each(['transaction', 'psbt'])(
    'a transaction as %s becomes the PSBT that it was finalised from, and LIVE by import',
    async (name) => {
      const { psbt } = ask()
      const hex = finalised(psbt)
      const found = await inspect({ [name]: hex })
      expect(codes(found)).toEqual(['transaction_not_psbt'])
      expect(found).toMatchObject({ form: 'HEX', refusedAs: 'INVALID_PSBT' })
      const { status, body } = await market.post('orders/import', { psbt: found.repaired?.psbt })
      expect([status, body]).toMatchObject([201, { id: found.order?.id, state: 'LIVE' }])
    },
  )

  test.each([
    ['psbt', 'hello', 'invalid_psbt', 'INVALID_PSBT'],
    ['psbt', 'cHNidP8=', 'invalid_psbt', 'INVALID_PSBT'],
    ['psbt', `70736274ff${'00'.repeat(70_000)}`, 'psbt_too_large', 'PSBT_TOO_LARGE'],
    ['transaction', 'hello', 'invalid_transaction', 'INVALID_PSBT'],
    ['transaction', '02000000', 'invalid_transaction', 'INVALID_PSBT'],
    ['transaction', '00'.repeat(70_000), 'psbt_too_large', 'PSBT_TOO_LARGE'],
  ])(
    'invalid %s is one problem, and no authority is asked',
    async (name, sent, code, refusedAs) => {
      const found = await inspect({ [name]: sent })
      expect(codes(found)).toEqual([code])
      expect(problem(found, code)).toMatchObject({
        effect: 'REFUSED',
        place: { pointer: `/${name}` },
      })
      expect(found).toMatchObject({
        refusedAs,
        order: null,
        verdict: null,
        repaired: null,
        flow: null,
      })
    },
  )

  test('every fault of an event is reported, and its PSBT is read after them', async () => {
    const { psbt } = ask()
    const tags = [
      ['n', 'signet'],
      ['s', 'cheap'],
      ['u', 'nowhere'],
      ['i', 'none'],
    ]
    const event = { ...saleEvent(psbt, tags, { kind: 1002 }), id: '0'.repeat(64) }
    const found = await inspect({ event })
    expect(codes(found)).toEqual([
      'event_kind',
      'wrong_network',
      'event_id_differs',
      'price_claim_malformed',
      'inscription_claim_malformed',
      'utxo_claim_malformed',
    ])
    expect(found.problems.map(({ place }) => place.pointer)).toEqual([
      '/event/kind',
      '/event/tags/0/1',
      '/event/id',
      '/event/tags/1/1',
      '/event/tags/3/1',
      '/event/tags/2/1',
    ])
    expect(found).toMatchObject({ refusedAs: 'INVALID_EVENT', verdict: { state: 'LIVE' } })
  })

  test('an event of another key, one that is too large, and one of characters without a form', async () => {
    const { psbt } = ask()
    const event = saleEvent(psbt, [])
    const other = saleEvent(psbt, [['x', 'other']])
    expect(codes(await inspect({ event: { ...event, sig: other.sig } }))).toEqual([
      'event_signature_invalid',
    ])
    const large = saleEvent(
      psbt,
      Array.from({ length: 101 }, () => ['x']),
    )
    expect(codes(await inspect({ event: large }))).toEqual(['event_too_large'])
    const odd = saleEvent(psbt, [['x', '\u0001']])
    expect(codes(await inspect({ event: odd }))).toEqual(['event_ambiguous'])
  })
})

describe('what the tags of an event say', () => {
  test('the other side, and a time that is over or to come: noted with their places', async () => {
    const tags = [
      ['t', 'ordinals'],
      ['t', 'buy'],
      ['expiration', '1700000001'],
    ]
    const found = await inspect({ event: saleEvent(ask().psbt, tags) })
    expect(codes(found)).toEqual(['event_expired', 'side_claim_differs'])
    expect(problem(found, 'event_expired')).toMatchObject({
      effect: 'NOTED',
      place: { pointer: '/event/tags/2/1' },
      details: { expiresAt: '2023-11-14T22:13:21.000Z' },
    })
    expect(problem(found, 'side_claim_differs')).toMatchObject({
      place: { pointer: '/event/tags/1/1' },
      details: { claimed: 'BID', signed: 'ASK' },
    })
    expect(found.refusedAs).toBeNull()
    expect(found.verdict?.state).toBe('LIVE')
    const later = await inspect({ event: saleEvent(ask().psbt, [['expiration', '99999999999']]) })
    expect(codes(later)).toEqual(['event_expires'])
  })

  test('an event without a PSBT has expired all the same', async () => {
    const found = await inspect({ event: saleEvent('none', [['expiration', '1']]) })
    expect(codes(found)).toEqual(['invalid_psbt', 'event_expired'])
  })
})

describe('what is signed', () => {
  const OF_INSPECTION: [string, AskOptions][] = [
    ['unsigned', { unsigned: true }],
    ['sighash_not_single_anyonecanpay', { sighash: 0x81 }],
    ['legacy_input', { claimedUtxo: { valueSats: '10000', scriptHex: P2PKH } }],
  ]
  test.each(OF_INSPECTION)('%s is a problem of its input', async (code, options) => {
    const found = await inspect({ psbt: ask(options).psbt })
    expect(problem(found, code)).toMatchObject({
      effect: 'NOT_LIVE',
      place: { pointer: '/psbt', input: 0 },
    })
    expect(found.verdict?.state).toBe('REJECTED')
  })

  test('a missing sighash byte, with the contents of the output reported at once', async () => {
    const seller = walletOf('p2tr', 'no byte')
    const held = inscribedFor(market, seller)
    const prevout = { ...held.outpoint, valueSats: '10000' }
    const { psbt } = makeAsk({ script: 'p2tr', seed: 'no byte', prevout, omitSighashByte: true })
    const asset = { inscriptionId: INSCRIPTION, outpoint: held.outpoint }
    const found = await inspect({ psbt, asset })
    expect(codes(found)).toEqual(['sighash_byte_missing_recoverable', 'asset_mismatch'])
    expect(problem(found, 'asset_mismatch')).toMatchObject({
      place: { pointer: '/asset' },
      details: { inscriptions: [`${held.inscriptionId} at sat 0`] },
    })
    expect(found.repaired?.verdict?.state).toBe('REJECTED')
    const claimed = await inspect({ psbt, asset: held, protocolId: 'inscriptions' })
    expect(codes(claimed)).toEqual(['sighash_byte_missing_recoverable'])
    expect(claimed.repaired?.verdict).toMatchObject({ state: 'LIVE', assets: [held] })
  })

  test('64 bytes that validly sign all inputs and outputs are no ask: the class, not the signature', async () => {
    for (const finalised of [true, false]) {
      const { psbt } = ask({ sighash: 0x00, finalised })
      const found = await inspect({ psbt })
      expect(found).toMatchObject({
        inspection: {
          orderClass: 'UNSUPPORTED',
          safety: 'UNSUPPORTED',
          signatureStatus: 'VALID',
          reasons: ['sighash_not_single_anyonecanpay', 'sighash_default'],
        },
        verdict: { state: 'REJECTED' },
        repaired: null,
        flow: null,
      })
      expect(found.verdict?.validation.reasons).toEqual(['sighash_not_single_anyonecanpay'])
      expect(codes(found)).not.toContain('signature_invalid')
      expect(codes(found)).not.toContain('sighash_byte_missing_recoverable')
      const { body } = await market.post('orders/import', { psbt })
      const imported = body as OrderSummary
      expect(imported.state).toBe('REJECTED')
      expect(imported.inspection).toEqual(found.inspection)
    }
  })

  test('a nested witness without its scriptSig is told what is missing', async () => {
    const { psbt } = ask({ script: 'p2sh-p2wpkh' })
    const bare = changePsbt(psbt, ({ inputs }) => {
      inputs[0] = inputs[0]?.filter(({ type }) => type !== 7) ?? []
    })
    const found = await inspect({ psbt: bare })
    expect(codes(found)).toEqual(['script_sig_missing'])
    expect(found.verdict?.state).toBe('REJECTED')
  })

  test('64 bytes that are not a signature are not repaired', async () => {
    const { psbt } = ask({ omitSighashByte: true })
    const broken = changePsbt(psbt, ({ inputs }) => {
      const witness = inputs[0]?.find(({ type }) => type === 8)
      if (witness) witness.value[10] = (witness.value[10] ?? 0) ^ 1
    })
    const found = await inspect({ psbt: broken })
    expect(codes(found)).toContain('signature_invalid')
    expect(found.repaired).toBeNull()
  })

  test('a sighash field that names another sighash is left out of the repaired bytes', async () => {
    const { psbt } = ask()
    const named = changePsbt(psbt, ({ inputs }) => {
      inputs[0]?.push(field(SIGHASH_TYPE, Uint8Array.of(1, 0, 0, 0)))
    })
    const found = await inspect({ psbt: named })
    expect(codes(found)).toEqual(['sighash_field_differs'])
    expect(found.repaired).toMatchObject({
      mends: ['sighash_field_differs'],
      verdict: { state: 'LIVE' },
    })
    const { body } = await market.post('orders/import', { psbt: found.repaired?.psbt })
    expect(body).toMatchObject({ id: found.repaired?.orderId, state: 'LIVE' })
  })

  test('a wrong utxo in the PSBT, with the true one', async () => {
    const made = ask()
    const { psbt } = makeAsk({
      script: 'p2tr',
      seed: `inspected ${coins}`,
      prevout: { ...made.outpoint, valueSats: '10000' },
      claimedUtxo: { valueSats: '99999', scriptHex: made.prevout.scriptHex },
    })
    const found = await inspect({ psbt })
    expect(problem(found, 'witness_utxo_mismatch').details).toEqual({
      outpoint: text(made.outpoint),
      valueSats: '10000',
      scriptHex: made.prevout.scriptHex,
      claimedValueSats: '99999',
    })
    expect(found.flow?.sellerInputSats).toBe('10000')
  })

  test('each policy of relaying nodes, a lock and the signature at once', async () => {
    const dust = { valueSats: '293', scriptHex: walletOf('p2wpkh', 'dust').scriptHex }
    const found = await inspect({ psbt: ask({ payout: dust, version: 4, locktime: 100_000 }).psbt })
    expect(codes(found)).toEqual([
      'not_relayable',
      'not_relayable',
      'not_final_until',
      'payout_below_input',
    ])
    expect(found.problems.map(({ details }) => details)).toMatchObject([
      { policy: 'version' },
      { policy: 'dust', leastSats: '294' },
      { until: '100001' },
      { payoutSats: '293', inputSats: '10000' },
    ])
    expect(found.problems[1]?.place).toEqual({ pointer: '/psbt', output: 0 })
    expect(found.flow?.netPriceSats).toBe('-9707')
  })

  test('a payout that anyone may spend, and placeholders around the ask', async () => {
    const anchor = { scriptHex: ANCHOR, valueSats: '50000' }
    const found = await inspect({ psbt: ask({ payout: anchor, placeholders: 1 }).psbt })
    expect(codes(found)).toEqual(['review_only', 'payout_to_anchor'])
    expect(problem(found, 'payout_to_anchor').place).toEqual({ pointer: '/psbt', output: 1 })
    expect(found.verdict?.state).toBe('LIVE')
  })

  // Nodes relay it: coins were lost so (bitcoin/bitcoin#24106).
  test('a payout to a taproot key that is no point of the curve', async () => {
    const lost = { scriptHex: `5120${'ff'.repeat(32)}`, valueSats: '50000' }
    const found = await inspect({ psbt: ask({ payout: lost }).psbt })
    expect(found.problems).toMatchObject([
      { code: 'payout_unspendable', effect: 'NOTED', place: { pointer: '/psbt', output: 0 } },
    ])
    expect(found.verdict?.state).toBe('LIVE')
  })
})

describe('what is offered', () => {
  test('an output that is spent, by which transaction and in which block', async () => {
    const coin = coinOf(market, account, 9_000n)
    const psbt = account.ask(coin, payout)
    const txid = devnetOf(market).submit(
      spendAll([coin], account, [{ ...payout, valueSats: '8000' }]),
    )
    const waiting = await inspect({ psbt })
    expect(problem(waiting, 'mempool_conflict')).toMatchObject({
      place: { pointer: '/psbt', input: 0 },
      details: { outpoint: text(coin.outpoint), spentBy: txid },
    })
    expect(waiting.verdict?.state).toBe('MEMPOOL_CONFLICTED')
    devnetOf(market).mine(1)
    const spent = await inspect({ psbt })
    const { tip } = await devnetOf(market).node.chain()
    expect(problem(spent, 'spent').details).toMatchObject({ spentBy: txid, height: tip.height })
    expect(codes(spent)).toEqual(['spent'])
  })

  test('one that was never there, and one without a block', async () => {
    const ghost = makeAsk({ prevout: { ...outpointOf('never'), valueSats: '10000' } })
    const found = await inspect({ psbt: ghost.psbt })
    expect(codes(found)).toEqual(['outpoint_missing'])
    expect(found.flow).toMatchObject({ valueFrom: 'PSBT', sellerInputSats: '10000' })
    const outpoint = devnetOf(market).fund(account.address, 10_000n, { confirm: false })
    const fresh = account.ask(
      { outpoint, scriptHex: account.scriptHex, valueSats: '10000' },
      payout,
    )
    expect(codes(await inspect({ psbt: fresh }))).toEqual(['output_unconfirmed'])
    devnetOf(market).mine(1)
  })

  test('one without the inscription of its market', async () => {
    const found = await inspect({ psbt: ask().psbt, protocolId: 'inscriptions' })
    expect(problem(found, 'asset_missing')).toMatchObject({
      effect: 'NOT_LIVE',
      place: { pointer: '/protocolId' },
    })
  })

  test('one that holds more than is offered', async () => {
    const owner = walletOf('p2tr', 'two')
    const wallet = accountOf('two', 'p2tr')
    const claims = [1, 2].map(() => inscribedFor(market, { ...owner, scriptHex: wallet.scriptHex }))
    const parts = claims.map(({ outpoint }) => ({
      outpoint,
      scriptHex: wallet.scriptHex,
      valueSats: '10000',
    }))
    const fee = coinOf(market, wallet, 5_000n)
    const both = { scriptHex: wallet.scriptHex, valueSats: '20000' }
    const txid = devnetOf(market).submit(spendAll([...parts, fee], wallet, [both]))
    devnetOf(market).mine(1)
    const psbt = wallet.ask({ ...both, outpoint: { txid, vout: 0 } }, payout)
    const found = await inspect({ psbt })
    expect(problem(found, 'undeclared_assets').details).toMatchObject({
      inscriptions: claims.map(({ inscriptionId }, at) => `${inscriptionId} at sat ${at * 10_000}`),
    })
  })

  test('a bid: who pays what is all signed', async () => {
    const bidder = accountOf('inspected bidder', 'p2wpkh')
    const psbt = makeBid({
      wanted: coinOf(market, account, 10_000n),
      seller: account,
      buyer: bidder,
      funding: coinOf(market, bidder, 100_000n),
      priceSats: 20_000n,
    })
    const found = await inspect({ psbt })
    expect(found).toMatchObject({ problems: [], verdict: { state: 'LIVE' } })
    expect(found.flow).toMatchObject({
      side: 'BID',
      sellerInputSats: '10000',
      payoutSats: '30000',
      netPriceSats: '20000',
    })
    expect(BigInt(found.flow?.networkFeeSats ?? '0')).toBeGreaterThan(0n)
  })

  test('a bid that pays less than the output holds: its inspection and its order say so', async () => {
    const bidder = accountOf('inspected poor bidder', 'p2wpkh')
    const psbt = makeBid({
      wanted: coinOf(market, account, 10_000n),
      seller: account,
      buyer: bidder,
      funding: coinOf(market, bidder, 100_000n),
      priceSats: -4_000n,
    })
    const found = await inspect({ psbt })
    expect(codes(found)).toEqual(['payout_below_input'])
    expect(problem(found, 'payout_below_input')).toMatchObject({
      effect: 'NOTED',
      place: { pointer: '/psbt', input: 0 },
      details: { payoutSats: '6000', inputSats: '10000' },
    })
    expect(found.flow?.netPriceSats).toBe('-4000')
    const reasons = ['payout_below_input', 'runes_not_examined']
    expect(found.verdict?.validation.reasons).toEqual(reasons)
    const order: OrderSummary = (await market.post('orders/import', { psbt })).body
    expect(order).toMatchObject({ state: 'LIVE', validation: { reasons } })
    expect(order.quotedPriceSats).toBeUndefined()
  })
})

describe('what is claimed', () => {
  test.each([
    ['2500000000000', '100000000', 'an amount in sats was read as BTC'],
    ['15000', '0.6', 'the claimed price is without the postage, the signed one with it'],
    ['24999', '0.99996', undefined],
  ])('a price of %s differs by its factor', async (claimedPriceSats, factor, explained) => {
    const found = await inspect({ psbt: ask().psbt, claimedPriceSats })
    expect(codes(found)).toEqual(['price_claim_differs'])
    const { details, place, effect } = problem(found, 'price_claim_differs')
    expect([effect, place]).toEqual(['NOTED', { pointer: '/claimedPriceSats' }])
    expect(details).toEqual({
      claimedSats: claimedPriceSats,
      signedSats: '25000',
      factor,
      ...(explained !== undefined && { explained }),
    })
    expect(found.verdict).toMatchObject({ state: 'LIVE' })
    expect(found.verdict?.validation.reasons).toContain('price_claim_differs')
  })

  test('another side, and another output', async () => {
    const other = outpointOf('other')
    const { psbt, outpoint } = ask()
    const sided = await inspect({ psbt, side: 'BID' })
    expect(problem(sided, 'side_claim_differs').details).toEqual({ claimed: 'BID', signed: 'ASK' })
    const found = await inspect({ psbt, asset: { inscriptionId: INSCRIPTION, outpoint: other } })
    expect(problem(found, 'utxo_claim_differs')).toMatchObject({
      place: { pointer: '/asset/outpoint', input: 0 },
      details: { claimed: text(other), offered: text(outpoint) },
    })
  })
})

describe('the body', () => {
  const { psbt } = makeAsk()
  test.each<[object, string | string[]]>([
    [{}, 'body: must carry exactly one of psbt, transaction and event'],
    [{ psbt, transaction: '00' }, 'body: must carry exactly one of psbt, transaction and event'],
    [
      { event: saleEvent(psbt, []), token: 'x' },
      'body: must make no claim beside an event, whose tags are its claims',
    ],
    [{ psbt, more: 1 }, 'more: unknown field'],
    [{ psbt: 1, side: 2 }, ['psbt: must be a string', 'side: must be one of ASK, BID']],
    [{ event: { kind: '802' } }, expect.arrayContaining(['event.kind: must be a number'])],
  ])('%j is refused with every field', async (body, message) => {
    const answer = await market.post('orders/inspect', body)
    expect([answer.status, answer.body]).toEqual([
      400,
      { ...ErrorResponse.parse(answer.body), code: 'VALIDATION_FAILED', message },
    ])
  })
})

const isCommand = (value: unknown) => (value as { kind?: string }).kind === 'command'

test('none of it is stored', async () => {
  const { log, views } = market.gateway
  const { psbt } = ask({ omitSighashByte: true })
  const key = { 'content-type': 'application/json', 'idempotency-key': 'one key' }
  const total = async () =>
    ((await market.get('orders?includeWithdrawn=true')).body as OrderPage).total
  const before = await total()
  const commands: unknown[] = []
  const append = log.append.bind(log)
  log.append = async (records) => {
    commands.push(...records.filter(({ value }) => isCommand(value)))
    await append(records)
  }
  const ids = []
  for (const body of [{ psbt }, { psbt: ask().psbt }, { event: saleEvent(ask().psbt, []) }]) {
    const answer = await fetch(`${market.address}${INSPECT}`, {
      method: 'POST',
      headers: key,
      body: JSON.stringify(body),
    })
    // One key with several bodies: it is ignored, and nothing is stored under it.
    expect(answer.status).toBe(200)
    expect(answer.headers.get('idempotent-replayed')).toBeNull()
    ids.push(((await answer.json()) as InspectResult).order?.id ?? '')
  }
  log.append = append
  expect(commands).toEqual([])
  expect(await total()).toBe(before)
  for (const id of ids) {
    expect(await views.order(toOrderId(id))).toBeNull()
    expect(await market.gateway.pool.find(toOrderId(id), Date.now())).toBeNull()
  }
})

describe('without authorities', () => {
  let it: TestApp
  beforeAll(async () => {
    it = await openTestApp({ http: { rateLimits: { import: 1e9 } } })
  })
  afterAll(() => it.close())
  const { psbt, seller } = makeAsk({ omitSighashByte: true })

  test('what needs none is reported, and the verdict is the pending one of an import', async () => {
    const response = await it.post(INSPECT, { psbt, claimedPriceSats: '1' })
    expect(response.statusCode).toBe(200)
    const found = InspectResult.parse(response.json())
    expect(codes(found)).toEqual(['node_unavailable', 'sighash_default', 'price_claim_differs'])
    expect(problem(found, 'node_unavailable').place).toEqual({ pointer: '' })
    // Whether only the byte is missing cannot be known yet.
    expect(found).toMatchObject({ repaired: null, verdict: { state: 'PENDING_NODE' } })
    expect(seller.scriptHex).toBe(found.inspection?.inputWitnessUtxos[0]?.scriptHex)
  })

  test('no bytes make it fail: an answer of its own shape, or the envelope of a refusal', async () => {
    const good = Buffer.from(psbt, 'base64')
    const hex = finalised(makeAsk().psbt)
    const edit = fc.record({ at: fc.nat(), byte: fc.nat(255), cut: fc.boolean() })
    const changed = (bytes: Uint8Array) =>
      fc.array(edit, { maxLength: 4 }).map((edits) => {
        let next = Buffer.from(bytes)
        for (const { at, byte, cut } of edits) {
          if (cut && at % 8 === 0) next = next.subarray(0, at % next.length)
          else if (next.length > 0) next[at % next.length] = byte
        }
        return next
      })
    const content = fc.oneof(
      changed(good).map((bytes) => bytes.toString('base64')),
      changed(good).map((bytes) => `${bytes.toString('base64')}\n`),
      changed(Buffer.from(hex, 'hex')).map((bytes) => bytes.toString('hex')),
      fc.string({ unit: 'binary', maxLength: 60 }),
    )
    const body = fc.oneof(
      content.map((one) => ({ psbt: one })),
      content.map((one) => ({ transaction: one })),
      content.map((one) => ({ event: saleEvent(Buffer.from(one).toString(), [['u', 'x']]) })),
    )
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const response = await it.post(INSPECT, sent)
        if (response.statusCode === 200) InspectResult.parse(response.json())
        else expect(ErrorResponse.parse(response.json()).statusCode).toBe(400)
      }),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 300) },
    )
  }, 120_000)

  test('it is counted with imports', async () => {
    const limited = await openTestApp({ http: { rateLimits: { import: 2 } } })
    const statuses = []
    for (const path of ['inspect', 'import', 'inspect']) {
      statuses.push((await limited.post(`/api/market/orders/${path}`, { psbt: '' })).statusCode)
    }
    await limited.close()
    expect(statuses).toEqual([200, 400, 429])
  })
})

test('what is sent is read by the signature threads, and nothing of it beside them', async () => {
  const app = await openTestApp()
  const asked: unknown[] = []
  const { artifacts } = app.gateway
  app.gateway.artifacts = {
    ...artifacts,
    readMaterial: (question) => {
      asked.push(structuredClone(question))
      return artifacts.readMaterial(question)
    },
  }
  const { psbt } = makeAsk()
  for (const request of [{ psbt }, { psbt: 'nonsense' }, { event: saleEvent(psbt, []) }]) {
    expect((await app.post(INSPECT, request)).statusCode).toBe(200)
    expect(asked.splice(0)).toEqual([
      { request: JSON.parse(JSON.stringify(request)), network: 'regtest' },
    ])
  }
  await app.close()
})
