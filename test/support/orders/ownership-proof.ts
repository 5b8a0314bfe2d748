import { createHash } from 'node:crypto'
import { RawTx, RawWitness, Transaction } from '@scure/btc-signer'
import type { Wallet } from '../chain/keys.ts'

// BIP-322 proofs as wallets make them, by another library than the one that judges them.

export interface ProofOptions {
  format?: 'simple' | 'full'
  /** ALL, or DEFAULT for taproot. */
  sighash?: number
  version?: number
  locktime?: number
  sequence?: number
}

export interface MadeProof {
  /** Base64 without a prefix. */
  text: string
  witness: Uint8Array[]
}

const sha256 = (...parts: Uint8Array[]): Buffer =>
  createHash('sha256').update(Buffer.concat(parts)).digest()
const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

function spentTxid(message: string, scriptHex: string): Uint8Array {
  const tag = sha256(Buffer.from('BIP0322-signed-message'))
  const hash = sha256(tag, tag, Buffer.from(message))
  const toSpend = RawTx.encode({
    version: 0,
    segwitFlag: false,
    inputs: [
      {
        txid: new Uint8Array(32),
        index: 0xffffffff,
        finalScriptSig: Uint8Array.from([0, 32, ...hash]),
        sequence: 0,
      },
    ],
    outputs: [{ amount: 0n, script: bytesOf(scriptHex) }],
    witnesses: [],
    lockTime: 0,
  })
  return Uint8Array.from(sha256(sha256(toSpend)).reverse())
}

/** A proof that the wallet's owner signed the message. */
export function proveOwnership(
  wallet: Wallet,
  message: string,
  { format = 'simple', version = 0, locktime = 0, sequence = 0, ...options }: ProofOptions = {},
): MadeProof {
  const isTaproot = wallet.kind === 'p2tr' || wallet.kind === 'tapscript'
  const sighash = options.sighash ?? (isTaproot ? 0x00 : 0x01)
  const toSign = new Transaction({
    version,
    lockTime: locktime,
    allowUnknown: true,
    allowUnknownVersion: true,
    allowUnknownOutputs: true,
    disableScriptCheck: true,
  })
  toSign.addInput(
    {
      txid: spentTxid(message, wallet.scriptHex),
      index: 0,
      sequence,
      sighashType: sighash,
      witnessUtxo: { amount: 0n, script: bytesOf(wallet.scriptHex) },
      ...wallet.fields,
    },
    true,
  )
  toSign.addOutput({ amount: 0n, script: Uint8Array.of(0x6a) }, true)
  for (const secret of wallet.secrets) toSign.signIdx(secret, 0, [sighash])
  toSign.finalizeIdx(0)
  const witness = toSign.getInput(0).finalScriptWitness
  if (!witness) throw new Error('the wallet signed nothing')
  const text = format === 'full' ? base64(toSign.extract()) : simpleText(witness)
  return { text, witness }
}

/** A witness stack as a simple proof. */
export const simpleText = (witness: readonly Uint8Array[]): string =>
  base64(RawWitness.encode([...witness]))
