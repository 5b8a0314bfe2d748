import { defer, from, type Observable, repeat, shareReplay } from 'rxjs'
import { NodeUnavailable } from '../ports/authority-errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { FullNode } from '../ports/full-node.ts'
import type { BlockRef } from '../schemas/scalars.ts'
import {
  askIndex,
  askNode,
  type FollowedIndex,
  type IndexAnswer,
  type NodeAnswer,
} from './ask-authority.ts'
import { pause } from './pause.ts'
import { within } from './within.ts'

type HealthNode = Pick<FullNode, 'chain' | 'blockHash'>

/** What node and index answered when both were last asked. */
export interface AuthorityHealth {
  /** Milliseconds since the Unix epoch. */
  askedAt: number
  node: NodeAnswer
  index: IndexAnswer
  /** The node has the index's block at its height; null while that cannot be told. */
  oneChain: boolean | null
}

export interface AuthorityHealthOptions {
  /** Milliseconds between two rounds. */
  everyMs: number
  /** Milliseconds after which an authority counts as away. */
  timeoutMs: number
}

/**
 * The health of both authorities, asked on a schedule while somebody listens; everybody who
 * listens shares the same questions and is told the latest answer at once. Never fails for an
 * authority that is away; a question never takes longer than its time.
 */
export function authorityHealth(
  authorities: { node: HealthNode | null; index: FollowedIndex | null; clock: Clock },
  { everyMs, timeoutMs }: AuthorityHealthOptions,
): Observable<AuthorityHealth> {
  const { clock } = authorities
  return defer(() => from(askBoth(authorities, timeoutMs))).pipe(
    repeat({ delay: () => pause(clock, everyMs) }),
    shareReplay({ bufferSize: 1, refCount: true }),
  )
}

async function askBoth(
  { node, index, clock }: { node: HealthNode | null; index: FollowedIndex | null; clock: Clock },
  timeoutMs: number,
): Promise<AuthorityHealth> {
  const askedAt = clock.now()
  const [ofNode, ofIndex] = await Promise.all([
    askNode(node, clock, timeoutMs),
    askIndex(index, clock, timeoutMs),
  ])
  const tip = ofIndex.status === 'ready' ? ofIndex.at.tip : null
  const oneChain =
    node !== null && ofNode.status === 'ready' && tip !== null
      ? await holds(node, tip, clock, timeoutMs)
      : null
  return { askedAt, node: ofNode, index: ofIndex, oneChain }
}

async function holds(node: HealthNode, tip: BlockRef, clock: Clock, timeoutMs: number) {
  try {
    const hash = await within(clock, timeoutMs, node.blockHash(tip.height))
    return hash === 'late' ? null : hash === tip.hash
  } catch (error) {
    if (error instanceof NodeUnavailable) return null
    throw error
  }
}
