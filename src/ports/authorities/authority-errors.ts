import type { IndexTrouble, NodeTrouble } from '../../schemas/evidence.ts'
import type { BlockHash } from '../../schemas/scalars.ts'
import { UnavailableError } from '../base-errors.ts'

/** The node or the index did not answer, or not yet: the question can be asked again. */
export abstract class AuthorityUnavailableError extends UnavailableError {}

/** The node gave no usable answer: retry later. Never to be read as "output missing". */
export class NodeUnavailableError extends AuthorityUnavailableError {
  override name = 'NodeUnavailableError'
  readonly part = 'node'
  override readonly reason: NodeTrouble

  constructor(reason: NodeTrouble, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** The asset index gave no usable answer: what an output holds is then unknown, not empty. */
export class IndexUnavailableError extends AuthorityUnavailableError {
  override name = 'IndexUnavailableError'
  readonly part = 'index'
  override readonly reason: IndexTrouble

  constructor(reason: IndexTrouble, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** A block that the node knows but no longer (or not yet) has: pruned, or not fully downloaded. */
export class BlockUnavailableError extends AuthorityUnavailableError {
  override name = 'BlockUnavailableError'
  readonly part = 'block'
  readonly hash: BlockHash

  constructor(hash: BlockHash) {
    super(`the node no longer has block ${hash}`)
    this.hash = hash
  }
}

/** The node gives this login no Merkle proofs; other calls may succeed. */
export class ProofRefusedError extends NodeUnavailableError {
  override name = 'ProofRefusedError'
}
