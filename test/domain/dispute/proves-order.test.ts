import { Psbt } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { ownerSignature } from '../../../src/domain/dispute/owner-signature.ts'
import { whyOrderUnproved } from '../../../src/domain/dispute/proves-order.ts'
import { bundleText, sealBundle } from '../../../src/domain/dispute/seal-bundle.ts'
import { verifyBundle } from '../../../src/domain/dispute/verify-bundle.ts'
import { sealChange } from '../../../src/domain/order/change-chain.ts'
import { DisputeBundle, type UnsealedBundle } from '../../../src/schemas/dispute/bundle.ts'
import { SCRIPTS, type ScriptKind, walletOf } from '../../support/chain/keys.ts'
import { bareBundle, inBlock, madeBy, outpointAt } from '../../support/dispute/bare-bundle.ts'
import { forgedSale } from '../../support/dispute/forged-sale.ts'
import { type MadeBid, makeAsk, makeBid } from '../../support/orders/psbt-orders.ts'
import { vectorText } from '../../support/vectors.ts'

/** A bundle that 0.9 made, without its hash. */
function vector(name: string): UnsealedBundle {
  const { sha256: _, ...bundle } = DisputeBundle.parse(
    JSON.parse(vectorText(`dispute-${name}.json`)),
  )
  return bundle
}
const live = vector('live')
const settled = vector('settled')

const verified = (bundle: UnsealedBundle) => verifyBundle(bundleText(sealBundle(bundle)), ecc)
const lackOf = (bundle: UnsealedBundle) =>
  whyOrderUnproved(bundle, ownerSignature(sealBundle(bundle), ecc))
const aboutOrder = ({ proved }: { proved: string[] }) =>
  proved.filter((fact) => /the order is the fold|verdicts follow|the order asked/.test(fact))

/** An ask of this owner, in a bundle that proves the output that it names. */
function askBundle(kind: ScriptKind, { ownedBy = 'seller', finalised = true } = {}) {
  const output = { valueSats: '10000', scriptHex: walletOf(kind, ownedBy).scriptHex }
  const made = madeBy(output)
  const { txid, vout } = outpointAt(made, 0)
  const prevout = { txid, vout, valueSats: output.valueSats }
  const { psbt } = makeAsk({ script: kind, prevout, finalised })
  return bareBundle(live, psbt, inBlock(made))
}

/** What only a node can run. */
const ASKED: readonly ScriptKind[] = ['tapscript', 'p2wsh-other']
const ONLY_NODE = 'only a node can run the script of its signature'

describe('the PSBT of an ask proves an order', () => {
  test.each(SCRIPTS)('%s: by the signature of the owner of the output that is proved', (kind) => {
    for (const finalised of [true, false]) {
      const bundle = askBundle(kind, { finalised })
      expect(lackOf(bundle)).toBe(ASKED.includes(kind) ? ONLY_NODE : null)
      expect(verified(bundle).failed).toEqual([])
    }
  })

  test('not by a signature of all inputs and outputs: any payment has one', () => {
    const output = { valueSats: '10000', scriptHex: walletOf('p2tr', 'seller').scriptHex }
    const made = madeBy(output)
    const { txid, vout } = outpointAt(made, 0)
    const prevout = { txid, vout, valueSats: output.valueSats }
    const bundle = bareBundle(live, makeAsk({ prevout, sighash: 0x00 }).psbt, inBlock(made))
    const lack = 'its signature is of all inputs and outputs: of a transaction, and no ask'
    expect(lackOf(bundle)).toBe(lack)
    const { claimed, proved } = verified(bundle)
    expect(claimed).toContain(`that the order existed: ${lack}`)
    expect(aboutOrder({ proved })).toEqual([])
  })

  test.each(SCRIPTS)('%s: not by that of a stranger', (kind) => {
    const bundle = askBundle(kind, { ownedBy: 'somebody else' })
    const lack = lackOf(bundle)
    expect(lack).not.toBeNull()
    const { claimed, proved } = verified(bundle)
    expect(claimed).toContain(`that the order existed: ${lack}`)
    expect(aboutOrder({ proved })).toEqual([])
  })

  test('not for another value', () => {
    const { scriptHex } = walletOf('p2tr', 'seller')
    const made = madeBy({ valueSats: '10001', scriptHex })
    const { psbt } = makeAsk({ prevout: { ...outpointAt(made, 0), valueSats: '10000' } })
    expect(lackOf(bareBundle(live, psbt, inBlock(made)))).toBe(
      'its signature is INVALID for the output that the bundle proves',
    )
  })

  test('not where no transaction shows what the output holds, whatever evidence says', () => {
    const { proofs, ...rest } = live
    const bundle = { ...rest, proofs: { ...proofs, output: null } }
    const lack = `its signature is for output ${live.order.outpoint}, and no transaction here made that`
    expect(lackOf(bundle)).toBe(lack)
    const { failed, claimed, proved } = verified(bundle)
    expect(failed).toEqual([])
    expect(claimed).toContain(
      'the signature of the artifact is VALID for the prevouts that evidence names',
    )
    expect(aboutOrder({ proved })).toEqual([])
  })

  test('nor with a transaction that has another txid', () => {
    const { scriptHex } = walletOf('p2tr', 'seller')
    const other = inBlock(madeBy({ valueSats: '10000', scriptHex }))
    const { psbt, outpoint } = makeAsk()
    const named = { ...other, txid: outpoint.txid }
    for (const output of [other, named])
      expect(lackOf(bareBundle(live, psbt, output))).toMatch(/no transaction here made that$/)
  })
})

describe('the PSBT of a bid proves an order', () => {
  const funded = (kind: ScriptKind, ownedBy = 'bidder') => {
    const coin = { valueSats: '100000', scriptHex: walletOf(kind, ownedBy).scriptHex }
    const offered = { valueSats: '10000', scriptHex: walletOf('p2tr', 'seller').scriptHex }
    const [made, paid] = [madeBy(offered), madeBy(offered, coin)]
    const bid = makeBid({
      prevout: { ...outpointAt(made, 0), valueSats: '10000' },
      funding: [{ script: kind, outpoint: outpointAt(paid, 1) }],
    })
    return { bid, proof: inBlock(made), paid }
  }
  const withPrevious = ({ psbt }: MadeBid, bytes: Uint8Array) => {
    const read = Psbt.fromBase64(psbt)
    const input = read.data.inputs[1]!
    delete input.witnessUtxo
    input.nonWitnessUtxo = Buffer.from(bytes)
    return read.toBase64()
  }

  test.each(SCRIPTS)('%s: by what it is paid with, where its PSBT has that transaction', (kind) => {
    const { bid, proof, paid } = funded(kind)
    const bundle = bareBundle(live, withPrevious(bid, paid.toBuffer()), proof)
    expect(lackOf(bundle)).toBe(ASKED.includes(kind) ? ONLY_NODE : null)
    expect(verified(bundle).failed).toEqual([])
  })

  test('not where only its words say what pays for it', () => {
    const { bid, proof, paid } = funded('p2wpkh')
    const lack = `its signature is for output ${outpointAt(paid, 1).text}, and no transaction here made that`
    expect(lackOf(bareBundle(live, bid.psbt, proof))).toBe(lack)
  })

  test("not by a stranger's signature", () => {
    const { bid, proof, paid } = funded('p2wpkh', 'somebody else')
    expect(lackOf(bareBundle(live, withPrevious(bid, paid.toBuffer()), proof))).toBe(
      'its signature is INVALID for the output that the bundle proves',
    )
  })
})

describe('an order is not proved', () => {
  test('by a PSBT without a signature of its own that is added to the forgery of a sale', () => {
    const forged = forgedSale(sealBundle(settled))
    const { psbt } = makeAsk({ unsigned: true })
    for (const artifact of [
      { ...forged.artifact, psbt, withheld: null },
      { ...forged.artifact, psbt: 'AAAA', withheld: null },
    ])
      expect(lackOf({ ...forged, artifact })).not.toBeNull()
  })

  test('by a whole change with evidence, which anyone can write', () => {
    const forged = forgedSale(sealBundle(settled))
    const [evidence] = settled.changes.flatMap((change) =>
      'record' in change && change.record.evidence ? [change.record.evidence] : [],
    )
    const last = forged.changes.at(-1)
    if (!last || !('record' in last) || !evidence) throw new Error('no change with evidence')
    const { hash: _, ...content } = last.record
    const record = sealChange({ ...content, evidence })
    const order = { ...forged.order, hash: record.hash }
    const bundle = { ...forged, order, changes: [...forged.changes.slice(0, -1), { record }] }
    expect(lackOf(bundle)).toBe('the artifact with its signature is withheld')
    const { claimed, proved } = verified(bundle)
    expect(claimed).toContain('a transaction paid this: that an order existed is only claimed')
    expect(aboutOrder({ proved })).toEqual([])
  })
})

test('each bundle of 0.9 contradicts nothing, and says why its order is not proved', () => {
  const lacks = ['live', 'settled', 'settled-operator'].map((name) => {
    const { failed } = verified(vector(name))
    expect(failed).toEqual([])
    return lackOf(vector(name))
  })
  expect(lacks).toEqual([null, 'the artifact with its signature is withheld', null])
})
