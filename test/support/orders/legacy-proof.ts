import { createHash } from 'node:crypto'
import { opcodes, payments, script, Transaction } from 'bitcoinjs-lib'
import * as tiny from 'tiny-secp256k1'
import { toSign, toSpend } from '../../../src/domain/bip322/virtual-transactions.ts'
import { secretOf } from '../chain/keys.ts'

// Full BIP-322 proofs of scripts that are spent by a scriptSig.

export const LEGACY_KINDS = ['p2pkh', 'p2pkh-uncompressed', 'p2pk', 'p2ms', 'p2sh-p2ms'] as const
export type LegacyKind = (typeof LEGACY_KINDS)[number]

export interface LegacyOptions {
  sighash?: number
  version?: number
  locktime?: number
  sequence?: number
  witness?: Uint8Array[]
  /** What the scriptSig begins with. */
  before?: Uint8Array
  /** False: what should be a signature is none. */
  signs?: boolean
}

interface LegacyProof {
  scriptHex: string
  /** Base64 without a prefix. */
  text: string
}

/** A full proof by the keys of a seed that the owner of a script of this kind signed the message. */
export function proveLegacyOwnership(
  kind: LegacyKind,
  seed: string,
  message: string,
  { sighash = 0x01, version = 0, locktime = 0, sequence = 0, ...options }: LegacyOptions = {},
): LegacyProof {
  const secrets = [0, 1, 2].map((n) => secretOf(`${seed}/${n}`))
  const keys = secrets.map((secret) => tiny.pointFromScalar(secret, kind !== 'p2pkh-uncompressed')!)
  const multisig = payments.p2ms({ m: 2, pubkeys: keys }).output!
  const output = {
    p2pkh: () => payments.p2pkh({ pubkey: keys[0]! }).output!,
    'p2pkh-uncompressed': () => payments.p2pkh({ pubkey: keys[0]! }).output!,
    p2pk: () => payments.p2pk({ pubkey: keys[0]! }).output!,
    p2ms: () => multisig,
    'p2sh-p2ms': () => payments.p2sh({ redeem: { output: multisig } }).output!,
  }[kind]()
  const transaction = toSign(toSpend(message, Buffer.from(output).toString('hex')))
  Object.assign(transaction, { version, locktime })
  Object.assign(transaction.ins[0]!, { sequence })
  const isNested = kind === 'p2sh-p2ms'
  const signed = (n: number): Uint8Array => {
    if (options.signs === false) return createHash('sha256').update(message).digest()
    const digest = transaction.hashForSignature(0, isNested ? multisig : output, sighash)
    return script.signature.encode(tiny.sign(digest, secrets[n]!), sighash)
  }
  const pushes = {
    p2pkh: () => [signed(0), keys[0]!],
    'p2pkh-uncompressed': () => [signed(0), keys[0]!],
    p2pk: () => [signed(0)],
    p2ms: () => [opcodes['OP_0']!, signed(0), signed(1)],
    'p2sh-p2ms': () => [opcodes['OP_0']!, signed(0), signed(1), multisig],
  }[kind]()
  const scriptSig = script.compile(pushes)
  transaction.setInputScript(0, Buffer.concat([options.before ?? new Uint8Array(), scriptSig]))
  if (options.witness) transaction.setWitness(0, options.witness)
  return {
    scriptHex: Buffer.from(output).toString('hex'),
    text: Buffer.from(Transaction.fromBuffer(transaction.toBuffer()).toBuffer()).toString('base64'),
  }
}
