import { Transaction } from 'bitcoinjs-lib'
import { witnessItems } from '../psbt/witness.ts'
import { misreadProof } from './misread-proof.ts'

/** A proof in the format of its text. */
export type Proof =
  /** The witness stack of `to_sign`. */
  | { format: 'simple'; witness: Uint8Array[] }
  /** `to_sign` itself, signed. */
  | { format: 'full'; transaction: Transaction }
  /** `to_sign` with additional coins that only the chain knows. */
  | { format: 'proof-of-funds' }

export type ReadProof = { proof: Proof } | { reason: string }

/** BIP-322 version 2.0.0: three letters before the base64 name the format. */
const PREFIXED = /^(smp|ful|pof)(.*)$/s

/**
 * Reads a BIP-322 proof. Without a prefix, as before version 2.0.0, its bytes decide: none are both
 * a witness stack and a transaction of version 0 or 2. Never throws, whatever the text.
 */
export function readProof(text: string): ReadProof {
  const [, prefix, rest] = PREFIXED.exec(text) ?? []
  if (prefix === 'pof') return { proof: { format: 'proof-of-funds' } }
  const read = readFormat(text, prefix, rest)
  if ('proof' in read) return read
  return { reason: misreadProof(rest ?? text) ?? read.reason }
}

function readFormat(text: string, prefix?: string, rest?: string): ReadProof {
  if (/\s/.test(text)) return { reason: 'the proof holds white space, such as a line end' }
  const bytes = decodeBase64(rest ?? text)
  if (bytes === null) return { reason: 'the proof is not canonical base64' }
  if (bytes.length === 0) return { reason: 'the proof is empty' }
  const simple = prefix === 'ful' ? null : simpleOf(bytes)
  const full = prefix === 'smp' || simple ? null : fullOf(bytes)
  const proof = simple ?? full
  return proof ? { proof } : { reason: `the proof is ${MISREAD[prefix ?? 'none']}` }
}

const MISREAD: Readonly<Record<string, string>> = {
  smp: 'not a witness stack, as its prefix says',
  ful: 'not a transaction, as its prefix says',
  none: 'neither a witness stack nor a transaction',
}

// Node's decoder skips invalid characters, so only text that round-trips is accepted.
function decodeBase64(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? Uint8Array.from(bytes) : null
}

function simpleOf(bytes: Uint8Array): Proof | null {
  const witness = witnessItems(bytes)
  return witness && { format: 'simple', witness }
}

function fullOf(bytes: Uint8Array): Proof | null {
  try {
    const transaction = Transaction.fromBuffer(bytes)
    // A length has several encodings; a proof must use the canonical one.
    const isExact = Buffer.compare(transaction.toBuffer(), bytes) === 0
    return isExact ? { format: 'full', transaction } : null
  } catch {
    return null
  }
}
