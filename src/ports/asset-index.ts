import type { InscriptionAt, RuneBalance } from '../schemas/evidence.ts'
import type { BlockRef, Outpoint } from '../schemas/scalars.ts'

/**
 * An index of inscriptions and runes. Throws `IndexUnavailable` when it gives no usable answer.
 * Only a well-formed "no such thing" means absent.
 */
export interface AssetIndex {
  status(): Promise<IndexStatus>
  /** What an output holds, and where in it; null for one that the chain never had, nor the mempool unspent. */
  output(outpoint: Outpoint): Promise<OutputAssets | null>
  /** What many outputs hold, in the order asked, by few requests: nobody asks where in them it is. */
  contents(outpoints: readonly Outpoint[]): Promise<readonly (OutputContents | null)[]>
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

interface Examined {
  /** False: not yet examined; empty lists then mean unknown. */
  indexed: boolean
  spent: boolean
  /** Null: this index does not follow runes. */
  runes: readonly RuneBalance[] | null
}

export interface OutputAssets extends Examined {
  /** Null: more than `MOST_INSCRIPTIONS`, whose places nobody asks for. */
  inscriptions: readonly InscriptionAt[] | null
}

export interface OutputContents extends Examined {
  inscriptionIds: readonly string[]
}

export interface Inscription {
  id: string
  number: number
  /** Null: unbound or lost. */
  satpoint: { outpoint: Outpoint; offset: string } | null
}
