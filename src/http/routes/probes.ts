import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { Refusal } from '../../gateway/refusal.ts'
import { ProbeReport } from '../../schemas/health.ts'
import type { Drain } from '../plugins/drain.ts'

const probe = { schema: { response: { 200: ProbeReport } }, config: { probe: true } }

/** For the orchestrator: is the process alive, and should it get traffic? */
export function probeRoutes(
  app: FastifyInstance,
  { drain, unreadiness }: { drain: Drain; unreadiness: () => Promise<readonly string[]> },
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.get('/livez', probe, async () => ({ ok: true as const }))

  routes.get('/readyz', probe, async () => {
    const reasons = drain.begun ? ['shutting down'] : await unreadiness()
    if (reasons.length > 0) throw new Refusal('NOT_READY', reasons)
    return { ok: true as const }
  })
}
