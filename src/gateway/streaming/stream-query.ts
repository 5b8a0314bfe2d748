import { createHash } from 'node:crypto'
import type { EventLog } from '../../ports/log/event-log.ts'
import { MAX_CURSOR_LENGTH } from '../../schemas/api/api.ts'
import type { StreamRequest } from '../../schemas/api/stream.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import type { ReaderPlace } from '../../streams/activity/recent-changes.ts'
import type { Gateway } from '../gateway.ts'
import type { AskedFilters } from '../order/summarise.ts'
import { listFilters } from '../reading/list-orders.ts'
import { RefusalError } from '../refusal.ts'
import type { FollowedOrders } from './changed-orders.ts'
import { LOG_LETTERS, packPlace, readPlace } from './place-bytes.ts'

/** What a stream follows. Streams with the same tag follow the same orders. */
export interface StreamQuery extends FollowedOrders {
  /** A hash of the query, which each id begins with. */
  tag: string
}

const TAG_BYTES = 12
/** An id, which a query may have beside its filters: no query has more bytes. */
const MAX_PLACE_LENGTH = 8_192
/** One scope for the places of all queries: a change has one signed place for all streams. */
const PLACES = 'stream places'

/** @throws RefusalError VALIDATION_FAILED */
export function streamQuery(
  gateway: Pick<Gateway, 'settings'>,
  { orderId, ...listed }: Omit<StreamRequest, 'cursor' | 'limit'>,
): StreamQuery {
  const { ...filters } = listFilters(gateway, listed)
  refuseBoth(orderId, filters)
  const text = JSON.stringify(['changes', orderId ?? Object.entries(filters).sort()])
  const tag = createHash('sha256').update(text).digest().subarray(0, TAG_BYTES)
  const staleMs = staleMsOf(gateway)
  return { orderId, filters, staleMs, tag: tag.toString('base64url') }
}

/** How old a verification may be before its order is stale, milliseconds. */
export const staleMsOf = ({ settings }: Pick<Gateway, 'settings'>): number =>
  settings.maxVerificationAgeSeconds * 1_000

/** `orderId` excludes other filters. */
export function refuseBoth(orderId: OrderId | undefined, filters: AskedFilters): void {
  const { includeWithdrawn, ...others } = filters
  if (orderId === undefined || (Object.keys(others).length === 0 && !includeWithdrawn)) return
  throw new RefusalError('VALIDATION_FAILED', 'orderId: excludes other filters')
}

/**
 * A place, signed: the second half of an id. As JSON where a cursor has room for it, which gateways
 * of 0.9 read too.
 */
export function signedPlace(
  { cursors, log }: Pick<Gateway, 'log' | 'cursors'>,
  place: ReaderPlace,
): string {
  const listed = cursors.encode(PLACES, [lettersOf(log), ...place])
  if (listed.length <= MAX_CURSOR_LENGTH) return listed
  return cursors.encodeBytes(PLACES, packPlace({ letters: lettersOf(log), place }))
}

/** The id of an event at a signed place. */
export const idAt = ({ tag }: Pick<StreamQuery, 'tag'>, signed: string): string =>
  `${tag}.${signed}`

/**
 * The place that an id names; null if the place is in another log.
 *
 * @throws RefusalError INVALID_CURSOR
 */
export function placeOfId(
  gateway: Pick<Gateway, 'log' | 'cursors'>,
  query: StreamQuery,
  id: string,
): ReaderPlace | null {
  const { cursors, log } = gateway
  const [tag, signed = ''] = id.split('.')
  const { letters, place } = readPlace(cursors.decodeBytes(PLACES, signed, MAX_PLACE_LENGTH))
  if (tag !== query.tag) {
    throw new RefusalError('INVALID_CURSOR', 'cursor: belongs to other filters')
  }
  return letters === lettersOf(log) && place.length === log.partitions ? place : null
}

const lettersOf = ({ id }: Pick<EventLog, 'id'>): string => id.slice(0, LOG_LETTERS)
