import { Pool } from 'undici'
import { z } from 'zod'
import type { FiatPriceSource, FiatPrices } from '../ports/authorities/fiat-prices.ts'
import type { Clock } from '../runtime/clock.ts'

export interface FiatPriceOptions {
  /** Answers as mempool's `/api/v1/prices` does. */
  url: string
  clock: Pick<Clock, 'now' | 'monotonic'>
  timeoutMs?: number
}

export interface OpenFiatPrices extends FiatPriceSource {
  close(): Promise<void>
}

const TIMEOUT_MS = 3_000
const MAX_BODY_BYTES = 16_384
/** Also after a failure: the source is asked no more often. */
const KEPT_MS = 60_000
const MAX_AGE_MS = 86_400_000
/** Clocks differ. */
const MAX_AHEAD_MS = 300_000
const MAX_CURRENCIES = 40
const CURRENCY = /^[A-Z]{3}$/
/** A bitcoin, in whatever currency: beyond, a decimal point is elsewhere than it seems. */
const [MIN_PRICE, MAX_PRICE] = [1, 1e12]

/**
 * Prices of an operator's server. No redirects, no compression, bounded in time and size, asked at
 * most once a minute; what it says is never trusted: see `fiatPricesIn`.
 */
export function openFiatPrices({
  url,
  clock,
  timeoutMs = TIMEOUT_MS,
}: FiatPriceOptions): OpenFiatPrices {
  const { origin, pathname, search } = new URL(url)
  const pool = new Pool(origin, {
    connections: 1,
    pipelining: 1,
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: MAX_BODY_BYTES,
  })
  let known: FiatPrices | null = null
  let askedAt: number | null = null
  let asking: Promise<void> | null = null

  async function ask(): Promise<void> {
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path: pathname + search,
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await body.text()
    if (statusCode === 200) known = fiatPricesIn(JSON.parse(text), clock.now()) ?? known
  }

  return {
    async read() {
      const isDue = askedAt === null || clock.monotonic() - askedAt >= KEPT_MS
      if (isDue) {
        askedAt = clock.monotonic()
        // What was known before is still an estimate, with its age.
        asking = ask().catch(() => undefined)
      }
      await asking
      return known && isRecent(Date.parse(known.at), clock.now()) ? known : null
    },
    close: () => pool.destroy(),
  }
}

const Said = z.looseObject({ time: z.int().positive() })

/**
 * The prices in what a server said: finite, positive, in a sane range, of the last day. Anything else
 * in it is left out; null: nothing is left.
 */
export function fiatPricesIn(said: unknown, now: number): FiatPrices | null {
  const { success, data } = Said.safeParse(said)
  if (!success || !isRecent(data.time * 1_000, now)) return null
  const prices = Object.entries(data)
    .filter((one): one is [string, number] => CURRENCY.test(one[0]) && isSane(one[1]))
    .slice(0, MAX_CURRENCIES)
  if (prices.length === 0) return null
  return { at: new Date(data.time * 1_000).toISOString(), prices: Object.fromEntries(prices) }
}

const isRecent = (at: number, now: number): boolean =>
  at <= now + MAX_AHEAD_MS && at >= now - MAX_AGE_MS

const isSane = (price: unknown): price is number =>
  typeof price === 'number' && Number.isFinite(price) && price >= MIN_PRICE && price <= MAX_PRICE
