import type { FastifyInstance, FastifyReply } from 'fastify'
import { CodedAnswers } from '../answers/coded-answers.ts'
import { type Coding, codedTag, codingTaken } from '../answers/codings.ts'

const JSON_TYPE = /^application\/(?:schema\+)?json\b/
/** A shorter answer goes into one packet as it is. */
const LEAST_BYTES = 1_024

/**
 * Compresses what is read, for a client that asks for it: JSON answers of GET and HEAD that have an
 * ETag. No other: a POST may hand out a secret, or answer with what the client sent (ADR 124). Call
 * it after `setHeaders` and before the answer's bytes are counted.
 */
export function compressAnswers(app: FastifyInstance): void {
  const answers = new CodedAnswers()
  app.addHook('onSend', (request, reply, payload, done) => {
    const coding = codingTaken(request.headers['accept-encoding'])
    const body = coding === undefined ? null : compressible(reply, payload)
    if (coding === undefined || body === null) {
      done(null, payload)
      return
    }
    const send = (coded: Buffer): void => {
      const isShorter = coded.length < Buffer.byteLength(body)
      if (isShorter) markCoded(reply, coding)
      done(null, isShorter ? coded : body)
    }
    const name = `${request.url} ${codedTag(String(reply.getHeader('etag')), coding)}`
    const cached = answers.cached(name)
    const coded = cached ? null : answers.code(name, coding, body)
    if (cached) send(cached)
    else if (coded) coded.then(send, () => done(null, body))
    else done(null, body)
  })
}

function compressible(reply: FastifyReply, payload: unknown): string | Buffer | null {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return null
  if (payload.length < LEAST_BYTES || reply.statusCode !== 200) return null
  const isOpen = reply.hasHeader('etag') && !reply.hasHeader('content-encoding')
  return isOpen && JSON_TYPE.test(String(reply.getHeader('content-type'))) ? payload : null
}

function markCoded(reply: FastifyReply, coding: Coding): void {
  const etag = codedTag(String(reply.getHeader('etag')), coding)
  reply.headers({ 'content-encoding': coding, etag })
}
