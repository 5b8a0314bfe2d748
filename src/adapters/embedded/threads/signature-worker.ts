import {
  judgeProof,
  type ProofAnswer,
  type ProofQuestion,
} from '../../../domain/bip322/judge-proof.ts'
import {
  type PurchaseReading,
  type PurchaseText,
  readPurchase,
} from '../../../domain/purchase/read-purchase.ts'
import { loadSecp256k1 } from '../../../domain/script/secp256k1.ts'
import {
  judgeSignature,
  type SignatureAnswer,
  type SignatureQuestion,
} from '../../../domain/script/signatures.ts'

// Runs in a worker thread: see signature-pool.ts.

export const check = async (question: SignatureQuestion): Promise<SignatureAnswer> =>
  judgeSignature(question, await loadSecp256k1())
export const read = (text: PurchaseText): PurchaseReading => readPurchase(text)
export const judgeOwnership = async (question: ProofQuestion): Promise<ProofAnswer> =>
  judgeProof(question, await loadSecp256k1())
