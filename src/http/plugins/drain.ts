import { setMaxListeners } from 'node:events'
import type { FastifyInstance } from 'fastify'
import { RefusalError } from '../../gateway/refusal.ts'
import { atOnce } from '../answers/at-once.ts'

/** Milliseconds before the deadline of a close, so that pending answers still go out. */
const LAST_WORDS_MS = 1_000

export interface Drain {
  /** From the first sign of shutdown: `/readyz` fails, connections close after their answers. */
  begin(): void
  readonly begun: boolean
  /** Aborted when waiting requests must give up. */
  readonly signal: AbortSignal
}

/**
 * Ends within `drainMs` of `app.close()`: running requests are answered, new ones get 503, waits
 * are cut short a second before the end, and remaining connections are then closed.
 */
export function drainOnClose(app: FastifyInstance, { drainMs }: { drainMs: number }): Drain {
  const waits = new AbortController()
  // Every waiting request listens to it; Node would report more than ten as a leak.
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
  app.addHook(
    'onRequest',
    atOnce((request) => {
      // These routes never wait long, and their contract has no answer for this.
      if (request.server.answersInMessages) return
      if (closing && !request.routeOptions.config.probe) {
        throw new RefusalError(
          'SHUTTING_DOWN',
          'the service is shutting down: try another instance',
        )
      }
    }),
  )
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (begun) reply.header('connection', 'close')
    done(null, payload)
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
