import type { OrderSummary } from 'psbt-market-client'

const WORDS: Record<OrderSummary['actionability'], string | null> = {
  HANDOFF_READY: 'ready to buy',
  REVIEW_ONLY: 'review only',
  BLOCKED: null,
}

/** What can be done with an order now; null: nothing, or it is not known while the stream is lost. */
export const actionWords = ({ actionability }: OrderSummary, isLost: boolean): string | null =>
  isLost ? null : WORDS[actionability]
