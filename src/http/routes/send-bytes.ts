import type { FastifyReply, FastifyRequest } from 'fastify'
import { RefusalError } from '../../gateway/refusal.ts'
import { matches } from '../plugins/headers.ts'
import { byteRangeOf } from '../requests/byte-range.ts'

/** A body that is in memory as a whole. */
interface SentBytes {
  bytes: Uint8Array
  /** Its strong validator, without the quotes. */
  tag: string
  headers: Readonly<Record<string, string>>
}

/**
 * The whole body, the one range of it that GET asks for, or 304, in the order of RFC 9110, 13.2.2.
 *
 * @throws RefusalError RANGE_NOT_SATISFIABLE, with the length in `Content-Range`
 */
export function sendBytes(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  reply: FastifyReply,
  { bytes, tag, headers: own }: SentBytes,
): FastifyReply {
  const etag = `"${tag}"`
  const all = { ...own, etag, 'accept-ranges': 'bytes' }
  if (matches(headers['if-none-match'], etag)) return reply.headers(all).code(304).send('')
  // RFC 9110, 13.1.5: compared strongly. A date is of no answer here: none has Last-Modified.
  const isSame = headers['if-range'] === undefined || headers['if-range'] === etag
  const range = method === 'GET' && isSame ? byteRangeOf(headers.range, bytes.length) : 'whole'
  if (range === 'whole') return reply.headers(all).send(bytes)
  if (range === 'beyond') {
    reply.header('content-range', `bytes */${bytes.length}`)
    throw new RefusalError('RANGE_NOT_SATISFIABLE', `there are ${bytes.length} bytes: ask for some`)
  }
  const [first, last] = range
  reply.headers({ ...all, 'content-range': `bytes ${first}-${last}/${bytes.length}` })
  return reply.code(206).send(bytes.subarray(first, last + 1))
}
