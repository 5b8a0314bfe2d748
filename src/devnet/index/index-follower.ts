import { IndexUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { BlockHash, OutpointText } from '../../schemas/scalars.ts'
import type { Chain, ChainBlock } from '../node/chain.ts'
import { InscriptionIndex } from './inscription-index.ts'

/** ord's default `--savepoint-interval`. */
const SAVEPOINT_INTERVAL = 10
/** ord's default `--max-savepoints`. */
const DEFAULT_SAVEPOINTS = 2

export interface FollowerState {
  running: boolean
  /** The height that it must not pass; null: no limit. */
  heldAt: number | null
  unrecoverablyReorged: boolean
  /** Counts how often the index was built from nothing. */
  generation: number
  tip: BlockHash | null
}

/**
 * Keeps an inscription index at the node's tip, as ord does: a fork is noticed when a block's
 * parent is not the index's tip, and one too deep for the savepoints ends the index.
 */
export class IndexFollower {
  readonly #chain: Chain
  readonly #savepoints: number
  #index = new InscriptionIndex()
  #running = true
  #heldAt: number | null = null
  #unrecoverablyReorged = false
  #generation = 1

  constructor(chain: Chain, savepoints = DEFAULT_SAVEPOINTS) {
    this.#chain = chain
    this.#savepoints = savepoints
  }

  get state(): FollowerState {
    return {
      running: this.#running,
      heldAt: this.#heldAt,
      unrecoverablyReorged: this.#unrecoverablyReorged,
      generation: this.#generation,
      tip: this.#index.tip?.hash ?? null,
    }
  }

  /** The current index. Throws `IndexUnavailableError` when it is stopped. */
  serving(): InscriptionIndex {
    if (!this.#running)
      throw new IndexUnavailableError(
        'asset_index_unreachable',
        "the devnet's asset index is stopped",
      )
    return this.#index
  }

  /** Works even while stopped. */
  isInscribed(outpoint: OutpointText): boolean {
    return (this.#index.inscriptionsIn(outpoint) ?? []).length > 0
  }

  /**
   * Restores a saved state: its tip may be a stale block by now. An index that keeps every savepoint
   * is not left behind by a reorg: it is rebuilt.
   */
  restore(state: FollowerState): void {
    this.#running = state.running
    this.#heldAt = state.heldAt
    this.#unrecoverablyReorged = state.unrecoverablyReorged
    this.#generation = state.generation
    const path: ChainBlock[] = []
    let block = state.tip === null ? undefined : this.#chain.block(state.tip)
    for (; block; block = block.parent ?? undefined) path.unshift(block)
    for (const past of path) this.#index.connect(past)
    if (this.#unrecoverablyReorged && this.#savepoints === Number.POSITIVE_INFINITY) this.rebuild()
    else this.follow()
  }

  /** Advances as far as it may. */
  follow(): void {
    if (!this.#running) return
    while (!this.#unrecoverablyReorged) {
      const { tip } = this.#index
      const next = this.#chain.at((tip?.height ?? -1) + 1)
      if (!next || (this.#heldAt !== null && next.height > this.#heldAt)) return
      if (next.parent === tip) this.#index.connect(next)
      else this.#rollBack(next.height)
    }
  }

  stop(): void {
    this.#running = false
  }

  start(): void {
    this.#running = true
    this.follow()
  }

  /** Does not pass this height until the next call; rolls back to it if it is above. */
  hold(height: number | null): void {
    this.#heldAt = height
    while (height !== null && (this.#index.tip?.height ?? 0) > height) this.#index.disconnect()
    this.follow()
  }

  /**
   * The state after a reorg deeper than the savepoints: it does not advance until it is rebuilt.
   */
  breakDown(): void {
    this.#unrecoverablyReorged = true
  }

  /** Indexes the chain from nothing: the cure for `unrecoverably_reorged`. */
  rebuild(): void {
    this.#index = new InscriptionIndex()
    this.#unrecoverablyReorged = false
    this.#generation++
    this.follow()
  }

  #rollBack(nextHeight: number): void {
    const recoverable =
      (this.#savepoints - 1) * SAVEPOINT_INTERVAL + (nextHeight % SAVEPOINT_INTERVAL)
    let fork = this.#index.tip
    while (fork && !this.#chain.isActive(fork)) fork = fork.parent
    if (!fork || nextHeight - fork.height >= recoverable) {
      this.#unrecoverablyReorged = true
      return
    }
    while (this.#index.tip !== fork) this.#index.disconnect()
  }
}
