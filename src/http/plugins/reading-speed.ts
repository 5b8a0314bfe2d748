import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Counter, Gauge, type Registry } from 'prom-client'
import { clientOf } from '../client.ts'
import { UnreadAnswers, type UnreadBounds } from '../limits/unread-answers.ts'
import { whenOver } from '../when-over.ts'

export interface ReadingLimits extends UnreadBounds {
  /** How long any answer may take to be read, milliseconds, */
  answerMs: number
  /** and a second more for each of so many bytes. */
  bytesPerSecond: number
}

/**
 * Ends the connection of whoever reads an answer more slowly than anyone does who wants it, and of
 * the slowest readers where unread answers are too many bytes. A time without any traffic is not
 * enough for that: a byte now and then ends it.
 */
export function boundReading(
  app: FastifyInstance,
  registry: Registry,
  limits: ReadingLimits,
): void {
  const unread = new UnreadAnswers(limits)
  const dropped = observe(registry, unread)

  app.addHook('onSend', (request, reply, payload, done) => {
    const endless = request.routeOptions.config.isStream && payload instanceof Readable
    if (!endless) watch(request, reply, payload)
    done(null, payload)
  })

  function watch(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    const { inMemory, toRead } = bytesOf(reply, payload)
    const drop = (reason: string) => {
      dropped.inc({ reason })
      reply.raw.destroy()
    }
    const seconds = Math.ceil(toRead / limits.bytesPerSecond)
    const late = setTimeout(() => drop('slow'), limits.answerMs + seconds * 1_000).unref()
    const remove = unread.add(clientOf(request), inMemory, () => drop('unread'))
    whenOver(reply, () => {
      clearTimeout(late)
      remove()
    })
  }
}

/** A stream is made as it is read: it announces its length, and is not in memory. */
function bytesOf(reply: FastifyReply, payload: unknown): { inMemory: number; toRead: number } {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) {
    const bytes = Buffer.byteLength(payload)
    return { inMemory: bytes, toRead: bytes }
  }
  return { inMemory: 0, toRead: Number(reply.getHeader('content-length') ?? 0) }
}

function observe(registry: Registry, unread: UnreadAnswers): Counter<'reason'> {
  const registers = [registry]
  new Gauge({
    name: 'market_http_unread_bytes',
    help: 'Bytes of whole answers that their clients have not read yet.',
    registers,
    collect() {
      this.set(unread.bytes)
    },
  })
  return new Counter({
    name: 'market_http_dropped_answers_total',
    help: 'Answers whose connection was ended, by reason: read too slowly (slow), or too much unread.',
    labelNames: ['reason'],
    registers,
  })
}
