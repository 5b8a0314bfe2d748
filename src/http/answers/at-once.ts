import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'

/**
 * A hook that never waits, and may throw a refusal: called back, since an async function costs every
 * request a promise.
 */
export const atOnce =
  (check: (request: FastifyRequest, reply: FastifyReply) => void) =>
  (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    check(request, reply)
    done()
  }
