import { createHash } from 'node:crypto'
import { Psbt } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import type { Outpoint } from '../../../src/schemas/scalars.ts'
import { secretOf } from '../chain/keys.ts'
import type { SellerCoin } from '../chain/seller-coins.ts'
import { changePsbt, field } from '../orders/psbt-changes.ts'
import { makeAsk, makeBid, outpointOf } from '../orders/psbt-orders.ts'

// PSBTs that prove nothing, made by changing bytes of one: a flood of them costs its sender little.

const PAYOUT_SATS = 25_001n

export interface Junk {
  /** Base64; each number gives another order. */
  make(n: number): string
}

/** Asks of one output, in its owner's form, whose signature is for another payout. */
export function forgedAsks({ seed, outpoint, output }: SellerCoin): Junk {
  const payout = { valueSats: String(PAYOUT_SATS), scriptHex: output.scriptHex }
  const prevout = { ...outpoint, valueSats: output.valueSats }
  const { psbt } = makeAsk({ script: 'p2wpkh', seed, prevout, payout })
  const bytes = Buffer.from(psbt, 'base64')
  const places = placesOf(bytes, satsLe(PAYOUT_SATS))
  return {
    make: (n) => {
      const copy = Buffer.from(bytes)
      for (const at of places) copy.writeBigUInt64LE(PAYOUT_SATS + 1n + BigInt(n), at)
      return copy.toString('base64')
    },
  }
}

/** Asks of outputs that never existed, with `filling` padding bytes in each wrapper. */
export function asksOfNothing(filling = 0, scriptBytes = 0): Junk {
  const label = `nothing ${filling} ${scriptBytes}`
  const outpoint: Outpoint = outpointOf(label)
  const payout = {
    valueSats: String(PAYOUT_SATS),
    scriptHex: scriptBytes > 0 ? '51'.repeat(scriptBytes) : `0014${'11'.repeat(20)}`,
  }
  const { psbt } = makeAsk({
    script: 'p2wpkh',
    prevout: { ...outpoint, valueSats: '10000' },
    payout,
  })
  const half = Psbt.fromBase64(psbt)
  if (filling > 0) {
    half.addUnknownKeyValToGlobal({ key: Buffer.from('f0aa', 'hex'), value: noise(filling) })
  }
  const bytes = Buffer.from(half.toBuffer())
  const places = placesOf(bytes, Buffer.from(outpoint.txid, 'hex').reverse())
  return {
    make: (n) => {
      const copy = Buffer.from(bytes)
      for (const at of places) txidOf(`${label} ${n}`).copy(copy, at)
      return copy.toString('base64')
    },
  }
}

/** Bids for one output with 16 inputs that never existed and made-up signatures. */
export function junkBids(outpoint: Outpoint, valueSats: string): Junk {
  const funding = Array.from({ length: 15 }, (_, n) => ({ outpoint: outpointOf(`paid ${n}`) }))
  const { psbt } = makeBid({ prevout: { ...outpoint, valueSats }, funding })
  const bytes = Buffer.from(psbt, 'base64')
  const [first] = funding
  if (!first) throw new Error('a bid has funding')
  const places = placesOf(bytes, Buffer.from(first.outpoint.txid, 'hex').reverse())
  return {
    make: (n) => {
      const copy = Buffer.from(bytes)
      for (const at of places) txidOf(`funding ${n}`).copy(copy, at)
      return copy.toString('base64')
    },
  }
}

/** As many inputs, and keys, as an order may have. */
const MAX_INPUTS = 64
const BIP32_DERIVATION = 0x06

/**
 * PSBTs that are refused only after all of them was read: the scripts of their outputs are too large
 * together, and each input has a key.
 */
export function largePsbts(): Junk {
  const outpoint = outpointOf('large')
  const { psbt } = makeAsk({ script: 'p2wpkh', prevout: { ...outpoint, valueSats: '10000' } })
  const large = changePsbt(psbt, ({ transaction, inputs, outputs }) => {
    for (let n = 1; n < MAX_INPUTS; n += 1) {
      transaction.addInput(txidOf(`large ${n}`), n)
      inputs.push([])
    }
    while (transaction.outs.length < 60) {
      transaction.addOutput(Buffer.alloc(700, 0x51), BigInt(PAYOUT_SATS))
      outputs.push([])
    }
    for (const [n, input] of inputs.entries()) {
      const key = ecc.pointFromScalar(secretOf(`large ${n}`), true)
      if (key) input.push(field(BIP32_DERIVATION, Buffer.alloc(8), key))
    }
  })
  const bytes = Buffer.from(large, 'base64')
  const places = placesOf(bytes, Buffer.from(outpoint.txid, 'hex').reverse())
  return {
    make: (n) => {
      const copy = Buffer.from(bytes)
      for (const at of places) txidOf(`large outpoint ${n}`).copy(copy, at)
      return copy.toString('base64')
    },
  }
}

/** Incompressible bytes, the same ones each time. */
export function noise(length: number): Buffer {
  const parts = Array.from({ length: Math.ceil(length / 32) }, (_, n) => txidOf(`noise ${n}`))
  return Buffer.concat(parts).subarray(0, length)
}

const txidOf = (label: string): Buffer => createHash('sha256').update(label).digest()

const satsLe = (sats: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(sats)
  return bytes
}

function placesOf(bytes: Buffer, wanted: Buffer): number[] {
  const places: number[] = []
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) places.push(at)
  if (places.length === 0) throw new Error('the template does not hold what is to be changed')
  return places
}
