import type { OrderState } from 'market-client'

const WORDS: Record<OrderState, string> = {
  PENDING_NODE: 'waiting for the node',
  PENDING_ASSET: 'waiting for the index',
  LIVE: 'live',
  MEMPOOL_CONFLICTED: 'being spent',
  SPENT: 'spent',
  SETTLED: 'settled',
  REJECTED: 'rejected',
  WITHDRAWN: 'withdrawn',
}

export const STATES = Object.keys(WORDS) as OrderState[]

export const stateWords = (state: OrderState): string => WORDS[state] ?? state

export const StateBadge = ({ state }: { state: OrderState }) => (
  <span class="badge" data-state={state}>
    {stateWords(state)}
  </span>
)
