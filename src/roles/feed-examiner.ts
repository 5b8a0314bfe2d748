import PQueue from 'p-queue'
import { offerExaminer } from '../actors/gather-evidence.ts'
import type { FeedImporter } from '../gateway/import-from-feed.ts'
import type { Clock } from '../ports/clock.ts'
import type { FullNode } from '../ports/full-node.ts'
import type { SignatureChecker } from '../ports/signature-checker.ts'
import type { OfferClaim } from '../schemas/order-record.ts'
import { askNode } from '../streams/ask-authority.ts'
import { unlessAborted } from '../streams/unless-aborted.ts'

export interface FeedExaminerParts {
  /** Null: none is configured, and nothing can be proved. */
  node: FullNode | null
  signatures: SignatureChecker
  clock: Clock
}

/** Of all feeds together: they stand behind everything else that the node is asked. */
export const EXAMINED_AT_ONCE = 2
/** Whether the node is away, or has no answer for this one offer. */
const ANSWER_MS = 5_000
const LOOKS = 2

/** Asks the node alone, since an owner's signature needs no index, and about few offers at a time. */
export function feedExaminer({
  node,
  signatures,
  clock,
}: FeedExaminerParts): FeedImporter['examine'] {
  const examiner = offerExaminer({ node, index: null, signatures, clock })
  const turns = new PQueue({ concurrency: EXAMINED_AT_ONCE })

  /** An offer that the node fails at must not pass for a node that is away: its feed would wait for ever. */
  async function look(outpoint: string, claims: readonly OfferClaim[]) {
    for (let looks = 1; looks <= LOOKS; looks += 1) {
      const { node: said } = await examiner.examine(outpoint, claims)
      if (said.status === 'ready') return said
      const answer = await askNode(node, clock, ANSWER_MS)
      if (answer.status === 'unavailable') return said
    }
    return 'unexaminable' as const
  }

  return (outpoint, claims, signal) =>
    unlessAborted(
      signal,
      turns.add(() => look(outpoint, claims), { signal }),
    )
}
