import type { PurchaseReading, PurchaseText } from '../../domain/purchase/read-purchase.ts'

export type { PurchaseReading, PurchaseText }

/** Reads a purchase off the event loop: the rules are the domain's (`domain/read-purchase`). */
export interface PurchaseReader {
  read(text: PurchaseText): Promise<PurchaseReading>
}
