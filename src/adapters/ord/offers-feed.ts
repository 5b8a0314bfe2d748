import { createHash } from 'node:crypto'
import { request } from 'undici'
import {
  type FeedBatch,
  FeedError,
  type FeedItem,
  type OrderFeed,
} from '../../ports/feeds/order-feed.ts'
import type { Clock } from '../../runtime/clock.ts'
import { withDeadline } from '../../runtime/deadline.ts'
import { pace } from '../../runtime/time-slice.ts'
import { OrdOffers } from '../../schemas/wire/ord.ts'

export interface OffersFeedOptions {
  /** URL of an ord server that accepts offers, or of its list of them. */
  url: string
  /** From the end of one poll to the next. */
  pollMs: number
  clock: Clock
  limits?: OffersLimits
}

export interface OffersLimits {
  maxBodyBytes: number
  maxOffers: number
  /** Characters; a longer offer is not parsed. */
  maxOffer: number
  /** For a whole poll, however slowly the answer comes. */
  timeoutMs: number
}

export const OFFERS_LIMITS: OffersLimits = {
  maxBodyBytes: 2 ** 23,
  maxOffers: 20_000,
  // The longest valid text is an order in hex.
  maxOffer: 140_000,
  timeoutMs: 30_000,
}

/** Offers per batch. */
const BATCH = 50
const JSON_TYPE = 'application/json'

/**
 * The offers of an ord server (`GET /offers`): an unpaged list of unchecked offers that are never
 * removed. Polled; an unchanged list costs one hash.
 */
export function openOffersFeed(options: OffersFeedOptions): OrderFeed {
  const { url, clock, limits = OFFERS_LIMITS, pollMs } = options
  const address = addressOf(url)
  return {
    source: 'asset-offers',
    url: address,
    read: (_cursor, signal) => readOffers({ url: address, clock, limits, pollMs }, signal),
  }
}

function addressOf(url: string): string {
  const address = new URL(url)
  const path = address.pathname.replace(/\/+$/, '')
  address.pathname = path.endsWith('/offers') ? path : `${path}/offers`
  return address.href
}

async function* readOffers(
  { url, clock, limits, pollMs }: Required<OffersFeedOptions>,
  signal: AbortSignal,
): AsyncGenerator<FeedBatch> {
  let seen = ''
  while (!signal.aborted) {
    const lookedAt = Math.floor(clock.now() / 1_000)
    const body = await withDeadline(clock, limits.timeoutMs, signal, (deadline) =>
      fetchOffers(url, limits, deadline),
    )
    // Each of these steps is slow for a long list.
    await clock.turn()
    const digest = sha256(body)
    if (digest !== seen) {
      await clock.turn()
      checkLength(body, limits)
      await clock.turn()
      const offers = parseOffers(body)
      let items: FeedItem[] = []
      const giveWay = pace(clock)
      for (const offer of offers) {
        items.push(itemOf(offer, limits))
        await giveWay()
        if (items.length < BATCH) continue
        yield { items, cursor: null, isBehind: false }
        items = []
      }
      yield { items, cursor: null, isBehind: false }
      seen = digest
    }
    yield { items: [], cursor: lookedAt, isBehind: false }
    await clock.sleep(pollMs, signal)
  }
}

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex')

const itemOf = (psbt: string, { maxOffer }: OffersLimits): FeedItem =>
  psbt.length > maxOffer
    ? { kind: 'oversized', detail: `an offer of ${psbt.length} characters` }
    : { kind: 'offer', id: sha256(psbt), psbt }

/** No redirects, no compression, bounded in time and size. Throws `FeedError`. */
async function fetchOffers(
  url: string,
  { maxBodyBytes, timeoutMs }: OffersLimits,
  deadline: AbortSignal,
): Promise<Buffer> {
  try {
    // ord compares the header with this exact text: a list of types would get HTML.
    const answer = await request(url, { headers: { accept: JSON_TYPE }, signal: deadline })
    const { statusCode, headers, body } = answer
    const type = String(headers['content-type'] ?? '')
    if (statusCode !== 200 || !type.startsWith(JSON_TYPE)) {
      await body.dump({ limit: maxBodyBytes, signal: deadline }).catch(() => undefined)
      throw new FeedError('declined', `HTTP ${statusCode} ${type.slice(0, 80)}`)
    }
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > maxBodyBytes) {
        throw new FeedError('too_large', `the list is larger than ${maxBodyBytes} bytes`)
      }
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } catch (cause) {
    if (cause instanceof FeedError) throw cause
    if (cause instanceof Error && cause.name === 'TimeoutError') {
      throw new FeedError('silent', `no complete answer within ${timeoutMs} ms`, { cause })
    }
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new FeedError('unreachable', why, { cause })
  }
}

/** These separate JSON values and never occur in base64: a list has one for each offer, and `{`. */
const SEPARATORS = [',', '[', '{']

function checkLength(body: Buffer, { maxOffers }: OffersLimits): void {
  let left = maxOffers + 1
  for (const separator of SEPARATORS) {
    for (let at = body.indexOf(separator); at !== -1; at = body.indexOf(separator, at + 1)) {
      left -= 1
      if (left < 0) {
        throw new FeedError('too_large', `the list holds more than ${maxOffers} offers`)
      }
    }
  }
}

function parseOffers(body: Buffer): string[] {
  try {
    return OrdOffers.parse(JSON.parse(body.toString())).offers
  } catch (cause) {
    throw new FeedError('malformed', 'the answer is not a list of offers', { cause })
  }
}
