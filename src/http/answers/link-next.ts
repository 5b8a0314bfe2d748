import type { FastifyReply, FastifyRequest } from 'fastify'

/** RFC 8288: the same query with the next page's cursor; nothing on the last page. */
export function linkNext(
  request: Pick<FastifyRequest, 'url'>,
  reply: FastifyReply,
  nextCursor: string,
): void {
  if (nextCursor === '') return
  const [path, query] = request.url.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', nextCursor)
  reply.header('link', `<${path}?${parameters}>; rel="next"`)
}
