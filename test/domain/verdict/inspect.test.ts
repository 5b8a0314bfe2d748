import { Transaction } from 'bitcoinjs-lib'
import { describe, expect, test } from 'vitest'
import { INSPECTION_REASONS } from '../../../src/domain/reasons/inspection-reasons.ts'
import { inspectPsbt } from '../../../src/domain/verdict/inspect.ts'
import { OfferClaim } from '../../../src/schemas/order-record.ts'
import { SCRIPTS, walletOf } from '../../support/chain/keys.ts'
import { toTxid } from '../../support/ids.ts'
import { changePsbt, field, joinPsbts } from '../../support/orders/psbt-changes.ts'
import {
  type AskOptions,
  type BidOptions,
  type FundingOptions,
  makeAsk,
  makeBid,
  outpointOf,
} from '../../support/orders/psbt-orders.ts'
import { wildEvents } from '../../support/vectors.ts'

const TAPROOT: FundingOptions[] = [{ script: 'p2tr' }]
const POOR: FundingOptions[] = [{ valueSats: '90000' }]
const P2PKH = `76a914${'11'.repeat(20)}88ac`
const inspection = (psbt: string) => inspectPsbt(psbt).inspection

describe('an ask: one signature, 0x83, and an output beside it', () => {
  const wrappers: AskOptions[] = SCRIPTS.flatMap((script) =>
    [true, false].flatMap((finalised) =>
      ([0, 2] as const).map((psbtVersion) => ({ script, finalised, psbtVersion })),
    ),
  )

  test.each(wrappers)('$script, finalised $finalised, version $psbtVersion', (options) => {
    const ask = makeAsk(options)
    const { offer, claimedPrevout, ...inspected } = inspectPsbt(ask.psbt)
    expect(inspected.inspection).toMatchObject({
      psbtVersion: options.psbtVersion,
      orderClass: 'ASK_ANYONECANPAY',
      safety: 'PUBLIC_RACEABLE',
      reasons: [],
      signatureStatus: 'UNAVAILABLE',
      inputOutpoints: [ask.outpoint],
      inputWitnessUtxos: [ask.prevout],
      outputValuesSats: [ask.payout.valueSats],
      outputScriptsHex: [ask.payout.scriptHex],
      hasProprietaryFields: false,
      hasUnknownFields: false,
    })
    expect(offer).toEqual({
      side: 'ASK',
      sellerIndex: 0,
      outpoint: `${ask.outpoint.txid}:0`,
      version: 2,
      locktime: 0,
      sequences: [0xfffffffd],
      payouts: [ask.payout],
      funding: [],
      unsignedTxid: inspected.inspection.unsignedTxid,
    })
    expect(claimedPrevout).toEqual(ask.prevout)
  })

  test('placeholders make it a targeted one, and the offered input is still the signed one', () => {
    const ask = makeAsk({ placeholders: 2 })
    expect(inspectPsbt(ask.psbt)).toMatchObject({
      inspection: { orderClass: 'ASK_ANYONECANPAY', safety: 'TARGETED_REVIEW', inputCount: 3 },
      offer: { sellerIndex: 2, outpoint: `${ask.outpoint.txid}:0`, payouts: [ask.payout] },
      claimedPrevout: ask.prevout,
    })
  })

  test('an output beyond the number of inputs is a placeholder too', () => {
    const more = changePsbt(makeAsk().psbt, ({ transaction, outputs }) => {
      transaction.addOutput(Buffer.from(P2PKH, 'hex'), 1_000n)
      outputs.push([])
    })
    expect(inspection(more)).toMatchObject({
      orderClass: 'ASK_ANYONECANPAY',
      safety: 'TARGETED_REVIEW',
    })
  })

  test('field 03 may be absent, or say the same', () => {
    for (const finalised of [true, false]) {
      const said = makeAsk({ finalised, sighashField: 0x83 })
      expect(inspection(said.psbt)).toMatchObject({ orderClass: 'ASK_ANYONECANPAY', reasons: [] })
    }
  })

  test('what a PSBT does not say of its prevout is null', () => {
    expect(inspectPsbt(makeAsk({ claimedUtxo: null }).psbt)).toMatchObject({
      claimedPrevout: null,
      inspection: { orderClass: 'ASK_ANYONECANPAY', inputWitnessUtxos: [null] },
    })
  })

  test('the result is what the log accepts', () => {
    const { artifact, inspection, offer, claimedPrevout } = inspectPsbt(makeAsk().psbt)
    const source = {
      source: 'direct-import',
      sourceId: 'x',
      observedAt: '2026-01-01T00:00:00.000Z',
    }
    const claim = { artifact, inspection, offer, claimedPrevout, source, notes: [] }
    expect(OfferClaim.parse(claim)).toEqual(claim)
  })

  test('fields that no BIP names, and proprietary ones, are reported and change nothing else', () => {
    const strange = changePsbt(makeAsk().psbt, ({ global, outputs }) => {
      global.push(field(0xfc, Uint8Array.of(1), Uint8Array.of(2, 0x61, 0x62, 0)))
      outputs[0]?.push(field(0x77, Uint8Array.of(1)))
    })
    expect(inspection(strange)).toMatchObject({
      hasProprietaryFields: true,
      hasUnknownFields: true,
      orderClass: 'ASK_ANYONECANPAY',
    })
  })
})

describe('a taproot signature of 64 bytes is SIGHASH_DEFAULT', () => {
  test.each(['p2tr', 'tapscript'] as const)(
    'an ask of %s keeps its class, with the reason',
    (script) => {
      for (const finalised of [true, false]) {
        const ask = makeAsk({ script, finalised, omitSighashByte: true })
        expect(inspection(ask.psbt)).toMatchObject({
          orderClass: 'ASK_ANYONECANPAY',
          safety: 'PUBLIC_RACEABLE',
          reasons: ['sighash_default'],
        })
      }
    },
  )

  test('beside one placeholder whose value is unknown it is an ask too', () => {
    const ask = makeAsk({ omitSighashByte: true, placeholders: 1 })
    expect(inspection(ask.psbt)).toMatchObject({
      orderClass: 'ASK_ANYONECANPAY',
      reasons: ['sighash_default'],
    })
  })

  test('where it pays for all outputs it is a bid', () => {
    const bid = makeBid({ funding: [{ script: 'p2tr' }] })
    expect(inspection(bid.psbt)).toMatchObject({ orderClass: 'BID_FULLY_FUNDED', reasons: [] })
  })
})

const unsignedElsewhere = makeAsk({
  unsigned: true,
  prevout: { ...outpointOf('elsewhere'), valueSats: '10000' },
}).psbt

describe('a bid: all but the asset signed for everything, and all paid', () => {
  test.each(SCRIPTS)('funded from %s', (script) => {
    for (const finalised of [true, false]) {
      const bid = makeBid({
        funding: [{ script }, { script: 'p2wpkh' }],
        finalised,
        sellerIndex: 1,
      })
      expect(inspectPsbt(bid.psbt)).toMatchObject({
        inspection: {
          orderClass: 'BID_FULLY_FUNDED',
          safety: 'TARGETED_REVIEW',
          // It is signed, and no authority has said how well.
          signatureStatus: 'UNAVAILABLE',
          reasons: [],
        },
        offer: {
          side: 'BID',
          sellerIndex: 1,
          outpoint: `${bid.outpoint.txid}:0`,
          funding: bid.funding.map(({ outpoint }) => `${outpoint.txid}:${outpoint.vout}`),
        },
        claimedPrevout: bid.prevout,
      })
    }
  })

  test('its payouts are all its outputs', () => {
    const { offer, inspection } = inspectPsbt(makeBid().psbt)
    expect(offer.payouts.map(({ valueSats }) => valueSats)).toEqual(inspection.outputValuesSats)
  })

  test.each([
    ['bid_value_unknown', makeBid({ omitAssetUtxo: true }).psbt],
    [
      'bid_not_funded',
      makeBid({ feeSats: '0', priceSats: '90000', funding: [{ valueSats: '90000' }] }).psbt,
    ],
  ])('%s', (reason, psbt) => {
    expect(inspection(psbt)).toMatchObject({ orderClass: 'UNSUPPORTED', reasons: [reason] })
  })

  const STRANGER = walletOf('p2wpkh', 'stranger').scriptHex
  test.each<[string, BidOptions]>([
    ['to another script', { payTo: STRANGER }],
    ['to another script, from one coin signed for all', { payTo: STRANGER, funding: TAPROOT }],
    ['of 0 sats', { priceSats: '-10000' }],
    ['of 0 sats, from one coin signed for all', { priceSats: '-10000', funding: TAPROOT }],
  ])('a payment %s bids nothing', (_, options) => {
    expect(inspection(makeBid(options).psbt)).toMatchObject({
      orderClass: 'UNSUPPORTED',
      safety: 'UNSUPPORTED',
      reasons: ['bid_pays_owner_nothing'],
    })
    expect(inspectPsbt(makeBid(options).psbt).offer.side).toBe('BID')
  })

  test('one sat to the owner is a bid', () => {
    const { psbt } = makeBid({ priceSats: '-9999', funding: TAPROOT })
    expect(inspection(psbt)).toMatchObject({ orderClass: 'BID_FULLY_FUNDED', reasons: [] })
  })

  test('what is neither funded nor pays the owner says both', () => {
    const { psbt } = makeBid({ feeSats: '0', payTo: STRANGER, priceSats: '90000', funding: POOR })
    expect(inspection(psbt).reasons).toEqual(['bid_not_funded', 'bid_pays_owner_nothing'])
  })

  test('16 inputs of the bidder’s own are a bid, 17 are too many to ask about', () => {
    const own = (count: number) =>
      inspection(makeBid({ funding: Array.from({ length: count }, () => ({})) }).psbt)
    expect(own(16)).toMatchObject({ orderClass: 'BID_FULLY_FUNDED', reasons: [] })
    expect(own(17)).toMatchObject({ orderClass: 'UNSUPPORTED', reasons: ['bid_too_many_inputs'] })
  })

  test.each([1, 2])('several unsigned inputs beside %i signed', (signers) => {
    const bid = makeBid({ funding: Array.from({ length: signers }, () => ({})) })
    expect(inspection(joinPsbts(bid.psbt, unsignedElsewhere))).toMatchObject({
      orderClass: 'UNSUPPORTED',
      reasons: ['several_unsigned_inputs', 'sighash_not_single_anyonecanpay'],
    })
  })

  test('a single sat of fee is enough for the class', () => {
    const bid = makeBid({ priceSats: '89999', funding: [{ valueSats: '100000' }], feeSats: '1' })
    expect(inspection(bid.psbt).orderClass).toBe('BID_FULLY_FUNDED')
  })
})

describe('anything else is unsupported, with every reason', () => {
  const legacy = { valueSats: '10000', scriptHex: P2PKH }
  const other = () =>
    makeAsk({ seed: 'other', prevout: { ...outpointOf('other'), valueSats: '10000' } }).psbt
  const withoutItsOutput = (psbt: string) =>
    changePsbt(psbt, ({ transaction, outputs }) => {
      transaction.outs.pop()
      outputs.pop()
    })
  const witnessOf = (...items: Uint8Array[]) =>
    changePsbt(makeAsk().psbt, ({ inputs }) => {
      const bytes = items.flatMap((item) => [item.length, ...item])
      inputs[0]!.find(({ type }) => type === 0x08)!.value = Uint8Array.of(items.length, ...bytes)
    })

  test.each<[string, string, string[]]>([
    ['unsigned', makeAsk({ unsigned: true }).psbt, ['unsigned']],
    [
      'SIGHASH_ALL',
      makeAsk({ sighash: 0x01, script: 'p2wpkh' }).psbt,
      ['sighash_not_single_anyonecanpay'],
    ],
    ['ALL|ANYONECANPAY', makeAsk({ sighash: 0x81 }).psbt, ['sighash_not_single_anyonecanpay']],
    ['NONE|ANYONECANPAY', makeAsk({ sighash: 0x82 }).psbt, ['sighash_not_single_anyonecanpay']],
    ['SINGLE', makeAsk({ sighash: 0x03 }).psbt, ['sighash_not_single_anyonecanpay']],
    ['a field that contradicts', makeAsk({ sighashField: 0x01 }).psbt, ['sighash_field_differs']],
    ['legacy by its utxo', makeAsk({ claimedUtxo: legacy }).psbt, ['legacy_input']],
    [
      'no output beside it',
      withoutItsOutput(makeAsk({ placeholders: 1 }).psbt),
      ['no_output_at_index'],
    ],
    ['two asks in one', joinPsbts(makeAsk().psbt, other()), ['several_offered_inputs']],
    [
      'an ask and a bid in one',
      joinPsbts(makeBid().psbt, other()),
      ['several_offered_inputs', 'sighash_not_single_anyonecanpay'],
    ],
    ['a witness that is not a signature', witnessOf(new Uint8Array(63)), ['signature_unreadable']],
    ['65 bytes that end in 00', witnessOf(new Uint8Array(65)), ['signature_unreadable']],
    [
      'a key without a signature',
      witnessOf(new Uint8Array(0), new Uint8Array(33)),
      ['signature_unreadable'],
    ],
    [
      'all of it at once',
      withoutItsOutput(
        makeAsk({ sighash: 0x81, sighashField: 0x83, placeholders: 1, claimedUtxo: legacy }).psbt,
      ),
      [
        'sighash_not_single_anyonecanpay',
        'sighash_field_differs',
        'no_output_at_index',
        'legacy_input',
      ],
    ],
  ])('%s', (_, psbt, reasons) => {
    const { inspection, offer } = inspectPsbt(psbt)
    expect(inspection).toMatchObject({ orderClass: 'UNSUPPORTED', safety: 'UNSUPPORTED', reasons })
    expect(offer.outpoint).toMatch(/^[0-9a-f]{64}:0$/)
    for (const reason of reasons) expect(Object.keys(INSPECTION_REASONS)).toContain(reason)
  })

  test('a legacy input is recognised by its final scriptSig without a utxo', () => {
    const psbt = changePsbt(makeAsk({ claimedUtxo: null }).psbt, ({ inputs }) => {
      inputs[0] = [field(0x07, Uint8Array.of(1, 0x51))]
    })
    expect(inspection(psbt).reasons).toEqual(['signature_unreadable', 'legacy_input'])
  })

  test('a second signature of another kind on the same input spoils it', () => {
    const partial = makeAsk({ script: 'p2wsh-multisig', finalised: false })
    const mixed = changePsbt(partial.psbt, ({ inputs }) => {
      const signature = inputs[0]!.find(({ type }) => type === 0x02)!
      signature.value = signature.value.with(-1, 0x01)
      inputs[0] = inputs[0]!.filter(({ type }) => type !== 0x03)
    })
    expect(inspection(mixed).reasons).toEqual(['sighash_not_single_anyonecanpay'])
  })

  test('a false script in the utxo cannot change what was signed', () => {
    const lie = { valueSats: '1', scriptHex: walletOf('p2wpkh', 'liar').scriptHex }
    expect(inspectPsbt(makeAsk({ script: 'p2tr', claimedUtxo: lie }).psbt)).toMatchObject({
      inspection: { orderClass: 'ASK_ANYONECANPAY', reasons: [] },
      claimedPrevout: lie,
    })
  })
})

describe('a non-witness utxo', () => {
  const parent = new Transaction()
  parent.addInput(new Uint8Array(32).fill(7), 0)
  parent.addOutput(Buffer.from(walletOf('p2tr', 'seller').scriptHex, 'hex'), 25_000n)
  const prevout = { txid: toTxid(parent.getId()), vout: 0, valueSats: '25000' }

  const withParent = (claimedUtxo: 'same' | 'other' | 'none') => {
    const utxo = {
      same: undefined,
      other: { valueSats: '1', scriptHex: walletOf('p2tr', 'seller').scriptHex },
      none: null,
    }[claimedUtxo]
    const ask = makeAsk({ prevout, ...(utxo === undefined ? {} : { claimedUtxo: utxo }) })
    const psbt = changePsbt(ask.psbt, ({ inputs }) =>
      inputs[0]!.push(field(0x00, parent.toBuffer())),
    )
    return { ...ask, psbt }
  }

  test('gives the prevout where no witness utxo does', () => {
    const ask = withParent('none')
    expect(inspectPsbt(ask.psbt)).toMatchObject({
      claimedPrevout: ask.prevout,
      inspection: { inputWitnessUtxos: [null] },
    })
    expect(inspectPsbt(withParent('same').psbt).claimedPrevout).toEqual(ask.prevout)
  })

  test('that contradicts the witness utxo is refused', () => {
    expect(() => inspectPsbt(withParent('other').psbt)).toThrow(
      'witnessUtxo different from nonWitnessUtxo',
    )
  })

  test('of another transaction is refused', () => {
    const ask = changePsbt(withParent('same').psbt, ({ transaction }) => {
      transaction.ins[0]!.hash = new Uint8Array(32)
    })
    expect(() => inspectPsbt(ask)).toThrow('wrong txid')
  })
})

describe('the real kind 802 order', () => {
  test('is an ask whose signature lacks its byte', () => {
    const { psbt, txid, scriptHex } = wildEvents().sale
    expect(inspectPsbt(psbt)).toMatchObject({
      inspection: {
        orderClass: 'ASK_ANYONECANPAY',
        safety: 'PUBLIC_RACEABLE',
        reasons: ['sighash_default'],
      },
      offer: {
        outpoint: `${txid}:0`,
        version: 2,
        sequences: [0xffffffff],
        payouts: [{ valueSats: '4672', scriptHex }],
      },
      claimedPrevout: { valueSats: '4672', scriptHex },
    })
  })
})
