import type { PairingHistory, WrittenBlock } from '../../../src/ports/folds/pairing-history.ts'
import type { PairingBlock } from '../../../src/ports/folds/pairing-views.ts'
import { HistoryUnavailableError } from '../../../src/ports/views/history.ts'

export interface ListedBlock extends WrittenBlock {
  block: PairingBlock
  isCanonical: boolean
}

const refOf = ({ height, hash, checkpointHash }: ListedBlock): WrittenBlock => ({
  height,
  hash,
  checkpointHash,
})
const byPlace = (one: ListedBlock, other: ListedBlock): number =>
  one.height - other.height || (one.hash < other.hash ? -1 : 1)

/**
 * A history that is a list. It can be unavailable, fail in the middle of a write, and lose rows.
 */
export class ListedPairingHistory implements PairingHistory {
  readonly blocks = new Map<string, ListedBlock>()
  readonly batches: number[] = []
  isAway = false
  /** The next write stores its first half and fails. */
  failsNext = false

  async whole(startHeight: number): Promise<WrittenBlock | null> {
    let below: ListedBlock | null = null
    for (const one of this.#canonical()) {
      const isNext = one.height === (below ? below.height + 1 : startHeight)
      const { previousCheckpointHash } = one.block.checkpoint
      if (!isNext || (below && below.checkpointHash !== previousCheckpointHash)) break
      below = one
    }
    return below && refOf(below)
  }

  async lastWritten(limit: number, upTo = Number.POSITIVE_INFINITY): Promise<WrittenBlock[]> {
    const fitting = this.#canonical().filter(({ height }) => height <= upTo)
    return fitting.reverse().slice(0, limit).map(refOf)
  }

  async write(blocks: readonly PairingBlock[]): Promise<void> {
    this.#requireThere()
    const taken = this.failsNext ? blocks.slice(0, blocks.length / 2) : blocks
    for (const block of taken) {
      const { blockHash: hash, checkpointHash, height } = block.checkpoint
      const place = { height: Number(height), hash, checkpointHash }
      this.blocks.set(hash, { ...place, block, isCanonical: true })
    }
    if (this.failsNext) {
      this.failsNext = false
      throw new HistoryUnavailableError('killed')
    }
    this.batches.push(blocks.length)
  }

  async markStale(blocks: readonly WrittenBlock[]): Promise<void> {
    this.#requireThere()
    for (const { hash } of blocks) this.blocks.get(hash)!.isCanonical = false
  }

  /** Loses acknowledged rows: these, counted from the newest. */
  lose(from: number, count: number): void {
    const lost = this.#canonical()
      .reverse()
      .slice(from, from + count)
    for (const { hash } of lost) this.blocks.delete(hash)
  }

  /** What an analyst reads, lowest first. */
  canonical(): PairingBlock[] {
    return this.#canonical().map(({ block }) => block)
  }

  #canonical(): ListedBlock[] {
    this.#requireThere()
    return [...this.blocks.values()].filter((one) => one.isCanonical).sort(byPlace)
  }

  #requireThere(): void {
    if (this.isAway) throw new HistoryUnavailableError('away')
  }
}
