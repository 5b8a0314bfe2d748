import type { TxOut } from '../schemas/scalars.ts'

/**
 * Checks an input's signature against the prevout that the node named, off the event loop.
 * The rules are the domain's (`domain/signatures`); this port only says where they run.
 */
export interface SignatureChecker {
  check(question: SignatureQuestion): Promise<SignatureAnswer>
  close(): Promise<void>
}

export interface SignatureQuestion {
  /** Base64 of the wrapper. */
  psbt: string
  inputIndex: number
  /** The node's prevouts by input index; null where the question does not need it (ANYONECANPAY). */
  prevouts: readonly (TxOut | null)[]
}

export type SignatureAnswer =
  | { status: 'valid' }
  | { status: 'invalid'; reason: 'signature_invalid' | 'sighash_byte_missing_recoverable' }
  /** No signature on this input. */
  | { status: 'none' }
  /** A script that is not judged locally: `psbt` is the authorisation reduced for `analyzepsbt`, the node's own utxo put in. */
  | { status: 'ask-node'; psbt: string; inputIndex: number }
