import type { Quote } from 'psbt-market-client'
import { useFromNow } from '../ui/values/now.ts'

type Life = Pick<Quote, 'observedAt' | 'expiresAt'>

/** The end of a quote by the clock of this page, which may be wrong: it lives as long as the service says. */
export function byOwnClock<Q extends Life>(quote: Q, askedAtMs: number): Q {
  const lifeMs = Date.parse(quote.expiresAt) - Date.parse(quote.observedAt)
  return { ...quote, expiresAt: new Date(askedAtMs + lifeMs).toISOString() }
}

export const hasExpired = ({ expiresAt }: Life, nowMs = Date.now()): boolean =>
  nowMs >= Date.parse(expiresAt)

/** The same, ticking. */
export const useHasExpired = (quote: Life): boolean =>
  useFromNow((nowMs) => hasExpired(quote, nowMs))
