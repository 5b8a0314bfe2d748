import type { OrderState } from '../../schemas/scalars.ts'

/** The states that are named alike wherever a person reads them. */
export const DECIDED_STATE_WORDS = {
  LIVE: 'live',
  MEMPOOL_CONFLICTED: 'being spent',
  SPENT: 'spent',
  SETTLED: 'settled',
  REJECTED: 'rejected',
  WITHDRAWN: 'withdrawn',
} as const satisfies Partial<Record<OrderState, string>>
