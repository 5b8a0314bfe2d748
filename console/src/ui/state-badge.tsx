import type { OrderState } from 'psbt-market-client'

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

interface Badge {
  state: OrderState
  /** The page has lost its stream: the state is that of the last news. */
  isLost?: boolean
}

export const StateBadge = ({ state, isLost = false }: Badge) => (
  <span class="badge" data-state={state} data-lost={isLost || undefined}>
    {isLost && state === 'LIVE' ? 'live when last heard' : stateWords(state)}
  </span>
)
