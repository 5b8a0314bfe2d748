import type { InscriptionAt, RuneBalance } from '../schemas/evidence.ts'
import type { BlockRef, Outpoint } from '../schemas/scalars.ts'

/**
 * An index of inscriptions and runes. Throws `IndexUnavailable` when it gives no usable answer.
 * Only a well-formed "no such thing" means absent.
 */
export interface AssetIndex {
  status(): Promise<IndexStatus>
  /** In the order asked; null for an output that the chain never had, nor the mempool unspent. */
  outputs(outpoints: readonly Outpoint[]): Promise<readonly (OutputAssets | null)[]>
  /** By id; null when there is none. */
  inscription(id: string): Promise<Inscription | null>
}

export interface IndexStatus {
  /** The index's own tip with the hash that it holds there: to be compared with the node's. */
  tip: BlockRef | null
  /** Changes when the index is another program or was rebuilt: what it said before may differ. */
  version: string
  unrecoverablyReorged: boolean
  runes: boolean
}

export interface OutputAssets {
  /** False: not yet examined; empty lists then mean unknown. */
  indexed: boolean
  spent: boolean
  inscriptions: readonly InscriptionAt[]
  /** Null: this index does not follow runes. */
  runes: readonly RuneBalance[] | null
}

export interface Inscription {
  id: string
  number: number
  /** Null: unbound or lost. */
  satpoint: { outpoint: Outpoint; offset: string } | null
}
