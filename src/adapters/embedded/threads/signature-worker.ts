import { constants, getPriority, setPriority } from 'node:os'
import {
  judgeProof,
  type ProofAnswer,
  type ProofQuestion,
} from '../../../domain/bip322/judge-proof.ts'
import {
  type Material,
  type MaterialQuestion,
  readMaterial,
} from '../../../domain/inspection/read-material.ts'
import {
  readSale,
  type SaleQuestion,
  type SaleReading,
} from '../../../domain/nostr/sale-reading.ts'
import {
  type PurchaseReading,
  type PurchaseText,
  readPurchase,
} from '../../../domain/purchase/read-purchase.ts'
import type { FinalScripts } from '../../../domain/script/final-scripts.ts'
import { loadSecp256k1 } from '../../../domain/script/secp256k1.ts'
import { type ArtifactReading, inspectText } from '../../../domain/verdict/inspect.ts'
import {
  completeSigned,
  judgeSignature,
  type SignatureAnswer,
  type SignatureQuestion,
} from '../../../domain/verdict/signatures.ts'

// Runs in a worker thread: see signature-pool.ts.

/** Added to the niceness of the process: on a busy machine the event loop gets a core first. */
const NICENESS = 5

yieldToEventLoop()

/** Linux counts a priority for each thread; elsewhere 0 would name the whole process. */
function yieldToEventLoop(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(0, Math.min(constants.priority.PRIORITY_LOW, getPriority(0) + NICENESS))
  } catch {
    // A sandbox may forbid it: the answers are the same.
  }
}

export const check = async (question: SignatureQuestion): Promise<SignatureAnswer> =>
  judgeSignature(question, await loadSecp256k1())
export const read = async (text: PurchaseText): Promise<PurchaseReading> =>
  readPurchase(text, await loadSecp256k1())
export const complete = async (question: SignatureQuestion): Promise<FinalScripts | null> =>
  completeSigned(question, await loadSecp256k1())
export const sale = (question: SaleQuestion): SaleReading => readSale(question)
export const material = (question: MaterialQuestion): Material => readMaterial(question)
export const inspect = (text: string): ArtifactReading => inspectText(text)
export const judgeOwnership = async (question: ProofQuestion): Promise<ProofAnswer> =>
  judgeProof(question, await loadSecp256k1())
