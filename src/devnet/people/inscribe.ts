import { script as bitcoinScript, opcodes, Transaction } from 'bitcoinjs-lib'
import {
  LEAF_VERSION_TAPSCRIPT,
  tapleafHash,
  tapTweakHash,
} from 'bitcoinjs-lib/src/payments/bip341'
import * as ecc from 'tiny-secp256k1'
import { Txid } from '../../schemas/scalars.ts'
import type { Miner, Payment } from '../node/miner.ts'
import { type Tx, txOf, wireHash } from '../node/tx.ts'

export interface InscriptionContent {
  contentType: string
  body: Uint8Array
}

export interface Inscribing {
  commit: Tx
  /** The inscription is in its first output, at offset 0. */
  reveal: Tx
  inscriptionId: string
}

const MAX_PUSH_BYTES = 520
const REVEAL_FEE_RATE = 2n
const SEQUENCE = 0xfffffffd
/** Placeholder for the txid of the commit while the reveal is measured. */
const NO_TXID = Txid.parse('00'.repeat(32))
/** Tag 1 of an envelope. */
const CONTENT_TYPE = Uint8Array.of(1)

/** Commit and reveal, signed by the miner, of an inscription that goes to `to`. */
export function inscribing(miner: Miner, to: Payment, content: InscriptionContent): Inscribing {
  const leaf = revealScript(miner.publicKey, content)
  const leafHash = tapleafHash({ output: leaf, version: LEAF_VERSION_TAPSCRIPT })
  // With one leaf the root of the script tree is the leaf's own hash (BIP341).
  const tweaked = ecc.xOnlyPointAddTweak(miner.publicKey, tapTweakHash(miner.publicKey, leafHash))
  if (!tweaked) throw new Error('the commit has no output key')
  const script = Buffer.from([0x51, 0x20, ...tweaked.xOnlyPubkey])
  const control = Buffer.from([LEAF_VERSION_TAPSCRIPT | tweaked.parity, ...miner.publicKey])

  const draft = revealOf(NO_TXID, to, [new Uint8Array(64), leaf, control])
  const valueSats = to.valueSats + REVEAL_FEE_RATE * BigInt(draft.virtualSize())
  const commit = miner.pay([{ script, valueSats }])
  const reveal = revealOf(commit.txid, to, [])
  const digest = reveal.hashForWitnessV1(0, [script], [valueSats], 0, leafHash)
  reveal.setWitness(0, [miner.schnorr(digest), leaf, control])
  return { commit, reveal: txOf(reveal), inscriptionId: `${reveal.getId()}i0` }
}

function revealOf(commitTxid: Txid, to: Payment, witness: Uint8Array[]): Transaction {
  const transaction = new Transaction()
  transaction.version = 2
  transaction.addInput(wireHash(commitTxid), 0, SEQUENCE)
  transaction.addOutput(to.script, to.valueSats)
  transaction.setWitness(0, witness)
  return transaction
}

/** `<key> OP_CHECKSIG OP_FALSE OP_IF "ord" 01 <type> OP_0 <body…> OP_ENDIF` (ord's envelope). */
function revealScript(
  publicKey: Uint8Array,
  { contentType, body }: InscriptionContent,
): Uint8Array {
  const chunks: Uint8Array[] = []
  for (let at = 0; at < body.length; at += MAX_PUSH_BYTES)
    chunks.push(body.subarray(at, at + MAX_PUSH_BYTES))
  return Buffer.concat([
    bitcoinScript.compile([publicKey, opcodes['OP_CHECKSIG'], opcodes['OP_0'], opcodes['OP_IF']]),
    push(Buffer.from('ord')),
    push(CONTENT_TYPE),
    push(Buffer.from(contentType)),
    Uint8Array.of(opcodes['OP_0']),
    ...chunks.map(push),
    Uint8Array.of(opcodes['OP_ENDIF']),
  ])
}

/** Never as OP_1 to OP_16, which `compile` would choose: ord counts a number as a curse. */
function push(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= 75) return Uint8Array.of(bytes.length, ...bytes)
  const length = Buffer.alloc(2)
  length.writeUInt16LE(bytes.length)
  return Buffer.concat([Uint8Array.of(opcodes['OP_PUSHDATA2']), length, bytes])
}
