import { outpointText } from '../../../src/domain/chain/outpoint.ts'
import type {
  AssetIndex,
  IndexStatus,
  OutputAssets,
  OutputContents,
} from '../../../src/ports/authorities/asset-index.ts'
import type { BlockHash, Outpoint } from '../../../src/schemas/scalars.ts'

/** An index at the tip that the test sets; null: it never answers. */
export class ScriptedIndex implements Pick<AssetIndex, 'status' | 'contents' | 'output'> {
  /** What each output holds, according to it now; it does not know any other. */
  readonly outputs = new Map<string, OutputAssets>()
  at: IndexStatus | null = null
  asked = 0

  status(): Promise<IndexStatus> {
    this.asked += 1
    return this.at === null ? new Promise(() => {}) : Promise.resolve(this.at)
  }

  hang(): void {
    this.at = null
  }

  async output(outpoint: Outpoint): Promise<OutputAssets | null> {
    return this.outputs.get(outpointText(outpoint)) ?? null
  }

  async contents(outpoints: readonly Outpoint[]): Promise<readonly (OutputContents | null)[]> {
    return outpoints.map((outpoint) => {
      const found = this.outputs.get(outpointText(outpoint))
      if (!found) return null
      const { inscriptions, ...examined } = found
      return { ...examined, inscriptionIds: (inscriptions ?? []).map(({ id }) => id) }
    })
  }

  stand(tip: { height: number; hash: BlockHash }, version = 'v1', build = version): void {
    const { height, hash } = tip
    this.at = { tip: { height, hash }, version, build, unrecoverablyReorged: false, runes: true }
  }
}
