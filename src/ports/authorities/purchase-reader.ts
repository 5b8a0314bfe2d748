import type { PurchaseReading, PurchaseText } from '../../domain/purchase/read-purchase.ts'
import type { FinalScripts } from '../../domain/script/final-scripts.ts'
import type { SignatureQuestion } from '../../domain/verdict/signatures.ts'

export type { PurchaseReading, PurchaseText }

/** Reads and completes purchases off the event loop: the rules are the domain's. */
export interface PurchaseReader {
  read(text: PurchaseText): Promise<PurchaseReading>
  /** The final scripts of a signed input for the node's prevouts; null if none can be made. */
  complete(question: SignatureQuestion): Promise<FinalScripts | null>
}
