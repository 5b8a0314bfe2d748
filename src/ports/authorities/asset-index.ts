import type { InscriptionAt, RuneBalance } from '../../schemas/evidence.ts'
import type { BlockRef, Outpoint } from '../../schemas/scalars.ts'

/**
 * An index of inscriptions and runes. Throws `IndexUnavailableError` when it gives no usable answer.
 * Only a well-formed "no such thing" means absent.
 */
export interface AssetIndex {
  status(): Promise<IndexStatus>
  /**
   * An output's assets, with positions; null if never in the chain nor unspent in the mempool.
   * `likely`: an inscription that may be there, whose place is requested at the same time.
   */
  output(outpoint: Outpoint, likely?: string): Promise<OutputAssets | null>
  /** The assets of many outputs, in the order given, in few requests; without their positions. */
  contents(outpoints: readonly Outpoint[]): Promise<readonly (OutputContents | null)[]>
  /** By id; null when there is none. */
  inscription(id: string): Promise<Inscription | null>
  /**
   * The outputs of an address that blocks made and none has spent, in any order. Null: this index
   * does not follow addresses.
   */
  outputsOf(address: string): Promise<readonly OwnedOutput[] | null>
}

export interface OwnedOutput {
  outpoint: Outpoint
  valueSats: string
  holdsInscriptions: boolean
}

export interface IndexStatus {
  /** The index's own tip and its hash there: to be compared with the node's. */
  tip: BlockRef | null
  /** Changes when the index is another program or was rebuilt: its earlier answers may differ. */
  version: string
  /**
   * The part of the version that only a rebuild changes: another program over the same index keeps
   * it.
   */
  build: string
  unrecoverablyReorged: boolean
  runes: boolean
}

interface Examined {
  /** False: not yet examined, or too much to be read; empty lists then mean unknown. */
  indexed: boolean
  spent: boolean
  /** Null: this index does not follow runes, or there are more inscriptions than are read. */
  runes: readonly RuneBalance[] | null
}

export interface OutputAssets extends Examined {
  /** Null: more than `MAX_INSCRIPTIONS`; their positions are not fetched. */
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
