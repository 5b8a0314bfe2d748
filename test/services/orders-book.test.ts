import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderPage, OrderSummary } from '../../src/schemas/order.ts'
import type { OrderId } from '../../src/schemas/scalars.ts'
import { type InscriptionSpec, inscribe } from '../support/chain/inscriptions.ts'
import { SCRIPTS, walletOf } from '../support/chain/keys.ts'
import { etch } from '../support/chain/runes.ts'
import { coinOf, txOut } from '../support/chain/wallet.ts'
import { toTxid } from '../support/ids.ts'
import type { BuyerCoin } from '../support/market/buyer.ts'
import { type MadeAsk, makeAsk } from '../support/orders/psbt-orders.ts'
import {
  type AskSpec,
  askAgain,
  BUYER_COINS,
  openServiceBook,
  type ServiceBook,
} from '../support/services/service-book.ts'

let book: ServiceBook
beforeAll(async () => {
  book = await openServiceBook({ payments: 80 })
  coins = await book.coins(BUYER_COINS)
})
afterAll(() => book?.close())

/** Everything that was imported here, for the buyer at the end. */
const shelf = new Map<OrderId, { title: string; made: MadeAsk }>()
/** The buyer's: `testmempoolaccept` spends nothing. */
let coins: BuyerCoin[]
const buy = (made: MadeAsk) => book.purchase(made, { coins })

async function put(title: string, made: MadeAsk, saying?: object): Promise<OrderSummary> {
  const order = await book.imported(made.psbt, saying)
  shelf.set(order.id, { title, made })
  return order
}

const standing = ({ state, validation }: OrderSummary) => [state, ...validation.reasons]

/** An ask over an output that holds these inscriptions. */
async function inscribedAsk(inscriptions?: readonly InscriptionSpec[]) {
  const seed = book.name()
  const to = txOut(walletOf('p2tr', seed).scriptHex, 10_000n)
  const { ids, coin } = await inscribe(book.chain, book.miner, to, inscriptions)
  await book.mine()
  const prevout = { ...coin.outpoint, valueSats: '10000' }
  return { ids, made: makeAsk({ seed, prevout }) }
}

describe('a valid ask is LIVE', () => {
  const wrappers = SCRIPTS.flatMap((script) => [
    { script, wrapper: 'finalised', spec: { finalised: true } },
    { script, wrapper: 'partial', spec: { finalised: false } },
    {
      script,
      wrapper: 'finalised behind two placeholders',
      spec: { finalised: true, placeholders: 2 },
    },
    {
      script,
      wrapper: 'partial behind a placeholder',
      spec: { finalised: false, placeholders: 1 },
    },
  ])
  test.each(wrappers)('$script, $wrapper', async ({ script, wrapper, spec }) => {
    const order = await put(`${script} ${wrapper}`, await book.ask({ script, ...spec }))
    expect(standing(order)).toEqual(['LIVE'])
    expect(order.inspection).toMatchObject({
      signatureStatus: 'VALID',
      safety: 'placeholders' in spec ? 'TARGETED_REVIEW' : 'PUBLIC_RACEABLE',
    })
    expect(order.actionability).toBe('placeholders' in spec ? 'REVIEW_ONLY' : 'HANDOFF_READY')
  })
})

describe('what is in the output', () => {
  test('a claimed inscription, at its offset', async () => {
    const { ids, made } = await inscribedAsk([{ pointer: 700 }])
    const asset = { inscriptionId: ids[0], outpoint: made.outpoint }
    const saying = { asset, protocolId: 'inscriptions' }
    const order = await put('claimed inscription', made, saying)
    expect(standing(order)).toEqual(['LIVE'])
    expect(order.validation.assetStatus).toBe('VERIFIED')
    expect(order.assets).toEqual([{ ...asset, inscriptionNumber: expect.any(Number) }])
  })

  test('an unclaimed inscription is found', async () => {
    const { ids, made } = await inscribedAsk()
    const order = await put('found inscription', made)
    expect(standing(order)).toEqual(['LIVE'])
    expect(order.assets).toMatchObject([{ inscriptionId: ids[0], outpoint: made.outpoint }])
  })

  test('several on one sat are all sold', async () => {
    const { ids, made } = await inscribedAsk([{}, {}, {}])
    const order = await put('a stack', made)
    expect(standing(order)).toEqual(['LIVE'])
    expect(order.assets.map(({ inscriptionId }) => inscriptionId)).toEqual(ids)
  })

  test('on two sats: one of them undeclared', async () => {
    const { ids, made } = await inscribedAsk([{}, { pointer: 5_000 }])
    expect(standing(await put('two sats', made))).toEqual(['REJECTED', 'undeclared_assets'])
    const saying = { asset: { inscriptionId: ids[0], outpoint: made.outpoint } }
    expect(standing(await book.imported(made.psbt, saying))).toEqual([
      'REJECTED',
      'undeclared_assets',
    ])
  })

  test('a claim of what is elsewhere', async () => {
    const elsewhere = await inscribedAsk()
    const [inscriptionId] = elsewhere.ids
    const of = async (asset: object) => put('false claim', await book.ask(), { asset })
    const mismatch = ['REJECTED', 'asset_mismatch']
    const { outpoint } = elsewhere.made
    expect(standing(await of({ inscriptionId, outpoint }))).toEqual(mismatch)
    expect(standing(await of({ inscriptionId: `${'f'.repeat(64)}i0`, outpoint }))).toEqual(mismatch)
  })

  test('a market of inscriptions, and none there', async () => {
    const order = await put('no inscription', await book.ask(), { protocolId: 'inscriptions' })
    expect(standing(order)).toEqual(['REJECTED', 'asset_missing'])
    expect(order.validation.assetStatus).toBe('MISMATCH')
  })

  test('runes: for sale in their own market, undeclared in any other', async () => {
    const made = [await runesAsk(), await runesAsk()] as const
    const sold = standing(await put('runes', made[0], { protocolId: 'runes' }))
    expect(sold).toEqual(['LIVE', expect.stringMatching(/^holds_rune [0-9.]+ /)])
    expect(standing(await put('hidden runes', made[1]))).toEqual(['REJECTED', 'undeclared_assets'])
  })

  async function runesAsk(): Promise<MadeAsk> {
    const { chain, miner } = book
    const etched = await etch(chain, miner, 1_000n)
    await book.mine()
    const seed = book.name()
    // Unallocated runes go to the first output.
    const output = txOut(miner.scriptHex, 10_000n)
    const move = miner.sign({
      inputs: [{ outpoint: etched, output }],
      outputs: [txOut(walletOf('p2tr', seed).scriptHex, 9_000n)],
    })
    await chain.submit(move.toHex())
    await book.mine()
    return makeAsk({ seed, prevout: { ...coinOf(move, 0).outpoint, valueSats: '9000' } })
  }
})

describe('invalid signatures', () => {
  const cases: { title: string; spec: AskSpec; reason: string }[] = [
    { title: 'nobody signed', spec: { unsigned: true }, reason: 'unsigned' },
    {
      title: 'for all outputs',
      spec: { sighash: 0x01 },
      reason: 'sighash_not_single_anyonecanpay',
    },
    {
      title: 'for all, anyone can pay',
      spec: { sighash: 0x81 },
      reason: 'sighash_not_single_anyonecanpay',
    },
    {
      title: 'none, anyone can pay',
      spec: { sighash: 0x82 },
      reason: 'sighash_not_single_anyonecanpay',
    },
  ]
  test.each(cases)('$title: $reason', async ({ title, spec, reason }) => {
    const order = await put(title, await book.ask(spec))
    expect(standing(order)).toEqual(['REJECTED', reason])
  })

  test('a taproot signature without its last byte: with it the same order is LIVE', async () => {
    const good = await book.ask()
    const broken = askAgain(good, { omitSighashByte: true })
    const short = await put('byte missing', broken)
    expect(await book.refusal(await buy(broken))).toMatch(/script-verify-flag-failed/)
    expect(standing(short)).toEqual(['REJECTED', 'sighash_byte_missing_recoverable'])
    const whole = await put('byte there', good)
    expect([whole.id, ...standing(whole)]).toEqual([short.id, 'LIVE'])
  })

  test.each(SCRIPTS)('%s, over another amount than the node knows', async (script) => {
    const { seed, outpoint } = await book.ask({ script })
    const prevout = { ...outpoint, valueSats: '11000' }
    const made = makeAsk({ script, seed, prevout, claimedUtxo: null })
    expect(standing(await put('another amount', made))).toEqual(['REJECTED', 'signature_invalid'])
  })

  test('the PSBT contradicts the node about its output', async () => {
    const good = await book.ask()
    const lie = { ...good.prevout, valueSats: '10000000' }
    const made = askAgain(good, { claimedUtxo: lie })
    expect(standing(await put('lying utxo', made))).toEqual(['REJECTED', 'witness_utxo_mismatch'])
  })
})

describe('what the network would not relay', () => {
  const payTo = (scriptHex: string, sats: bigint): AskSpec => ({ payout: txOut(scriptHex, sats) })
  const p2tr = walletOf('p2tr', 'paid').scriptHex
  const cases: { title: string; spec: AskSpec }[] = [
    { title: 'a payout of dust', spec: payTo(p2tr, 329n) },
    { title: 'a payout of nothing', spec: payTo(p2tr, 0n) },
    { title: 'a payout to data', spec: payTo('6a0464617461', 25_000n) },
    { title: 'a payout to no known script', spec: payTo('51', 25_000n) },
    { title: 'version 0', spec: { version: 0 } },
    { title: 'version 4', spec: { version: 4 } },
  ]
  test.each(cases)('$title', async ({ title, spec }) => {
    expect(standing(await put(title, await book.ask(spec)))).toEqual(['REJECTED', 'not_relayable'])
  })

  const fine: { title: string; spec: AskSpec; remarks?: string[] }[] = [
    {
      title: 'the least payout that is not dust',
      spec: payTo(p2tr, 330n),
      remarks: ['payout_below_input'],
    },
    { title: 'version 1', spec: { version: 1 } },
    { title: 'version 3', spec: { version: 3 } },
    { title: 'a lock time that has passed', spec: { locktime: 100 } },
    { title: 'a relative lock that version 1 does not have', spec: { version: 1, sequence: 50 } },
  ]
  test.each(fine)('but $title', async ({ title, spec, remarks = [] }) => {
    expect(standing(await put(title, await book.ask(spec)))).toEqual(['LIVE', ...remarks])
  })
})

describe('missing outputs', () => {
  test('an output that never existed, and one that no RPC can name', async () => {
    const { outpoint } = await book.ask()
    const missing = ['REJECTED', 'outpoint_missing']
    for (const prevout of [
      { txid: toTxid('f'.repeat(64)), vout: 0 },
      { ...outpoint, vout: 7 },
      { ...outpoint, vout: 2 ** 31 },
      { ...outpoint, vout: 2 ** 32 - 2 },
    ]) {
      const made = makeAsk({ seed: book.name(), prevout: { ...prevout, valueSats: '10000' } })
      expect(standing(await put(`output ${prevout.vout}`, made))).toEqual(missing)
    }
  })

  test('an output that was sold before', async () => {
    const made = await book.ask()
    const txid = await book.chain.submit(await book.purchase(made))
    await book.mine()
    const order = await put('sold', made)
    expect(standing(order)).toEqual(['SETTLED', 'settled'])
    expect(order.settlement).toMatchObject({ txid, confirmations: 1 })
    const other = askAgain(made, { payout: txOut(made.payout.scriptHex, 26_000n) })
    expect(standing(await put('sold for another price', other))).toEqual(['SPENT', 'spent'])
  })
})

/**
 * REJECTED, although the network would accept a completion: these are refused for their claims or
 * contents, and only so far does the refusal protect a buyer who has the artifact.
 */
const COMPLETABLE: Readonly<Record<string, string>> = {
  'false claim': 'the claim is false, the authorisation is good',
  'no inscription': 'the market asks for one, the authorisation does not',
  'two sats': 'the output holds more than a buyer would expect',
  'hidden runes': 'the output holds more than a buyer would expect',
  'lying utxo': 'the PSBT misstates its output, the signature does not',
  'none, anyone can pay': 'it names no payout: whoever has it may take the coin',
  'a payout to data': 'nodes relay it: the payout would be burnt',
}

describe('an independently written buyer', () => {
  test('completes every LIVE order, and the node refuses every other', async () => {
    const found: Record<string, string> = {}
    for (const [id, { title, made }] of shelf) {
      const { state, validation } = await book.market.order(id)
      const refusal = await buy(made).then(book.refusal, (error: Error) => error.message)
      const expected = state === 'LIVE' || title in COMPLETABLE
      if ((refusal === null) !== expected) {
        found[title] = `${state} ${validation.reasons}: ${refusal ?? 'allowed'}`
      }
    }
    expect(found).toEqual({})
  })

  test('has seen all of the book', async () => {
    const { orders, total } = (await book.market.get('orders?limit=200')).body as OrderPage
    const count = (wanted: string) => orders.filter(({ state }) => state === wanted).length
    expect([count('LIVE'), count('SETTLED'), count('SPENT')]).toEqual([34, 1, 1])
    expect(total).toBe(36)
    const refused = (await book.market.get('orders?limit=200&state=REJECTED')).body as OrderPage
    const listed = new Set([...orders, ...refused.orders].map(({ id }) => id))
    expect(listed.size).toBe(orders.length + refused.orders.length)
    // What the inspection refused was answered, and not stored.
    const unkept = [...shelf.keys()].filter((id) => !listed.has(id))
    expect(refused.orders.length + unkept.length).toBe(26)
    for (const id of unkept) expect((await book.market.get(`orders/${id}`)).status).toBe(404)
  })
})

test('every invariant holds on what was stored', async () => {
  expect(await book.audit()).toEqual([])
})
