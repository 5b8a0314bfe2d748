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
import { basicOf, type OrdLogin } from './server.ts'

export interface OffersFeedOptions {
  /** URL of an ord server that accepts offers, or of its list of them. */
  url: string
  /** From the end of one poll to the next. */
  pollMs: number
  clock: Clock
  login?: OrdLogin | undefined
  limits?: OffersLimits
}

export interface OffersLimits {
  /** A poll reads no more. */
  maxReadBytes: number
  /** A longer list is cut: its end is kept, which has the newest offers. */
  maxBodyBytes: number
  maxOffers: number
  /** Characters; a longer offer is not parsed. */
  maxOffer: number
  /** For a whole poll, however slowly the answer comes. */
  timeoutMs: number
  /** An unchanged list is delivered again after this: what could not be proved may be by now. */
  repeatMs: number
}

export const OFFERS_LIMITS: OffersLimits = {
  maxReadBytes: 2 ** 26,
  maxBodyBytes: 2 ** 23,
  maxOffers: 20_000,
  // The longest valid text is an order in hex.
  maxOffer: 140_000,
  timeoutMs: 30_000,
  repeatMs: 600_000,
}

/** Offers per batch. */
const BATCH = 50
const JSON_TYPE = 'application/json'

const OLDER_LEFT_OUT: FeedItem = {
  kind: 'oversized',
  detail: 'the list is longer than is read: its oldest offers are left out',
}

/**
 * The offers of an ord server (`GET /offers`): an unpaged list of unchecked offers that are never
 * removed, the newest last. Polled; between two deliveries an unchanged list costs one hash.
 */
export function openOffersFeed(options: OffersFeedOptions): OrderFeed {
  const { url, clock, limits = OFFERS_LIMITS, pollMs, login } = options
  const address = addressOf(url)
  return {
    source: 'asset-offers',
    url: address,
    read: (_cursor, signal) => readOffers({ url: address, clock, limits, pollMs, login }, signal),
  }
}

function addressOf(url: string): string {
  const address = new URL(url)
  const path = address.pathname.replace(/\/+$/, '')
  address.pathname = path.endsWith('/offers') ? path : `${path}/offers`
  return address.href
}

async function* readOffers(
  { url, clock, limits, pollMs, login }: Required<OffersFeedOptions>,
  signal: AbortSignal,
): AsyncGenerator<FeedBatch> {
  let seen = ''
  let seenAt = 0
  while (!signal.aborted) {
    const lookedAt = Math.floor(clock.now() / 1_000)
    const kept = await withDeadline(clock, limits.timeoutMs, signal, (deadline) =>
      fetchOffers({ url, login }, limits, deadline),
    )
    // Each of these steps is slow for a long list.
    await clock.turn()
    const digest = sha256(kept.body)
    if (digest !== seen || clock.monotonic() - seenAt >= limits.repeatMs) {
      await clock.turn()
      const list = newestOffers(kept, limits)
      await clock.turn()
      const offers = parseOffers(list)
      let items: FeedItem[] = list === kept.body ? [] : [OLDER_LEFT_OUT]
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
      seenAt = clock.monotonic()
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

/** The end of an answer, or all of it. */
interface Kept {
  body: Buffer
  isWhole: boolean
}

/** No redirects, no compression, bounded in time and size. Throws `FeedError`. */
async function fetchOffers(
  { url, login }: Pick<OffersFeedOptions, 'url' | 'login'>,
  { maxReadBytes, maxBodyBytes, timeoutMs }: OffersLimits,
  deadline: AbortSignal,
): Promise<Kept> {
  try {
    // ord compares the header with this exact text: a list of types would get HTML.
    const sent = { accept: JSON_TYPE, ...(login && { authorization: basicOf(login) }) }
    const answer = await request(url, { headers: sent, signal: deadline })
    const { statusCode, headers, body } = answer
    const type = String(headers['content-type'] ?? '')
    if (statusCode !== 200 || !type.startsWith(JSON_TYPE)) {
      await body.dump({ limit: maxBodyBytes, signal: deadline }).catch(() => undefined)
      throw new FeedError('declined', `HTTP ${statusCode} ${type.slice(0, 80)}`)
    }
    const chunks: Buffer[] = []
    let bytes = 0
    let kept = 0
    for await (const chunk of body) {
      bytes += chunk.length
      kept += chunk.length
      if (bytes > maxReadBytes) {
        throw new FeedError('too_large', `the list is larger than ${maxReadBytes} bytes`)
      }
      chunks.push(chunk)
      while (kept - (chunks[0]?.length ?? 0) >= maxBodyBytes) kept -= chunks.shift()?.length ?? 0
    }
    const isWhole = bytes <= maxBodyBytes
    return { body: Buffer.concat(chunks).subarray(-maxBodyBytes), isWhole }
  } catch (cause) {
    if (cause instanceof FeedError) throw cause
    if (cause instanceof Error && cause.name === 'TimeoutError') {
      throw new FeedError('silent', `no complete answer within ${timeoutMs} ms`, { cause })
    }
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new FeedError('unreachable', why, { cause })
  }
}

/** A list begins so. */
const BEGINNING = Buffer.from('{"offers":[')

/**
 * The newest offers of a list, as a list: the same bytes where that is all of them. A comma separates
 * JSON values and never occurs in base64; what is before the first one of a cut list is no whole
 * offer.
 */
function newestOffers({ body, isWhole }: Kept, limits: OffersLimits): Buffer {
  let from = body.length
  let commas = 0
  for (let at = body.lastIndexOf(','); at > 0 && commas < limits.maxOffers; commas += 1) {
    from = at
    at = body.lastIndexOf(',', at - 1)
  }
  const isAll = isWhole && commas < limits.maxOffers
  const list = isAll ? body : Buffer.concat([BEGINNING, body.subarray(from + 1)])
  checkValues(list, limits)
  return list
}

/** A list has one of each, for all of its offers: base64 has none. */
const OPENINGS = ['[', '{']

/** Many values, or deep ones, would be slow to parse. */
function checkValues(list: Buffer, { maxOffers }: OffersLimits): void {
  let left = maxOffers + 1
  for (const opening of OPENINGS) {
    for (let at = list.indexOf(opening); at !== -1; at = list.indexOf(opening, at + 1)) {
      left -= 1
      if (left < 0) throw new FeedError('too_large', `the list holds more than ${maxOffers} values`)
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
