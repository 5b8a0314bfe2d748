import { LRUCache } from 'lru-cache'
import { claimBytes } from '../../domain/order/order-size.ts'
import type { Clock } from '../../ports/runtime/clock.ts'
import type { OfferClaim } from '../../schemas/order-record.ts'
import { RefusalError } from '../refusal.ts'

/** How much each client may have stored permanently: the log never drops a proved order. */
export interface StoredBudget {
  /** @throws RefusalError MARKET_RATE_LIMITED */
  spend(client: string, claim: OfferClaim): void
}

/** What an order weighs besides its wrapper, in bytes. */
const ORDER_BYTES = 3 * 2 ** 10
/**
 * An hour's bytes divided by this is the burst that a client may use at once after a quiet period.
 */
const BURSTS_AN_HOUR = 3
const HOUR_MS = 3_600_000
const CLIENTS_KEPT = 20_000

interface Account {
  left: number
  atMs: number
}

/** Per process: `bytesAnHour` for each client, charged by what was stored, not by request count. */
export function openStoredBudget(
  bytesAnHour: number,
  clock: Pick<Clock, 'monotonic'>,
): StoredBudget {
  const accounts = new LRUCache<string, Account>({ max: CLIENTS_KEPT })
  const burst = bytesAnHour / BURSTS_AN_HOUR
  const perMs = bytesAnHour / HOUR_MS
  return {
    spend: (client, claim) => {
      const now = clock.monotonic()
      const { left, atMs } = accounts.get(client) ?? { left: burst, atMs: now }
      const has = Math.min(burst, left + (now - atMs) * perMs)
      // A client with a full budget may store one order of any size.
      const cost = Math.min(burst, ORDER_BYTES + claimBytes(claim))
      if (cost > has) {
        const kib = Math.round(bytesAnHour / 1_024)
        throw new RefusalError(
          'MARKET_RATE_LIMITED',
          `at most ${kib} KiB of proved orders an hour from one client`,
          { retryAfterSeconds: Math.ceil((cost - has) / perMs / 1_000) },
        )
      }
      accounts.set(client, { left: has - cost, atMs: now })
    },
  }
}
