import { LRUCache } from 'lru-cache'
import { claimBytes } from '../domain/limits.ts'
import type { Clock } from '../runtime/clock.ts'
import { TokenBucket } from '../runtime/token-bucket.ts'
import type { OfferClaim } from '../schemas/order-record.ts'
import type { OrderId, OutpointText } from '../schemas/scalars.ts'
import { RefusalError } from './refusal.ts'

/** Wrappers of an order that a client wants to have stored. */
export interface ToStore {
  client: string
  orderId: OrderId
  /** All are wrappers of one offer. */
  claims: readonly [OfferClaim, ...OfferClaim[]]
  /** As far as the views know, which may lag, the log has no such order. */
  isNewOrder: boolean
}

/**
 * How much each client, and the owner of each output with any number of clients, may have stored
 * permanently: the log never drops a proved order.
 */
export interface StoredBudget {
  /** @throws OverBudgetError MARKET_RATE_LIMITED, OVERLOADED */
  spend(wanted: ToStore): void
}

/** What an order weighs besides each wrapper, in bytes. */
const ORDER_BYTES = 3 * 2 ** 10
/**
 * An hour's bytes divided by this is the burst that may be used at once after a quiet period.
 */
const BURSTS_AN_HOUR = 3
const HOUR_SECONDS = 3_600
const MAX_ACCOUNTS = 20_000
const MAX_ORDERS = 20_000
/** The share of all strangers' bytes for networks that had as many as one client may have. */
const SHARE_OF_MANY = 0.5

/** What customers may have stored an hour, in bytes. */
export interface CustomerAllowance {
  /** Bytes of the customer whose account it is; null: it is a client like others. */
  of(client: string): number | null
  /** Bytes of all customers together. */
  inAll: number
  onStored(client: string, bytes: number): void
}

/** What all others may have stored together. */
export interface StrangersAllowance {
  /** Bytes an hour. */
  inAll: number
  /** The widest network of a client: within it, addresses cost nothing. */
  networkOf(client: string): string
}

/** There is no room now, of one client or of all: `retryAfterSeconds` says when. */
export class OverBudgetError extends RefusalError {}

/**
 * Per process: `bytesAnHour` for each client and each output, charged by what was stored, and a bound
 * of all strangers. Customers have what their tiers allow, and a bound of all of them.
 */
export function openStoredBudget(
  bytesAnHour: number,
  clock: Pick<Clock, 'monotonic'>,
  { customers, strangers }: { customers?: CustomerAllowance; strangers?: StrangersAllowance } = {},
): StoredBudget {
  const clients = new LRUCache<string, StoredAccount>({ max: MAX_ACCOUNTS })
  const outputs = new LRUCache<OutpointText, StoredAccount>({ max: MAX_ACCOUNTS })
  /**
   * Orders charged to their outputs: any client may send an order again, but only the owner can
   * sign another.
   */
  const charged = new LRUCache<OrderId, true>({ max: MAX_ORDERS })
  const allCustomers = customers && accountOf(customers.inAll)
  const allStrangers = strangers && sharedAllowance(bytesAnHour, strangers)
  return {
    spend: ({ client, orderId, claims, isNewOrder }) => {
      const now = clock.monotonic()
      // A full budget stores one order of any size.
      const cost = claims.reduce((sum, claim) => sum + ORDER_BYTES + claimBytes(claim), 0)
      const accountWith = (
        known: StoredAccount | undefined,
        whose: string,
        bytes = bytesAnHour,
      ): StoredAccount => {
        // A customer may have another tier since.
        const account = known?.bytes === bytes ? known : accountOf(bytes)
        const waitMs = account.bucket.waitMs(now, cost)
        if (waitMs === 0) return account
        const kib = Math.round(bytes / 1_024)
        throw new OverBudgetError(
          'MARKET_RATE_LIMITED',
          `at most ${kib} KiB of proved orders an hour ${whose}`,
          { retryAfterSeconds: Math.ceil(waitMs / 1_000) },
        )
      }
      const allowed = customers?.of(client) ?? null
      const ofClient =
        allowed === null
          ? accountWith(clients.get(client), 'from one client')
          : accountWith(clients.get(client), 'with this key', allowed)
      const ofAll = allowed === null ? undefined : allCustomers
      if (ofAll) accountWith(ofAll, 'with all keys', customers?.inAll)
      const shared = allowed === null ? allStrangers?.bucketsFor(client, now, cost) : undefined
      if (isNewOrder && !charged.has(orderId)) {
        const output = signedOutput(claims[0])
        const ofOutput = accountWith(outputs.get(output), 'of one output')
        ofOutput.bucket.spend(now, cost)
        outputs.set(output, ofOutput)
        charged.set(orderId, true)
      }
      ofClient.bucket.spend(now, cost)
      clients.set(client, ofClient)
      ofAll?.bucket.spend(now, cost)
      for (const bucket of shared ?? []) bucket.spend(now, cost)
      if (allowed !== null) customers?.onStored(client, cost)
    },
  }
}

/**
 * What strangers have stored is taken of the bytes of all. What a network has beyond the bytes of one
 * client is taken of a share of all too, so that one network, or a few, leave the rest to others.
 */
function sharedAllowance(bytesAnHour: number, { inAll, networkOf }: StrangersAllowance) {
  const all = accountOf(inAll)
  const ofMany = accountOf(inAll * SHARE_OF_MANY)
  const networks = new LRUCache<string, StoredAccount>({ max: MAX_ACCOUNTS })
  return {
    /**
     * The buckets to take `cost` of.
     *
     * @throws OverBudgetError OVERLOADED where they have less
     */
    bucketsFor(client: string, now: number, cost: number): readonly TokenBucket[] {
      const network = networkOf(client)
      const own = networks.get(network) ?? accountOf(bytesAnHour)
      networks.set(network, own)
      const isFew = own.bucket.waitMs(now, cost) === 0
      const buckets = [isFew ? own.bucket : ofMany.bucket, all.bucket]
      const waitMs = Math.max(...buckets.map((bucket) => bucket.waitMs(now, cost)))
      if (waitMs === 0) return buckets
      const { bytes } = isFew ? all : ofMany
      const whose = isFew ? 'all clients together' : 'networks that stored more than one client may'
      const kib = Math.round(bytes / 1_024)
      throw new OverBudgetError(
        'OVERLOADED',
        `at most ${kib} KiB of proved orders an hour from ${whose}: try again`,
        { retryAfterSeconds: Math.ceil(waitMs / 1_000) },
      )
    },
  }
}

/** What is stored for one client, or of one output: a bucket at the rate that it was made with. */
interface StoredAccount {
  bytes: number
  bucket: TokenBucket
}

const accountOf = (bytes: number): StoredAccount => ({
  bytes,
  bucket: new TokenBucket(rateOf(bytes)),
})

/** Tokens are bytes. */
const rateOf = (bytesAnHour: number) => ({
  perSecond: bytesAnHour / HOUR_SECONDS,
  burst: bytesAnHour / BURSTS_AN_HOUR,
})

/** The output whose owner signed: that of an ask, or the first that pays for a bid. */
const signedOutput = ({ offer }: OfferClaim): OutpointText =>
  (offer.side === 'BID' ? offer.funding[0] : undefined) ?? offer.outpoint
