import type { SaleQuestion, SaleReading } from '../../domain/nostr/sale-reading.ts'
import type { ArtifactReading } from '../../domain/verdict/inspect.ts'

export type { ArtifactReading, SaleQuestion, SaleReading }

/**
 * Parses strangers' input off the event loop, where each takes a millisecond or more. The rules are
 * the domain's (`domain/inspect-text`, `domain/sale-reading`).
 */
export interface ArtifactInspector {
  /** A PSBT as an order. */
  inspect(text: string): Promise<ArtifactReading>
  /** A kind 802 event, its id and signature verified; the PSBT in it is not read. */
  readSale(question: SaleQuestion): Promise<SaleReading>
}
