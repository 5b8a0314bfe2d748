import PQueue from 'p-queue'
import { coalesceCalls } from '../../authorities/coalesce-calls.ts'
import { offerExaminer } from '../../authorities/gather-evidence.ts'
import { leavesNothingOpen } from '../../domain/order/leaves-nothing-open.ts'
import type { FeedImporter } from '../../gateway/intake/import-from-feed.ts'
import type { WatermarkReader } from '../../gateway/last-watermark.ts'
import type { AssetIndex } from '../../ports/authorities/asset-index.ts'
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
  index: AssetIndex | null
  signatures: SignatureChecker
  clock: Clock
  /** While none is known, only the proof is asked for. */
  lastWatermark: WatermarkReader
}

/** Across all feeds: these have the lowest priority of all questions to node and index. */
export const EXAMINED_AT_ONCE = 2
/** Across all trusted feeds. */
export const TRUSTED_EXAMINED_AT_ONCE = 8
/**
 * Time limit for finding out whether the node is unavailable, or merely fails on this one offer.
 */
const ANSWER_MS = 5_000
const LOOKS = 2

/**
 * Asks the node whether the owner signed, and then node and index everything else, so that the order
 * has its evidence when it is created; few offers at a time.
 */
export function feedExaminer(parts: FeedExaminerParts, atOnce: number): FeedImporter['examine'] {
  const { node, clock, lastWatermark } = parts
  const examiner = offerExaminer(coalesceCalls(parts))
  const queue = new PQueue({ concurrency: atOnce })

  async function lookOnce(outpoint: OutpointText, claims: readonly OfferClaim[]) {
    const begun = await lastWatermark(outpoint)
    if (begun === null) {
      const said = await examiner.examineProof(outpoint, claims)
      return said === 'signed' ? { evidence: null } : said
    }
    const { isSigned, evidence } = await examiner.examineOrder(outpoint, claims, begun)
    if (!isSigned) return evidence
    return { evidence: leavesNothingOpen(evidence) ? evidence : null }
  }

  /**
   * An offer on which the node fails must not count as an unavailable node: its feed would wait
   * forever.
   */
  async function look(outpoint: OutpointText, claims: readonly OfferClaim[]) {
    for (let looks = 1; looks <= LOOKS; looks += 1) {
      const said = await lookOnce(outpoint, claims)
      if (!('node' in said)) return said
      if (said.node.status === 'ready') return said.node
      const answer = await probeNode(node, clock, ANSWER_MS)
      if (answer.status === 'unavailable') return said.node
    }
    return 'unexaminable' as const
  }

  return (outpoint, claims, signal) =>
    abortable(
      signal,
      queue.add(() => look(outpoint, claims), { signal }),
    )
}
