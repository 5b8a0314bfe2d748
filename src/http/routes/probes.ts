import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { Refusal } from '../../gateway/refusal.ts'
import { ProbeReport } from '../../schemas/health.ts'
import type { Drain } from '../plugins/drain.ts'

/** For the orchestrator: is the process alive, and should it get traffic? */
export function probeRoutes(
  app: FastifyInstance,
  { drain, unreadiness }: { drain: Drain; unreadiness: () => Promise<readonly string[]> },
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()

  routes.get(
    '/livez',
    {
      schema: {
        operationId: 'probeLife',
        summary: 'Is the process alive?',
        description: 'Answers whatever the load is.',
        tags: ['probes'],
        example: { answer: { ok: true } },
        response: { 200: ProbeReport },
      },
      config: { probe: true },
    },
    async () => ({ ok: true as const }),
  )
  routes.get(
    '/readyz',
    {
      schema: {
        operationId: 'probeReadiness',
        summary: 'Should this process get traffic?',
        description: 'A 503 says in its message why not.',
        tags: ['probes'],
        refusals: ['NOT_READY'],
        example: { answer: { ok: true } },
        response: { 200: ProbeReport },
      },
      config: { probe: true },
    },
    async () => {
      const reasons = drain.begun ? ['shutting down'] : await unreadiness()
      if (reasons.length > 0) throw new Refusal('NOT_READY', reasons)
      return { ok: true as const }
    },
  )
}
