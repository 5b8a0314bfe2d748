import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Counter, Gauge, type Registry } from 'prom-client'
import { accountOfRequest } from '../clients/customers.ts'
import { whenOver } from '../requests/when-over.ts'
import { UnreadAnswers, type UnreadBounds } from './unread-answers.ts'

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Counts bytes of an answer that are in memory until its client reads them; returns the function
     * that ends that. Beyond a bound the connection ends.
     */
    holdUnread(bytes: number): () => void
  }
}

export interface ReadingLimits extends UnreadBounds {
  /** How long any answer may take to be read, milliseconds, */
  answerMs: number
  /** and a second more for each of so many bytes. */
  bytesPerSecond: number
}

/**
 * Ends the connection of a client that reads an answer more slowly than any honest client, and of
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
  const drop = (reply: FastifyReply, reason: 'slow' | 'unread') => {
    dropped.inc({ reason })
    reply.raw.destroy()
  }
  // A stream counts what it holds by itself.
  app.decorateReply('holdUnread', function (bytes) {
    return unread.add(accountOfRequest(this.request), bytes, () => drop(this, 'unread'))
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const { isStream, isBatch } = request.routeOptions.config
    // A batch bounds by itself how long it is read.
    const endless = (isStream || isBatch) && payload instanceof Readable
    if (!endless) watch(reply, payload)
    done(null, payload)
  })

  function watch(reply: FastifyReply, payload: unknown): void {
    const { inMemory, toRead } = bytesOf(reply, payload)
    const seconds = Math.ceil(toRead / limits.bytesPerSecond)
    const late = setTimeout(() => drop(reply, 'slow'), limits.answerMs + seconds * 1_000).unref()
    const release = reply.holdUnread(inMemory)
    whenOver(reply, () => {
      clearTimeout(late)
      release()
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
    help: 'Bytes of answers that their clients have not read yet, and of slow streams.',
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
