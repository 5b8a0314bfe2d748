import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { RefusalError } from '../../gateway/refusal.ts'
import { GATEWAY_OPERATIONS } from '../operations/gateway.ts'
import type { Drain } from '../plugins/drain.ts'

export interface Readiness {
  /** Why this process should get no traffic now; empty if it should get traffic. */
  missing: readonly string[]
  /** Unavailable dependencies that it can work without. */
  degraded: readonly string[]
}

/** For the orchestrator: is the process alive, and should it get traffic? */
export function probeRoutes(
  app: FastifyInstance,
  { drain, readiness }: { drain: Drain; readiness: () => Promise<Readiness> },
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.get(
    '/livez',
    {
      schema: GATEWAY_OPERATIONS.probeLife,
      config: { probe: true },
    },
    async () => ({ ok: true as const }),
  )
  routes.get(
    '/readyz',
    {
      schema: GATEWAY_OPERATIONS.probeReadiness,
      config: { probe: true },
    },
    async () => {
      const { missing, degraded } = drain.begun ? SHUTTING_DOWN : await readiness()
      if (missing.length > 0) throw new RefusalError('NOT_READY', missing)
      return { ok: true as const, degraded: [...degraded] }
    },
  )
}

const SHUTTING_DOWN: Readiness = { missing: ['shutting down'], degraded: [] }
