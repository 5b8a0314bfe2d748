import type { FastifyReply } from 'fastify'

/** Content codings of answers, in the order in which they are preferred. */
export const CODINGS = ['br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/** The preferred coding of these that the client takes (RFC 9110, 12.5.3); undefined: none. */
export const codingTaken = (
  acceptEncoding: string | undefined,
  codings: readonly Coding[] = CODINGS,
): Coding | undefined =>
  acceptEncoding === undefined ? undefined : codings.find((one) => takes(acceptEncoding, one))

/** Is the coding named, and not with a weight of 0? */
function takes(accepted: string, coding: Coding): boolean {
  const named = accepted.split(',').map((one) => one.split(';').map((part) => part.trim()))
  return named.some(
    ([name = '', ...parts]) =>
      name.toLowerCase() === coding && !parts.some((part) => /^q=0(?:\.0*)?$/i.test(part)),
  )
}

/** A strong ETag is of the bytes that are sent: each coding has its own (RFC 9110, 8.8.3.3). */
export const codedTag = (etag: string, coding: Coding | undefined): string =>
  coding === undefined ? etag : `${etag.slice(0, -1)}-${coding}"`

/** Says that the coding was chosen by the request, beside what else the answer varies by. */
export function varyByCoding(reply: FastifyReply): void {
  const vary = reply.getHeader('vary')
  reply.header('vary', vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`)
}
