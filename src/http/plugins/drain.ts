import { setMaxListeners } from 'node:events'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../gateway/refusal.ts'

/** Before the deadline of a close, so that answers still go out: milliseconds. */
const LAST_WORDS_MS = 1_000

export interface Drain {
  /** From the first sign of an end on: `/readyz` says no, connections are closed after answers. */
  begin(): void
  readonly begun: boolean
  /** Aborted when requests that still wait must give up. */
  readonly signal: AbortSignal
}

/**
 * Ends within `drainMs` of `app.close()`: requests that run are answered, those that come after are
 * 503, waits are cut short a second before the end, and what is left then is disconnected.
 */
export function drainOnClose(app: FastifyInstance, { drainMs }: { drainMs: number }): Drain {
  const waits = new AbortController()
  // Every request that waits listens to it; Node would take more than ten for a leak.
  setMaxListeners(0, waits.signal)
  let begun = false
  let closing = false
  let timers: NodeJS.Timeout[] = []

  app.addHook('preClose', async () => {
    begun = true
    closing = true
    timers = [
      setTimeout(() => waits.abort(), Math.max(0, drainMs - LAST_WORDS_MS)),
      setTimeout(() => app.server.closeAllConnections(), drainMs),
    ]
  })
  app.addHook('onClose', async () => {
    for (const timer of timers) clearTimeout(timer)
  })
  app.addHook('onRequest', async (request) => {
    // Their answers wait for nothing long, and have no words for this.
    if (request.server.answersInMessages) return
    if (closing && !request.routeOptions.config.probe) {
      throw new Refusal('SHUTTING_DOWN', 'the service is shutting down: try another instance')
    }
  })
  app.addHook('onSend', async (_request, reply, payload) => {
    if (begun) reply.header('connection', 'close')
    return payload
  })

  return {
    begin() {
      begun = true
    },
    get begun() {
      return begun
    },
    signal: waits.signal,
  }
}
