import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { CursorCodec } from '../../gateway/cursor.ts'
import { RefusalError } from '../../gateway/refusal.ts'

/** Has the form of no place: whatever reads it refuses the cursor, after all else it checks. */
const NOWHERE = ''

/** A request for a page of a list whose places are texts. */
type TextListRequest = Pick<FastifyRequest, 'query' | 'params' | 'routeOptions'>

/**
 * The query of a request, with the place that its cursor names instead of the cursor. A cursor that
 * this list did not give out names none.
 */
export function queryAtPlace(
  cursors: CursorCodec,
  request: TextListRequest,
): Record<string, unknown> {
  const query = request.query as Record<string, unknown>
  const { cursor } = query
  return typeof cursor === 'string'
    ? { ...query, cursor: placeOf(cursors, request, cursor) }
    : query
}

/** The cursor of a place in the list of this request; empty after the last page. */
export const cursorAt = (cursors: CursorCodec, request: TextListRequest, place: string | null) =>
  place === null ? '' : cursors.encode(listOf(request), place)

function placeOf(cursors: CursorCodec, request: TextListRequest, cursor: string): string {
  try {
    return cursors.decode(listOf(request), cursor, z.string())
  } catch (error) {
    if (error instanceof RefusalError) return NOWHERE
    throw error
  }
}

/** Names the list: its route, and what else selects its entries. Hex and bech32 ignore case. */
function listOf({ query, params, routeOptions }: TextListRequest): string {
  const { q } = query as Record<string, unknown>
  const path = Object.entries(params as Record<string, string>)
  return JSON.stringify([
    routeOptions.url,
    path.map(([name, value]) => [name, value.toLowerCase()]),
    typeof q === 'string' ? q.trim() : null,
  ])
}
