import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Counter, type Registry } from 'prom-client'
import type { Customer } from '../../gateway/customers/customer-keys.ts'
import { RefusalError } from '../../gateway/refusal.ts'
import { StorageUnavailableError } from '../../ports/log/storage-errors.ts'
import { COUNT_WINDOW_MS } from '../../ports/views/request-counts.ts'
import type { Clock } from '../../runtime/clock.ts'
import { openTokenBucket } from '../../runtime/token-bucket.ts'
import { type KeyTier, MAX_KEYS } from '../../schemas/customers/key-records.ts'
import { FullWindows } from './full-windows.ts'
import { type ShownCount, showCount } from './refusals.ts'

/** A customer whose tier is known: others are limited as strangers. */
export type LimitedCustomer = Customer & { tier: KeyTier }

/** Counts what customers send, by their tiers and all together. */
export interface KeyLimits {
  /**
   * Counts a request, or a line of its batch: `reply` shows the count.
   *
   * @throws RefusalError MARKET_RATE_LIMITED, OVERLOADED @throws StorageUnavailableError
   */
  take(request: FastifyRequest, reply: FastifyReply | null): Promise<void>
}

/** What all customers may send at once, as seconds of what they may send in all. */
const BURST_S = 2

/** The customer by whose tier a request is limited; null: it is limited as a stranger's. */
export function limitedCustomer({ customer }: FastifyRequest): LimitedCustomer | null {
  return customer?.tier ? { ...customer, tier: customer.tier } : null
}

export function openKeyLimits(
  app: FastifyInstance,
  {
    perMinute,
    clock,
    registry,
  }: { perMinute: number; clock: Pick<Clock, 'monotonic'>; registry: Registry },
): KeyLimits {
  const countOf = app.createRateLimit({
    max: (request) => limitedCustomer(request)?.tier.requests ?? 0,
    timeWindow: COUNT_WINDOW_MS,
    keyGenerator: (request) => `key ${request.customer?.name}`,
  })
  const full = new FullWindows(clock, MAX_KEYS)
  const burst = Math.max(1, Math.ceil((perMinute / 60) * BURST_S))
  const bucket = openTokenBucket({ perSecond: perMinute / 60, burst }, clock)
  const requests = requestCounter(registry)

  const admit = async (request: FastifyRequest, { name, tier }: LimitedCustomer) => {
    // A full window is full for a tier: another may allow more.
    const window = `${name} ${tier.name}`
    const known = full.among([window])
    if (known) throw tierLimited(tier, known.count)
    // Taken before the count, which others overtake; a refusal gives it back.
    const waitMs = bucket.take()
    if (waitMs > 0) throw keysLimited(waitMs)
    try {
      const count = await counted(request)
      if (count.remaining === 0) full.note(window, count.max, count.ttl)
      if (count.isExceeded) throw tierLimited(tier, count)
      return count
    } catch (error) {
      bucket.giveBack()
      throw error
    }
  }

  const counted = async (request: FastifyRequest) => {
    const count = await countOf(request).catch((cause: unknown) => {
      const message = 'the requests of this key cannot be counted'
      throw new StorageUnavailableError('io', message, { cause })
    })
    if (count.isAllowed) throw new Error('every key is counted')
    return count
  }

  return {
    async take(request, reply) {
      const customer = limitedCustomer(request)
      if (!customer) throw new Error('a request without a tier was to be counted by one')
      const tier = customer.tier.name
      try {
        const count = await admit(request, customer)
        if (reply) showCount(reply, count)
        requests.inc({ tier, result: 'served' })
      } catch (error) {
        requests.inc({ tier, result: 'limited' })
        const isFull = error instanceof RefusalError && error.code === 'MARKET_RATE_LIMITED'
        if (isFull && reply) {
          const ttlInSeconds = error.retryAfterSeconds ?? 0
          showCount(reply, { max: customer.tier.requests, remaining: 0, ttlInSeconds })
        }
        throw error
      }
    },
  }
}

function requestCounter(registry: Registry): Counter<'tier' | 'result'> {
  return new Counter({
    name: 'market_customer_requests_total',
    help: 'Requests of customers, and lines of their batches, by tier and result: served, or limited.',
    labelNames: ['tier', 'result'],
    registers: [registry],
  })
}

function tierLimited(
  { name, requests }: KeyTier,
  { ttlInSeconds }: Pick<ShownCount, 'ttlInSeconds'>,
): RefusalError {
  const message = `at most ${requests} requests a minute with a key of tier ${name}`
  return new RefusalError('MARKET_RATE_LIMITED', message, { retryAfterSeconds: ttlInSeconds })
}

function keysLimited(waitMs: number): RefusalError {
  const message = 'this gateway gets too many requests from all customers: try again'
  return new RefusalError('OVERLOADED', message, { retryAfterSeconds: Math.ceil(waitMs / 1_000) })
}
