import type { FastifyReply } from 'fastify'

/** Sends an answer that is JSON already; `tag`: its strong ETag, without the quotes. */
export function sendJson(reply: FastifyReply, body: string | Buffer, tag?: string): FastifyReply {
  reply.header('content-type', 'application/json; charset=utf-8')
  if (tag !== undefined) reply.header('etag', `"${tag}"`)
  return reply.send(body)
}
