import type { IndexTrouble, NodeTrouble } from '../../schemas/evidence.ts'

/** The node gave no usable answer: retry later. Never to be read as "output missing". */
export class NodeUnavailable extends Error {
  override name = 'NodeUnavailable'
  readonly reason: NodeTrouble

  constructor(reason: NodeTrouble, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** The asset index gave no usable answer: what it would have said is unknown, not empty. */
export class IndexUnavailable extends Error {
  override name = 'IndexUnavailable'
  readonly reason: IndexTrouble

  constructor(reason: IndexTrouble, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** A block that the node knows but no longer (or not yet) has: pruned, or not fully downloaded. */
export class BlockNotAvailable extends Error {
  override name = 'BlockNotAvailable'
  readonly hash: string

  constructor(hash: string) {
    super(`the node no longer has block ${hash}`)
    this.hash = hash
  }
}
