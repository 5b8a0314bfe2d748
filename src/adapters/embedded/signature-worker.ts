import * as ecc from 'tiny-secp256k1'
import {
  judgeSignature,
  type SignatureAnswer,
  type SignatureQuestion,
} from '../../domain/signatures.ts'

/** Runs in a worker thread: see signature-pool.ts. libsecp256k1, as WASM. */
export const check = (question: SignatureQuestion): SignatureAnswer => judgeSignature(question, ecc)
