import { mergeTouched } from '../../domain/order/touched.ts'
import type { Owed } from '../../ports/log/ingest-store.ts'

export type Lost = NonNullable<Owed['lost']>

/** Merges what the next watermark must report: the lower fork, the greater loss, all names. */
export function mergePendingLoss(owed: Owed, more: Partial<Owed>): Owed {
  const forks = [owed.forkHeight, more.forkHeight].filter((height) => height !== undefined)
  const losses = [owed.lost, more.lost].filter((lost) => lost !== undefined)
  const heights = losses.flatMap((lost) => (lost === 'all' ? [] : [lost.aboveHeight]))
  return {
    ...(forks.length > 0 && { forkHeight: Math.min(...forks) }),
    ...(heights.length > 0 && { lost: { aboveHeight: Math.min(...heights) } }),
    ...(losses.includes('all') && { lost: 'all' as const }),
    touched: mergeTouched(owed.touched, more.touched ?? ''),
  }
}
