import { Transaction as ScureTransaction } from '@scure/btc-signer'
import { RawPSBTV2 } from '@scure/btc-signer/psbt.js'
import { Psbt, Transaction } from 'bitcoinjs-lib'
import { ANY_CONTENT } from '../script/any-content.ts'
import type { Pair, PsbtMaps } from './key-value-maps.ts'
import { checkPartialSignatures } from './partial-signatures.ts'
import type { PsbtLimits } from './psbt-limits.ts'
import { fieldOf, GLOBAL, INPUT, readPsbtMaps, writePsbtMaps } from './psbt-maps.ts'
import { accepted, invalidPsbt } from './psbt-refused.ts'
import { toVersion0 } from './psbt-v0.ts'

/** A PSBT that two parsers accepted. */
export interface ReadPsbt {
  /** As received. */
  bytes: Uint8Array
  maps: PsbtMaps
  /** Its version 0 form. */
  psbt: Psbt
  unsigned: Transaction
}

/**
 * Reads a PSBT of version 0 or 2. The frame is checked first, then `@scure/btc-signer` and
 * `bitcoinjs-lib` must both accept it and agree on the transaction: each accepts what the other
 * refuses (BIP370's and BIP371's invalid vectors). Version 2 is converted to version 0 in between.
 *
 * @throws PsbtRefusedError
 */
export function readPsbt(bytes: Uint8Array, limits: PsbtLimits): ReadPsbt {
  const { maps, plain } = readPlain(bytes, limits)
  checkPartialSignatures(maps)
  const unsignedTx = readByScure(plain, maps.version)
  if (maps.version === 0) return { maps, ...readVersion0(plain, maps, unsignedTx), bytes }
  const converted = toVersion0(maps, unsignedTx)
  const version0 = writePsbtMaps(converted)
  readByScure(version0, 0)
  return { maps, ...readVersion0(version0, converted, unsignedTx), bytes }
}

/** Reopens a PSBT that `readPsbt` accepted before, without running both parsers. */
export function reopenPsbt(bytes: Uint8Array, limits: PsbtLimits): ReadPsbt {
  const { maps, plain } = readPlain(bytes, limits)
  const unsignedTx = fieldOf(maps.global, GLOBAL.unsignedTx)
  if (maps.version === 2 || !unsignedTx) return readPsbt(bytes, limits)
  return { maps, ...readVersion0(plain, maps, unsignedTx), bytes }
}

/** The maps, and the bytes of these maps for the parsers. */
function readPlain(bytes: Uint8Array, limits: PsbtLimits) {
  const read = readPsbtMaps(bytes, limits)
  const inputs = read.inputs.map(withoutEmptyFinals)
  const isPlain = inputs.every((map, at) => map.length === read.inputs[at]?.length)
  const maps = isPlain ? read : { ...read, inputs }
  return { maps, plain: isPlain ? bytes : writePsbtMaps(maps) }
}

/** A stack of no items. */
const NO_WITNESS = 0x00

/**
 * BIP174, input finalizer: a scriptSig or witness that is empty should be left out, and some signers
 * write it. Nodes read it as absent, and each parser refuses what the other accepts.
 */
const withoutEmptyFinals = (map: readonly Pair[]): Pair[] =>
  map.filter(({ type, key, value }) => {
    if (key.length !== 1) return true
    const isEmptyStack = value.length === 1 && value[0] === NO_WITNESS
    return !(
      (type === INPUT.finalScriptSig && value.length === 0) ||
      (type === INPUT.finalScriptWitness && isEmptyStack)
    )
  })

/** The unsigned transaction as `@scure/btc-signer` reads it. */
function readByScure(bytes: Uint8Array, version: 0 | 2): Uint8Array {
  return accepted(() => {
    // `fromPSBT` tries version 0 first and would blame version 0 for a version 2 PSBT's defect.
    if (version === 2) RawPSBTV2.decode(bytes)
    return ScureTransaction.fromPSBT(bytes, ANY_CONTENT).unsignedTx
  })
}

function readVersion0(bytes: Uint8Array, maps: PsbtMaps, unsignedTx: Uint8Array) {
  const psbt = accepted(() => Psbt.fromBuffer(bytes))
  const own = fieldOf(maps.global, GLOBAL.unsignedTx)
  if (!own || Buffer.compare(own, unsignedTx) !== 0) {
    throw invalidPsbt('the PSBT can be read as two different transactions')
  }
  return { psbt, unsigned: accepted(() => Transaction.fromBuffer(unsignedTx)) }
}
