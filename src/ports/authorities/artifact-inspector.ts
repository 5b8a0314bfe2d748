import type { Material, MaterialQuestion } from '../../domain/inspection/read-material.ts'
import type { SaleQuestion, SaleReading } from '../../domain/nostr/sale-reading.ts'
import type { ArtifactReading } from '../../domain/verdict/inspect.ts'

export type { ArtifactReading, Material, MaterialQuestion, SaleQuestion, SaleReading }

/**
 * Parses strangers' input off the event loop, where each takes a millisecond or more. The rules are
 * the domain's (`inspectText`, `readSale`, `readMaterial`).
 */
export interface ArtifactInspector {
  /** A PSBT as an order. */
  inspect(text: string): Promise<ArtifactReading>
  /** A kind 802 event, its id and signature verified; the PSBT in it is not read. */
  readSale(question: SaleQuestion): Promise<SaleReading>
  /** What an inspection was sent: each text in it that may be a PSBT, as an order. */
  readMaterial(question: MaterialQuestion): Promise<Material>
}
