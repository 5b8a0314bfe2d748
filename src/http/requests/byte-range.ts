/** The first byte and the last one. */
export type ByteRange = readonly [first: number, last: number]

const ONE_RANGE = /^bytes=(?<first>\d*)-(?<last>\d*)$/i

/**
 * The one range of a body that a request names (RFC 9110, 14.1.2). Several ranges, or a malformed one,
 * are none: the whole body is the answer, as the RFC permits. `beyond`: no byte of the body is in it.
 */
export function byteRangeOf(
  range: string | undefined,
  length: number,
): ByteRange | 'whole' | 'beyond' {
  const { first = '', last = '' } = ONE_RANGE.exec(range ?? '')?.groups ?? {}
  if (first === '' && last === '') return 'whole'
  if (first === '') return suffix(Number(last), length)
  // Numbers of any length: what is too large for a number is larger than any body.
  const [from, to] = [Number(first), last === '' ? Number.POSITIVE_INFINITY : Number(last)]
  if (from > to) return 'whole'
  return from < length ? [from, Math.min(to, length - 1)] : 'beyond'
}

/** The last bytes; of an empty body they are the whole, which no `Content-Range` can say. */
function suffix(bytes: number, length: number): ByteRange | 'whole' | 'beyond' {
  if (bytes === 0) return 'beyond'
  return length === 0 ? 'whole' : [Math.max(0, length - bytes), length - 1]
}
