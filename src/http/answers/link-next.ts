import type { FastifyReply, FastifyRequest } from 'fastify'

/** RFC 8288: the same query with the next page's cursor; nothing on the last page. */
export function linkNext(
  request: Pick<FastifyRequest, 'url'>,
  reply: FastifyReply,
  nextCursor: string,
): void {
  if (nextCursor === '') return
  const [path = ''] = request.url.split('?', 1)
  // The first question mark begins the query, and others are part of it (RFC 3986 3.4).
  const parameters = new URLSearchParams(request.url.slice(path.length))
  parameters.set('cursor', nextCursor)
  reply.header('link', `<${path}?${parameters}>; rel="next"`)
}
