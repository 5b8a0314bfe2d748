import type { AssetIndex, IndexStatus } from '../../src/ports/asset-index.ts'

/** An index that stands where the test puts it; null: it never answers. */
export class ScriptedIndex implements Pick<AssetIndex, 'status'> {
  at: IndexStatus | null = null
  asked = 0

  status(): Promise<IndexStatus> {
    this.asked += 1
    return this.at === null ? new Promise(() => {}) : Promise.resolve(this.at)
  }

  hang(): void {
    this.at = null
  }

  stand(tip: { height: number; hash: string }, version = 'v1'): void {
    const { height, hash } = tip
    this.at = { tip: { height, hash }, version, unrecoverablyReorged: false, runes: true }
  }
}
