import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { orderIdOf } from '../../../src/domain/order/order-id.ts'
import { inspectPsbt } from '../../../src/domain/verdict/inspect.ts'
import { SCRIPTS, walletOf } from '../../support/chain/keys.ts'
import { toTxid } from '../../support/ids.ts'
import { changePsbt, field } from '../../support/orders/psbt-changes.ts'
import { type AskOptions, makeAsk, makeBid, outpointOf } from '../../support/orders/psbt-orders.ts'

const idOf = (psbt: string) => orderIdOf('regtest', inspectPsbt(psbt))

const authorisation = fc.record({
  version: fc.constantFrom(1, 2, 3),
  locktime: fc.nat({ max: 0xffffffff }),
  sequence: fc.nat({ max: 0xffffffff }),
  prevout: fc.record({
    txid: fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((b) => toTxid(Buffer.from(b).toString('hex'))),
    vout: fc.nat({ max: 0xffffffff }),
    valueSats: fc.nat({ max: 100_000_000 }).map(String),
  }),
  payout: fc.record({
    valueSats: fc.nat({ max: 2_000_000_000 }).map(String),
    scriptHex: fc.constantFrom(...SCRIPTS).map((kind) => walletOf(kind, 'payout').scriptHex),
  }),
})
const LIE = { valueSats: '1', scriptHex: walletOf('p2wpkh', 'liar').scriptHex }
const wrapper = fc.record({
  finalised: fc.boolean(),
  placeholders: fc.nat({ max: 3 }),
  psbtVersion: fc.constantFrom(0 as const, 2 as const),
  omitSighashByte: fc.boolean(),
  claim: fc.constantFrom({}, { claimedUtxo: null }, { claimedUtxo: LIE }),
  isStrange: fc.boolean(),
  isHex: fc.boolean(),
})
type Wrapper = typeof wrapper extends fc.Arbitrary<infer T> ? T : never

function wrap({ claim, isStrange, isHex, ...options }: Wrapper, what: AskOptions): string {
  const { psbt } = makeAsk({ ...what, ...options, ...claim })
  const odd =
    isStrange && options.psbtVersion === 0
      ? changePsbt(psbt, ({ global }) => global.push(field(0x77, Uint8Array.of(1))))
      : psbt
  return isHex ? Buffer.from(odd, 'base64').toString('hex') : odd
}

const RUNS = { numRuns: Number(process.env['FUZZ_RUNS'] ?? 40) }

describe('the id of an ask names the authorisation', () => {
  test('two wrappers of one have one id: any form, index, field, claim, with its byte or without', () => {
    fc.assert(
      fc.property(authorisation, wrapper, wrapper, (what, one, other) => {
        expect(idOf(wrap(one, what))).toBe(idOf(wrap(other, what)))
      }),
      RUNS,
    )
  })

  test('a change of anything committed to is another order', () => {
    fc.assert(
      fc.property(authorisation, authorisation, wrapper, (what, other, form) => {
        const id = idOf(wrap(form, what))
        const parts = ['version', 'locktime', 'sequence', 'payout'] as const
        for (const part of parts) {
          const changed = { ...what, [part]: other[part] }
          const isSame = JSON.stringify(other[part]) === JSON.stringify(what[part])
          expect(idOf(wrap(form, changed)) === id, part).toBe(isSame)
        }
        const moved = { ...what, prevout: { ...what.prevout, vout: (what.prevout.vout ^ 1) >>> 0 } }
        expect(idOf(wrap(form, moved))).not.toBe(id)
      }),
      RUNS,
    )
  })

  test('another network is another order', () => {
    const inspected = inspectPsbt(makeAsk().psbt)
    const ids = (['mainnet', 'signet', 'regtest'] as const).map((name) =>
      orderIdOf(name, inspected),
    )
    expect(new Set(ids).size).toBe(3)
  })

  test('it does not change with a release', () => {
    const fixed = { prevout: { txid: toTxid('11'.repeat(32)), vout: 1, valueSats: '546' } }
    const payout = { valueSats: '100000', scriptHex: `5120${'22'.repeat(32)}` }
    expect(idOf(makeAsk({ ...fixed, payout }).psbt)).toBe(
      'c62bdd5bdacb7f6ebc1b2ac2f8d662924138cb207f19d03768ceea8c9e02cce8',
    )
  })
})

describe('the id of a bid is over all inputs and outputs', () => {
  test('a wrapper changes nothing', () => {
    const bid = { funding: [{ script: 'p2wpkh' as const }, { script: 'p2tr' as const }] }
    expect(idOf(makeBid({ ...bid, finalised: false }).psbt)).toBe(idOf(makeBid(bid).psbt))
  })

  test('any other input, output, order of inputs, price or lock is another bid', () => {
    const ids = [
      {},
      { priceSats: '50001' },
      { feeSats: '1001' },
      { locktime: 7 },
      { version: 1 },
      { funding: [{ outpoint: outpointOf('another') }] },
      { funding: [{}, {}] },
      { sellerIndex: 1 },
    ].map((options) => idOf(makeBid(options).psbt))
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('the same transaction with another input left unsigned is a bid for another output', () => {
    const [a, b] = [makeBid({ feeSats: '1000' }).psbt, makeBid({ feeSats: '1000' }).psbt]
    const swapped = changePsbt(b, ({ inputs }) => {
      const [asset, funding] = inputs
      const isFinal = ({ type }: { type: number }) => type === 0x07 || type === 0x08
      const final = funding!.filter(isFinal)
      inputs[0] = [...asset!, ...final]
      inputs[1] = funding!.filter((pair) => !isFinal(pair))
    })
    expect(inspectPsbt(swapped).inspection).toMatchObject({
      orderClass: 'BID_FULLY_FUNDED',
      unsignedTxid: inspectPsbt(a).inspection.unsignedTxid,
    })
    expect(idOf(swapped)).not.toBe(idOf(a))
  })
})

test('what is unsupported never takes the id of an ask or a bid', () => {
  const ask = makeAsk()
  const ids = [
    ask.psbt,
    makeAsk({ unsigned: true }).psbt,
    makeBid().psbt,
    makeBid({ omitAssetUtxo: true }).psbt,
  ].map(idOf)
  expect(new Set(ids).size).toBe(ids.length)
  expect(idOf(makeAsk({ sighash: 0x81 }).psbt)).not.toBe(idOf(ask.psbt))
})
