import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../ports/runtime/clock.ts'

/**
 * A POST starts its work in a turn of the event loop, and only as many start per turn as fit into
 * it (ADR 26): parsing a PSBT takes milliseconds, and reads that arrive with a burst of POSTs do not
 * wait for the whole burst.
 */
export function takeTurns(scope: FastifyInstance, clock: Pick<Clock, 'turn'>): void {
  scope.addHook('preHandler', ({ method }, _reply, done) => {
    if (method === 'POST') clock.turn().then(() => done(), done)
    else done()
  })
}
