import type { PairingView, PairingViews } from '../../ports/folds/pairing-views.ts'
import type { CheckpointTuple, VerifiedAgreement } from '../../schemas/api/pairing.ts'
import { coalesceFresh, TooManyWaitingError } from '../../streams/operators/coalesce-fresh.ts'
import { type Agreement, differingField } from './check-agreement.ts'
import { type Withheld, withheld } from './withheld.ts'

/** An answer that both pipelines vouch for; its keys in this order. */
export interface VerifiedAnswer<T> {
  data: T
  agreement: VerifiedAgreement
}

export type VerifiedResult<T> = { agreed: true; answer: VerifiedAnswer<T> } | Withheld

/** Concurrent fetches from the other pipeline. */
const CHECKS_AT_ONCE = 2
const MAX_WAITING = 10_000

/**
 * Shared checks: each caller is served by a check that started after the call. A check that fails
 * counts as a withheld agreement, and `onDefect` is called.
 */
export function shareChecks(
  check: () => Promise<Agreement>,
  onDefect: (error: unknown) => void,
): () => Promise<Agreement> {
  const shared = coalesceFresh(
    () =>
      check().catch((error: unknown) => {
        onDefect(error)
        return withheld('check_failed', error instanceof Error ? error.message : String(error))
      }),
    { concurrency: CHECKS_AT_ONCE, maxWaiting: MAX_WAITING },
  )
  return async () => {
    try {
      return await shared()
    } catch (error) {
      if (error instanceof TooManyWaitingError) return withheld('overloaded', error.message)
      throw error
    }
  }
}

/**
 * A verified read: pre-check, query, post-check (pairing spec 7 rules 9 and 12). The query runs
 * even if the pre-check failed, and its errors propagate: its 404 comes before any verification
 * failure. Both checks and the query's read transaction must see the same checkpoint.
 */
export async function readVerified<T>(
  { views, agreement }: { views: PairingViews; agreement: () => Promise<Agreement> },
  query: (view: PairingView) => T,
): Promise<VerifiedResult<T>> {
  const before = await agreement()
  const { data, at } = views.read((view) => ({ data: query(view), at: view.latestCheckpoint() }))
  if (!before.agreed) return before
  const after = await agreement()
  if (!after.agreed) return after
  const changed = differingField(before.tuple, after.tuple)
  if (changed) return withheld('agreement_changed', `${changed} changed during the read`)
  const { height, blockHash, checkpointHash } = after.tuple
  if (!isOf(after.tuple, at))
    return withheld('read_of_another_checkpoint', `read at ${at?.checkpointHash}`)
  const { keyIds } = after
  return {
    agreed: true,
    answer: { data, agreement: { height: Number(height), blockHash, checkpointHash, keyIds } },
  }
}

const isOf = (tuple: CheckpointTuple, at: CheckpointTuple | null): boolean =>
  at?.checkpointHash === tuple.checkpointHash
