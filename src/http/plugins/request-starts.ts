import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../runtime/clock.ts'

/**
 * A request starts its work in a turn of the event loop, and only as many start per turn as fit into
 * it (ADR 26): parsing a PSBT, or listing 200 records, takes milliseconds, and reads that arrive with
 * a burst of these do not wait for the whole burst. Of a scope's requests, all are paced or only its
 * POSTs.
 */
export function paceRequestStarts(
  scope: FastifyInstance,
  clock: Pick<Clock, 'turn'>,
  which: 'all' | 'posts',
): void {
  scope.addHook('preHandler', ({ method }, _reply, done) => {
    if (which === 'all' || method === 'POST') clock.turn().then(() => done(), done)
    else done()
  })
}
