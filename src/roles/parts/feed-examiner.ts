import PQueue from 'p-queue'
import { offerExaminer } from '../../authorities/gather-evidence.ts'
import type { FeedImporter } from '../../gateway/intake/import-from-feed.ts'
import type { FullNode } from '../../ports/authorities/full-node.ts'
import type { SignatureChecker } from '../../ports/authorities/signature-checker.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { OfferClaim } from '../../schemas/order-record.ts'
import type { OutpointText } from '../../schemas/scalars.ts'
import { probeNode } from '../../streams/ask-authority.ts'
import { abortable } from '../../streams/operators/abortable.ts'

export interface FeedExaminerParts {
  /** Null if none is configured: nothing can then be proved. */
  node: FullNode | null
  signatures: SignatureChecker
  clock: Clock
}

/** Across all feeds: these have the lowest priority of all questions to the node. */
export const EXAMINED_AT_ONCE = 2
/**
 * Time limit for finding out whether the node is unavailable, or merely fails on this one offer.
 */
const ANSWER_MS = 5_000
const LOOKS = 2

/** Asks only the node, since an owner's signature needs no index; few offers at a time. */
export function feedExaminer({
  node,
  signatures,
  clock,
}: FeedExaminerParts): FeedImporter['examine'] {
  const examiner = offerExaminer({ node, index: null, signatures, clock })
  const queue = new PQueue({ concurrency: EXAMINED_AT_ONCE })

  /**
   * An offer on which the node fails must not count as an unavailable node: its feed would wait
   * forever.
   */
  async function look(outpoint: OutpointText, claims: readonly OfferClaim[]) {
    for (let looks = 1; looks <= LOOKS; looks += 1) {
      const evidence = await examiner.examineProof(outpoint, claims)
      if (evidence === 'signed') return evidence
      const { node: said } = evidence
      if (said.status === 'ready') return said
      const answer = await probeNode(node, clock, ANSWER_MS)
      if (answer.status === 'unavailable') return said
    }
    return 'unexaminable' as const
  }

  return (outpoint, claims, signal) =>
    abortable(
      signal,
      queue.add(() => look(outpoint, claims), { signal }),
    )
}
