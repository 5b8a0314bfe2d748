import type { OrderState } from 'psbt-market-client'
import { DECIDED_STATE_WORDS } from '../../../../src/domain/reasons/state-words.ts'

const WORDS: Record<OrderState, string> = {
  PENDING_NODE: 'waiting for the node',
  PENDING_ASSET: 'waiting for the index',
  ...DECIDED_STATE_WORDS,
}

export const STATES = Object.keys(WORDS) as OrderState[]

export const stateWords = (state: OrderState): string => WORDS[state] ?? state

interface Badge {
  state: OrderState
  /** The page has lost its stream: the state is that of the last news. */
  isLost?: boolean
}

/** A disc, a clock, an arrow, a tick, a cross, a bar: not by colour alone. */
const CLOCK = 'M8 1.5a6.5 6.5 0 1 0 .01 0M8 4v4.2l2.8 1.8'
const CROSS = 'M3.5 3.5l9 9M12.5 3.5l-9 9'
const ICONS: Record<OrderState, string> = {
  PENDING_NODE: CLOCK,
  PENDING_ASSET: CLOCK,
  LIVE: 'M8 5a3 3 0 1 0 .01 0',
  MEMPOOL_CONFLICTED: 'M2 8h11M9 4l4 4-4 4',
  SPENT: CROSS,
  SETTLED: 'M2.5 8.5l3.5 4 7.5-9',
  REJECTED: CROSS,
  WITHDRAWN: 'M3 8h10',
}

export const StateBadge = ({ state, isLost = false }: Badge) => (
  <span class="badge" data-state={state} data-lost={isLost || undefined}>
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={ICONS[state]} />
    </svg>
    {isLost && state === 'LIVE' ? 'live when last heard' : stateWords(state)}
  </span>
)
