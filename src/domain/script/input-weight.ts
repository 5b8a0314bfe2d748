import type { FinalScripts } from './final-scripts.ts'
import { bytesOf, P2PKH, P2SH, P2TR, P2WPKH, P2WSH, readMultisig } from './script-template.ts'
import { sigopsOfOutput, sigopsOfRedeemed, sigopsOfWitness } from './sigops.ts'

/** The bytes of an input besides its outpoint and sequence. */
export interface SpendSize {
  /** Without its length prefix. */
  scriptSigBytes: number
  /** With its item count: 1 if it has no items. */
  witnessBytes: number
  /** Signature operations by their cost: 1 in a witness, 4 in a script of P2SH. */
  sigops: number
}

const OUTPOINT_AND_SEQUENCE_BYTES = 40
const VALUE_BYTES = 8
const VERSION_AND_LOCKTIME_BYTES = 8
const SEGWIT_MARKER_BYTES = 2
const WITNESS_SCALE = 4
/** The longest strict DER, low S signature, with its sighash byte. */
const ECDSA_BYTES = 72
/** With its sighash byte, which a wallet may leave out. */
const SCHNORR_BYTES = 65
const KEY_BYTES = 33
const NO_WITNESS_BYTES = 1
/** Weight that nodes count for a signature operation at least (Core `-bytespersigop`). */
const SIGOP_WEIGHT = 20
/** A multisig known only by its hash is assumed to be the most common one. */
const USUAL_MULTISIG = { required: 2, keys: 3 }

const KEY_HASH_WITNESS = stackBytes([ECDSA_BYTES, KEY_BYTES])
/** One push of a 22 byte program. */
const NESTED_KEY_HASH_BYTES = 23

/**
 * The size of the usual spend of an output script; null for a script whose spend size is unknown.
 * Behind a script hash it is an assumption: P2SH as P2SH-P2WPKH, P2WSH as 2-of-3.
 */
export function usualSpend(scriptHex: string): { size: SpendSize; isAssumed: boolean } | null {
  const known = (
    scriptSigBytes: number,
    witnessBytes: number,
    { sigops = 0, isAssumed = false } = {},
  ) => ({ size: { scriptSigBytes, witnessBytes, sigops }, isAssumed })
  if (P2TR.test(scriptHex)) return known(0, stackBytes([SCHNORR_BYTES]))
  if (P2WPKH.test(scriptHex)) return known(0, KEY_HASH_WITNESS, { sigops: 1 })
  if (P2PKH.test(scriptHex)) return known(1 + ECDSA_BYTES + 1 + KEY_BYTES, NO_WITNESS_BYTES)
  if (P2SH.test(scriptHex)) {
    return known(NESTED_KEY_HASH_BYTES, KEY_HASH_WITNESS, { sigops: 1, isAssumed: true })
  }
  if (!P2WSH.test(scriptHex)) return null
  return { size: multisigSpend(USUAL_MULTISIG), isAssumed: true }
}

/** A strict DER signature of low R and low S, as wallets grind it, with its sighash byte. */
const LEAST_ECDSA_BYTES = 71
/** SIGHASH_DEFAULT has no byte. */
const LEAST_SCHNORR_BYTES = 64
/** A push of a compressed key, and OP_CHECKSIG. */
const KEY_SCRIPT_BYTES = 35
const P2PK = /^(?:21[0-9a-f]{66}|41[0-9a-f]{130})ac$/
const UNSPENT: SpendSize = { scriptSigBytes: 0, witnessBytes: NO_WITNESS_BYTES, sigops: 0 }

/**
 * The size of the cheapest usual spend of an output script: what its owner's signature adds at least.
 * Behind a script hash it is of one key; a script of an unknown kind adds nothing.
 */
export function leastSpend(scriptHex: string): SpendSize {
  const keyHash = stackBytes([LEAST_ECDSA_BYTES, KEY_BYTES])
  if (P2TR.test(scriptHex)) return { ...UNSPENT, witnessBytes: stackBytes([LEAST_SCHNORR_BYTES]) }
  if (P2WPKH.test(scriptHex)) return { ...UNSPENT, witnessBytes: keyHash, sigops: 1 }
  if (P2SH.test(scriptHex)) {
    return { scriptSigBytes: NESTED_KEY_HASH_BYTES, witnessBytes: keyHash, sigops: 1 }
  }
  if (P2WSH.test(scriptHex)) {
    return { ...UNSPENT, witnessBytes: stackBytes([LEAST_ECDSA_BYTES, KEY_SCRIPT_BYTES]) }
  }
  if (P2PKH.test(scriptHex)) {
    return { ...UNSPENT, scriptSigBytes: 1 + LEAST_ECDSA_BYTES + 1 + KEY_BYTES }
  }
  const signatures = P2PK.test(scriptHex) ? 1 : (readMultisig(bytesOf(scriptHex))?.required ?? 0)
  return { ...UNSPENT, scriptSigBytes: signatures * (1 + LEAST_ECDSA_BYTES) }
}

/** P2WSH of a multisig: an empty item, the signatures, and the script (BIP141). */
export function multisigSpend({ required, keys }: { required: number; keys: number }): SpendSize {
  const scriptBytes = 3 + keys * (1 + KEY_BYTES)
  const signatures = Array.from({ length: required }, () => ECDSA_BYTES)
  const witnessBytes = stackBytes([0, ...signatures, scriptBytes])
  return { scriptSigBytes: 0, witnessBytes, sigops: keys }
}

/** The spend of an output of this script, as it is signed. */
export function spendSizeOf(scriptHex: string, scripts: FinalScripts): SpendSize {
  return {
    scriptSigBytes: scripts.scriptSig.length,
    witnessBytes: stackBytes(scripts.witness.map(({ length }) => length)),
    sigops:
      sigopsOfWitness(scriptHex, scripts) +
      WITNESS_SCALE * sigopsOfRedeemed(scriptHex, scripts.scriptSig),
  }
}

/**
 * The size in vB that nodes measure a transaction's fee by: a quarter of its weight (BIP141), or of
 * what its signature operations count for (Core `GetVirtualTransactionSize`), rounded up.
 */
export function transactionVbytes(
  inputs: readonly SpendSize[],
  outputScriptsHex: readonly string[],
): bigint {
  const plain =
    VERSION_AND_LOCKTIME_BYTES +
    countBytes(inputs.length) +
    sum(inputs.map(({ scriptSigBytes }) => OUTPOINT_AND_SEQUENCE_BYTES + sized(scriptSigBytes))) +
    countBytes(outputScriptsHex.length) +
    sum(outputScriptsHex.map((script) => VALUE_BYTES + sized(script.length / 2)))
  const hasWitness = inputs.some(({ witnessBytes }) => witnessBytes > NO_WITNESS_BYTES)
  const witness = hasWitness
    ? SEGWIT_MARKER_BYTES + sum(inputs.map(({ witnessBytes }) => witnessBytes))
    : 0
  const sigops =
    sum(inputs.map((input) => input.sigops)) +
    WITNESS_SCALE * sum(outputScriptsHex.map(sigopsOfOutput))
  const weight = Math.max(plain * WITNESS_SCALE + witness, sigops * SIGOP_WEIGHT)
  return BigInt(Math.ceil(weight / WITNESS_SCALE))
}

function stackBytes(items: readonly number[]): number {
  return countBytes(items.length) + sum(items.map(sized))
}

function sized(bytes: number): number {
  return countBytes(bytes) + bytes
}

function countBytes(count: number): number {
  if (count < 0xfd) return 1
  return count <= 0xffff ? 3 : 5
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
