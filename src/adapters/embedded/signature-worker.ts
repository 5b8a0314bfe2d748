import * as ecc from 'tiny-secp256k1'
import {
  judgeProof,
  type ProofAnswer,
  type ProofQuestion,
} from '../../domain/bip322/judge-proof.ts'
import {
  type PurchaseReading,
  type PurchaseText,
  readPurchase,
} from '../../domain/read-purchase.ts'
import {
  judgeSignature,
  type SignatureAnswer,
  type SignatureQuestion,
} from '../../domain/signatures.ts'

// Runs in a worker thread: see signature-pool.ts. libsecp256k1, as WASM.

export const check = (question: SignatureQuestion): SignatureAnswer => judgeSignature(question, ecc)
export const read = (text: PurchaseText): PurchaseReading => readPurchase(text)
export const judgeOwnership = (question: ProofQuestion): ProofAnswer => judgeProof(question, ecc)
