import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RefusalError } from '../../gateway/refusal.ts'
import { UnavailableError } from '../../ports/base-errors.ts'
import { type IdempotencyStore, MAX_ANSWER_BYTES } from '../../ports/views/idempotency.ts'
import type { Clock } from '../../runtime/clock.ts'
import { accountOfRequest } from '../clients/customers.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The Idempotency-Key's scope while this request holds the claim on it. */
    idempotencyScope: string | null
  }
  interface FastifyContextConfig {
    /** A POST that may be repeated at will: its Idempotency-Key is ignored. */
    keepsNothing?: boolean
    /** Its answer has a secret, which is not stored: the route itself answers repeats of a key. */
    repeatsItself?: boolean
  }
}

const KEY = /^[\x21-\x7e]{1,255}$/
/** A claim is held for as long as its request runs: seconds. */
const IN_USE_RETRY_SECONDS = 1

/** Idempotency-Key on every POST (docs/design/orders.md#formats). */
export function replayPosts(
  app: FastifyInstance,
  { idempotency, clock }: { idempotency: IdempotencyStore; clock: Clock },
): void {
  app.decorateRequest('idempotencyScope', null)

  // Before validation, so that a refused body is kept under its key like any other answer.
  app.addHook('preValidation', (request, reply, done) => {
    const key = request.headers['idempotency-key']
    if (request.method !== 'POST' || request.is404 || key === undefined) done()
    else if (request.routeOptions.config.keepsNothing) done()
    else if (request.routeOptions.config.repeatsItself) done()
    else claim(request, reply, key).then(() => done(), done)
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const scope = request.idempotencyScope
    if (scope === null) done(null, payload)
    else settle(scope, request, reply, payload).then(() => done(null, payload), done)
  })

  async function claim(
    request: FastifyRequest,
    reply: FastifyReply,
    key: string | readonly string[],
  ): Promise<FastifyReply | undefined> {
    const scope = scopeOf(request, wellFormed(key))
    const claimed = await idempotency.begin(
      scope,
      accountOfRequest(request),
      request.bodyHash,
      clock.now(),
    )
    if (claimed.status === 'new') {
      request.idempotencyScope = scope
      return undefined
    }
    if (claimed.status !== 'replay') throw claimRefused(claimed.status)
    const { statusCode, headers, body } = claimed.answer
    // Resolves once the answer is sent: only then does the hook end, and the handler is left out.
    return reply.code(statusCode).headers(headers).header('idempotent-replayed', 'true').send(body)
  }

  async function settle(
    scope: string,
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
  ): Promise<void> {
    request.idempotencyScope = null
    try {
      const answer = keepable(reply, payload)
      if (answer) await idempotency.keep(scope, answer, clock.now())
      else await idempotency.release(scope)
    } catch (error) {
      const level = UnavailableError.outsidePartOf(error) ? 'debug' : 'error'
      request.log[level]({ err: error }, 'failed to store an answer under its Idempotency-Key')
    }
  }
}

/**
 * The request's Idempotency-Key, for a route that answers repeats by itself; null: it has none.
 *
 * @throws RefusalError INVALID_IDEMPOTENCY_KEY
 */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key']
  return key === undefined ? null : wellFormed(key)
}

function wellFormed(key: string | readonly string[]): string {
  if (typeof key === 'string' && KEY.test(key)) return key
  const form = 'Idempotency-Key: must be 1 to 255 visible ASCII characters, given once'
  throw new RefusalError('INVALID_IDEMPOTENCY_KEY', form)
}

/** The path identifies both route and order; hashed, since store keys are short. */
const scopeOf = (request: FastifyRequest, key: string): string =>
  createHash('sha256')
    .update(JSON.stringify([request.url.split('?')[0], accountOfRequest(request), key]))
    .digest('hex')

/** The answer as it will be replayed; null if a later try may succeed. */
function keepable(reply: FastifyReply, payload: unknown) {
  const passing = reply.statusCode === 429 || reply.statusCode >= 500
  if (passing || typeof payload !== 'string') return null
  if (Buffer.byteLength(payload) > MAX_ANSWER_BYTES) return null
  const contentType = String(reply.getHeader('content-type'))
  return {
    statusCode: reply.statusCode,
    headers: { 'content-type': contentType },
    body: payload,
  }
}

function claimRefused(status: 'in-use' | 'other-body'): RefusalError {
  switch (status) {
    case 'in-use':
      return new RefusalError(
        'IDEMPOTENCY_KEY_IN_USE',
        'Idempotency-Key: a request with this key is still running',
        { retryAfterSeconds: IN_USE_RETRY_SECONDS },
      )
    case 'other-body':
      return new RefusalError(
        'IDEMPOTENCY_KEY_REUSED',
        'Idempotency-Key: was used with another body',
      )
  }
}
